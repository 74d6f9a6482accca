//go:build whisper

package stt

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"slices"
	"strings"
	"unsafe"
)

// text writes tokens as words.
func (r *Recogniser) text(tokens []C.int) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(C.GoString(C.whisper_token_to_str(r.c, t)))
	}
	return b.String()
}

// Tokens that do not matter have one of these in place of an id.
const (
	formMark = -1 // punctuation
	formStop = -2 // … that ends a sentence
)

// form is the id of a token among what is spoken here; 0 where it is not, below 0 where it does not matter.
func (r *Recogniser) form(t C.int) int { return int(r.tokenForms[t]) }

// allForms are the ids of the tokens of a text that matter.
func (r *Recogniser) allForms(text []C.int) []int {
	ids := make([]int, 0, len(text)+1)
	for _, t := range text {
		if id := r.form(t); id >= 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// forms are the ids of the last tokens of a text.
func (r *Recogniser) forms(text []C.int) []int {
	var ids []int
	for i := len(text) - 1; i >= 0 && len(ids) < ngramOrder; i-- {
		if id := r.form(text[i]); id >= 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) < ngramOrder {
		ids = append(ids, ngramBegin)
	}
	slices.Reverse(ids)
	return ids
}

// learn counts what is spoken here.
func (r *Recogniser) learn(sentences []Spoken) {
	r.spoken = newNgrams(sentences, func(word string) []string {
		tokens := r.tokenize(word)
		all := make([]string, 0, len(tokens))
		for _, t := range tokens {
			all = append(all, C.GoString(C.whisper_token_to_str(r.c, t)))
		}
		return all
	})
	end := C.whisper_token_eot(r.c)
	r.tokenForms = make([]int32, end+1)
	for t := range end {
		text := C.GoString(C.whisper_token_to_str(r.c, t))
		switch f := form(text); {
		case f != "":
			r.tokenForms[t] = int32(r.spoken.ids[f]) //nolint:gosec // at most ngramMost
		case text == "." || text == "!" || text == "?":
			r.tokenForms[t] = formStop
		default:
			r.tokenForms[t] = formMark
		}
	}
	r.tokenForms[end] = ngramEnd
}

// marks are the tokens that remarks begin with: "(crowd talking)", "[music]", notes.
func (r *Recogniser) marks() []C.int {
	var all []C.int
	for id := C.int(0); id < C.whisper_token_eot(r.c); id++ {
		switch t := strings.TrimLeft(C.GoString(C.whisper_token_to_str(r.c, id)), " "); {
		case t == "":
		case strings.ContainsAny(t[:1], "([{*<>\"") || strings.HasPrefix(t, "♪") || strings.HasPrefix(t, "\xe2\x99"):
			all = append(all, id)
		}
	}
	return all
}

func (r *Recogniser) tokenize(text string) []C.int {
	c := C.CString(text)
	defer C.free(unsafe.Pointer(c))
	tokens := make([]C.int, maxPrompt)
	return tokens[:max(0, C.whisper_tokenize(r.c, c, &tokens[0], C.int(len(tokens))))]
}
