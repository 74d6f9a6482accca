package ollamatest

import (
	"fmt"
	"math"
	"strconv"
)

// seeing writes a model of the gemma3 architecture, which has an eye of one layer. It replies by the rules whatever it
// sees; that it was shown something is told by the number of tokens in its prompt.
func seeing(rules []Rule) ([]byte, error) { //nolint:funlen // the table of a model: its settings and its weights, in order
	const (
		tokens      = 256008 // the server looks for the marks around a picture at fixed places
		beginImage  = 255999
		endImage    = 256000
		beginTurn   = 105
		endTurn     = 106
		doubleBreak = 108
		ownFrom     = 300 // bytes and pieces lie here
		width       = 32
		eye         = 32
		patch       = 14
		side        = 56 // pixels of the picture that the eye sees
		heads       = 2
		key         = 16
		feed        = 64
		layers      = 1
	)
	small := byteVocabulary()
	next, err := small.learn(rules)
	if err != nil {
		return nil, err
	}
	v := &vocabulary{tokens: make([]string, tokens), kinds: make([]int32, tokens), index: map[string]int{}}
	for i := range tokens {
		v.tokens[i], v.kinds[i] = "<unused"+strconv.Itoa(i)+">", kindUnused
	}
	place := func(i int, text string, kind int32) { v.tokens[i], v.kinds[i], v.index[text] = text, kind, i }
	place(0, "<pad>", kindControl)
	place(2, "<bos>", kindControl)
	place(beginTurn, "<start_of_turn>", kindControl)
	place(endTurn, "<end_of_turn>", kindControl)
	place(doubleBreak, spell("\n\n"), kindNormal)
	place(beginImage, "<start_of_image>", kindControl)
	place(endImage, "<end_of_image>", kindControl)
	w := newWeights(3)
	table := make([]float32, (ownFrom+len(small.tokens))*width) // nobody says the others
	for i, text := range small.tokens {
		place(ownFrom+i, text, small.kinds[i])
		copy(table[(ownFrom+i)*width:], w.normal(width, 0.5))
	}
	alike(table[ownFrom*width:], width)
	v.index[end] = ownFrom + small.index[end]
	moved := succession{}
	for from, to := range next {
		moved[ownFrom+from] = ownFrom + to
	}

	f := &file{}
	f.set("general.architecture", "gemma3")
	f.set("general.name", "eye")
	f.set("general.file_type", 0)
	f.set("gemma3.block_count", layers)
	f.set("gemma3.context_length", 2048)
	f.set("gemma3.embedding_length", width)
	f.set("gemma3.feed_forward_length", feed)
	f.set("gemma3.attention.head_count", heads)
	f.set("gemma3.attention.head_count_kv", 1)
	f.set("gemma3.attention.key_length", key)
	f.set("gemma3.attention.value_length", key)
	f.set("gemma3.attention.layer_norm_rms_epsilon", float32(1e-6))
	f.set("gemma3.attention.sliding_window", 512)
	f.set("gemma3.vision.block_count", 1)
	f.set("gemma3.vision.embedding_length", eye)
	f.set("gemma3.vision.feed_forward_length", feed)
	f.set("gemma3.vision.attention.head_count", heads)
	f.set("gemma3.vision.image_size", side)
	f.set("gemma3.vision.patch_size", patch)
	f.set("gemma3.vision.num_channels", 3)
	f.set("gemma3.vision.attention.layer_norm_epsilon", float32(1e-6))
	f.set("gemma3.mm_tokens_per_image", 4)
	v.set(f, 2)

	linear := func(name string, in, out int, scale float64) {
		f.add(name+".weight", w.normal(in*out, scale/math.Sqrt(float64(in))), in, out)
	}
	biased := func(name string, in, out int) {
		linear(name, in, out, 1)
		f.add(name+".bias", make([]float32, out), out)
	}
	norm := func(name string, n int) { f.add(name+".weight", ones(n), n) }
	f.add("token_embd.weight", table, width, tokens)
	for l := range layers {
		p := fmt.Sprintf("blk.%d.", l)
		norm(p+"attn_norm", width)
		linear(p+"attn_q", width, heads*key, 1)
		norm(p+"attn_q_norm", key)
		linear(p+"attn_k", width, key, 1)
		norm(p+"attn_k_norm", key)
		linear(p+"attn_v", width, key, 1)
		linear(p+"attn_output", heads*key, width, 0)
		norm(p+"post_attention_norm", width)
		norm(p+"ffn_norm", width)
		linear(p+"ffn_gate", width, feed, 1)
		linear(p+"ffn_up", width, feed, 1)
		linear(p+"ffn_down", feed, width, 0)
		norm(p+"post_ffw_norm", width)
	}
	norm("output_norm", width)
	f.add("output.weight", successor(moved, table, width), width, tokens)
	f.add("v.patch_embedding.weight", w.normal(patch*patch*3*eye, 0.1), patch, patch, 3, eye)
	f.add("v.patch_embedding.bias", make([]float32, eye), eye)
	const patches = (side / patch) * (side / patch)
	f.add("v.position_embedding.weight", w.normal(eye*patches, 0.1), eye, patches)
	norms := func(name string) {
		norm(name, eye)
		f.add(name+".bias", make([]float32, eye), eye)
	}
	norms("v.blk.0.layer_norm1")
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		biased("v.blk.0."+name, eye, eye)
	}
	norms("v.blk.0.layer_norm2")
	biased("v.blk.0.mlp.fc1", eye, feed)
	biased("v.blk.0.mlp.fc2", feed, eye)
	norms("v.post_layernorm")
	norm("mm.mm_soft_emb_norm", eye)
	linear("mm.mm_input_projection", width, eye, 1)
	f.tensors[len(f.tensors)-1].dims = []uint64{width, eye}
	return f.bytes(), nil
}
