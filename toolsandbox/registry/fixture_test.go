package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// checks checks and tests tools; it knows enough of Python for these tests: it derives the schema from the
// signature, refuses to import os, takes reachy.x( as a need for x, and runs cases which say how they end.
type checks struct {
	mu        sync.Mutex
	validated []string // names
	tested    []registry.Draft
	hold      chan struct{} // when set, Test waits for it
	entered   chan string   // when set, Test sends the name
	testErr   error
	strict    bool // Check refuses everything
}

var (
	signatureRE = regexp.MustCompile(`(?m)^def (\w+)\(([^)]*)\)`)
	needRE      = regexp.MustCompile(`reachy\.(\w+)\(`)
	docRE       = regexp.MustCompile(`(?s)"""(.*?)"""`)
)

func (c *checks) Check(s *registry.Draft) (v registry.Validation) {
	c.mu.Lock()
	c.validated = append(c.validated, s.Name)
	c.mu.Unlock()
	bad := func(code, message string, line int) {
		v.Findings = append(v.Findings, registry.Finding{Code: code, Severity: registry.SeverityError, Message: message, Line: line})
	}
	if c.strict {
		bad("strict", "no", 0)
	}
	for i, line := range strings.Split(s.Source, "\n") {
		if strings.HasPrefix(line, "import os") {
			bad("import", "import of os is forbidden", i+1)
		}
		if strings.Contains(line, "# warn") {
			v.Findings = append(v.Findings, registry.Finding{Code: "style", Severity: registry.SeverityWarning, Message: "hm", Line: i + 1})
		}
	}
	m := signatureRE.FindStringSubmatch(s.Source)
	if m == nil || m[1] != s.Name {
		bad("function", "no function "+s.Name, 0)
		return v
	}
	properties := map[string]any{}
	for p := range strings.SplitSeq(m[2], ",") {
		if name, kind, ok := strings.Cut(strings.TrimSpace(p), ":"); ok {
			properties[name] = map[string]string{"type": strings.TrimSpace(kind), "description": "the " + name}
		}
	}
	v.Schema, _ = json.Marshal(map[string]any{"type": "object", "properties": properties})
	if d := docRE.FindStringSubmatch(s.Source); d != nil {
		summary, _, _ := strings.Cut(strings.TrimSpace(d[1]), "\n")
		v.Doc = registry.Doc{Summary: summary, Text: d[1]}
	}
	for _, n := range needRE.FindAllStringSubmatch(s.Source, -1) {
		v.Needs = append(v.Needs, n[1])
	}
	v.Metrics = registry.Metrics{Lines: strings.Count(s.Source, "\n"), Complexity: 1, Documented: 1, Documentable: 2}
	return v
}

func (c *checks) Test(ctx context.Context, s *registry.Draft) (*registry.Report, error) {
	r := &registry.Report{}
	c.mu.Lock()
	c.tested = append(c.tested, *s)
	hold, entered, testErr := c.hold, c.entered, c.testErr
	c.mu.Unlock()
	if entered != nil {
		entered <- s.Name
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if testErr != nil {
		return nil, testErr
	}
	var cases []struct {
		Name string
		Fail string
	}
	if err := json.Unmarshal(s.Cases, &cases); err != nil {
		return nil, err
	}
	for _, k := range cases {
		r.Total++
		if k.Fail == "" {
			r.Passed++
		}
		r.Cases = append(r.Cases, registry.CaseResult{Name: k.Name, Passed: k.Fail == "", Message: k.Fail})
	}
	r.Coverage, r.Median = 0.9, 5*time.Millisecond
	return r, nil
}

// candidate checks a draft, asks whether it is admitted, and tests it.
func (c *checks) candidate(ctx context.Context, d *registry.Draft, admit func(registry.Candidate) error) (registry.Candidate, error) {
	k := registry.Candidate{Draft: *d, Found: c.Check(d)}
	if err := admit(k); err != nil {
		return k, err
	}
	report, err := c.Test(ctx, d)
	if err != nil && (!d.AllowUntested || !errors.Is(err, registry.ErrUnavailable)) {
		return k, err
	}
	k.Report = report
	return k, nil
}

// workshop is a registry with what checks and tests the tools that are put into it.
type workshop struct {
	*registry.Registry
	checks *checks
}

func (w workshop) Register(ctx context.Context, d registry.Draft) (*registry.Version, error) {
	g, err := w.Begin(ctx, d.Name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	k, err := w.checks.candidate(ctx, &d, g.Admit)
	if err != nil {
		return nil, err
	}
	return g.Put(k)
}

func (w workshop) Complete(ctx context.Context, number int, d registry.Draft) (*registry.Version, error) {
	d.AllowUntested = false
	g, err := w.Begin(ctx, d.Name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	k := registry.Candidate{Draft: d, Found: w.checks.Check(&d)}
	k.Report, err = w.checks.Test(ctx, &d)
	if err != nil {
		return nil, err
	}
	return g.Complete(number, k)
}

func (w workshop) Import(ctx context.Context, file []byte, o registry.ImportOptions) ([]*registry.Version, error) {
	i, err := w.OpenBundle(ctx, file, o)
	if err != nil {
		return nil, err
	}
	defer i.Close()
	for {
		d, err := i.Next()
		if err != nil {
			return nil, err
		}
		if d == nil {
			return i.Commit()
		}
		k, err := w.checks.candidate(ctx, d, i.Admit)
		if err != nil {
			return nil, err
		}
		if err := i.Add(k); err != nil {
			return nil, err
		}
	}
}

// clock stands still until it is moved.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
	armed  chan struct{} // one element for every After
}

type timer struct {
	at time.Time
	c  chan time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), armed: make(chan struct{}, 1000)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := timer{c.now.Add(d), make(chan time.Time, 1)}
	c.timers = append(c.timers, t)
	c.armed <- struct{}{}
	return t.c
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	left := c.timers[:0]
	for _, t := range c.timers {
		if t.at.After(c.now) {
			left = append(left, t)
		} else {
			t.c <- c.now
		}
	}
	c.timers = left
}

// faulty is a store whose Apply can be made to fail, before or after it did its work.
type faulty struct {
	registry.Store
	mu            sync.Mutex
	before, after error
	applied       int
	stop          func(ops []registry.Op) error // decides for one Apply
}

func (f *faulty) Apply(ops ...registry.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied++
	if f.before != nil {
		return f.before
	}
	if f.stop != nil {
		if err := f.stop(ops); err != nil {
			return err
		}
	}
	if err := f.Store.Apply(ops...); err != nil {
		return err
	}
	return f.after
}

func (f *faulty) set(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

type fixture struct {
	workshop
	t     *testing.T
	clock *clock
	store *faulty
	set   registry.Settings
}

func open(t *testing.T, change ...func(*registry.Settings)) *fixture {
	t.Helper()
	f := &fixture{t: t, workshop: workshop{checks: &checks{}}, clock: newClock(), store: &faulty{Store: registry.NewMemory()}}
	f.set = registry.Settings{Store: f.store, Clock: f.clock}
	for _, c := range change {
		c(&f.set)
	}
	f.start()
	return f
}

func (f *fixture) start() {
	f.t.Helper()
	r, err := registry.Open(f.set)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Registry = r
	f.t.Cleanup(func() { r.Close() })
}

func (f *fixture) reopen() {
	f.t.Helper()
	if err := f.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.set.Index = nil
	f.start()
}

const passing = `[{"name": "works"}]`

// draft is a tool with a body that is unlike any other with another salt.
func draft(name, salt string) registry.Draft {
	var body strings.Builder
	for i := range 8 {
		fmt.Fprintf(&body, "    x = %s_%d(x) if x > %s.limit_%d else x\n", salt, i, salt, i)
	}
	return registry.Draft{
		Name:   name,
		Source: fmt.Sprintf("def %s(x: number) -> float:\n    \"\"\"%s does things with %s.\"\"\"\n%s    return x\n", name, name, salt, body.String()),
		Cases:  json.RawMessage(passing),
		Author: "tester",
	}
}

func (f *fixture) register(d registry.Draft) *registry.Version {
	f.t.Helper()
	v, err := f.Register(context.Background(), d)
	if err != nil {
		f.t.Fatal(err)
	}
	return v
}

// refused registers a draft that must be refused with that code, and returns the whole error.
func (f *fixture) refused(d registry.Draft, code string) string {
	f.t.Helper()
	before := fmt.Sprint(f.List())
	v, err := f.Register(context.Background(), d)
	var r *registry.Refusal
	if !errors.As(err, &r) {
		f.t.Fatalf("%s: %v, %v; want a refusal for %s", d.Name, v, err, code)
	}
	for _, finding := range r.Findings {
		if finding.Code == code && finding.Severity == registry.SeverityError {
			if after := fmt.Sprint(f.List()); before != after {
				f.t.Errorf("%s was refused, but changed the tools: %s, now %s", d.Name, before, after)
			}
			return err.Error()
		}
	}
	f.t.Fatalf("%s: %v; want a refusal for %s", d.Name, r.Findings, code)
	return ""
}
