package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// Every gesture and emotion of the catalogue has words, and is planned when it is asked for by its name; no words are left
// for one that the catalogue lacks.
func TestTheCatalogueHasWords(t *testing.T) {
	p := New()
	asked := func(text, tool, argument, name string) {
		t.Helper()
		plan := p.Plan(text)
		if len(plan.Steps) != 1 || plan.Steps[0].Tool != tool || plan.Steps[0].Args[argument] != name {
			t.Errorf("%q is planned as %+v (%s %s), want %s %s", text, plan.Steps, plan.Outcome, plan.Message, tool, name)
		}
	}
	keys := language.Phrases("actions").Keys()
	for _, name := range catalog.GestureNames() {
		if !slices.Contains(keys, "gesture "+name) {
			t.Errorf("the gesture %s has no words in perception/language/en/actions.txt", name)
		}
		asked("gesture "+language.Plain(name), "gesture", "name", name)
	}
	for _, key := range keys {
		if name, ok := strings.CutPrefix(key, "gesture "); ok && !slices.Contains(catalog.GestureNames(), name) {
			t.Errorf("perception/language/en/actions.txt has words for the gesture %s, which is not in the catalogue", name)
		}
	}
	keys = language.Phrases("emotion-words").Keys()
	for _, name := range catalog.EmotionNames() {
		if !slices.Contains(keys, name) {
			t.Errorf("the emotion %s has no words in perception/language/en/emotions.txt", name)
		}
		asked("look "+name, "express_emotion", "emotion", name)
	}
	for _, key := range keys {
		if !slices.Contains(catalog.EmotionNames(), key) {
			t.Errorf("perception/language/en/emotions.txt has words for the emotion %s, which is not in the catalogue", key)
		}
	}
}
