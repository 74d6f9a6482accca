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
)

// Claims leaves out of a reply what says that the robot has done, seen or will do something, and then also what only agrees. It
// is for replies of a language model in whose turn no tool was called: none of it can be true. dropped are the sentences that
// were left out.
func Claims(text string) (rest string, dropped []string) {
	var kept []string
	for _, s := range sentences(text) {
		if staged(s) || claims.Find(template.Split(strings.TrimSpace(s))) != nil {
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

// Agrees reports whether a text only agrees, such as "Of course!".
func Agrees(text string) bool {
	return !slices.ContainsFunc(sentences(text), func(s string) bool { return agrees.Find(template.Split(strings.TrimSpace(s))) == nil })
}

// staged reports whether a sentence has a stage direction, such as *nods*.
func staged(s string) bool {
	open := strings.IndexByte(s, '*')
	return open >= 0 && strings.IndexByte(s[open+1:], '*') > 0
}
