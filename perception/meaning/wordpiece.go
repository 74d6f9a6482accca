package meaning

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"

	"github.com/reachyd/reachyd/perception/weights"
)

// Limits of the tokenizer.
const (
	maxText = 16 << 10 // bytes of a text that are read
	maxWord = 100      // letters of a word that is looked up; longer ones are unknown
)

// tokenizer cuts text into WordPiece tokens, as BERT's does for text in any case.
type tokenizer struct {
	pieces        *weights.Words
	cls, sep, unk int32
}

// newTokenizer takes the vocabulary, a piece a line, which must stay as it is.
func newTokenizer(vocabulary []byte) (*tokenizer, error) {
	t := &tokenizer{pieces: weights.NewWords(unsafe.String(unsafe.SliceData(vocabulary), len(vocabulary)))}
	if n := t.pieces.Len(); n != pieces {
		return nil, fmt.Errorf("%w: its vocabulary has %d pieces; %d are wanted", ErrFormat, n, pieces)
	}
	for name, id := range map[string]*int32{"[CLS]": &t.cls, "[SEP]": &t.sep, "[UNK]": &t.unk} {
		at, ok := t.pieces.Find(name)
		if !ok {
			return nil, fmt.Errorf("%w: its vocabulary has no %s", ErrFormat, name)
		}
		*id = int32(at)
	}
	return t, nil
}

// encode returns [CLS], the pieces of the text, and [SEP]: 2 … maxTokens ids.
func (t *tokenizer) encode(text string) []int32 {
	if len(text) > maxText {
		text = text[:maxText]
	}
	ids := append(make([]int32, 0, 32), t.cls)
	for _, w := range words(text) {
		if len(ids) >= maxTokens {
			break
		}
		ids = t.appendPieces(ids, w)
	}
	return append(ids[:min(len(ids), maxTokens-1)], t.sep)
}

// appendPieces cuts a word into the longest pieces that there are, from its beginning.
func (t *tokenizer) appendPieces(ids []int32, w string) []int32 {
	if utf8.RuneCountInString(w) > maxWord {
		return append(ids, t.unk)
	}
	before := len(ids)
	for start := 0; start < len(w); {
		prefix := "##"
		if start == 0 {
			prefix = ""
		}
		end := len(w)
		for ; end > start; end-- {
			if id, ok := t.pieces.Find(prefix + w[start:end]); ok {
				ids = append(ids, int32(id))
				break
			}
		}
		if end == start {
			return append(ids[:before], t.unk)
		}
		start = end
	}
	return ids
}

// words cuts text at spaces and signs, in lower case and without accents.
func words(text string) []string {
	var out []string
	var w strings.Builder
	end := func() {
		if w.Len() > 0 {
			out = append(out, w.String())
			w.Reset()
		}
	}
	for _, r := range norm.NFD.String(strings.ToValidUTF8(text, "")) {
		switch {
		case unicode.IsSpace(r):
			end()
		case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.C, unicode.Mn) || !assigned(r):
		case isSign(r) || isIdeograph(r):
			end()
			out = append(out, string(r))
		default:
			w.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	return out
}

// assigned reports whether a rune is a character at all.
func assigned(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

func isSign(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) || unicode.IsPunct(r)
}

// isIdeograph reports whether a rune is a word of its own, as in Chinese.
func isIdeograph(r rune) bool { return unicode.In(r, ideographs) }

var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1},
		{Lo: 0x2a700, Hi: 0x2b73f, Stride: 1},
		{Lo: 0x2b740, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b820, Hi: 0x2ceaf, Stride: 1},
		{Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}
