package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	moveOpeners = language.Phrases("move-openers") // introduce the name of a move or a pose
	moveNouns   = language.Words("move-nouns")
	poseNouns   = language.Words("pose-nouns")
	namedEnds   = language.Words("named-ends") // ends of an opener after which any name may follow
	notMoves    = language.Words("not-moves")  // what is played is no move
	notNames    = language.Words("not-names")
	poseAliases = language.Map("pose-aliases")
	toolVerbs   = language.Words("tool-verbs")
	toolFillers = language.Words("tool-fillers")
)

// moveClause parses play_move and goto_pose with a name.
func (ps *parser) moveClause() bool {
	v, n := moveOpeners.Match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	tool := strings.TrimSuffix(v, "d")
	end := ps.word(ps.i + n - 1)
	called := namedEnds[end] || moveNouns[end] || poseNouns[end] && end != "stance"
	ps.i += n
	name, m, named := ps.givenName(tool, called)
	if name == "" {
		return false
	}
	ps.i += m
	if w := ps.word(ps.i); moveNouns[w] || poseNouns[w] {
		named = true
		ps.i++
	}
	name = strings.TrimSpace(name)
	plain := language.Plain(name)
	known := ps.p.moves[plain]
	if tool == "goto_pose" {
		known = ps.p.poses[plain]
		name = plain
		if alias := poseAliases[plain]; alias != "" {
			name = alias
		}
	}
	if !named && known == "" || notNames[plain] {
		return false
	}
	if known != "" {
		name = known
	}
	f := frame{class: action, tool: tool, args: map[string]any{"name": name}}
	if !ps.finish(&f, true) {
		return false
	}
	ps.put(f)
	return true
}

// givenName reads the name of a move or a pose, which has n tokens. called says that its opener takes any name, named that
// the words around say that it is one.
func (ps *parser) givenName(tool string, called bool) (name string, n int, named bool) {
	if t := ps.tok(ps.i); t.Kind == language.Quote {
		return t.Word, 1, true
	}
	nouns := map[string]map[string]bool{"play_move": moveNouns, "goto_pose": poseNouns}[tool]
	for k := ps.i; k < len(ps.toks) && n < 5 && !ps.givenNameEnds(k, n, called); k++ {
		w := ps.word(k)
		switch {
		case n > 0 && nouns[w]:
			return name, n, true
		case tool == "play_move" && n == 0 && !called && notMoves[w]:
			return "", 0, false
		}
		name = joinName(name, ps.tok(k), ps.text)
		n++
	}
	return name, n, called
}

// givenNameEnds reports whether a name of n words so far ends before token k.
func (ps *parser) givenNameEnds(k, n int, called bool) bool {
	if ps.boundary(k) || ps.tok(k).Kind == language.Quote {
		return true
	}
	if n == 0 {
		return false
	}
	save := ps.i
	ps.i = k
	modified := ps.modifier(&frame{})
	ps.i = save
	return modified || tails.Has(ps.toks, k) || ps.manner(k) || ps.verbAt(k) && !called && ps.couldBegin(k)
}

// joinName appends a word of a name as it was written, in small letters.
func joinName(name string, t *language.Token, text string) string {
	w := strings.ToLower(text[t.Start:t.End])
	if t.Kind == language.Word && t.Word != "" && t.Orig == t.Word {
		w = t.Word
	}
	if name == "" {
		return w
	}
	gap := " "
	if t.Start > 0 && text[t.Start-1] != ' ' {
		gap = text[t.Start-1 : t.Start]
	}
	return name + gap + w
}

// toolClause parses "run count objects" for tools that the planner was told of, and the names of its own.
func (ps *parser) toolClause() bool {
	if !toolVerbs[ps.word(ps.i)] {
		return ps.knownTool()
	}
	ps.i = ps.skip(ps.i+1, toolFillers)
	return ps.knownTool() || ps.heads()
}

func (ps *parser) knownTool() bool {
	if len(ps.p.tools) == 0 {
		return false
	}
	name := ""
	for k := ps.i; k < len(ps.toks) && k < ps.i+6; k++ {
		if ps.isMark(k) {
			break
		}
		if name != "" {
			name += " "
		}
		name += language.Plain(ps.tok(k).Orig)
		tool, ok := ps.p.tools[name]
		if !ok {
			continue
		}
		save := ps.i
		ps.i = k + 1
		ps.acceptWord("tool")
		f := frame{class: action, tool: tool, args: map[string]any{}}
		if ps.finish(&f, false) {
			ps.put(f)
			return true
		}
		ps.i = save
	}
	return false
}
