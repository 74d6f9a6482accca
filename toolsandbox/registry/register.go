package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Candidate is a tool on its way into a Registry.
type Candidate struct {
	Draft
	Found  Validation // in its source
	Report *Report    // of its tests; nil: never tested, which Draft.AllowUntested must allow
}

// Registration is one tool on its way into a Registry: nobody else changes the tool of that name before Close.
type Registration struct {
	r       *Registry
	name    string
	release func()
}

// Begin waits until nobody else changes the tool of a name.
func (r *Registry) Begin(ctx context.Context, name string) (*Registration, error) {
	release, err := r.hold(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("register tool %s: %w", name, err)
	}
	return &Registration{r, name, release}, nil
}

// Close lets others change the tool again.
func (g *Registration) Close() { g.release() }

// Admit says why a candidate could not be put, whatever its tests come to; the error is a *Refusal.
func (g *Registration) Admit(c Candidate) error {
	_, err := g.r.newChange().admit(&c)
	return err
}

// Put stores a candidate as the next version of its name. When it returns a version, that is on the disk. When the
// candidate is not good enough the error is a *Refusal with the findings, and nothing is stored.
func (g *Registration) Put(c Candidate) (*Version, error) {
	r := g.r
	r.commit.Lock()
	defer r.commit.Unlock()
	w := r.newChange()
	v, err := w.admit(&c)
	if err == nil {
		err = v.tested(&c)
	}
	if err != nil {
		return nil, err
	}
	e, err := w.add(&c, v, r.set.Clock.Now())
	if err != nil {
		return nil, err
	}
	if err := r.store(e, v); err != nil {
		return nil, fmt.Errorf("register tool %s v%d: %w", c.Name, v.Number, err)
	}
	return v, nil
}

// store makes a version durable and then visible. The caller holds commit.
func (r *Registry) store(e *entry, v *Version) error {
	ops, err := e.ops(v)
	if err == nil {
		err = r.apply([]string{v.Name}, ops...)
	}
	if err == nil {
		r.publish(e)
	}
	return err
}

// checkDraft looks at everything that can be said without its source being understood.
func (r *Registry) checkDraft(d *Draft) error {
	if err := CheckName(d.Name, r.set.Reserved...); err != nil {
		return refuse(d.Name, CodeName, "choose another name", "%s", err)
	}
	d.Language = cmp.Or(d.Language, "python")
	d.Grants = slices.Compact(slices.Sorted(slices.Values(d.Grants)))
	if len(d.Cases) > 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, d.Cases); err != nil {
			return refuse(d.Name, CodeText, "give the cases as JSON", "cases: %s", err)
		}
		d.Cases = compact.Bytes()
	}
	for _, f := range []struct {
		name       string
		n, lo, max int
		unit       string
	}{
		{"source", len(d.Source), 1, MaxSource, "bytes"},
		{"cases", len(d.Cases), 0, MaxCases, "bytes"},
		{"language", len(d.Language), 1, 32, "bytes"},
		{"author", len(d.Author), 0, MaxText, "bytes"},
		{"model", len(d.Model), 0, MaxText, "bytes"},
		{"prompt", len(d.Prompt), 0, MaxText, "bytes"},
		{"licence", len(d.Licence), 0, MaxText, "bytes"},
		{"grants", len(d.Grants), 0, 128, "host calls"},
		{"uses", len(d.Uses), 0, MaxUses, "tools"},
		{"parents", len(d.Parents), 0, MaxUses, "versions"},
		{"notes", len(d.Notes), 0, MaxNotes, "notes"},
	} {
		if f.n < f.lo || f.n > f.max {
			return refuse(d.Name, CodeSize, "", "%s: %d %s, allowed %d to %d", f.name, f.n, f.unit, f.lo, f.max)
		}
	}
	texts := []string{d.Source, d.Language, d.Author, d.Model, d.Prompt, d.Licence, string(d.Cases)}
	for _, u := range slices.Concat(d.Uses, d.Parents) {
		if err := u.check(); err != nil {
			return refuse(d.Name, CodeUses, "", "%s", err)
		}
	}
	for _, g := range d.Grants {
		if g == "" || len(g) > 64 {
			return refuse(d.Name, CodeCapability, "", "grant %.80q: allowed are 1 to 64 bytes", g)
		}
		texts = append(texts, g)
	}
	d.Notes = slices.Clone(d.Notes)
	for i, n := range d.Notes {
		if err := n.Check(); err != nil {
			return refuse(d.Name, CodeText, "", "%s", err)
		}
		if n.At.IsZero() {
			d.Notes[i].At = r.set.Clock.Now().UTC()
		}
		texts = append(texts, n.Text, n.By)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return refuse(d.Name, CodeText, "", "text %.40q is not UTF-8", text)
		}
	}
	return nil
}

func (u Use) check() error {
	if !snake.MatchString(u.Name) || len(u.Name) > maxName {
		return fmt.Errorf("name of a tool %.80q: allowed are 1 to %d lower-case letters, digits and single underscores", u.Name, maxName)
	}
	if u.Version < 0 || u.Version > MaxVersions || len(u.Digest) > 64 {
		return fmt.Errorf("version %d with a digest of %d bytes of tool %s: allowed are 0 to %d and 64", u.Version, len(u.Digest), u.Name, MaxVersions)
	}
	return nil
}

// change is one registration or one import: the tools as they are, and those that it adds.
type change struct {
	r     *Registry
	base  *snapshot
	added map[string]*entry
	fresh map[string][]*Version // that are not in the store yet, by name

	completes int // number of the version that was tested now, 0: a new one
}

func (r *Registry) newChange() *change {
	return &change{r: r, base: r.state.Load(), added: map[string]*entry{}, fresh: map[string][]*Version{}}
}

func (w *change) entry(name string) *entry {
	if e := w.added[name]; e != nil {
		return e
	}
	return w.base.tools[name]
}

func (w *change) version(name string, number int) (*Version, error) {
	for _, v := range w.fresh[name] {
		if v.Number == number {
			return v, nil
		}
	}
	e := w.entry(name)
	if e == nil {
		return nil, fmt.Errorf("tool %s: %w", name, ErrNotFound)
	}
	return w.r.versionOf(e, number)
}

// count is the number of tools with those that are added.
func (w *change) count() int {
	n := len(w.base.tools)
	for name := range w.added {
		if w.base.tools[name] == nil {
			n++
		}
	}
	return n
}

// admit makes a version of a candidate, without a number yet, and pins the tools that it calls.
func (w *change) admit(c *Candidate) (*Version, error) {
	if err := w.r.checkDraft(&c.Draft); err != nil {
		return nil, err
	}
	v := &Version{
		Name: c.Name, Language: c.Language, Source: c.Source, Cases: c.Cases, Grants: c.Grants, Licence: c.Licence, Notes: c.Notes,
		Provenance: Provenance{Author: c.Author, Model: c.Model, Prompt: c.Prompt, Parents: c.Parents},
		Schema:     c.Found.Schema, Returns: c.Found.Returns, Doc: c.Found.Doc, Metrics: c.Found.Metrics, Findings: slices.Clone(c.Found.Findings),
	}
	callees, err := w.compose(&c.Draft, v)
	if err != nil {
		return nil, err
	}
	v.Digest = v.digest()
	if err := w.unchanged(v); err != nil {
		return nil, err
	}
	if hasErrors(v.Findings) {
		return nil, &Refusal{Name: v.Name, Findings: v.Findings}
	}
	if !json.Valid(v.Schema) || (len(v.Returns) > 0 && !json.Valid(v.Returns)) {
		return nil, fmt.Errorf("register tool %s: the schema that was derived from its source is not JSON", v.Name)
	}
	if err := granted(v, c.Found.Needs, callees); err != nil {
		return nil, err
	}
	return v, w.duplicate(&c.Draft, v)
}

// tested adds to an admitted version what its tests came to, or refuses it.
func (v *Version) tested(c *Candidate) error {
	switch {
	case c.Report != nil:
		if findings := c.Report.findings(); hasErrors(findings) {
			return &Refusal{Name: v.Name, Findings: append(findings, v.Findings...), Report: c.Report}
		}
		v.Report = c.Report
	case c.AllowUntested:
		v.Findings = append(v.Findings, Finding{
			Code: CodeUntested, Severity: SeverityWarning, Message: "there was no sandbox: nothing of it was run, and only what plain text tells was checked",
			Fix: "look at it with care; it is checked and tested when it is approved, once the sandbox works",
		})
	default:
		return refuse(v.Name, CodeTests, "test it first", "it was never tested")
	}
	v.Score = ScoreOf(v)
	return nil
}

func (rep *Report) findings() (findings []Finding) {
	fail := func(format string, args ...any) {
		findings = append(findings, Finding{Code: CodeTests, Severity: SeverityError, Message: fmt.Sprintf(format, args...)})
	}
	for _, c := range rep.Cases {
		if !c.Passed {
			fail("test %.80q failed: %.1000s", c.Name, c.Message)
		}
	}
	switch {
	case rep.Total < 1:
		fail("there was no test")
	case rep.Passed != rep.Total && len(findings) == 0:
		fail("%d of %d tests passed", rep.Passed, rep.Total)
	}
	return findings
}

// add makes an admitted version the next one of its name.
func (w *change) add(c *Candidate, v *Version, now time.Time) (*entry, error) {
	e := &entry{head: Head{Name: v.Name}}
	if old := w.entry(v.Name); old != nil {
		*e = entry{head: old.head.clone(), current: old.current, sketch: old.sketch}
	} else if n := w.count(); n >= MaxTools {
		return nil, refuse(v.Name, CodeSize, "", "there are %d tools, allowed %d", n, MaxTools)
	}
	if e.head.Latest >= MaxVersions {
		return nil, refuse(v.Name, CodeSize, "register it under another name", "it has %d versions, allowed %d", e.head.Latest, MaxVersions)
	}
	v.Number, v.Created = e.head.Latest+1, now.UTC()
	e.head.Latest = v.Number
	e.head.Digests = append(e.head.Digests, v.Digest)
	switch {
	case w.r.set.Review || v.Report == nil:
		e.head.Pending = append(e.head.Pending, v.Number)
	case !c.Inactive:
		e.head.activate(v.Number, v.Created, c.Author)
	}
	if e.head.currentNumber() == v.Number {
		e.current, e.sketch = v, sketchOf(v.Source, v.Schema)
	}
	w.added[v.Name] = e
	w.fresh[v.Name] = append(w.fresh[v.Name], v)
	return e, nil
}

// ops store a version and the head that makes it visible.
func (e *entry) ops(v *Version) ([]Op, error) {
	record, err := versionOp(v)
	if err != nil {
		return nil, err
	}
	head, err := e.headOp()
	return []Op{record, head}, err
}

func versionOp(v *Version) (Op, error) {
	value, err := seal(v)
	if err == nil && len(value) > maxRecord {
		err = refuse(v.Name, CodeSize, "", "the version with its tests and its report has %d bytes, allowed %d", len(value), maxRecord)
	}
	return Op{versionKey(v.Name, v.Number), value}, err
}

func (e *entry) headOp() (Op, error) {
	value, err := seal(e.head)
	return Op{headPrefix + e.head.Name, value}, err
}

// unchanged refuses what is already there, and says what can be done with that.
func (w *change) unchanged(v *Version) error {
	e := w.entry(v.Name)
	if e == nil {
		return nil
	}
	n := slices.Index(e.head.Digests, v.Digest) + 1
	if n == 0 || n == w.completes {
		return nil
	}
	switch e.head.ReviewOf(n) {
	case ReviewPending:
		return refuse(v.Name, CodeUnchanged, "wait for its review", "it is the same as v%d, which waits for review", n)
	case ReviewRejected:
		fix := fmt.Sprintf("change it, or ask whoever reviews tools to approve v%d", n)
		return refuse(v.Name, CodeUnchanged, fix, "it is the same as v%d, which was rejected: %s", n, e.head.Verdicts[n].Reason)
	}
	return refuse(v.Name, CodeUnchanged, fmt.Sprintf("activate v%d", n), "it is the same as v%d", n)
}
