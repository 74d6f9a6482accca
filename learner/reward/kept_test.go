package reward

import (
	"runtime"
	"testing"
)

// What a judged sentence is read with was kept for ever: two thirds of a megabyte of a robot that nobody praises.
func TestWhatIsReadAgainGoesWithTheGarbage(t *testing.T) {
	before := Default().Score("that was a really lovely dance")
	runtime.GC()
	if kept := inProgram.kept.Load(); kept == nil || kept.Value() != nil {
		t.Error("the model stays")
	}
	if kept := english.kept.Load(); kept == nil || kept.Value() != nil {
		t.Error("the vocabulary stays")
	}
	if again := Default().Score("that was a really lovely dance"); again.Reward != before.Reward || again.Uncertainty != before.Uncertainty {
		t.Errorf("it was worth %+v, and is worth %+v when all is read again", before, again)
	}
}
