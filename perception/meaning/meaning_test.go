package meaning

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/waittest"
	"github.com/reachyd/reachyd/perception/weights"
)

func TestVectorsOfAFile(t *testing.T) {
	m, err := Open(fake(t))
	if err != nil {
		t.Fatal(err)
	}
	hello, err := m.Vector("Hello, there!")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := m.Vector("hello,there !")
	other, _ := m.Vector("something else")
	if Alike(hello, again) < 0.9999 || math.Abs(Alike(hello, hello)-1) > 1e-5 || slices.Equal(hello, other) {
		t.Errorf("to itself %g, to the same words %g, to others %g", Alike(hello, hello), Alike(hello, again), Alike(hello, other))
	}
	states, err := m.States("Hello, there!")
	if err != nil || len(states) != Layers*Size || Alike(states[(Layers-1)*Size:], hello) < 0.9999 {
		t.Errorf("%d states, %v", len(states), err)
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	if _, err := m.Vector("hello"); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed model says %v", err)
	}
}

// The longest sentences cost no more than maxTokens tokens do, and what is odd is a sentence, too.
func TestAnyTextHasAVector(t *testing.T) {
	m, err := Open(fake(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	long, _ := m.Vector(strings.Repeat("hello ", maxTokens))
	longer, _ := m.Vector(strings.Repeat("hello ", 50*maxText))
	if !slices.Equal(long, longer) {
		t.Error("what comes after the last token that is read counts")
	}
	for _, text := range []string{"", "\x00\xff", strings.Repeat("a", 1<<20), "…"} {
		if v, err := m.Vector(text); err != nil || math.Abs(Alike(v, v)-1) > 1e-4 {
			t.Errorf("%.20q: %v, of length %g", text, err, Alike(v, v))
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	l := NewLazy(fake(t), time.Hour)
	want, err := l.Vector("hello")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := l.Vector("hello"); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, not the same", err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if _, err := l.Vector("hello"); !errors.Is(err, ErrClosed) {
		t.Errorf("closed, it says %v", err)
	}
}

func TestItIsClosedWhenIdle(t *testing.T) {
	l := NewLazy(fake(t), time.Hour)
	defer l.Close()
	if _, err := l.Vector("hello"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.States("hello"); err != nil {
		t.Fatal(err)
	}
	l.rest(1) // the timer of the first use, late
	if l.model == nil {
		t.Fatal("it was closed although it was used again")
	}
	l.rest(2)
	if l.model != nil {
		t.Fatal("it is still open")
	}
	if _, err := l.Vector("hello"); err != nil {
		t.Error(err)
	}
	missing := NewLazy(filepath.Join(t.TempDir(), "none"), time.Hour)
	defer missing.Close()
	if _, err := missing.Vector("hello"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

func TestTheTimerCloses(t *testing.T) {
	l := NewLazy(fake(t), time.Millisecond)
	defer l.Close()
	if _, err := l.Vector("hello"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the end of a model that nobody asks", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.model == nil
	})
}

func TestFilesThatAreNone(t *testing.T) {
	good := func() map[string]any {
		h := map[string]any{vocabularyName: entry{"U8", []int64{0}, [2]int64{0, 0}}}
		for _, s := range matrices() {
			h[s.name] = entry{"I8", nil, [2]int64{0, int64(s.rows) * int64(s.cols)}}
			h[s.name+scaleSuffix] = entry{"F32", nil, [2]int64{0, int64(s.rows) * 4}}
		}
		for _, s := range vectors() {
			h[s.name] = entry{"F32", nil, [2]int64{0, int64(s.cols) * 4}}
		}
		return h
	}
	data := make([]byte, pieces*Size)
	const word, scale = "embeddings.word_embeddings.weight", "embeddings.word_embeddings.weight" + scaleSuffix
	for name, c := range map[string]struct {
		spoil func(h map[string]any)
		says  string
	}{
		"nothing spoiled":   {func(map[string]any) {}, "0 pieces"},
		"a tensor missing":  {func(h map[string]any) { delete(h, word) }, word},
		"a scale missing":   {func(h map[string]any) { delete(h, scale) }, scale},
		"another type":      {func(h map[string]any) { h[word] = entry{"F32", nil, [2]int64{0, 4}} }, "I8 is wanted"},
		"another shape":     {func(h map[string]any) { h[word] = entry{"I8", nil, [2]int64{0, 4}} }, "30522 × 384"},
		"before the data":   {func(h map[string]any) { h[word] = entry{"I8", nil, [2]int64{-pieces * Size, 0}} }, "from -"},
		"beyond the data":   {func(h map[string]any) { h[word] = entry{"I8", nil, [2]int64{1, 1 + pieces*Size}} }, "bytes"},
		"backwards":         {func(h map[string]any) { h[word] = entry{"I8", nil, [2]int64{9, 1}} }, "from 9 to 1"},
		"an odd place":      {func(h map[string]any) { h[scale] = entry{"F32", nil, [2]int64{1, 1 + 4*pieces}} }, "odd place"},
		"no entry":          {func(h map[string]any) { h[word] = 7 }, word},
		"a long header":     {func(h map[string]any) { h["x"] = strings.Repeat("x", maxHeader) }, "65536"},
		"not even a number": {func(h map[string]any) { h[scale] = entry{"F32", nil, [2]int64{1 << 20, 1<<20 + 4*pieces}} }, "numbers up to"},
	} {
		h := good()
		c.spoil(h)
		if name == "not even a number" {
			copy(data[1<<20:], bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, pieces))
		}
		if _, err := parse(file(h, data)); !errors.Is(err, ErrFormat) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v, without %q", name, err, c.says)
		}
	}
	for _, bad := range []string{"", "x", "\xff\xff\xff\xff\xff\xff\xff\xff", "\x02\x00\x00\x00\x00\x00\x00\x00[]", "\x09\x00\x00\x00\x00\x00\x00\x00{}"} {
		if _, err := parse([]byte(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	path := filepath.Join(t.TempDir(), "small")
	if err := os.WriteFile(path, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrFormat) {
		t.Errorf("a small file: %v", err)
	}
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "allowed") {
		t.Errorf("a large file: %v", err)
	}
}

func TestVocabulariesThatAreNone(t *testing.T) {
	v := fakeVocabulary()
	for says, bad := range map[string][]byte{
		"30521 pieces": v[:len(v)-len("piece30521\n")],
		"[CLS]":        bytes.Replace(v, []byte("[CLS]"), []byte("[cls]"), 1),
	} {
		if _, err := newTokenizer(bad); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, without %q", err, says)
		}
		if err := convert(&bytes.Buffer{}, fakePublished(), bad); !errors.Is(err, ErrFormat) {
			t.Errorf("converted all the same: %v", err)
		}
	}
}

// Eight bits a number are within half a step of what was published.
func TestConvertedWeights(t *testing.T) {
	data, err := fakeFile()
	if err != nil {
		t.Fatal(err)
	}
	tensors, err := readTensors(data)
	if err != nil {
		t.Fatal(err)
	}
	all, rest, err := header(fakePublished())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range matrices() {
		want, err := floats(all, rest, s)
		if err != nil {
			t.Fatal(err)
		}
		got := tensors[s.name]
		for i := range want {
			scale := got.scales[i/s.cols]
			if d := math.Abs(float64(scale*float32(got.steps[i]) - want[i])); d > 0.51*float64(scale) {
				t.Fatalf("%s[%d] is off by %g, its scale is %g", s.name, i, d, scale)
			}
		}
	}
	if err := Convert(&bytes.Buffer{}, filepath.Join(t.TempDir(), "none"), ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	data, err := fakeFile()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:16<<10])
	f.Add(data[:100])
	f.Add(file(map[string]any{vocabularyName: entry{"U8", []int64{1}, [2]int64{0, 1}}}, []byte{0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := parse(b); err == nil || !errors.Is(err, ErrFormat) {
			t.Errorf("%d bytes are a model: %v", len(b), err)
		}
	})
}

func FuzzTokens(f *testing.F) {
	words, err := newTokenizer(fakeVocabulary())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "Hello, there!", "ÄÖÜ ß 你好 \x00\xff", strings.Repeat("a", 300), strings.Repeat("a ", 300), "e\u0301\u0301\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := words.encode(text)
		if len(ids) < 2 || len(ids) > maxTokens || ids[0] != words.cls || ids[len(ids)-1] != words.sep {
			t.Fatalf("%q: %v", text, ids)
		}
		for _, id := range ids {
			if id < 0 || id >= pieces {
				t.Fatalf("%q: %v", text, ids)
			}
		}
	})
}

// matrix is that of numbers.
func matrix(x []float32, rows, cols int) weights.Matrix {
	steps, sizes := quantize(x, rows, cols)
	return weights.New(rows, cols, string(append(bytesOf(sizes), steps...)))
}

func TestChangesAreAdded(t *testing.T) {
	const tokens, in, out, rank = 3, 20, 12, 4
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = random.Float32() - 0.5
		}
		return x
	}
	x, c, got := numbers(tokens*in), Change{In: matrix(numbers(rank*in), rank, in), Out: matrix(numbers(out*rank), out, rank)}, make([]float32, tokens*out)
	inRows, outRows := c.In.Wide(new([]float32)).Data, c.Out.Wide(new([]float32)).Data
	got[0] = 1
	c.add(got, x, tokens, &scratch{})
	for token := range tokens {
		for o := range out {
			want := float32(0)
			if token == 0 && o == 0 {
				want = 1
			}
			for r := range rank {
				want += outRows[o*rank+r] * dot(inRows[r*in:][:in], x[token*in:][:in])
			}
			if math.Abs(float64(got[token*out+o]-want)) > 1e-5 {
				t.Fatalf("token %d, number %d: %g, want %g", token, o, got[token*out+o], want)
			}
		}
	}
	unchanged := append([]float32{}, got...)
	(&Change{}).add(got, x, tokens, &scratch{})
	if !slices.Equal(got, unchanged) {
		t.Error("no change changes something")
	}
}
