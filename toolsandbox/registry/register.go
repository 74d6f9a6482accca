package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Register validates and tests a draft and stores it as the next version of its name. When it returns a version, that
// is on the disk. When the draft is not good enough the error is a *Refusal with the findings, and nothing is stored.
func (r *Registry) Register(ctx context.Context, d Draft) (*Version, error) {
	if err := r.checkDraft(&d); err != nil {
		return nil, err
	}
	release, err := r.hold(ctx, d.Name)
	if err != nil {
		return nil, fmt.Errorf("register tool %s: %w", d.Name, err)
	}
	defer release()
	w := r.newWork()
	v, err := w.examine(ctx, d)
	if err != nil {
		return nil, err
	}
	r.commit.Lock()
	defer r.commit.Unlock()
	w.base = r.state.Load() // others may have registered tools meanwhile
	e, err := w.add(&d, v, r.set.Clock.Now())
	if err != nil {
		return nil, err
	}
	ops, err := e.ops(v)
	if err == nil {
		err = r.apply([]string{d.Name}, ops...)
	}
	if err != nil {
		return nil, fmt.Errorf("register tool %s v%d: %w", d.Name, v.Number, err)
	}
	r.publish(e)
	return v, nil
}

// checkDraft looks at everything that needs no validator.
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
		if err := n.check(); err != nil {
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

// work is one registration or one import: the tools as they are, and those that it adds.
type work struct {
	r     *Registry
	base  *snapshot
	added map[string]*entry
	fresh map[string][]*Version // that are not in the store yet, by name

	completes int // number of the version that is tested now, 0: a new one
}

func (r *Registry) newWork() *work {
	return &work{r: r, base: r.state.Load(), added: map[string]*entry{}, fresh: map[string][]*Version{}}
}

func (w *work) entry(name string) *entry {
	if e := w.added[name]; e != nil {
		return e
	}
	return w.base.tools[name]
}

func (w *work) version(name string, number int) (*Version, error) {
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
func (w *work) count() int {
	n := len(w.base.tools)
	for name := range w.added {
		if w.base.tools[name] == nil {
			n++
		}
	}
	return n
}

// examine validates and tests a draft. It takes as long as the tests take.
func (w *work) examine(ctx context.Context, d Draft) (*Version, error) {
	r := w.r
	v := &Version{
		Name: d.Name, Language: d.Language, Source: d.Source, Cases: d.Cases, Grants: d.Grants, Licence: d.Licence, Notes: d.Notes,
		Provenance: Provenance{Author: d.Author, Model: d.Model, Prompt: d.Prompt, Parents: d.Parents},
	}
	callees, err := w.compose(&d, v)
	if err != nil {
		return nil, err
	}
	v.Digest = v.digest()
	if err := w.unchanged(v); err != nil { // before the tests, which take longer
		return nil, err
	}
	subject := Subject{Name: v.Name, Language: v.Language, Source: v.Source, Cases: v.Cases, Grants: v.Grants, Uses: v.Uses}
	found, err := r.set.Validator.Validate(ctx, subject)
	unavailable := errors.Is(err, ErrUnavailable) && d.AllowUntested
	if err != nil && !unavailable {
		return nil, fmt.Errorf("validate tool %s: %w", v.Name, err)
	}
	if hasErrors(found.Findings) {
		return nil, &Refusal{Name: v.Name, Findings: found.Findings}
	}
	if !json.Valid(found.Schema) || (len(found.Returns) > 0 && !json.Valid(found.Returns)) {
		return nil, fmt.Errorf("validate tool %s: the schema that the validator gave is not JSON", v.Name)
	}
	v.Schema, v.Returns, v.Doc, v.Metrics, v.Findings = found.Schema, found.Returns, found.Doc, found.Metrics, found.Findings
	if err := granted(v, found.Needs, callees); err != nil {
		return nil, err
	}
	if err := w.duplicate(&d, v); err != nil {
		return nil, err
	}
	var report Report
	if !unavailable {
		report, err = r.set.Tester.Test(ctx, subject)
	}
	switch {
	case errors.Is(err, ErrUnavailable) && d.AllowUntested:
		v.Findings = append(v.Findings, Finding{
			Code: CodeUntested, Severity: SeverityWarning, Message: "there was no sandbox: nothing of it was run, and only what plain text tells was checked",
			Fix: "look at it with care; it is checked and tested when it is approved, once the sandbox works",
		})
	case err != nil:
		return nil, fmt.Errorf("test tool %s: %w", v.Name, err)
	default:
		if findings := report.findings(); hasErrors(findings) {
			return nil, &Refusal{Name: v.Name, Findings: append(findings, found.Findings...), Report: &report}
		}
		v.Report = &report
	}
	v.Score = ScoreOf(v)
	return v, nil
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

// add makes an examined version the next one of its name. The caller holds commit.
func (w *work) add(d *Draft, v *Version, now time.Time) (*entry, error) {
	if err := w.unchanged(v); err != nil {
		return nil, err
	}
	if err := w.duplicate(d, v); err != nil {
		return nil, err
	}
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
	case !d.Inactive:
		e.head.activate(v.Number, v.Created, d.Author)
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

// unchanged refuses what is already there.
func (w *work) unchanged(v *Version) error {
	if e := w.entry(v.Name); e != nil {
		if i := slices.Index(e.head.Digests, v.Digest); i >= 0 && i+1 != w.completes {
			return refuse(v.Name, CodeUnchanged, fmt.Sprintf("activate v%d", i+1), "it is the same as v%d", i+1)
		}
	}
	return nil
}
