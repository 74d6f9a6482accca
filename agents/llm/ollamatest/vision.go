package ollamatest

import (
	"fmt"
	"strconv"
)

// Places of the tokens of the model that sees: the server looks for the marks around a picture at fixed ones.
const (
	seeingTokens = 256008
	beginTurn    = 105
	endTurn      = 106
	doubleBreak  = 108
	ownFrom      = 300 // bytes and pieces lie here
	beginImage   = 255999
	endImage     = 256000
)

// Its size.
const (
	seeingWidth  = 32
	seeingHeads  = 2
	seeingKey    = 16
	seeingFeed   = 64
	seeingLayers = 1
	eyeWidth     = 32
	eyePatch     = 14
	eyeSide      = 56 // pixels of the picture that the eye sees
)

// seeing writes a model of the gemma3 architecture, which has an eye of one layer. It replies by the rules whatever it
// sees; that it was shown something is told by the number of tokens in its prompt.
func seeing(rules []Rule) ([]byte, error) {
	small := byteVocabulary()
	next, err := small.learn(rules)
	if err != nil {
		return nil, err
	}
	w := newWeights(3)
	v, table := seeingVocabulary(small, w)
	moved := succession{}
	for from, to := range next {
		moved[ownFrom+from] = ownFrom + to
	}
	f := &file{}
	seeingSettings(f)
	v.set(f, 2)
	f.add("token_embd.weight", table, seeingWidth, seeingTokens)
	for l := range seeingLayers {
		seeingLayer(f, w, fmt.Sprintf("blk.%d.", l))
	}
	f.norm("output_norm", seeingWidth)
	f.add("output.weight", successor(moved, table, seeingWidth), seeingWidth, seeingTokens)
	seeingEye(f, w)
	return f.bytes(), nil
}

// seeingVocabulary moves a small vocabulary among the tokens that the server expects, and gives each of its own a vector.
func seeingVocabulary(small *vocabulary, w weights) (v *vocabulary, table []float32) {
	v = &vocabulary{tokens: make([]string, seeingTokens), kinds: make([]int32, seeingTokens), index: map[string]int{}}
	for i := range seeingTokens {
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
	table = make([]float32, (ownFrom+len(small.tokens))*seeingWidth) // nobody says the others
	for i, text := range small.tokens {
		place(ownFrom+i, text, small.kinds[i])
		copy(table[(ownFrom+i)*seeingWidth:], w.normal(seeingWidth, 0.5))
	}
	alike(table[ownFrom*seeingWidth:], seeingWidth)
	v.index[end] = ownFrom + small.index[end]
	return v, table
}

func seeingSettings(f *file) {
	f.set("general.architecture", "gemma3")
	f.set("general.name", "eye")
	f.set("general.file_type", 0)
	f.set("gemma3.block_count", seeingLayers)
	f.set("gemma3.context_length", 2048)
	f.set("gemma3.embedding_length", seeingWidth)
	f.set("gemma3.feed_forward_length", seeingFeed)
	f.set("gemma3.attention.head_count", seeingHeads)
	f.set("gemma3.attention.head_count_kv", 1)
	f.set("gemma3.attention.key_length", seeingKey)
	f.set("gemma3.attention.value_length", seeingKey)
	f.set("gemma3.attention.layer_norm_rms_epsilon", float32(1e-6))
	f.set("gemma3.attention.sliding_window", 512)
	f.set("gemma3.vision.block_count", 1)
	f.set("gemma3.vision.embedding_length", eyeWidth)
	f.set("gemma3.vision.feed_forward_length", seeingFeed)
	f.set("gemma3.vision.attention.head_count", seeingHeads)
	f.set("gemma3.vision.image_size", eyeSide)
	f.set("gemma3.vision.patch_size", eyePatch)
	f.set("gemma3.vision.num_channels", 3)
	f.set("gemma3.vision.attention.layer_norm_epsilon", float32(1e-6))
	f.set("gemma3.mm_tokens_per_image", 4)
}

// seeingLayer is one of those that read: what comes out of it is nothing, so that each token is followed by its successor.
func seeingLayer(f *file, w weights, at string) {
	f.norm(at+"attn_norm", seeingWidth)
	f.linear(w, at+"attn_q", seeingWidth, seeingHeads*seeingKey, 1)
	f.norm(at+"attn_q_norm", seeingKey)
	f.linear(w, at+"attn_k", seeingWidth, seeingKey, 1)
	f.norm(at+"attn_k_norm", seeingKey)
	f.linear(w, at+"attn_v", seeingWidth, seeingKey, 1)
	f.linear(w, at+"attn_output", seeingHeads*seeingKey, seeingWidth, 0)
	f.norm(at+"post_attention_norm", seeingWidth)
	f.norm(at+"ffn_norm", seeingWidth)
	f.linear(w, at+"ffn_gate", seeingWidth, seeingFeed, 1)
	f.linear(w, at+"ffn_up", seeingWidth, seeingFeed, 1)
	f.linear(w, at+"ffn_down", seeingFeed, seeingWidth, 0)
	f.norm(at+"post_ffw_norm", seeingWidth)
}

// seeingEye is what turns a picture into tokens.
func seeingEye(f *file, w weights) {
	biased := func(name string, in, out int) {
		f.linear(w, name, in, out, 1)
		f.add(name+".bias", make([]float32, out), out)
	}
	norm := func(name string) {
		f.norm(name, eyeWidth)
		f.add(name+".bias", make([]float32, eyeWidth), eyeWidth)
	}
	f.add("v.patch_embedding.weight", w.normal(eyePatch*eyePatch*3*eyeWidth, 0.1), eyePatch, eyePatch, 3, eyeWidth)
	f.add("v.patch_embedding.bias", make([]float32, eyeWidth), eyeWidth)
	const patches = (eyeSide / eyePatch) * (eyeSide / eyePatch)
	f.add("v.position_embedding.weight", w.normal(eyeWidth*patches, 0.1), eyeWidth, patches)
	norm("v.blk.0.layer_norm1")
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		biased("v.blk.0."+name, eyeWidth, eyeWidth)
	}
	norm("v.blk.0.layer_norm2")
	biased("v.blk.0.mlp.fc1", eyeWidth, seeingFeed)
	biased("v.blk.0.mlp.fc2", seeingFeed, eyeWidth)
	norm("v.post_layernorm")
	f.norm("mm.mm_soft_emb_norm", eyeWidth)
	f.linear(w, "mm.mm_input_projection", seeingWidth, eyeWidth, 1)
}
