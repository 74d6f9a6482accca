package weights

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// two has two rows of three numbers: −2 0 2 and 0.5 1 −64.
func two() Matrix {
	data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(0.5))
	return New(2, 3, string(append(data, 0xff, 0, 1, 1, 2, 0x80)))
}

func TestMatrix(t *testing.T) {
	m := two()
	var buffer []float32
	for range 2 {
		got := m.Wide(&buffer)
		if want := []float32{-2, 0, 2, 0.5, 1, -64}; !slices.Equal(got.Data, want) || got.Rows != 2 || got.Stride != 3 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	x := []float32{1, 1, 1}
	if m.Add(1, 2, x); !slices.Equal(x, []float32{2, 3, -127}) {
		t.Error(x)
	}
	if column := New(2, 1, string([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 3, 4})); !slices.Equal(column.Column(), []float32{3, 8}) {
		t.Error(column.Column())
	}
	if got := Floats("\x00\x00\x80\x3f\x00\x00\x00\x40"); !slices.Equal(got, []float32{1, 2}) {
		t.Error(got)
	}
}

// The kernel of this processor gives the sums that plain Go gives.
func TestMultiply(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = random.Float32() - 0.5
		}
		return out
	}
	for _, k := range []int{8, 64, 384, 1536} {
		for tokens := 1; tokens <= 7; tokens++ {
			x, w := numbers((tokens + SpareTokens) * k)[:tokens*k], numbers(KernelRows*k)
			const rows = KernelRows + 1 // the number between two tokens' sums stays
			got, want := make([]float32, tokens*rows), make([]float32, tokens*rows)
			Multiply(got, rows, x, tokens, w)
			multiplyPlain(want, rows, x, tokens, w)
			for i := range want {
				if math.Abs(float64(got[i]-want[i])) > 1e-4 {
					t.Fatalf("%d tokens of %d numbers: sum %d is %g, plainly %g", tokens, k, i, got[i], want[i])
				}
			}
		}
	}
}

func TestWords(t *testing.T) {
	list := []string{"the", "", "of", "##s", "café", "the"}
	for _, w := range []interface {
		Len() int
		At(i int) string
		Find(word string) (at int, ok bool)
	}{NewWords(strings.Join(list, "\n") + "\n"), WordsOf(list), FewWordsOf(list)} {
		if w.Len() != 6 {
			t.Errorf("%d words", w.Len())
		}
		for word, want := range map[string]int{"the": 5, "": 1, "of": 2, "##s": 3, "café": 4, "off": -1, "o": -1, "th": -1} {
			if at, ok := w.Find(word); ok != (want >= 0) || ok && (at != want || w.At(at) != word) {
				t.Errorf("%q is at %d, %v, want %d", word, at, ok, want)
			}
		}
	}
	full := make([]string, 1<<15-1) // of two bytes each: as much as few words may be
	for i := range full {
		full[i] = string(rune('a' + i%26))
	}
	if w := FewWordsOf(full); w.Len() != len(full) || w.At(len(full)-1) != full[len(full)-1] {
		t.Errorf("of %d words the last is %q", w.Len(), w.At(w.Len()-1))
	}
	if _, ok := NewWords("").Find("the"); ok {
		t.Error("a word of none")
	}
}

func FuzzWords(f *testing.F) {
	f.Add("a\nb\nc\n")
	f.Add("\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		w := NewWords(text)
		lines := strings.Split(text, "\n")
		if w.Len() != len(lines)-1 {
			t.Fatalf("%d of %d", w.Len(), len(lines)-1)
		}
		for i, line := range lines[:len(lines)-1] {
			if at, ok := w.Find(line); !ok || w.At(at) != line || w.At(i) != line {
				t.Errorf("%q is at %d", line, at)
			}
		}
	})
}
