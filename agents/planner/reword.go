package planner

import "github.com/reachyd/reachyd/perception/language"

// The tables of perception/language/en/rewordings.txt: they say in words of the grammar what people also say in a form that it has
// no place for.
var (
	misleading = language.Reword("misleading") // would be understood as something else
	rewordings = language.Reword("rewordings") // are tried on a text that was not understood as it stands
	// quoted texts are left as they are: what is to be said must not be reworded.
	quoted = language.Phrases("quoting")
)

// reword returns the text in other words, and whether there are any.
func reword(u *language.Utterance) (string, bool) {
	if quotes(u) {
		return u.Text, false
	}
	out := rewordings.Apply(u.Text)
	return out, out != u.Text
}

// clarify returns the text without what would mislead.
func clarify(u *language.Utterance) string {
	if quotes(u) {
		return u.Text
	}
	return misleading.Apply(u.Text)
}

// quotes reports whether a text has something in it that is to be said as it stands.
func quotes(u *language.Utterance) bool {
	for i, t := range u.Raw {
		if t.Kind == language.Quote || quoted.Has(u.Raw, i) {
			return true
		}
	}
	return false
}
