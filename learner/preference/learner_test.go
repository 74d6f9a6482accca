package preference

import (
	"strings"
	"testing"
)

// Nothing is tried before somebody has said something.
func TestNothingSaidNothingChanged(t *testing.T) {
	l := New(nil, 1)
	for _, p := range Parameters() {
		for range 20 {
			if o := l.Choose("a", p.Name); o != p.Usual {
				t.Fatalf("%s: chose %s", p.Name, p.Options[o].Name)
			}
		}
		if o, learned := l.Best("a", p.Name); o != p.Usual || learned {
			t.Errorf("%s: %d learned %v", p.Name, o, learned)
		}
	}
	if l.Choose("a", "colour") != 0 {
		t.Error("an unknown parameter has an option")
	}
}

func say(l *Learner, person string, n int, choose map[string]int, reward float64, meant ...string) {
	for range n {
		l.Learn(Observation{Person: person, Choices: choose, Reward: reward, Meant: meant, Weight: 1})
	}
}

func TestWhatIsTooFastGetsSlower(t *testing.T) {
	l := New(nil, 1)
	say(l, "a", 4, map[string]int{Speed: 2, Size: 2}, -0.4, "too_fast")
	if o, learned := l.Best("a", Speed); o >= 2 || !learned {
		t.Errorf("speed: %d, learned %v", o, learned)
	}
	if o, _ := l.Best("a", Size); o != 2 {
		t.Errorf("nobody has said anything of the size: %d", o)
	}
}

// What one person likes is a guess for another, until that one says something else.
func TestPeopleDiffer(t *testing.T) {
	l := New(nil, 1)
	say(l, "a", 8, map[string]int{Greeting: 2}, 0.9)
	say(l, "a", 4, map[string]int{Greeting: 0}, -0.5)
	say(l, "b", 8, map[string]int{Greeting: 2}, -0.9)
	say(l, "b", 8, map[string]int{Greeting: 1}, 0.9)
	for person, want := range map[string]int{"a": 2, "b": 1} {
		if o, _ := l.Best(person, Greeting); o != want {
			t.Errorf("%s: %d, want %d", person, o, want)
		}
	}
}

func TestWhatIsFixedIsNotLearned(t *testing.T) {
	fixed, err := Fixed(map[string]string{"speed": "slow"})
	if err != nil {
		t.Fatal(err)
	}
	l := New(fixed, 1)
	say(l, "a", 9, map[string]int{Speed: 4}, 1)
	if o := l.Choose("a", Speed); o != 1 {
		t.Error(o)
	}
	if o, learned := l.Best("a", Speed); o != 1 || learned {
		t.Error(o, learned)
	}
	for says, bad := range map[string]map[string]string{"colour": {"colour": "red"}, "very_slow": {"speed": "warp"}} {
		if _, err := Fixed(bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestRelearnIsLearn(t *testing.T) {
	a, b := New(nil, 1), New(nil, 1)
	var all []Observation
	for i := range 40 {
		o := Observation{Person: "a", Choices: map[string]int{Speed: i % 5}, Reward: 0.5 - float64(i%5)/4, Weight: 1}
		all = append(all, o)
		a.Learn(o)
	}
	b.Relearn(all)
	x, _ := a.Best("a", Speed)
	y, _ := b.Best("a", Speed)
	if x != y || x != 0 {
		t.Errorf("learned one by one: %d, at once: %d, want 0", x, y)
	}
}

// Observations that say nothing usable change nothing.
func TestOddObservations(t *testing.T) {
	l := New(nil, 1)
	l.Learn(Observation{Person: "a", Choices: map[string]int{Speed: 99, "colour": 1}, Reward: -1, Weight: 1})
	l.Learn(Observation{Person: "a", Choices: map[string]int{Speed: 2}, Reward: -1, Weight: 0})
	if o := l.Choose("a", Speed); o != 2 {
		t.Error(o)
	}
}

func BenchmarkLearnAndChoose(b *testing.B) {
	l := New(nil, 1)
	for i := range 100 {
		say(l, "a", 1, map[string]int{Speed: i % 5, Size: i % 4}, 0.3)
	}
	for b.Loop() {
		say(l, "a", 1, map[string]int{Speed: 1}, 0.5)
		l.Choose("a", Speed)
	}
}
