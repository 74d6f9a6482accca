//go:build whisper

package stt

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"cmp"
	"math"
	"slices"
)

// branch is a text up to where another token than its own is tried.
type branch struct {
	from   *path
	at     int
	choice choice
	sum    float64 // of the text, if it goes on as likely as the one that it leaves
}

// branches returns the texts and others, the likeliest first. It ends when what is left is much less likely than a reading that
// asks for something.
func (s *search) branches(known []path, meaning func(string) string) ([]path, error) {
	all := make([]path, 0, branchMost+len(known)+2) // branches point into it
	found, best := math.Inf(-1), math.Inf(-1)
	var open []branch
	add := func(p *path, from int) {
		for i := from; i < len(p.probs); i++ {
			for _, c := range p.others[i] {
				if c.sum() > branchLeast {
					open = append(open, branch{p, i, c, p.instead(i, c)})
				}
			}
		}
	}
	take := func(p path, from int) {
		all = append(all, p)
		best = max(best, p.sum())
		if p.sum() > found && meaning(clean(s.r.text(p.tokens))) != "" {
			found = p.sum()
		}
		add(&all[len(all)-1], from)
	}
	for i := range known {
		take(known[i], 0)
	}
	for most := s.steps + branchSteps; len(open) > 0 && len(all) <= branchMost && s.steps < most; {
		k := 0
		for i := range open {
			if open[i].sum > open[k].sum {
				k = i
			}
		}
		b := open[k]
		if b.sum < max(found, best)-branchBehind {
			break
		}
		open = slices.Delete(open, k, k+1)
		if s.followed(all, &b) {
			continue
		}
		p, err := s.branch(&b)
		if err != nil {
			return nil, err
		}
		if p.sum() >= best-branchBehind && len(p.tokens) > 0 && p.heard() >= known[0].heard()-leanBehind {
			take(p, b.at+1)
		}
	}
	slices.SortStableFunc(all[1:], func(a, b path) int { return -cmp.Compare(a.sum(), b.sum()) })
	return all, nil
}

// instead is how likely a text is with another token at a place, if it goes on as likely as it is. Words that are said here make a text
// likelier, so that a beginning alone says nothing.
func (p *path) instead(at int, c choice) float64 {
	own := choice{prob: p.probs[at], lean: p.leans[at]}
	return p.sum() - own.sum() + c.sum()
}

// followed reports whether there is a text already that goes on as a branch would, but for capitals and punctuation.
func (s *search) followed(all []path, b *branch) bool {
	want := s.r.form(b.choice.token)
	before := s.r.allForms(b.from.tokens[:b.at])
	return want < 0 || slices.ContainsFunc(all, func(p path) bool {
		have := append(s.r.allForms(p.tokens), ngramEnd)
		return len(have) > len(before) && slices.Equal(have[:len(before)], before) && s.same(have[len(before)], want, b.choice.token, &p, b)
	})
}

// same reports whether two tokens are the same word; of words that are not spoken here only their numbers say so.
func (s *search) same(have, want int, t C.int, p *path, b *branch) bool {
	if have != want {
		return false
	}
	return want != 0 || b.at < len(p.tokens) && p.tokens[b.at] == t
}

// branch takes another token than a text and follows what comes then.
func (s *search) branch(b *branch) (path, error) {
	p := path{
		tokens: slices.Clone(b.from.tokens[:b.at]), probs: slices.Clone(b.from.probs[:b.at]), leans: slices.Clone(b.from.leans[:b.at]),
		others: slices.Clone(b.from.others[:b.at]),
	}
	p.others = append(p.others, nil) // the others of this place are open already
	p.put(b.choice)
	if b.choice.token == s.end {
		return p, nil
	}
	p.tokens = append(p.tokens, b.choice.token)
	choices, err := s.step(p.tokens, s.prompt, p.tokens, false) // the decoder has forgotten what the other text has overwritten
	if err != nil {
		return p, err
	}
	return s.follow(p, choices, true)
}
