package persist

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/learner/feedback"
)

// What is written in a week, as fast as the disk takes it: turns in new and in old conversations, events, facts and replies, a store that
// is closed or left open every few hundred turns, and pruned as often. Then nothing grows any more: neither the keys of any kind, nor the
// bytes on the disk, nor the files that are open. REACHYD_WEEK_TURNS=40000 makes it longer.
func TestAWeekOfWrites(t *testing.T) {
	const lives, most = 12, 300 // of the store; of events, traces and sessions, here so few that it is reached soon
	turns := 3000
	if n, err := strconv.Atoi(os.Getenv("REACHYD_WEEK_TURNS")); err == nil {
		turns = n
	}
	dir := quickDir(t)
	keep := store.Keep{Count: most, Age: 30 * 24 * time.Hour}
	var before, after store.Usage
	filesBefore, filesAfter := 0, 0
	var disks []int64 // of the later lives
	id, said := uint64(0), 0
	for life := range lives {
		s, err := store.Open(dir, store.Options{Events: keep})
		must(t, err)
		id = max(id, s.FirstEventID())
		facts := memory.New(NewMemories(s), nil)
		c := coordinator.New(coordinator.Options{Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: NewArchive(s, keep)})
		replies := NewReplies(s)
		for range turns / lives {
			said++
			session := fmt.Sprintf("old-%d", said%3)
			if said%2 == 0 {
				session = fmt.Sprintf("new-%d", said)
			}
			_, err := c.Turn(context.Background(), session, "what is 15 percent of 300, and how do you know")
			must(t, err)
			if said%5 == 0 {
				_, err := facts.Remember(fmt.Sprintf("known-%d", said%100), "my number is "+strconv.Itoa(said))
				must(t, err)
			}
			must(t, replies.Put(fmt.Sprint("id-", said), []byte(`{"ok":true}`), time.Minute))
			for range 4 {
				said := api.Utterance{Session: session, Text: strings.Repeat("what ", 20)}
				must(t, s.Events().Append(api.Event{ID: id, TS: time.Now(), Type: said.EventType(), Data: said}))
				id++
			}
		}
		must(t, s.Prune(t.Context()))
		u, err := s.Usage()
		must(t, err)
		files := openIn(t, dir)
		t.Logf("life %2d, %6d turns: %5.1f MB on the disk, %2d tables, %2d files open; %s", life, said, float64(u.Disk)/1e6, u.Tables, files, table(u))
		if life < lives/2 {
			before, filesBefore = larger(before, u), max(filesBefore, files)
		} else {
			after, filesAfter, disks = larger(after, u), max(filesAfter, files), append(disks, u.Disk)
		}
		must(t, s.Close(id))
	}
	// The upper middle one: what was thrown away may lie there for a life or two until it is tidied, but what grows, grows in all.
	slices.Sort(disks)
	if after.Disk = disks[len(disks)/2]; after.Disk > before.Disk*3/2 {
		t.Errorf("the store grows from %d to %d bytes", before.Disk, after.Disk)
	}
	if filesAfter > filesBefore+2 {
		t.Errorf("open files grow from %d to %d", filesBefore, filesAfter)
	}
	kinds := map[string]int{}
	for _, k := range before.Kinds {
		kinds[k.Kind] = k.Keys
	}
	for _, k := range after.Kinds {
		if k.Keys > kinds[k.Kind]+kinds[k.Kind]/10 && k.Keys > most {
			t.Errorf("%s grow from %d to %d", k.Kind, kinds[k.Kind], k.Keys)
		}
	}
}

// What has a limit of its own, which no test reaches by using it, does not grow beyond that.
func TestLimitsOfWhatIsKept(t *testing.T) {
	s := store.Memory(store.Options{})
	defer func() { must(t, s.Close(0)) }()
	memories, replies, pieces, failures := NewMemories(s), NewReplies(s), NewFeedback(s), NewFailures(s)
	const beyond = 7
	for i := range maxMemories + beyond {
		must(t, memories.SaveMemory(memory.Memory{Session: fmt.Sprintf("s%06d", i)}))
	}
	for i := range maxReplies + beyond {
		must(t, replies.Put(fmt.Sprintf("r%06d", i), []byte(`{}`), time.Minute))
	}
	for i := range maxFeedback + beyond {
		must(t, pieces.bucket.Put(fmt.Sprintf("f%06d", i), feedback.Piece{}))
	}
	for i := range coder.MaxFailures + beyond {
		must(t, failures.SaveFailure(coder.Failure{At: time.Unix(int64(i), 0)}))
	}
	must(t, s.Prune(t.Context()))
	u, err := s.Usage()
	must(t, err)
	want := map[string]int{"memories": maxMemories, "replies": maxReplies, "feedback": maxFeedback, "failures": coder.MaxFailures}
	for _, k := range u.Kinds {
		if most, limited := want[k.Kind]; limited && k.Keys != most {
			t.Errorf("%d %s are kept, want %d", k.Keys, k.Kind, most)
		}
		delete(want, k.Kind)
	}
	if len(want) > 0 {
		t.Errorf("of these nothing is kept: %v", want)
	}
}

// larger is the larger of each of two.
func larger(a, b store.Usage) store.Usage {
	for _, k := range b.Kinds {
		found := false
		for i := range a.Kinds {
			if a.Kinds[i].Kind == k.Kind {
				a.Kinds[i].Keys, found = max(a.Kinds[i].Keys, k.Keys), true
			}
		}
		if !found {
			a.Kinds = append(a.Kinds, k)
		}
	}
	a.Disk, a.Tables = max(a.Disk, b.Disk), max(a.Tables, b.Tables)
	return a
}

func table(u store.Usage) string {
	var all []string
	for _, k := range u.Kinds {
		all = append(all, fmt.Sprintf("%s %d (%d KB)", k.Kind, k.Keys, k.Bytes/1000))
	}
	return strings.Join(all, ", ")
}

// openIn counts our open files in a directory.
func openIn(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	for _, f := range all {
		if to, err := os.Readlink(f); err == nil && strings.HasPrefix(to, dir+"/") {
			n++
		}
	}
	return n
}
