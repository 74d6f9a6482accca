package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// set makes a word set of a list.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// impossibles are commands that the body cannot follow; the value is what it lacks.
var impossibles = language.Phrases("impossibles")

// impossibleBecause completes "I cannot do that: ".
var impossibleBecause = map[string]string{
	"legs":    "I cannot do that: I stand in one place, I have no legs or wheels.",
	"wings":   "I cannot do that: I cannot fly, I have no wings.",
	"arms":    "I cannot do that: I have no arms or hands.",
	"eyelids": "I cannot do that: my face does not move, only my head, antennas and body do.",
}

// handlingVerbs need hands whatever they are done to.
var handlingVerbs = language.Words("handling-verbs")

// alwaysHandling are the handling verbs that have no other reading here.
var alwaysHandling = language.Words("always-handling")

// things are objects that one would need hands for.
var things = language.Words("things")

// harmVerbs hurt or break what they are done to.
var harmVerbs = language.Words("harm-verbs")

// harmNeedsObject are harmVerbs that mean nothing bad without someone or something to suffer.
var harmNeedsObject = language.Words("harm-needs-object")

// safetyVerbs take a protection away.
var safetyVerbs = language.Words("safety-verbs")

// safetyNouns are the protections.
var safetyNouns = language.Words("safety-nouns")

// safetyFillers may stand between the verb and the protection.
var safetyFillers = language.Words("safety-fillers")

// fixedForbidden are whole phrases that are not allowed; the value is why.
var fixedForbidden = language.Phrases("fixed-forbidden")

// watching are the verbs that secrecy turns into something that is not allowed.
var watching = language.Words("watching")

// secrecy makes watching and recording forbidden.
var secrecy = language.Phrases("secrecy")

// forbiddenBecause explains a refusal.
var forbiddenBecause = map[string]string{
	"harm":    "I will not do that: it could hurt someone or break something.",
	"safety":  "I will not do that: my limits and the emergency stop protect people and me, and nobody can talk me out of them.",
	"privacy": "I will not do that: I do not watch or record people without their knowing.",
}
