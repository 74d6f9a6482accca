package ggml

import "fmt"

// Spec is what a tensor of a model has to be.
type Spec struct {
	Name  string
	Type  Type
	Shape []int32
}

// numbers is how many the tensor holds.
func (s *Spec) numbers() int {
	n := 1
	for _, d := range s.Shape {
		n *= int(d)
	}
	return n
}

// Layout lists the tensors of a Whisper model with that header.
func (h *Header) Layout() []Spec {
	matrix := h.Matrix()
	conv := F16
	if matrix == F32 {
		conv = F32
	}
	var all []Spec
	add := func(name string, t Type, shape ...int32) { all = append(all, Spec{name, t, shape}) }
	norm := func(name string, n int32) {
		add(name+".weight", F32, n)
		add(name+".bias", F32, n)
	}
	attention := func(name string, n int32) {
		norm(name+"_ln", n)
		for _, part := range []string{"query", "key", "value", "out"} {
			add(name+"."+part+".weight", matrix, n, n)
			if part != "key" {
				add(name+"."+part+".bias", F32, n)
			}
		}
	}
	mlp := func(block string, n int32) {
		norm(block+".mlp_ln", n)
		add(block+".mlp.0.weight", matrix, n, 4*n)
		add(block+".mlp.0.bias", F32, 4*n)
		add(block+".mlp.2.weight", matrix, 4*n, n)
		add(block+".mlp.2.bias", F32, n)
	}

	n := h.AudioState
	add("encoder.positional_embedding", F32, n, h.AudioCtx)
	add("encoder.conv1.weight", conv, 3, h.Mels, n)
	add("encoder.conv1.bias", F32, 1, n)
	add("encoder.conv2.weight", conv, 3, n, n)
	add("encoder.conv2.bias", F32, 1, n)
	norm("encoder.ln_post", n)
	for i := range h.AudioLayer {
		block := fmt.Sprintf("encoder.blocks.%d", i)
		attention(block+".attn", n)
		mlp(block, n)
	}

	n = h.TextState
	add("decoder.positional_embedding", F32, n, h.TextCtx)
	add("decoder.token_embedding.weight", matrix, n, h.Vocab)
	norm("decoder.ln", n)
	for i := range h.TextLayer {
		block := fmt.Sprintf("decoder.blocks.%d", i)
		attention(block+".attn", n)
		attention(block+".cross_attn", n)
		mlp(block, n)
	}
	return all
}
