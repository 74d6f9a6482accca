package ollamatest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rule is a reply that a parrot knows by heart.
type Rule struct {
	On   string // the prompt's last message ends with this; at least two bytes, the longest match counts
	Say  string // may hold calls of tools: see UseTool
	Loop bool   // says it again and again until it is stopped
}

// UseTool writes the call of a tool as the parrot's template wants it; args are JSON.
func UseTool(name, args string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, args)
}

// Unknown is what a parrot says to what it has no rule for.
const Unknown = "I have no rule for that."

// ParrotTemplate is for Create. It shows the model nothing but messages, so that the last message's end is the prompt's
// end, and that little has to be read: every byte is a token.
// The server learns the mark of a call from the condition on .ToolCalls; without one it would take any "{" for it.
const ParrotTemplate = `{{ if .System }}{{ end }}{{ if .Tools }}{{ end }}{{ range .Messages }}
{{ .Role }}: {{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ end }}{{ .Content }}{{ end }}`

// plainTemplate has no place for tools, so the model cannot call them.
const plainTemplate = `{{ .System }}{{ range .Messages }}
{{ .Role }}: {{ .Content }}{{ end }}`

// vocabulary is what tokens a model has.
type vocabulary struct {
	tokens []string // as GGUF spells them
	kinds  []int32
	index  map[string]int // by text
}

// Kinds of tokens.
const (
	kindNormal  = 1
	kindControl = 3
	kindOwn     = 4 // found in a text wherever it stands
	kindUnused  = 5
)

// spell writes bytes as the GPT-2 tokeniser does: what cannot be seen is moved to where it can.
func spell(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(byteRune(text[i]))
	}
	return b.String()
}

func byteRune(c byte) rune {
	seen := func(c int) bool { return c >= '!' && c <= '~' || c >= 0xA1 && c <= 0xAC || c >= 0xAE }
	if seen(int(c)) {
		return rune(c)
	}
	moved := 0
	for k := range int(c) {
		if !seen(k) {
			moved++
		}
	}
	return rune(256 + moved)
}

// end is the token that ends a reply.
const end = "<|end|>"

// byteVocabulary has one token for every byte, and the end.
func byteVocabulary() *vocabulary {
	v := &vocabulary{index: map[string]int{}}
	for c := range 256 {
		v.add(string([]byte{byte(c)}), kindNormal)
	}
	v.add(end, kindControl)
	return v
}

func (v *vocabulary) add(text string, kind int32) int {
	spelled := text
	if kind == kindNormal {
		spelled = spell(text)
	}
	v.index[text] = len(v.tokens)
	v.tokens = append(v.tokens, spelled)
	v.kinds = append(v.kinds, kind)
	return len(v.tokens) - 1
}

// set describes the vocabulary in the file.
func (v *vocabulary) set(f *file, first int) {
	f.set("tokenizer.ggml.model", "gpt2")
	f.set("tokenizer.ggml.pre", "default")
	f.set("tokenizer.ggml.tokens", v.tokens)
	f.set("tokenizer.ggml.token_type", v.kinds)
	f.set("tokenizer.ggml.merges", []string{"\u0100 \u0100"}) // there must be one; it merges two zero bytes
	f.set("tokenizer.ggml.bos_token_id", first)
	f.set("tokenizer.ggml.eos_token_id", v.index[end])
	f.set("tokenizer.ggml.add_bos_token", false)
}

// succession says which token follows which.
type succession map[int]int

// learn adds the tokens that the rules need and returns what follows what. A token is followed by one other at most,
// so every piece of every reply is a token of its own.
func (v *vocabulary) learn(rules []Rule) (succession, error) {
	next := succession{}
	say := func(from []int, rule Rule) error {
		pieces, err := v.pieces(rule.Say)
		if err != nil {
			return err
		}
		first := -1
		for _, p := range pieces {
			t := v.add(p, kindNormal)
			if first < 0 {
				first = t
			}
			for _, f := range from {
				next[f] = t
			}
			from = []int{t}
		}
		for _, f := range from {
			if next[f] = v.index[end]; rule.Loop {
				next[f] = first
			}
		}
		return nil
	}
	all := make([]int, 256)
	for c := range all {
		all[c] = c
	}
	if err := say(all, Rule{Say: Unknown}); err != nil {
		return nil, err
	}
	for _, r := range rules {
		if _, known := v.index[r.On]; known || len(r.On) < 2 {
			return nil, fmt.Errorf("rule on %q: it must be at least two bytes long and given once", r.On)
		}
		if err := say([]int{v.add(r.On, kindOwn)}, r); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// pieces cuts a text into words that are no tokens yet.
func (v *vocabulary) pieces(text string) ([]string, error) {
	var pieces []string
	used := map[string]bool{}
	free := func(s string) bool {
		_, known := v.index[s]
		return !known && !used[s] && len(s) > 1 && utf8.ValidString(s)
	}
	piece := ""
	for i, r := range text {
		if r == ' ' && i > 0 && free(piece) {
			pieces = append(pieces, piece)
			used[piece] = true
			piece = ""
		}
		piece += string(r)
	}
	for piece != "" && !free(piece) {
		if len(pieces) == 0 {
			return nil, fmt.Errorf("the reply %q is too much like another one", text)
		}
		piece = pieces[len(pieces)-1] + piece
		pieces = pieces[:len(pieces)-1]
	}
	if piece == "" {
		return pieces, nil
	}
	return append(pieces, piece), nil
}

// certain is the weight that makes a successor sure beside the chance likeness of other tokens.
const certain = 60

// successor returns the weights that make each token's successor the likeliest, given the tokens' own.
func successor(next succession, tokens []float32, width int) []float32 {
	out := make([]float32, len(tokens))
	for from, to := range next {
		if sameAsBefore(tokens, from, width) {
			continue
		}
		own := tokens[from*width : (from+1)*width]
		sum := 0.0
		for _, x := range own {
			sum += float64(x) * float64(x)
		}
		scale := float32(certain / math.Sqrt(sum*float64(width)))
		for k, x := range own {
			out[to*width+k] += scale * x
		}
	}
	return out
}

// sameAsBefore reports whether a token has the vector of the one before it, and so its successor already.
func sameAsBefore(tokens []float32, t, width int) bool {
	return t > 0 && slices.Equal(tokens[t*width:(t+1)*width], tokens[(t-1)*width:t*width])
}

// alike gives all bytes, the first 256 tokens, the same vector: what they have in common is their successor.
func alike(tokens []float32, width int) {
	for c := 1; c < 256; c++ {
		copy(tokens[c*width:(c+1)*width], tokens[:width])
	}
}

// shape is the size of a model.
type shape struct {
	width, feed, layers, head int
	context                   int
	mix                       float64 // how much tokens influence each other: 0 for a parrot
	mean                      bool    // the last token knows the mean of all, and nothing else
}

// llama writes a model of the llama architecture.
func llama(name string, v *vocabulary, s shape, next succession) []byte {
	w := newWeights(1)
	f := &file{}
	f.set("general.architecture", "llama")
	f.set("general.name", name)
	f.set("general.file_type", 0)
	f.set("llama.block_count", s.layers)
	f.set("llama.context_length", s.context)
	f.set("llama.embedding_length", s.width)
	f.set("llama.feed_forward_length", s.feed)
	f.set("llama.attention.head_count", 1)
	f.set("llama.attention.head_count_kv", 1)
	f.set("llama.attention.key_length", s.head)
	f.set("llama.attention.value_length", s.head)
	f.set("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	f.set("llama.rope.dimension_count", s.head)
	f.set("llama.rope.freq_base", float32(10000))
	f.set("llama.vocab_size", len(v.tokens))
	if s.mean {
		f.set("llama.pooling_type", 1) // tells the server that this is for vectors; it takes the last token's
	}
	v.set(f, v.index[end])
	tokens := w.normal(len(v.tokens)*s.width, 1)
	if next != nil {
		alike(tokens, s.width)
	}
	out := w.normal(len(tokens), 4/math.Sqrt(float64(s.width)))
	if next != nil {
		out = successor(next, tokens, s.width)
	}
	f.add("token_embd.weight", tokens, s.width, len(v.tokens))
	for l := range s.layers {
		p := fmt.Sprintf("blk.%d.", l)
		f.norm(p+"attn_norm", s.width)
		ask, hear := 1.0, s.mix
		if s.mean { // who asks for nothing hears everybody equally
			ask, hear = 0, 10
		}
		f.linear(w, p+"attn_q", s.width, s.head, ask)
		f.linear(w, p+"attn_k", s.width, s.head, 1)
		f.linear(w, p+"attn_v", s.width, s.head, hear)
		f.linear(w, p+"attn_output", s.head, s.width, hear)
		f.norm(p+"ffn_norm", s.width)
		f.linear(w, p+"ffn_gate", s.width, s.feed, 1)
		f.linear(w, p+"ffn_up", s.width, s.feed, 1)
		f.linear(w, p+"ffn_down", s.feed, s.width, s.mix)
	}
	f.norm("output_norm", s.width)
	f.add("output.weight", out, s.width, len(v.tokens))
	return f.bytes()
}
