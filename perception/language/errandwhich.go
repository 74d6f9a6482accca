package language

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// which are the places in kept of what a sentence means.
func (e *errand) which(act string, said []string, talk bool) (all []int) {
	keep := func(ok func(k int) bool) {
		if some := slices.DeleteFunc(slices.Clone(all), func(k int) bool { return !ok(k) }); len(some) > 0 {
			all = some
		}
	}
	for k := range e.kept {
		all = append(all, k)
	}
	if len(e.kinds) > 0 {
		all = slices.DeleteFunc(all, func(k int) bool { return !slices.Contains(e.kinds, e.kept[k].Kind) })
	}
	if len(e.named) > 0 {
		all = slices.DeleteFunc(all, func(k int) bool { return !slices.Contains(e.named, k) })
	}
	if act == errandAbout || act == errandOff {
		keep(e.comesAt)
	}
	for _, s := range e.spans {
		if s.picks {
			keep(func(k int) bool { return e.kept[k].Length == s.length })
		}
	}
	if len(all) < 2 || e.every {
		return all
	}
	recent := spokenOf(said, e.kept)
	by := func(less func(a, b int) bool) []int {
		return []int{slices.MinFunc(all, func(a, b int) int { return map[bool]int{true: -1, false: 1}[less(a, b)] })}
	}
	if alone := len(e.kinds) == 0 && len(e.named) == 0; alone && len(e.picks) > 0 && !e.every { // of one kind with what was spoken of
		keep(func(k int) bool { return e.kept[k].Kind == e.kept[recent[0]].Kind })
	}
	switch {
	case e.picked("first"):
		return all[:1]
	case e.picked("second"):
		return all[1:2]
	case e.picked("last"):
		return all[len(all)-1:]
	case e.picked("short"):
		return by(func(a, b int) bool { return e.kept[a].Length < e.kept[b].Length })
	case e.picked("long"):
		return by(func(a, b int) bool { return e.kept[a].Length > e.kept[b].Length })
	case e.picked("next"):
		return by(func(a, b int) bool { return e.kept[a].Next.Before(e.kept[b].Next) })
	case e.picked("other"):
		keep(func(k int) bool { return !slices.Contains(recent, k) })
	case len(e.named) == 0 && talk && (len(e.kinds) == 0 || e.picked("it") && act != errandLeft):
		keep(func(k int) bool { return slices.Contains(recent, k) })
	}
	if act == errandOff || act == errandLeft {
		return all
	}
	return all[len(all)-1:]
}

// timed reports whether a clause says the hour of something that is kept.
func (e *errand) timed(p *errand) bool {
	return (p.at != "" || p.number > 0 && p.hour) && len(p.spans) == 0 && slices.ContainsFunc(e.parts, func(errand) bool {
		for k := range e.kept {
			if e.kept[k].Kind != KeptTimer && e.comesAt(k) {
				return true
			}
		}
		return false
	})
}

// comesAt reports whether something that is kept comes at the hour that the sentence says.
func (e *errand) comesAt(k int) bool {
	const half = 12
	hour, minute, _ := strings.Cut(strings.TrimRight(e.at, " apm."), ":")
	h, err := strconv.Atoi(hour)
	if e.at == "" {
		h, err = int(e.number), nil
	}
	m, _ := strconv.Atoi(minute)
	return err == nil && e.kept[k].Next.Hour()%half == h%half && e.kept[k].Next.Minute() == m
}

// spokenOf are the places in kept of which the last text speaks that speaks of any; of none, the newest.
func spokenOf(said []string, kept []Kept) (all []int) {
	for _, text := range said {
		words := SplitWords(strings.ToLower(text))
		for k := range kept {
			if slices.ContainsFunc(words, func(w string) bool {
				return kept[k].About[Stem(w)] && !errandSmall[w] && errandKinds[w] == "" && !setVerbs[w]
			}) {
				all = append(all, k)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return []int{len(kept) - 1}
}

// length notes the length of time at a token, and returns of how many tokens it is; 0 where there is none.
func (e *errand) length(u *Utterance, i int) int {
	toks := u.Tokens
	q, n := timeAt(toks, i)
	if n == 0 || q.Dim != Time {
		return 0
	}
	_, picks := errandPicks.Match(toks, i+n)
	text := u.Text[toks[i].Start:toks[i+n-1].End]
	if key, _ := errandActs.Match(toks, i); key == errandMore { // "another minute"
		e.acts = append(e.acts, key)
		text = "1 " + u.Text[toks[i+n-1].Start:toks[i+n-1].End]
	} else if key, _ := errandActs.Match(toks, i+1); key == errandMore && n > 2 { // "ten more minutes"
		e.acts = append(e.acts, key)
		text = u.Text[toks[i].Start:toks[i].End] + " " + u.Text[toks[i+n-1].Start:toks[i+n-1].End]
	}
	length := time.Duration(q.Value * float64(time.Second)).Round(time.Second)
	e.spans = append(e.spans, span{text, length, picks > 0 || errandKinds[toks.Word(i+n)] != ""})
	return n
}

// timeAt is QuantityAt, but "a second one" is no length of time.
func timeAt(toks Tokens, i int) (q Quantity, n int) {
	q, n = QuantityAt(toks, i)
	if n > 0 && q.Dim == Time && setOnes[toks.Word(i+n-1)] && i+n < len(toks) && (toks[i+n].Orig == "one" || errandKinds[toks.Word(i+n)] != "") {
		return Quantity{}, 0
	}
	return q, n
}

// name notes what is kept of which a word is.
func (e *errand) name(t *Token) (named bool) {
	if errandSmall[t.Word] || errandKinds[t.Word] != "" || setVerbs[t.Word] || t.Kind == Number {
		return false
	}
	word := strings.TrimSuffix(t.Word, "'s") // "the bread's burning"
	stem := Stem(word)
	for k := range e.kept {
		day := strings.EqualFold(e.kept[k].Next.Weekday().String(), strings.TrimSuffix(word, "s")) && e.kept[k].Kind != KeptTimer
		if t.Word != "" && (e.kept[k].About[stem] || day) {
			named = true
			if !slices.Contains(e.named, k) {
				e.named = append(e.named, k)
			}
		}
	}
	return named
}

// onlyTime is the one clause that says when, and nothing else that is meant; nil where there is none, or more than one.
func (e *errand) onlyTime() (in *errand) {
	for i := range e.parts {
		p := &e.parts[i]
		switch timed := p.at != "" || len(p.spans) > 0; {
		case !timed:
		case in != nil || p.other > mostBeside || p.verb:
			return nil
		default:
			in = p
		}
	}
	return in
}

// onlyKind reports whether nothing is said but a kind of what is kept, and that it still is.
func (e *errand) onlyKind() bool {
	says := func(act string) bool { return act != "marks" && act != "rings" && act != "asks" }
	return len(e.kinds) > 0 && e.other == 0 && len(e.spans) == 0 && e.at == "" && !slices.ContainsFunc(e.acts, says)
}

// plain reports whether a clause asks by itself how long it is: "hands are wet, how long left?".
func (e *errand) plain() bool {
	return e.is("asks") && e.other == 0 && e.words <= shortAsk
}
