package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	volumeWords   = language.Phrases("volume-words") // introduce a level
	volumeNouns   = language.Words("volume-nouns")
	volumeVerbs   = language.Words("volume-verbs")   // may stand before a level: "speak at 50 percent volume"
	volumeFillers = language.Words("volume-fillers") // between them
)

// volumeClause parses "set the volume to 50 percent"; relative requests are closed commands.
func (ps *parser) volumeClause() bool {
	n := volumeWords.Len(ps.toks, ps.i)
	if n == 0 {
		return ps.levelOfVolume()
	}
	k := ps.i + n
	q, m := ps.level(k)
	if m == 0 {
		return false
	}
	k += m
	if next := ps.word(k); q.Dim == language.NoUnit && outOf[next] && ps.word(k+1) != "" { // "7 out of 10"
		k = ps.skip(k, outOf)
		if t := ps.tok(k); t.Kind == language.Number && t.Num != 0 {
			q.Value = q.Value / t.Num * 100
			k++
		}
	}
	ps.i = k
	return ps.volumeFrame(q)
}

var outOf = language.Words("out-of")

// level reads a percentage or a bare number at k.
func (ps *parser) level(k int) (language.Quantity, int) {
	q, n := ps.quantity(k)
	if q.Dim != language.Percent && q.Dim != language.NoUnit {
		return q, 0
	}
	return q, n
}

// levelOfVolume parses "speak at 50 percent volume", "fifty percent volume", "turn it up to 80 percent".
func (ps *parser) levelOfVolume() bool {
	k, w := ps.i, ps.word(ps.i)
	if volumeVerbs[w] {
		k = ps.skip(k+1, volumeFillers)
	}
	q, n := ps.level(k)
	if n == 0 {
		return false
	}
	k += n
	if ps.word(k) == "of" {
		k++
	}
	spoken := w == "turn" && ps.word(ps.i+1) == "it" || w == "speak" || w == "talk"
	switch {
	case volumeNouns[ps.word(k)]:
		k++
	case q.Dim != language.Percent || !spoken:
		return false
	}
	ps.i = k
	return ps.volumeFrame(q)
}

// changes are the entries of the actions table that ask for another volume than now: louder, a little louder, a little quieter, quieter.
var changes = map[string]int{"80": 20, "60": 10, "40": -10, "30": -20}

func (ps *parser) volumeFrame(q language.Quantity) bool {
	f := frame{class: volume, tool: "set_volume"}
	v := q.Value
	if q.Dim == language.NoUnit && v > 0 && v < 1 { // "half"
		v *= 100
	}
	f.bare = []amount{{kind: 'n', deg: language.Tidy(v)}}
	if !ps.finish(&f, false) {
		return false
	}
	ps.put(f)
	return true
}
