package language

import (
	"runtime"
	"testing"
)

// kept is how much of the heap what is made keeps, kB.
func kept(makes func() any) int {
	var before, after runtime.MemStats
	collect := func(into *runtime.MemStats) {
		runtime.GC()
		runtime.GC() // what pools have spare
		runtime.ReadMemStats(into)
	}
	collect(&before)
	made := makes()
	collect(&after)
	runtime.KeepAlive(made)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / 1024
}

// The tables lie in the program, and their matchers in a few pieces: a robot has them for as long as it runs.
func TestMatchersKeepLittleMemory(t *testing.T) {
	for _, c := range []struct {
		what  string
		most  int // kB
		makes func() any
	}{
		{"tables that nobody has used", 160, func() any { return mustFind(texts) }},
		{"all phrases", 900, func() any {
			all := mustFind(texts)
			for _, t := range all {
				if t.trie != nil {
					t.trie.tree()
				}
			}
			return all
		}},
		{"all templates", 1000, func() any {
			all := mustFind(texts)
			for _, t := range all {
				if t.set != nil {
					t.set()
				}
			}
			return all
		}},
		{"rewordings that were all tried", 400, func() any {
			all, examples := rewordingTables()
			for _, r := range all {
				r.applied(examples[0])
			}
			return all
		}},
	} {
		got := kept(c.makes)
		t.Logf("%s: %d kB", c.what, got)
		if got > c.most {
			t.Errorf("%s keep %d kB of memory, at most %d are allowed", c.what, got, c.most)
		}
	}
}
