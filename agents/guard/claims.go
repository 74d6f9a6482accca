package guard

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// claims are sentences by which a language model says that the robot has done, does or will do something; see
// perception/language/en/claims.txt.
var (
	claims = language.Patterns("claims")
	agrees = language.Sentences("agrees")
	sights = language.Patterns("only-sight")
)

// Claims leaves out of a reply what says that the robot has done, seen or will do something, and then also what only agrees. It
// is for replies of a language model in whose turn no tool was called: none of it can be true. dropped are the sentences that
// were left out.
func Claims(text string) (rest string, dropped []string) {
	return without(text, func(string) bool { return true })
}

// Sight reports whether a text asks for what only a look can tell: "is my tie straight?" Without one, no answer can be known to be true.
func Sight(text string) bool { return sights.Find(template.Split(strings.TrimSpace(text))) != nil }

// Promises leaves out of a reply what the robot will do, what it cannot do and what it is not. It is for replies of a language model in
// whose turn tools were called, but will be called no more: what was done and seen may be true.
func Promises(text string) (rest string, dropped []string) {
	return without(text, func(kind string) bool { return !experienced[kind] })
}

// experienced are the kinds of claims that a tool can make true.
var experienced = map[string]bool{"done": true, "doing": true, "seen": true}

// without leaves out sentences with claims of some kinds, and then also what only agrees.
func without(text string, kind func(string) bool) (rest string, dropped []string) {
	var kept []string
	for _, s := range sentences(text) {
		if which, ok := claimIn(s); ok && kind(which) {
			dropped = append(dropped, s)
			continue
		}
		kept = append(kept, s)
	}
	if len(dropped) == 0 {
		return text, nil
	}
	kept = slices.DeleteFunc(kept, Agrees)
	return strings.TrimSpace(strings.Join(kept, "")), dropped
}

// claimIn says which kind of claim a sentence is.
func claimIn(s string) (kind string, ok bool) {
	if staged(s) {
		return "staged", true
	}
	m := claims.Find(template.Split(strings.TrimSpace(s)))
	if m == nil {
		return "", false
	}
	return m.Rule.Name, true
}

// Agrees reports whether a text only agrees, such as "Of course!".
func Agrees(text string) bool {
	return !slices.ContainsFunc(sentences(text), func(s string) bool { return agrees.Find(template.Split(strings.TrimSpace(s))) == nil })
}

// staged reports whether a sentence has a stage direction, such as *nods*.
func staged(s string) bool {
	open := strings.IndexByte(s, '*')
	return open >= 0 && strings.IndexByte(s[open+1:], '*') > 0
}
