package reward

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const testSize = 12

// fakeSentences makes vectors that tell by the first word what a sentence is.
type fakeSentences struct{ err error }

func (f fakeSentences) States(text string) ([]float32, error) {
	seed := uint64(len(text))
	for _, c := range text {
		seed = seed*31 + uint64(c)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, testSize)
	for k := range out {
		out[k] = random.Float32() * 0.3
	}
	for c, word := range []string{"flop", "table", "gem"} {
		if strings.HasPrefix(text, word) {
			out[c]++
		}
	}
	return out, f.err
}

// fakeExamples are sentences of words that the lexical model does not know.
func fakeExamples(from, to int) (all []Example) {
	for i := from; i < to; i++ {
		all = append(all, Example{Text: fmt.Sprintf("flop %d", i), Reward: -0.8}, Example{Text: fmt.Sprintf("table %d", i)},
			Example{Text: fmt.Sprintf("gem %d", i), Reward: 0.8})
	}
	return all
}

func fakeLayer(t testing.TB) *Layer {
	t.Helper()
	all := fakeExamples(0, 40)
	states, err := AllStates(t.Context(), fakeSentences{}, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return FitLayer(all, states)
}

func TestLayerKnowsSentencesLikeThose(t *testing.T) {
	l := fakeLayer(t)
	right := 0
	unseen := fakeExamples(40, 60)
	for _, e := range unseen {
		states, _ := fakeSentences{}.States(e.Text)
		p := l.mix([numClasses]float64{1. / 3, 1. / 3, 1. / 3}, states)
		if sum := p[0] + p[1] + p[2]; math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: probabilities %v", e.Text, p)
		}
		if p[ClassOf(e.Reward)] > 0.5 {
			right++
		}
	}
	if right < len(unseen)*9/10 {
		t.Errorf("%d of %d are right", right, len(unseen))
	}
}

func TestSystemIsSolved(t *testing.T) {
	const n = 20
	random := rand.New(rand.NewPCG(5, 6))
	a, x, b := make([]float32, n*n), make([]float32, n*outputs), make([]float32, n*outputs)
	for i := range n {
		for j := range i {
			a[i*n+j] = random.Float32() / n
			a[j*n+i] = a[i*n+j]
		}
		a[i*n+i] = 1.2
	}
	for i := range x {
		x[i] = random.Float32()
	}
	for i := range n {
		for k := range outputs {
			for j := range n {
				b[i*outputs+k] += a[i*n+j] * x[j*outputs+k]
			}
		}
	}
	factorize(a, n)
	substitute(a, b, n)
	for i := range x {
		if math.Abs(float64(x[i]-b[i])) > 1e-4 {
			t.Fatalf("x[%d] is %g, solved %g", i, x[i], b[i])
		}
	}
}

func TestLayerAsAFile(t *testing.T) {
	l := fakeLayer(t)
	if !slices.Equal(l.bytes(), fakeLayer(t).bytes()) {
		t.Error("a second fit gives another layer")
	}
	again, err := readLayer(l.bytes())
	if err != nil {
		t.Fatal(err)
	}
	states, _ := fakeSentences{}.States("gem 77")
	if !slices.Equal(l.apply(states), again.apply(states)) {
		t.Error("read from a file it says something else")
	}
	b := l.bytes()
	changed := func(at int, v byte) []byte { c := slices.Clone(b); c[at] = v; return c }
	for says, bad := range map[string][]byte{
		"EOF": b[:20], "version 9": changed(8, 9), "begins": changed(0, 'x'), "bytes follow": b[:len(b)-1], "up to": changed(15, 0xff), "outputs": changed(20, 9),
		"number": changed(28+4*3+3, 0x7f), "width": changed(27, 0xbf),
	} {
		if _, err := readLayer(bad); !errors.Is(err, ErrLayer) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, without %q", err, says)
		}
	}
}

func FuzzLayer(f *testing.F) {
	f.Add(fakeLayer(f).bytes())
	f.Add([]byte("rewardl\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readLayer(b)
		if err != nil {
			return
		}
		l.apply(make([]float32, len(l.mean)))
	})
}

func TestJudge(t *testing.T) {
	const text = "flop 1234"
	lexical := Default().Score(text)
	path := filepath.Join(t.TempDir(), "layer")
	j := &Judge{sentences: fakeSentences{}, path: path}
	same := func(why string) {
		t.Helper()
		if got := j.Score(text); fmt.Sprint(got) != fmt.Sprint(lexical) {
			t.Errorf("%s: %+v, the words alone say %+v", why, got, lexical)
		}
	}
	same("without a file")
	if err := fakeLayer(t).write(path); err != nil {
		t.Fatal(err)
	}
	if err := j.Check(); err != nil {
		t.Error(err)
	}
	if got := j.Score(text); ClassOf(got.Reward) != Blame {
		t.Errorf("with the layer: %+v", got)
	}
	j.rest()
	if got := j.Score(text); ClassOf(got.Reward) != Blame {
		t.Errorf("after a rest: %+v", got)
	}
	if got := j.Score("That was perfect!"); got.Reward != 1 {
		t.Errorf("plain sentences have their worth: %+v", got)
	}
	if got := j.Score("…"); got.Reward != 0 {
		t.Errorf("%+v", got)
	}
	j.sentences = fakeSentences{errors.New("broken")}
	same("when there are no vectors")
	if err := j.Check(); err == nil {
		t.Error("a broken model passes")
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Error(err)
	}
}

func TestJudgeWithoutALayer(t *testing.T) {
	j, err := OpenJudge("", nil)
	if err != nil || j.Layered() || j.Check() != nil || j.Score("That was perfect!").Reward != 1 || j.Close() != nil {
		t.Errorf("without a model: %v", err)
	}
	model := filepath.Join(t.TempDir(), "model")
	if j, err = OpenJudge(model, fakeSentences{}); !errors.Is(err, ErrNotFitted) || j.Layered() {
		t.Errorf("without a layer: %v", err)
	}
	path, err := LayerFile(model)
	if err == nil {
		err = os.WriteFile(path, []byte("damaged"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if j, err = OpenJudge(model, fakeSentences{}); err != nil || !j.Layered() || !errors.Is(j.Check(), ErrLayer) || j.Score("That was perfect!").Reward != 1 {
		t.Errorf("with a damaged layer: %v, %v", err, j.Check())
	}
	if _, err := Prepare(t.Context(), model, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("fitted without a model: %v", err)
	}
}
