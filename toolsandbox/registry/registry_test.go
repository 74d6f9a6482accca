package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/registry/storetest"
)

var ctx = context.Background()

func TestMemoryConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) (registry.Store, func() registry.Store) {
		m := registry.NewMemory()
		return m, func() registry.Store { return m }
	})
}

func TestRegister(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	d.Grants, d.Model, d.Prompt, d.Licence = []string{"take_photo", "look_at", "look_at"}, "a model", "count the apples", "MIT"
	d.Notes = []registry.Note{{Kind: registry.NoteLicence, Text: "written from scratch"}}
	d.Source += "# warn\n"
	v := f.register(d)
	if v.Number != 1 || v.Language != "python" || !slices.Equal(v.Grants, []string{"look_at", "take_photo"}) {
		t.Errorf("registered %+v", v)
	}
	if v.Report == nil || v.Report.Passed != 1 || len(v.Findings) != 1 || v.Provenance.Prompt != "count the apples" {
		t.Errorf("metadata: %+v", v)
	}
	if !v.Created.Equal(f.clock.Now()) || !v.Notes[0].At.Equal(f.clock.Now()) || !d.Notes[0].At.IsZero() {
		t.Errorf("times: %v, %v", v.Created, v.Notes)
	}
	if !strings.Contains(string(v.Schema), `"x":{"description":"the x","type":"number"}`) || v.Doc.Summary == "" {
		t.Errorf("derived: %s, %+v", v.Schema, v.Doc)
	}
	if len(f.checks.tested) != 1 || f.checks.tested[0].Source != d.Source {
		t.Errorf("tested %+v", f.checks.tested)
	}
	f.reopen()
	again, err := f.Active("count_apples")
	if err != nil || fmt.Sprint(again) == "" || again.Digest != v.Digest || again.Source != v.Source || again.Score != v.Score {
		t.Errorf("after a restart: %+v, %v", again, err)
	}
}

func TestRefused(t *testing.T) {
	f := open(t, func(s *registry.Settings) { s.Reserved = []string{"my_predefined_tool"} })
	change := func(fn func(*registry.Draft)) registry.Draft {
		d := draft("fine", "fine")
		fn(&d)
		return d
	}
	long := strings.Repeat("x", registry.MaxText+1)
	for what, k := range map[string]struct {
		d    registry.Draft
		code string
		says string
	}{
		"forbidden import": {change(func(d *registry.Draft) { d.Source += "import os\n" }), "import", "line 12: import of os"},
		"failed test": {
			change(func(d *registry.Draft) { d.Cases = json.RawMessage(`[{"name":"a"},{"name":"b","fail":"got 2"}]`) }), registry.CodeTests,
			`"b" failed: got 2`,
		},
		"no test":        {change(func(d *registry.Draft) { d.Cases = json.RawMessage(`[]`) }), registry.CodeTests, "no test"},
		"cases not JSON": {change(func(d *registry.Draft) { d.Cases = json.RawMessage(`[`) }), registry.CodeText, "cases"},
		"no source":      {change(func(d *registry.Draft) { d.Source = "" }), registry.CodeSize, "source: 0 bytes, allowed 1 to 65536"},
		"long source":    {change(func(d *registry.Draft) { d.Source += strings.Repeat("#", registry.MaxSource) }), registry.CodeSize, "source"},
		"long cases": {
			change(func(d *registry.Draft) { d.Cases = json.RawMessage(`"` + strings.Repeat("x", registry.MaxCases) + `"`) }), registry.CodeSize,
			"cases",
		},
		"long prompt":   {change(func(d *registry.Draft) { d.Prompt = long }), registry.CodeSize, "prompt"},
		"long author":   {change(func(d *registry.Draft) { d.Author = long }), registry.CodeSize, "author"},
		"many notes":    {change(func(d *registry.Draft) { d.Notes = make([]registry.Note, registry.MaxNotes+1) }), registry.CodeSize, "notes"},
		"bad note":      {change(func(d *registry.Draft) { d.Notes = []registry.Note{{Kind: "praise", Text: "x"}} }), registry.CodeText, "praise"},
		"not UTF-8":     {change(func(d *registry.Draft) { d.Source += "# \xff" }), registry.CodeText, "UTF-8"},
		"not granted":   {change(func(d *registry.Draft) { d.Source += "    reachy.take_photo()\n" }), registry.CodeCapability, "take_photo"},
		"unknown tool":  {change(func(d *registry.Draft) { d.Uses = []registry.Use{{Name: "nobody"}} }), registry.CodeUses, "does not exist"},
		"path as a use": {change(func(d *registry.Draft) { d.Uses = []registry.Use{{Name: "../x"}} }), registry.CodeUses, "../x"},
		"calls itself":  {change(func(d *registry.Draft) { d.Uses = []registry.Use{{Name: "fine"}} }), registry.CodeCycle, "itself"},
		"predefined":    {change(func(d *registry.Draft) { d.Name = "my_predefined_tool" }), registry.CodeName, "reserved"},
	} {
		t.Run(what, func(t *testing.T) {
			f := &fixture{workshop: f.workshop, t: t}
			if got := f.refused(k.d, k.code); !strings.Contains(got, k.says) {
				t.Errorf("%s does not say %q", got, k.says)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{
		"", "a", "A", "Nod", "_nod", "nod_", "nod__twice", "1nod", "nod twice", "nod-twice", "nod.py", "../nod", "nod/1",
		`nod\1`, "nod\x00", "nod\n", "ñod", "nod\u200b", "nød", "reachy/+", "#", "stop", "move_head", "class", "print", "numpy", "exec",
		strings.Repeat("a", 49), "-rf", "~root", "%2e%2e", "nod;ls", "$nod",
	} {
		if registry.CheckName(name, "stop", "move_head") == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	for _, name := range []string{"nod_twice", "ab", "distance_3d", strings.Repeat("a", 48)} {
		if err := registry.CheckName(name, "stop", "move_head"); err != nil {
			t.Error(err)
		}
	}
}

func TestVersions(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	for i, salt := range []string{"apples", "pears", "plums"} {
		if v := f.register(draft("count_apples", salt)); v.Number != i+1 {
			t.Fatalf("version %d was called v%d", i+1, v.Number)
		}
	}
	if got := f.refused(d, registry.CodeUnchanged); !strings.Contains(got, "v1") {
		t.Error(got)
	}
	active := func(want int) {
		t.Helper()
		for range 2 {
			v, err := f.Active("count_apples")
			if (want == 0) != errors.Is(err, registry.ErrNotFound) || (want != 0 && (err != nil || v.Number != want)) {
				t.Errorf("active: %v, %v; want v%d", v, err, want)
			}
			f.reopen()
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	active(3)
	must(f.Activate(ctx, "count_apples", 1, "me"))
	active(1)
	must(f.Activate(ctx, "count_apples", 3, "me"))
	rollBack := func(to, want int) {
		t.Helper()
		if n, err := f.RollBack(ctx, "count_apples", to, "me"); n != want || err != nil {
			t.Errorf("rolled back to %d, %v; want %d", n, err, want)
		}
		active(want)
	}
	rollBack(2, 2)
	must(f.Activate(ctx, "count_apples", 3, "me"))
	rollBack(0, 2)
	rollBack(0, 1)
	if _, err := f.RollBack(ctx, "count_apples", 0, "me"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("rolled back behind the first version: %v", err)
	}
	if _, err := f.RollBack(ctx, "count_apples", 2, "me"); err == nil {
		t.Error("rolled back to a later version")
	}
	must(f.Deactivate(ctx, "count_apples", "me"))
	active(0)
	if v, err := f.Version("count_apples", 2); err != nil || !strings.Contains(v.Source, "pears") {
		t.Errorf("v2: %v, %v", v, err)
	}
	for _, n := range []int{-1, 4} {
		if err := f.Activate(ctx, "count_apples", n, ""); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("activated v%d: %v", n, err)
		}
		if _, err := f.Version("count_apples", n); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("read v%d: %v", n, err)
		}
	}
	if v := f.register(draft("count_apples", "cherries")); v.Number != 4 {
		t.Errorf("the next version is v%d", v.Number)
	}
	h, err := f.Head("count_apples")
	if err != nil || h.Active != 4 || h.Latest != 4 || len(h.History) != 11 {
		t.Errorf("%+v, %v", h, err)
	}
	for i := range registry.MaxHistory {
		must(f.Activate(ctx, "count_apples", 1+i%2, "me"))
	}
	if h, _ = f.Head("count_apples"); len(h.History) != registry.MaxHistory {
		t.Errorf("%d activations are remembered", len(h.History))
	}
}

func TestReview(t *testing.T) {
	f := open(t, func(s *registry.Settings) { s.Review = true })
	f.register(draft("count_apples", "apples"))
	if _, err := f.Active("count_apples"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("active without review: %v", err)
	}
	if err := f.Activate(ctx, "count_apples", 1, ""); !errors.Is(err, registry.ErrNotApproved) {
		t.Errorf("activated without review: %v", err)
	}
	caller := draft("caller", "caller")
	caller.Uses = []registry.Use{{Name: "count_apples", Version: 1}}
	f.refused(caller, registry.CodeUses)
	f.reopen()
	if err := f.Approve(ctx, "count_apples", 1, "owner"); err != nil {
		t.Fatal(err)
	}
	if err := f.Approve(ctx, "count_apples", 1, "owner"); err == nil {
		t.Error("approved twice")
	}
	f.register(caller)
	f.register(draft("count_apples", "pears"))
	if v, err := f.Active("count_apples"); err != nil || v.Number != 1 {
		t.Errorf("a version that waits for review replaced the active one: %v, %v", v, err)
	}
	if _, err := f.RollBack(ctx, "count_apples", 2, ""); err == nil {
		t.Error("v2 became active without review")
	}
}

func TestReject(t *testing.T) {
	f := open(t, func(s *registry.Settings) { s.Review = true })
	f.register(draft("count_apples", "apples"))
	for _, reason := range []string{"", strings.Repeat("x", registry.MaxText+1)} {
		if err := f.Reject(ctx, "count_apples", 1, reason, "owner"); err == nil {
			t.Errorf("rejected for %d bytes of reason", len(reason))
		}
	}
	if err := f.Reject(ctx, "count_apples", 1, "it counts pears", "owner"); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if err := f.Activate(ctx, "count_apples", 1, ""); !errors.Is(err, registry.ErrRejected) || !strings.Contains(err.Error(), "it counts pears") {
		t.Errorf("activated though rejected: %v", err)
	}
	if err := f.Reject(ctx, "count_apples", 1, "again", "owner"); err == nil {
		t.Error("rejected twice")
	}
	caller := draft("caller", "caller")
	caller.Uses = []registry.Use{{Name: "count_apples", Version: 1}}
	f.refused(caller, registry.CodeUses)
	h, err := f.Head("count_apples")
	if err != nil || h.ReviewOf(1) != registry.ReviewRejected || h.Verdicts[1].By != "owner" || len(h.Pending) != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	if err := f.Approve(ctx, "count_apples", 1, "owner"); err != nil { // people change their minds
		t.Fatal(err)
	}
	if h, _ := f.Head("count_apples"); h.ReviewOf(1) != registry.ReviewApproved || h.Active != 1 {
		t.Errorf("%+v", h)
	}
}

func TestUntested(t *testing.T) {
	f := open(t)
	f.checks.testErr = fmt.Errorf("no interpreter: %w", registry.ErrUnavailable)
	d := draft("count_apples", "apples")
	if _, err := f.Register(ctx, d); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("registered without a sandbox: %v", err)
	}
	d.AllowUntested = true
	v := f.register(d)
	if h, _ := f.Head("count_apples"); v.Report != nil || h.Active != 0 || !slices.Equal(h.Pending, []int{1}) {
		t.Errorf("%+v, %+v: an untested tool must wait for review", v.Report, h)
	}
	if n := len(v.Findings); n == 0 || v.Findings[n-1].Code != registry.CodeUntested {
		t.Errorf("nothing says that it is untested: %+v", v.Findings)
	}
	if err := f.Approve(ctx, "count_apples", 1, "owner"); !errors.Is(err, registry.ErrUntested) {
		t.Errorf("approved: %v", err)
	}
	if err := f.Reject(ctx, "count_apples", 1, "not now", "owner"); err != nil {
		t.Fatal(err)
	}
	if err := f.Approve(ctx, "count_apples", 1, "owner"); !errors.Is(err, registry.ErrUntested) {
		t.Errorf("approved after it was rejected: %v", err)
	}
	if _, err := f.Complete(ctx, 1, d); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("completed without a sandbox: %v", err)
	}
	f.checks.testErr = nil
	other := d
	other.Source += "\n"
	if _, err := f.Complete(ctx, 1, other); err == nil || !strings.Contains(err.Error(), "another tool") {
		t.Errorf("completed with another source: %v", err)
	}
	d.Grants = []string{"look_at"}
	if v, err := f.Complete(ctx, 1, d); err != nil || v.Number != 1 || v.Report == nil || !slices.Equal(v.Grants, d.Grants) {
		t.Fatalf("%+v, %v", v, err)
	}
	if h, _ := f.Head("count_apples"); h.Active != 0 {
		t.Error("it is active though nobody approved it")
	}
	if _, err := f.Complete(ctx, 1, d); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("completed twice: %v", err)
	}
	f.reopen()
	if err := f.Approve(ctx, "count_apples", 1, "owner"); err != nil {
		t.Fatal(err)
	}
	if v, err := f.Active("count_apples"); err != nil || v.Report == nil {
		t.Errorf("%+v, %v", v, err)
	}
	f.checks.testErr = errors.New("broken pipe")
	if _, err := f.Register(ctx, draft("count_pears", "pears")); err == nil || errors.As(err, new(*registry.Refusal)) {
		t.Errorf("%v: not the tool's fault, and no reason to register it", err)
	}
}

func TestComposition(t *testing.T) {
	f := open(t)
	with := func(name string, grants []string, uses ...string) registry.Draft {
		d := draft(name, name)
		d.Grants = grants
		for _, u := range uses {
			d.Uses = append(d.Uses, registry.Use{Name: u})
		}
		return d
	}
	f.register(with("level_one", []string{"look_at"}))
	f.register(with("camera_one", []string{"take_photo"}))

	// Who calls a tool needs the owner's leave for all that it may do.
	got := f.refused(with("level_two", []string{"look_at"}, "level_one", "camera_one"), registry.CodeCapability)
	if !strings.Contains(got, `"take_photo" was not granted`) {
		t.Error(got)
	}
	v := f.register(with("level_two", []string{"look_at", "take_photo"}, "level_one", "camera_one"))
	if v.Depth != 2 || !slices.Equal(v.Calls, []string{"camera_one", "level_one"}) || v.Uses[0].Version != 1 || v.Uses[0].Digest == "" {
		t.Errorf("%+v", v)
	}

	// A callee is pinned.
	f.register(draft("level_one", "renewed"))
	if v, _ = f.Active("level_two"); v.Uses[1].Version != 1 {
		t.Errorf("%+v", v.Uses)
	}

	// No cycles, direct or by way of others.
	both := []string{"look_at", "take_photo"}
	f.refused(with("level_one", both, "level_one"), registry.CodeCycle)
	f.refused(with("level_one", both, "level_two"), registry.CodeCycle)
	f.register(with("level_three", both, "level_two"))
	if got := f.refused(with("level_one", both, "level_three"), registry.CodeCycle); !strings.Contains(got, "level_three v1, which calls level_one again") {
		t.Error(got)
	}

	// No long chains.
	f.register(with("level_four", both, "level_three"))
	if got := f.refused(with("level_five", both, "level_four"), registry.CodeDepth); !strings.Contains(got, "5 tools deep, allowed 4") {
		t.Error(got)
	}

	// Not too many, none twice, none that is not active.
	f.refused(with("level_six", both, "level_one", "level_one"), registry.CodeUses)
	many := with("level_six", both)
	many.Uses = make([]registry.Use, registry.MaxUses+1)
	f.refused(many, registry.CodeSize)
	if err := f.Deactivate(ctx, "camera_one", ""); err != nil {
		t.Fatal(err)
	}
	f.refused(with("level_six", both, "camera_one"), registry.CodeUses)
	wrong := with("level_six", both)
	for _, u := range []registry.Use{{Name: "level_one", Version: 3}, {Name: "level_one", Digest: "abc"}} {
		wrong.Uses = []registry.Use{u}
		f.refused(wrong, registry.CodeUses)
	}

	// A tool that it calls is no host call that must be granted.
	d := with("calls_by_name", both, "level_one")
	d.Source += "    reachy.level_one()\n"
	f.register(d)
}

func TestUsage(t *testing.T) {
	f := open(t, func(s *registry.Settings) { s.FlushCalls = 3; s.FlushEvery = time.Minute })
	f.register(draft("count_apples", "apples"))
	<-f.clock.armed
	applied := func() (n int) { f.store.set(func() { n = f.store.applied }); return n }
	before := applied()
	f.Record("count_apples", 1, true, time.Millisecond)
	f.Record("count_apples", 1, false, 3*time.Millisecond)
	f.Record("count_apples", 2, true, time.Hour) // no such version
	f.Record("nobody", 1, true, time.Hour)
	if n := applied(); n != before {
		t.Errorf("the store was written %d times", n-before)
	}
	u := f.Usage("count_apples", 1)
	if u.Calls != 2 || u.Successes != 1 || u.Total != 4*time.Millisecond || u.Max != 3*time.Millisecond || u.SuccessRate() != 0.5 {
		t.Errorf("%+v", u)
	}
	if p50, p99 := u.Quantile(0.5), u.Quantile(0.99); p50 < time.Millisecond || p50 > 2*time.Millisecond || p99 != 3*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
	f.clock.Add(time.Minute)
	<-f.clock.armed // flushed and waiting again
	if n := applied(); n != before+1 {
		t.Errorf("the store was written %d times in one interval, want 1", n-before)
	}
	for range 3 { // as many as may be lost
		f.Record("count_apples", 1, true, time.Microsecond)
	}
	<-f.clock.armed
	if n := applied(); n != before+2 {
		t.Errorf("the store was written %d times, want 2", n-before)
	}
	// A crash loses what was recorded since, and no more.
	f.Record("count_apples", 1, true, time.Microsecond)
	crashed, err := registry.Open(f.set)
	if err != nil {
		t.Fatal(err)
	}
	if u := crashed.Usage("count_apples", 0); u.Calls != 5 {
		t.Errorf("%d calls after a crash, want 5 of 6", u.Calls)
	}
	crashed.Close()
	f.reopen()
	if u := f.Usage("count_apples", 0); u.Calls != 6 || u.Successes != 5 || !u.Last.Equal(f.clock.Now()) {
		t.Errorf("after a restart: %+v", u)
	}
	if u := f.Usage("nobody", 0); u.Calls != 0 || u.SuccessRate() != 0 || u.Quantile(0.5) != 0 {
		t.Errorf("%+v", u)
	}
	// What a flush could not write, the next writes.
	f.Record("count_apples", 1, true, time.Microsecond)
	f.store.set(func() { f.store.before = errors.New("disk full") })
	<-f.clock.armed
	f.clock.Add(time.Minute)
	<-f.clock.armed
	f.store.set(func() { f.store.before = nil })
	f.reopen()
	if u := f.Usage("count_apples", 0); u.Calls != 7 {
		t.Errorf("%d calls, want 7", u.Calls)
	}
}

// Registrations of one name wait for each other, those of others do not, and readers wait for nobody.
func TestOrder(t *testing.T) {
	f := open(t)
	f.register(draft("count_apples", "apples"))
	f.checks.hold, f.checks.entered = make(chan struct{}), make(chan string)
	results := make(chan error)
	register := func(name, salt string) {
		go func() { _, err := f.Register(ctx, draft(name, salt)); results <- err }()
	}
	register("count_apples", "pears")
	<-f.checks.entered
	register("count_apples", "plums") // waits
	register("count_nuts", "nuts")    // does not
	if name := <-f.checks.entered; name != "count_nuts" {
		t.Fatalf("%s is tested, though it is being registered", name)
	}
	limited, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := f.Register(limited, draft("count_apples", "grapes")); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gave up: %v", err)
	}
	if v, err := f.Active("count_apples"); err != nil || v.Number != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if len(f.List()) != 1 {
		t.Errorf("%v: a tool is seen before it is registered", f.List())
	}
	close(f.checks.hold)
	<-f.checks.entered
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if h, _ := f.Head("count_apples"); h.Latest != 3 {
		t.Errorf("%+v", h)
	}
}
