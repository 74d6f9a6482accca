//go:build whisper

package stt

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"cmp"
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
	sureInstead = 0.45 // of words in place of a remark
	sureAnyway  = 0.9  // geometric mean of the probabilities, from which no other readings are looked for
	usualWords  = 2.5  // … unless its words are usual here, by the mean of their logarithms, and ask for nothing

	branchSteps  = 48   // of the decoder, for all other readings together
	branchMost   = 8    // other readings
	branchBehind = 3    // by how much an other reading may be less likely, in logarithms
	branchLeast  = -3.0 // logarithm of the probability of a token that is tried in place of another
)

// leanGain is how much it counts, beside the sound, which words are said here.
const leanGain = 0.5

// leanBehind is by how much the sound may speak against a text for it to be one: in babble any sentence can be leaned to.
const leanBehind = 6

// leanGains are tried one after another for a text beside the one that was heard.
var leanGains = []float64{1.2, leanGain}

// token is a number of the vocabulary.
type token = C.int

// path is a text as the decoder writes it, and how likely it is.
type path struct {
	tokens []C.int
	probs  []float64 // logarithms, one a token, and of the end at last if it ended by itself
	leans  []float64 // how much likelier each is here than elsewhere, logarithms
	loops  bool      // it began to say everything again, and was ended
	others [][]choice
}

// choice is a possible next token.
type choice struct {
	token      C.int
	prob, lean float64 // logarithms: of what was heard, and of how much likelier it is here than elsewhere
	ahead      float64 // … of a mark that ends a sentence: how much likelier the end that comes next is here
}

func (c *choice) sum() float64 { return c.prob + leanGain*c.lean }

// sum is how likely a text is here, a logarithm.
func (p *path) sum() float64 {
	sum := p.heard()
	for _, v := range p.leans {
		sum += leanGain * v
	}
	return sum
}

// usual is how much likelier the tokens are here than rare words, the mean of their logarithms.
func (p *path) usual() (sum float64) {
	for _, v := range p.leans {
		sum += v
	}
	return sum / float64(max(1, len(p.leans)))
}

// heard is how likely a text is by its sound alone, a logarithm.
func (p *path) heard() (sum float64) {
	for _, v := range p.probs {
		sum += v
	}
	return sum
}

func (p *path) put(c choice) {
	p.probs, p.leans = append(p.probs, c.prob), append(p.leans, c.lean)
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
	words   bool    // remarks in brackets are forbidden
	leans   bool    // it is known what is said here
	gain    float64 // … and how much
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
	for i := range all {
		p.behind = max(p.behind, all[i].heard()-all[best].heard())
	}
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
	sounds, whole := map[string]float64{}, 0.0
	said := map[string]bool{}
	meanings := make([]string, len(all))
	for i := range all {
		text := clean(r.text(all[i].tokens))
		meanings[i] = o.Meaning(text)
		once := meanings[i] + "\n" + strings.Join(strings.Fields(normal(text)), " ")
		if said[once] {
			continue
		}
		said[once] = true
		heard := math.Exp(all[i].heard())
		sounds[meanings[i]] += heard
		whole += heard
		if meanings[i] != "" {
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
	p.doubt = 1 - sounds[meanings[best]]/max(whole, math.SmallestNonzeroFloat64)
	return best
}

// look encodes the audio and returns the readings, the likeliest first.
func (r *Recogniser) look(ctx context.Context, samples []float32, o *Options, p *part) ([]path, string, error) {
	s := &search{r: r, ctx: ctx, end: C.whisper_token_eot(r.c), most: o.tokens(len(samples))}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&samples[0])
	threads := C.int(r.settings.Threads)
	window := C.int(contextFor(len(samples), r.contextMost(), r.least, o.FullWindow))
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
		if lang == languageAuto || o.Detect && r.info.Multilingual {
			probs := make([]C.float, C.whisper_lang_max_id()+1)
			id := C.whisper_lang_auto_detect(r.c, 0, threads, &probs[0]) // it encodes as well
			if id >= 0 {
				p.detected, p.sure = C.GoString(C.whisper_lang_str(id)), float64(probs[id])
			}
			if id >= 0 && lang == languageAuto {
				lang = p.detected
			}
			return min(id, 0)
		}
		return C.whisper_encode(r.c, 0, threads)
	}); err != nil {
		return nil, "", err
	}
	p.took.Encode += time.Since(began)
	all, err := s.readings(o, lang, p)
	return all, lang, err
}

// readings decodes what was encoded and returns the readings, the likeliest first.
func (s *search) readings(o *Options, lang string, p *part) ([]path, error) {
	began := time.Now()
	s.leans = o.Meaning != nil
	first, err := s.begin(o.Prompt, lang)
	if err != nil {
		return nil, err
	}
	p.took.Encode += time.Since(began)
	p.noSpeech = s.noSpeak
	began = time.Now()
	defer func() { p.took.Decode += time.Since(began) }()
	best, err := s.follow(path{}, first, false)
	if err == nil && o.Meaning != nil && clean(s.r.text(best.tokens)) == "" && s.noSpeak < noSpeechAlone {
		best, err = s.wordsInstead(best, o.Meaning)
	}
	if err != nil || o.Meaning == nil || s.certain(&best, o.Meaning) {
		return []path{best}, err
	}
	known := []path{best}
	for _, gain := range leanGains {
		s.gain = gain
		here, err := s.here(&best)
		if err != nil {
			return nil, err
		}
		if here != nil && here.heard() >= best.heard()-leanBehind {
			known = append(known, *here)
		}
	}
	return s.branches(known, o.Meaning)
}

// certain reports whether a text was heard so well that no other readings are looked for. One in words of this place that asks for
// nothing is nearly always a command with a wrong word: "stock dancing and look at me".
func (s *search) certain(p *path, meaning func(string) string) bool {
	return p.confidence() >= sureAnyway && (p.usual() < usualWords || meaning(clean(s.r.text(p.tokens))) != "")
}

// likeliest is the token that is likeliest where this is said.
func (s *search) likeliest(choices []choice) choice {
	return slices.MaxFunc(choices, func(a, b choice) int {
		return cmp.Compare(a.prob+s.gain*(a.lean+a.ahead), b.prob+s.gain*(b.lean+b.ahead))
	})
}

// here is the text that is likeliest where this is said, or nil where that is the one that was heard.
func (s *search) here(heard *path) (*path, error) {
	for i, choices := range heard.others {
		best := s.likeliest(choices)
		if i < len(heard.tokens) && best.token != heard.tokens[i] || i == len(heard.tokens) && best.token != s.end {
			p, err := s.branch(&branch{from: heard, at: i, choice: best})
			return &p, err
		}
	}
	return nil, nil
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
func (s *search) begin(prompt, language string) ([]choice, error) {
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
func (s *search) next(tokens []C.int, first bool) ([]choice, error) {
	out, err := s.step(tokens, s.prompt, nil, first)
	s.prompt += len(tokens)
	return out, err
}

// step decodes tokens after the first past ones and returns the choices for what follows text, the likeliest first.
func (s *search) step(tokens []C.int, past int, text []C.int, first bool) ([]choice, error) {
	var out [C.REACHYD_CHOICES]C.struct_reachyd_choice
	var f C.int
	if first {
		f = 1
	}
	s.steps++
	var ban C.struct_reachyd_ban
	var pin runtime.Pinner
	defer pin.Unpin()
	if n := len(s.r.remarks); n > 0 && s.words {
		pin.Pin(&s.r.remarks[0])
		ban.tokens, ban.size = &s.r.remarks[0], C.int(n)
	}
	err := s.call(func() C.int {
		return C.reachyd_stt_next(s.r.c, &tokens[0], C.int(len(tokens)), C.int(past), C.int(s.r.settings.Threads), f, &ban, &out[0])
	})
	before := s.r.forms(text)
	choices := make([]choice, len(out))
	for i := range out {
		choices[i] = choice{token: out[i].token, prob: float64(out[i].log_prob)}
		switch form := s.r.form(out[i].token); {
		case !s.leans:
		case form == formStop:
			choices[i].ahead = s.r.spoken.lean(before, ngramEnd)
		default:
			choices[i].lean = s.r.spoken.lean(before, form)
		}
	}
	return choices, err
}

// follow always takes the likeliest token until the text ends: by what was heard, or by what is said here as well.
func (s *search) follow(p path, choices []choice, here bool) (path, error) {
	for {
		p.others = append(p.others, choices)
		best := choices[0]
		if here {
			best = s.likeliest(choices)
		}
		p.put(best)
		if best.token == s.end {
			return p, nil
		}
		p.tokens = append(p.tokens, best.token)
		if n := loop(p.tokens); n > 0 {
			most := len(p.tokens) - n
			p.tokens, p.probs, p.leans, p.loops = p.tokens[:most], p.probs[:most], p.leans[:most], true
			return p, nil
		}
		if len(p.tokens) >= s.most {
			return p, nil
		}
		var err error
		if choices, err = s.step(p.tokens[len(p.tokens)-1:], s.prompt+len(p.tokens)-1, p.tokens, false); err != nil {
			return p, err
		}
	}
}

// wordsInstead decodes again where the model only remarked that somebody talks, and takes words that make sense.
func (s *search) wordsInstead(remark path, meaning func(string) string) (path, error) {
	s.words = true
	choices, err := s.step([]C.int{C.whisper_token_not(s.r.c)}, s.prompt-1, nil, true)
	if err != nil {
		return remark, err
	}
	words, err := s.follow(path{}, choices, false)
	if err != nil || words.confidence() < sureInstead || meaning(clean(s.r.text(words.tokens))) == "" {
		return remark, err
	}
	return words, nil
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
