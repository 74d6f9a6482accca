//go:build whisper

package stt

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/reachyd/reachyd/perception/internal/native"
)

const (
	sureInstead  = 0.45 // of words in place of a remark
	sureAnyway   = 0.85 // geometric mean of the probabilities, from which no other readings are looked for
	favourGain   = 1.5  // by which a likely word may be less probable than another, in logarithms
	branchSteps  = 32   // of the decoder, for all other readings together
	branchMost   = 8    // other readings
	branchBehind = 2    // by how much an other reading may be less likely, in logarithms
	branchLeast  = -3.0 // logarithm of the probability of a token that is tried in place of another
)

// token is a number of the vocabulary.
type token = C.int

// path is a text as the decoder writes it, and how likely it is.
type path struct {
	tokens []C.int
	probs  []float64 // logarithms, one a token, and of the end at last if it ended by itself
	loops  bool      // it began to say everything again, and was ended
	others [][]C.struct_reachyd_choice
}

func (p *path) sum() (sum float64) {
	for _, v := range p.probs {
		sum += v
	}
	return sum
}

// confidence is the geometric mean of the probabilities of the words.
func (p *path) confidence() float64 {
	sum, n := 0.0, 0
	for _, v := range p.probs[:min(len(p.probs), len(p.tokens))] {
		sum += math.Max(v, -20)
		n++
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}

// search is one run of the model over one piece of audio.
type search struct {
	r       *Recogniser
	ctx     context.Context
	most    int // tokens of a text
	prompt  int // tokens before the text
	end     C.int
	noSpeak float64
	steps   int
	words   bool // remarks in brackets are forbidden
}

// piece runs the model over one piece of audio. The caller has the token.
func (r *Recogniser) piece(ctx context.Context, samples []float32, o *Options) (part, error) {
	var p part
	err := native.Complain("whisper.cpp", func() bool { return true })
	if err != nil || r.info.Empty {
		return p, err
	}
	if len(samples) < minSamples {
		samples = append(make([]float32, 0, minSamples), samples...)[:minSamples]
	}
	all, language, err := r.look(ctx, samples, o, &p)
	if err != nil {
		return p, err
	}
	best := r.choose(all, o, &p)
	p.language = language
	p.text, p.tokens = r.text(best.tokens), len(best.tokens)
	p.logProb = math.Log(max(best.confidence(), 1e-9)) * float64(p.tokens)
	return p, nil
}

func (r *Recogniser) contextMost() int { return int(r.model.Header.AudioCtx) }

// choose takes, of readings that ask for something, the one of those that are likeliest together; of readings that do not, the
// likeliest. The others, and how sure it is among those that ask for something, go into p.
func (r *Recogniser) choose(all []path, o *Options, p *part) *path {
	best := r.meant(all, o, p)
	said := map[string]bool{clean(r.text(all[best].tokens)): true}
	for i := range all {
		if text := clean(r.text(all[i].tokens)); !said[text] {
			said[text] = true
			p.alternatives = append(p.alternatives, Reading{text, all[i].confidence()})
		}
	}
	return &all[best]
}

func (r *Recogniser) meant(all []path, o *Options, p *part) (best int) {
	p.share = 1
	if o.Meaning == nil {
		return 0
	}
	weights, sum := map[string]float64{}, 0.0
	said := map[string]bool{}
	meanings := make([]string, len(all))
	for i := range all {
		text := clean(r.text(all[i].tokens))
		meanings[i] = o.Meaning(text)
		if words := strings.Join(strings.Fields(normal(text)), " "); meanings[i] != "" && !said[words] {
			said[words] = true
			w := math.Exp(all[i].sum())
			weights[meanings[i]] += w
			sum += w
		}
	}
	if sum == 0 {
		return 0
	}
	best = -1
	for i, m := range meanings {
		switch {
		case m == "":
		case best < 0, weights[m] > weights[meanings[best]], m == meanings[best] && all[i].confidence() > all[best].confidence():
			best = i
		}
	}
	p.share = weights[meanings[best]] / sum
	return best
}

// look encodes the audio and returns the readings, the likeliest first.
func (r *Recogniser) look(ctx context.Context, samples []float32, o *Options, p *part) ([]path, string, error) {
	s := &search{r: r, ctx: ctx, end: C.whisper_token_eot(r.c), most: o.tokens(len(samples))}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&samples[0])
	threads := C.int(r.settings.Threads)
	window := C.int(contextFor(len(samples), r.contextMost(), contextAtLeast, o.FullWindow))
	began := time.Now()
	if err := s.call(func() C.int {
		return C.reachyd_stt_mel(r.c, (*C.float)(&samples[0]), C.int(len(samples)), window, threads)
	}); err != nil {
		return nil, "", err
	}
	p.took.Mel += time.Since(began)
	began = time.Now()
	lang := o.language(&r.info)
	if err := s.call(func() C.int {
		if lang == languageAuto {
			id := C.whisper_lang_auto_detect(r.c, 0, threads, nil) // it encodes as well
			if id >= 0 {
				lang = C.GoString(C.whisper_lang_str(id))
			}
			return min(id, 0)
		}
		return C.whisper_encode(r.c, 0, threads)
	}); err != nil {
		return nil, "", err
	}
	first, err := s.begin(o.Prompt, lang)
	if err != nil {
		return nil, "", err
	}
	p.took.Encode += time.Since(began)
	p.noSpeech = s.noSpeak
	began = time.Now()
	best, err := s.follow(path{}, first)
	if err == nil && o.Meaning != nil && clean(r.text(best.tokens)) == "" && s.noSpeak < noSpeechAlone {
		best, err = s.wordsInstead(best, o.Meaning)
	}
	if err != nil {
		return nil, "", err
	}
	all := []path{best}
	if o.Meaning != nil && best.confidence() < sureAnyway {
		if all, err = s.branches(best, o.Meaning); err != nil {
			return nil, "", err
		}
	}
	p.took.Decode += time.Since(began)
	return all, lang, nil
}

// call makes one call into the library, unless the work is to end.
func (s *search) call(f func() C.int) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.r.isClosed() {
		return ErrClosed
	}
	var rc C.int
	if err := native.Complain("whisper.cpp", func() bool {
		rc = f()
		return rc == 0
	}); err != nil {
		return fmt.Errorf("%w (%d)", err, int(rc))
	}
	return nil
}

// begin decodes what stands before the text, and returns the choices for its first token.
func (s *search) begin(prompt, language string) ([]C.struct_reachyd_choice, error) {
	c := s.r.c
	var before []C.int
	if prompt != "" {
		tokens := s.r.tokenize(prompt)
		if most := int(s.r.model.Header.TextCtx)/2 - 1; len(tokens) > most {
			tokens = tokens[len(tokens)-most:]
		}
		before = append(append(before, C.whisper_token_prev(c)), tokens...)
	}
	before = append(before, C.whisper_token_sot(c))
	// Whether somebody spoke is what the model thinks at the start of the transcript.
	if _, err := s.next(before, true); err != nil {
		return nil, err
	}
	s.noSpeak = float64(C.reachyd_stt_prob(c, C.int(len(before)), C.whisper_token_nosp(c)))
	var task []C.int
	if s.r.info.Multilingual {
		text := C.CString(language)
		defer C.free(unsafe.Pointer(text))
		task = append(task, C.whisper_token_lang(c, C.whisper_lang_id(text)), C.whisper_token_transcribe(c))
	}
	s.most = min(s.most, int(s.r.model.Header.TextCtx)-s.prompt-len(task)-2)
	return s.next(append(task, C.whisper_token_not(c)), true)
}

// next decodes the first tokens of all, which are part of the prompt.
func (s *search) next(tokens []C.int, first bool) ([]C.struct_reachyd_choice, error) {
	out, err := s.step(tokens, s.prompt, first)
	s.prompt += len(tokens)
	return out, err
}

// step decodes tokens after the first past ones and returns the choices for what follows.
func (s *search) step(tokens []C.int, past int, first bool) ([]C.struct_reachyd_choice, error) {
	out := make([]C.struct_reachyd_choice, C.REACHYD_CHOICES)
	var f C.int
	if first {
		f = 1
	}
	s.steps++
	lean := C.struct_reachyd_leaning{gain: favourGain}
	var pin runtime.Pinner
	defer pin.Unpin()
	if n := len(s.r.favour); n > 0 {
		pin.Pin(&s.r.favour[0])
		lean.favour, lean.favours = &s.r.favour[0], C.int(n)
	}
	if n := len(s.r.remarks); n > 0 && s.words {
		pin.Pin(&s.r.remarks[0])
		lean.ban, lean.bans = &s.r.remarks[0], C.int(n)
	}
	err := s.call(func() C.int {
		return C.reachyd_stt_next(s.r.c, &tokens[0], C.int(len(tokens)), C.int(past), C.int(s.r.settings.Threads), f, &lean, &out[0])
	})
	return out, err
}

// follow always takes the likeliest token until the text ends.
func (s *search) follow(p path, choices []C.struct_reachyd_choice) (path, error) {
	for {
		p.others = append(p.others, choices)
		best := choices[0]
		p.probs = append(p.probs, float64(best.log_prob))
		if best.token == s.end {
			return p, nil
		}
		p.tokens = append(p.tokens, best.token)
		if n := loop(p.tokens); n > 0 {
			p.tokens, p.probs, p.loops = p.tokens[:len(p.tokens)-n], p.probs[:len(p.probs)-n], true
			return p, nil
		}
		if len(p.tokens) >= s.most {
			return p, nil
		}
		var err error
		if choices, err = s.step(p.tokens[len(p.tokens)-1:], s.prompt+len(p.tokens)-1, false); err != nil {
			return p, err
		}
	}
}

// wordsInstead decodes again where the model only remarked that somebody talks, and takes words that make sense.
func (s *search) wordsInstead(remark path, meaning func(string) string) (path, error) {
	s.words = true
	choices, err := s.step([]C.int{C.whisper_token_not(s.r.c)}, s.prompt-1, true)
	if err != nil {
		return remark, err
	}
	words, err := s.follow(path{}, choices)
	if err != nil || words.confidence() < sureInstead || meaning(clean(s.r.text(words.tokens))) == "" {
		return remark, err
	}
	return words, nil
}

// branch is a text up to where another token than the likeliest is tried.
type branch struct {
	from   *path
	at     int
	choice C.struct_reachyd_choice
	sum    float64 // of the text up to there
}

// branches returns the text and others, the likeliest first. It ends when what is left is much less likely than a reading that
// asks for something.
func (s *search) branches(best path, meaning func(string) string) ([]path, error) {
	all := []path{best}
	found := math.Inf(-1)
	if meaning(clean(s.r.text(best.tokens))) != "" {
		found = best.sum()
	}
	limit := best.sum() - branchBehind
	var open []branch
	add := func(p *path, from int) {
		sum := 0.0
		for i := range p.others {
			if i >= from {
				for _, c := range p.others[i][1:] {
					if b := (branch{p, i, c, sum + float64(c.log_prob)}); b.sum > limit && float64(c.log_prob) > branchLeast {
						open = append(open, b)
					}
				}
			}
			if i < len(p.probs) {
				sum += p.probs[i]
			}
		}
	}
	add(&best, 0)
	for most := s.steps + branchSteps; len(open) > 0 && len(all) <= branchMost && s.steps < most; {
		k := 0
		for i := range open {
			if open[i].sum > open[k].sum {
				k = i
			}
		}
		b := open[k]
		if b.sum < found-branchBehind {
			break
		}
		open = slices.Delete(open, k, k+1)
		p := path{tokens: slices.Clone(b.from.tokens[:b.at]), probs: slices.Clone(b.from.probs[:b.at]), others: slices.Clone(b.from.others[:b.at])}
		p.others = append(p.others, nil) // the others of this place are open already
		p.probs = append(p.probs, float64(b.choice.log_prob))
		if b.choice.token != s.end {
			p.tokens = append(p.tokens, b.choice.token)
			choices, err := s.step(p.tokens, s.prompt, false) // the decoder has forgotten what the other text has overwritten
			if err != nil {
				return nil, err
			}
			if p, err = s.follow(p, choices); err != nil {
				return nil, err
			}
		}
		if p.sum() < limit || len(p.tokens) == 0 {
			continue
		}
		all = append(all, p)
		if p.sum() > found && meaning(clean(s.r.text(p.tokens))) != "" {
			found = p.sum()
		}
		add(&all[len(all)-1], b.at+1)
	}
	slices.SortStableFunc(all[1:], func(a, b path) int { return -cmpFloat(a.sum(), b.sum()) })
	return all, nil
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// loop returns how many of the last tokens say again what was said before: everything twice, some three times, one five times.
func loop(t []token) int {
	n := len(t)
	for size := 1; size <= n/2; size++ {
		times := 3
		switch {
		case size == 1:
			times = 5
		case 2*size == n:
			times = 2
		}
		if n < times*size {
			continue
		}
		again := 0
		for again+size < n && t[n-1-again] == t[n-1-again-size] {
			again++
		}
		if again >= (times-1)*size {
			return (times - 1) * size
		}
	}
	return 0
}

// text writes tokens as words.
func (r *Recogniser) text(tokens []C.int) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(C.GoString(C.whisper_token_to_str(r.c, t)))
	}
	return b.String()
}

// firstTokens are those that words begin with, in small letters and with a capital, where these are long enough to tell a word.
func (r *Recogniser) firstTokens(words []string) []C.int {
	var all []C.int
	for _, w := range words {
		for _, form := range []string{" " + w, " " + strings.ToUpper(w[:1]) + w[1:]} {
			if t := r.tokenize(form); len(t) > 0 && len(r.text(t[:1])) > 3 && !slices.Contains(all, t[0]) {
				all = append(all, t[0])
			}
		}
	}
	return all
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
