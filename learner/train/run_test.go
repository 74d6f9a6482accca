package train

import (
	"bytes"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/learner/env"
)

func quick(algorithm string) Settings {
	return Settings{
		Task: env.ReachPose, Algorithm: algorithm, Seed: 3, Episodes: 8, UpdateEvery: 2, EvaluateEvery: 4, EvaluateEpisodes: 2,
		Random: 1, Person: "simulated", Curriculum: true,
	}
}

func open(t *testing.T, dir string, s Settings) *Run {
	t.Helper()
	r, err := Open(dir, s, SimplePlants)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func finish(t *testing.T, r *Run) {
	t.Helper()
	for !r.Done() {
		if _, err := r.Advance(nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInterruptedRunsHaveTheSameCurve opens a run anew after each update, and once in the middle of one.
func TestInterruptedRunsHaveTheSameCurve(t *testing.T) {
	for _, algorithm := range []string{PPO, SAC} {
		t.Run(algorithm, func(t *testing.T) {
			whole := open(t, filepath.Join(t.TempDir(), "a"), quick(algorithm))
			finish(t, whole)
			dir := filepath.Join(t.TempDir(), "b")
			r := open(t, dir, quick(algorithm))
			enough := errors.New("enough")
			n := 0
			if _, err := r.Advance(func() error {
				if n++; n > 30 {
					return enough
				}
				return nil
			}); !errors.Is(err, enough) {
				t.Fatalf("Advance went on: %v", err)
			}
			for !r.Done() {
				r = open(t, dir, Settings{})
				if _, err := r.Advance(nil); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(r.Curve, whole.Curve) {
				t.Errorf("interrupted: %+v\nwhole: %+v", r.Curve, whole.Curve)
			}
			if !reflect.DeepEqual(r.Policy, whole.Policy) {
				t.Error("another policy was the best")
			}
			if got, err := os.ReadFile(filepath.Join(dir, csvFile)); err != nil || !bytes.Equal(got, whole.CSV()) {
				t.Errorf("the table differs: %v", err)
			}
		})
	}
}

// A run that is killed after its last episode, before the checkpoint says so, has its curve as one that was not.
func TestAKillAtTheEndLosesNoCurve(t *testing.T) {
	whole := open(t, filepath.Join(t.TempDir(), "a"), quick(PPO))
	finish(t, whole)
	dir := filepath.Join(t.TempDir(), "b")
	checkpoint := filepath.Join(dir, checkpointFile)
	r := open(t, dir, quick(PPO))
	var before []byte
	for {
		kept, err := os.ReadFile(checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		if before = kept; r.Episodes == r.Settings.Episodes-r.Settings.UpdateEvery {
			break
		}
		if _, err := r.Advance(nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(checkpoint), os.Mkdir(checkpoint, 0o700)); err != nil { // it cannot be written
		t.Fatal(err)
	}
	if _, err := r.Advance(nil); err == nil {
		t.Fatal("a checkpoint that cannot be written is no error")
	}
	if got, err := os.ReadFile(filepath.Join(dir, csvFile)); err != nil || !bytes.Equal(got, whole.CSV()) {
		t.Errorf("when the checkpoint is written the table is\n%s\n%v", got, err)
	}
	if err := errors.Join(os.Remove(checkpoint), os.WriteFile(checkpoint, before, 0o600)); err != nil {
		t.Fatal(err)
	}
	finish(t, open(t, dir, Settings{}))
	if got, err := os.ReadFile(filepath.Join(dir, csvFile)); err != nil || !bytes.Equal(got, whole.CSV()) {
		t.Errorf("lived through anew the table is\n%s\n%v", got, err)
	}
}

func TestWhatARunLeaves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := open(t, dir, quick(PPO))
	r.Feedback(-0.5)
	r.Feedback(-7) // is −1
	finish(t, r)
	if p := r.Curve[0]; p.Human >= 0 || p.Human < -1 {
		t.Errorf("two complaints are told as %g", p.Human)
	}
	data, err := os.ReadFile(filepath.Join(dir, bestFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodePolicy(data); err != nil {
		t.Error(err)
	}
	f, err := os.Open(filepath.Join(dir, pngFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() < 400 {
		t.Errorf("no picture of the curves: %v", err)
	}
	mine, classic, err := r.Final(4, true, nil)
	if err != nil || mine.Episodes != 4 || classic.Who != classical || mine.On == "" {
		t.Errorf("%+v, %+v, %v", mine, classic, err)
	}
}

func TestDamagedCheckpointIsNotTakenOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	open(t, dir, quick(PPO))
	path := filepath.Join(dir, checkpointFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() []byte{
		"empty": func() []byte { return nil },
		"cut":   func() []byte { return whole[:len(whole)/2] },
		"bit":   func() []byte { c := bytes.Clone(whole); c[len(c)/2] ^= 4; return c },
		"magic": func() []byte { return append([]byte("X"), whole[1:]...) },
	} {
		if err := os.WriteFile(path, spoil(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Settings{}, SimplePlants); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	dir := f.TempDir()
	r, err := Open(filepath.Join(dir, "run"), Settings{Task: env.Greet, Episodes: 1}, SimplePlants)
	if err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(r.Dir, checkpointFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(magic))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var k kept
		_ = decodeCheckpoint(data, &k) // it must come back, with or without an error
		if p, err := DecodePolicy(data); err == nil {
			p.Net.Forward(make([]float32, p.Net.In()), 1)
		}
	})
}

func TestSettingsSayWhatIsAllowed(t *testing.T) {
	for says, s := range map[string]Settings{
		`task: "juggle"`:        {Task: "juggle"},
		`algorithm: "dqn"`:      {Algorithm: "dqn"},
		"episodes: -1":          {Episodes: -1},
		"episodes: 2000000":     {Episodes: 2_000_000},
		"update_every: 10001":   {UpdateEvery: 10_001},
		"random: 1.5":           {Random: 1.5},
		`person: "me"`:          {Person: "me"},
		"weights: -1":           {Weights: env.Weights{Task: -1}},
		"evaluate_episodes: -2": {EvaluateEpisodes: -2},
		"evaluate_every: -2":    {EvaluateEvery: -2},
		`model: "unicorn"`:      {Model: "unicorn"},
	} {
		if _, err := Open(filepath.Join(t.TempDir(), "run"), s, SimplePlants); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

type still struct{}

func (still) Begin()                  {}
func (still) Act(_, action []float32) { clear(action) }

func TestForeignObservationsAreLeftToTheClassicalSolution(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "run"), quick(PPO))
	finish(t, r)
	p, err := r.Policy.Load()
	if err != nil {
		t.Fatal(err)
	}
	g := &Guarded{Policy: p, Classic: still{}}
	obs, action := make([]float32, p.Net.In()), make([]float32, len(p.Action.Low))
	for i := range obs {
		obs[i] = float32(p.Norm.Mean[i])
	}
	g.Act(obs, action)
	if g.Foreign != 0 {
		t.Error("the mean of all observations is foreign")
	}
	obs[2] += 100
	action[0] = 1
	if g.Act(obs, action); g.Foreign != 1 || action[0] != 0 {
		t.Errorf("what training never showed was acted on: %v", action)
	}
}

func TestWilson(t *testing.T) {
	low, high := wilson(95, 100)
	if low < 0.88 || low > 0.90 || high < 0.97 || high > 0.98 {
		t.Errorf("95 of 100: %g…%g", low, high)
	}
	if low, high := wilson(0, 0); low != 0 || high != 1 {
		t.Error("nothing was tried, and something is known")
	}
}

func TestSimulatedPersonSaysWhatTheyThink(t *testing.T) {
	said := map[float64]int{}
	for i := range 300 {
		for _, f := range []env.Finished{
			{Outcome: env.Outcome{Success: true, Merit: 0.3}}, {Outcome: env.Outcome{Success: true, Merit: 2}}, {}, {Unsafe: 5},
		} {
			if text, r := simulatedPerson(1, i, "s", f); text != "" {
				said[r]++
			}
		}
	}
	for _, want := range []float64{1, 0.5, -0.3, -1} {
		if said[want] < 50 {
			t.Errorf("%d sayings of %g in 300 episodes", said[want], want)
		}
	}
}
