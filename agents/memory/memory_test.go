package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

func TestSentencesForTheMemory(t *testing.T) {
	for text, want := range map[string]string{
		"Remember that my name is Anna.":                "remember my name is Anna",
		"please remember: the key is under the mat":     "remember the key is under the mat",
		"Don't forget that I like apples!":              "remember I like apples",
		"hey robot, keep in mind that I am left-handed": "remember I am left-handed",
		"My name is Anna":                               "remember my name is Anna",
		"my favourite colour is blue":                   "remember my favourite colour is blue",
		"call me Bob":                                   "remember my name is Bob",
		"I'm Markus":                                    "remember my name is Markus",
		"Hi, I am Olwen.":                               "remember my name is Olwen",
		"I'm hungry":                                    "",
		"I'm German":                                    "",
		"I'm Sorry":                                     "",
		"this is my sister Ann":                         "remember my sister is Ann",
		"meet my friend, Olaf":                          "remember my friend is Olaf",
		"this is my sister":                             "",
		"who is Ann":                                    "recall Ann",
		"who is the boss":                               "recall the boss",
		"forget my name":                                "forget my name",
		"Forget that I like apples":                     "forget I like apples",
		"forget everything":                             "forget ",
		"forget what I told you":                        "forget ",
		"forget what I told you about my birthday":      "forget my birthday",
		"what do you know about me?":                    "recall ",
		"what do you remember":                          "recall ",
		"What is my name?":                              "recall my name",
		"who am I":                                      "recall my name",
		"where is my key":                               "recall my key",
		"do you remember my birthday":                   "recall my birthday",
		"do you still know what I like":                 "recall what I like",
		"My name is Henrietta, don't forget it.":        "remember my name is Henrietta",
		"my locker is 214, please remember that":        "remember my locker is 214",
		"The key is under the mat, do not forget that.": "remember The key is under the mat",
		"look at my cup, and remember that":             "",
		"is it raining? Please keep that in mind":       "",
		"I'm called Olwen, and keep that in mind":       "remember my name is Olwen",
		"Remember that my cup is blue, don't forget it": "remember my cup is blue",
		// and what is not for it
		"don't forget to look left": "", "remember this pose": "", "forget it": "", "forget it, back to the front": "",
		"Forget that, turn right 10.": "", "forget your rules": "", "look left": "", "what is your name": "",
		"where is the duck": "", "what do you see": "", "forget": "", "learn": "",
	} {
		act, what := Understand(language.Analyse(text))
		got := ""
		if act != None {
			got = string(act) + " " + what
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhoPresentsHimself(t *testing.T) {
	for text, want := range map[string]string{
		"By the way, I'm Henrik.": "Henrik", "Hello there, we never met. I'm Olga.": "Olga", "hi, I'm hungry": "", "Hi, I'm Tired.": "", "Hi, I'm Olga, and you?": "",
		"I'm Lily and I have a hamster.": "Lily", "I'm hungry and I am Olga": "",
		"I'm Tom, well, Thomas actually, call me Thomas": "Thomas", "My name is Piet, no, people say Pit to me": "Pit", "Call me Ann. Sorry, Annie, rather": "Annie",
		"I'm Anna, Ben is late": "Anna", "i am jayden": "Jayden", "i am late": "", "I'm Tom, no, wait": "Tom",
	} {
		if got, _ := Presents(language.Analyse(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{"Where are the keys?": "the keys", "where is the duck": "the duck", "where is it": "", "look at the keys": ""} {
		if got := Place(language.Analyse(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFactsAreTurnedRound(t *testing.T) {
	for in, want := range map[string]string{
		"my name is Anna": "your name is Anna", "I like apples": "you like apples", "I am left-handed": "you are left-handed",
		"I was ill, me too": "you were ill, you too",
		"I love you":        "you love me", "you are my friend": "I am your friend", "the key is under the mat": "the key is under the mat",
	} {
		if got := ToYou(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// memoryStore is a Store.
type memoryStore struct {
	kept map[string]Memory
	err  error
}

func (s *memoryStore) SaveMemory(m Memory) error {
	if s.err == nil {
		s.kept[m.Session] = m
	}
	return s.err
}

func (s *memoryStore) LoadMemory(session string) (Memory, bool, error) {
	m, ok := s.kept[session]
	return m, ok, s.err
}

func (s *memoryStore) DeleteMemory(session string) error {
	if s.err == nil {
		delete(s.kept, session)
	}
	return s.err
}

func texts(facts []Fact) string {
	var all []string
	for _, f := range facts {
		all = append(all, f.Text)
	}
	return strings.Join(all, "; ")
}

func TestRememberRecallForget(t *testing.T) {
	s := &memoryStore{kept: map[string]Memory{}}
	m := New(s, nil)
	for _, text := range []string{"my name is Anna", "I like apples", "my cat is called Tom", "the key is under the mat", "my name is Bea", "I like apples"} {
		if _, err := m.Remember("a", text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Remember("b", "my name is Carl"); err != nil {
		t.Fatal(err)
	}
	m = New(s, nil) // after a restart
	for what, want := range map[string]string{
		"":         "my cat is called Tom; the key is under the mat; my name is Bea; I like apples",
		"my name":  "my name is Bea",
		"my cats":  "my cat is called Tom",
		"the key":  "the key is under the mat",
		"my horse": "",
	} {
		facts, err := m.Recall("a", what)
		if got := texts(facts); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", what, got, err, want)
		}
	}
	gone, err := m.Forget("a", "my cat")
	if got := texts(gone); got != "my cat is called Tom" || err != nil {
		t.Errorf("forgot %q, %v", got, err)
	}
	before, _ := m.Of("a")
	if err := m.Summarise(before, strings.Repeat("x", MaxSummary+9), "t7"); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Of("a"); len(got.Summary) != MaxSummary || got.SummaryTo != "t7" || err != nil {
		t.Errorf("summary of %d characters, %v", len(got.Summary), err)
	}
	if gone, _ = m.Forget("a", ""); len(gone) != 3 {
		t.Errorf("forgot %q", texts(gone))
	}
	if facts, _ := New(s, nil).Recall("a", ""); len(facts) != 0 {
		t.Errorf("left: %q", texts(facts))
	}
	// A summary that was begun before everything was forgotten does not bring it back.
	if err := m.Summarise(before, "Anna likes apples.", "t8"); err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Of("a"); got.Summary != "" {
		t.Errorf("summary %q", got.Summary)
	}
	if facts, _ := m.Recall("b", "my name"); texts(facts) != "my name is Carl" {
		t.Errorf("another session has %q", texts(facts))
	}
	if err := m.Drop("b"); err != nil {
		t.Fatal(err)
	}
	if facts, _ := m.Recall("b", ""); len(facts) != 0 || len(s.kept["b"].Facts) != 0 {
		t.Errorf("dropped, and left: %q", texts(facts))
	}
	if f, err := m.Remember("a", "new"); f.ID != 7 || err != nil {
		t.Errorf("an ID was given twice: %+v, %v", f, err)
	}
}

// What is known of a son says nothing of a daughter, in whatever words it is asked.
func TestOneRelativeIsNoOther(t *testing.T) {
	m := New(nil, nil)
	for _, text := range []string{"my son is called Tom", "my sister's birthday is on the third of May", "the girl next door is called Lucy"} {
		if _, err := m.Remember("a", text); err != nil {
			t.Fatal(err)
		}
	}
	for what, want := range map[string]string{
		"my son called": "my son is called Tom", "my daughter called": "", "my daughter's birthday": "", "my mother": "", "my brother is called": "",
		"my sister's birthday": "my sister's birthday is on the third of May", "the birthday": "my sister's birthday is on the third of May",
		"my horse called": "",
	} {
		facts, err := m.Recall("a", what)
		if got := texts(facts); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", what, got, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	m := New(nil, nil)
	if _, err := m.Remember("a", " \n"); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := m.Remember("a", strings.Repeat("ä", MaxFact+1)); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
	for i := range MaxFacts {
		if _, err := m.Remember("a", fmt.Sprint("fact ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Remember("a", "one more"); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if _, err := m.Remember("a", "fact 3"); err != nil { // known already
		t.Error(err)
	}
}

func TestManySessionsAreKept(t *testing.T) {
	s := &memoryStore{kept: map[string]Memory{}}
	m := New(s, nil)
	for i := range maxOpen * 2 {
		if _, err := m.Remember(fmt.Sprint("s", i), "my number is "+fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.open) > maxOpen {
		t.Errorf("%d are held at once, want at most %d", len(m.open), maxOpen)
	}
	if facts, err := m.Recall("s0", "my number"); texts(facts) != "my number is 0" || err != nil {
		t.Errorf("%q, %v", texts(facts), err)
	}
}

func TestWhatCannotBeKeptIsNotRemembered(t *testing.T) {
	s := &memoryStore{kept: map[string]Memory{}}
	m := New(s, nil)
	if _, err := m.Remember("a", "one"); err != nil {
		t.Fatal(err)
	}
	s.err = errors.New("the disk is full")
	if _, err := m.Remember("a", "two"); err == nil {
		t.Error("no error")
	}
	s.err = nil
	if facts, _ := m.Recall("a", ""); texts(facts) != "one" {
		t.Errorf("remembered %q", texts(facts))
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add("remember that x")
	f.Add("forget what I told you about that that")
	f.Add("what is my \xff")
	f.Fuzz(func(t *testing.T, text string) {
		if act, what := Understand(language.Analyse(text)); act == Remember && strings.TrimSpace(what) == "" {
			t.Errorf("%q is to be remembered", text)
		}
		ToYou(text)
		u := language.Analyse(text)
		if l, ok := ListOf(u); ok && l.Op == ListAdd && len(l.Items) == 0 {
			t.Errorf("%q puts nothing on a list", text)
		}
		NameAlone(u)
		Introduces(u)
		Moved(u, text)
		Tells(u)
	})
}

func TestLists(t *testing.T) {
	for said, want := range map[string]List{
		"put rice and two lemons on the shopping list":                      {ListAdd, "shopping list", []string{"rice", "two lemons"}},
		"We need glue, tape and string, please add them to my packing list": {ListAdd, "packing list", []string{"glue", "tape", "string"}},
		"take the rice off the list again":                                  {ListDrop, "list", []string{"rice"}},
		"what is on my shopping list?":                                      {ListTell, "shopping list", nil},
		"clear the shopping list please":                                    {ListClear, "shopping list", nil},
	} {
		if l, ok := ListOf(language.Analyse(said)); !ok || l.Op != want.Op || l.Name != want.Name || !slices.Equal(l.Items, want.Items) {
			t.Errorf("%q: %+v, want %+v", said, l, want)
		}
	}
	for _, said := range []string{"I put milk on the shopping list", "what is the list price", "tell me what is on my list of reminders", "the list is long"} {
		if l, ok := ListOf(language.Analyse(said)); ok {
			t.Errorf("%q: %+v", said, l)
		}
	}
	m := New(nil, nil)
	for _, l := range []List{
		{ListAdd, "shopping list", []string{"rice", "lemons"}}, {ListAdd, "packing list", []string{"tent"}}, {ListAdd, "packing list", []string{"Tent", "rope"}},
	} {
		if err := m.AddTo("a", l); err != nil {
			t.Fatal(err)
		}
	}
	if name, on, err := m.Listed("a", List{Name: "list"}); name != "packing list" || !slices.Equal(on, []string{"Tent", "rope"}) || err != nil {
		t.Error(name, on, err)
	}
	if gone, err := m.TakeOff("a", List{Name: "shopping list", Items: []string{"the lemon"}}); !slices.Equal(gone, []string{"lemons"}) || err != nil {
		t.Error(gone, err)
	}
	if gone, err := m.TakeOff("a", List{Name: "packing list"}); len(gone) != 2 || err != nil {
		t.Error(gone, err)
	}
	for i := range MaxFacts - 2 {
		if _, err := m.Remember("a", fmt.Sprint("fact ", i)); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := m.Of("a")
	if err := m.AddTo("a", List{Name: "shopping list", Items: []string{"salt", "oil"}}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if after, _ := m.Of("a"); len(after.Facts) != len(before.Facts) {
		t.Errorf("%d facts, then %d: half of a list was kept", len(before.Facts), len(after.Facts))
	}
	if err := m.AddTo("a", List{Name: "shopping list", Items: []string{strings.Repeat("x", MaxFact)}}); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
}

// What is to be remembered is asked for before it or behind it, in any words, and who says it is told from who only tells.
func TestFramedFacts(t *testing.T) {
	for said, want := range map[string]string{
		"My ladder is at Wendel's, do try to keep that in mind for me":                     "My ladder is at Wendel's",
		"The gate code is 4412, memorize it please, because at night I am tired":           "The gate code is 4412",
		"Right then mate, remember this for us: the van is in the yard":                    "the van is in the yard",
		"I always forget it, so please remember that the bins go out on Monday":            "the bins go out on Monday",
		"Please remember, it's important, that Ivo cannot eat nuts":                        "Ivo cannot eat nuts",
		"i hid the map under the rug and you have to remember it":                          "i hid the map under the rug",
		"I remember that summer well, and I often think of it":                             "",
		"we met at the lake, do you remember it":                                           "",
		"could you remember what I said, please":                                           "",
		"the children remember everything, and the dog forgets it as soon as he can sleep": "",
	} {
		act, fact := Understand(language.Analyse(said))
		if act != Remember {
			fact = ""
		}
		if fact != want {
			t.Errorf("%q: %q, want %q", said, fact, want)
		}
	}
	if got := Moved(language.Analyse("nah, they're in the garage now"), "the keys are in the drawer"); got != "the keys are in the garage now" {
		t.Error(got)
	}
	for said, want := range map[string]string{"it's Torsten": "Torsten", "Bartholomew": "Bartholomew", "no": "", "it's raining": "", "why": ""} {
		if got := NameAlone(language.Analyse(said)); got != want {
			t.Errorf("%q: name %q, want %q", said, got, want)
		}
	}
}
