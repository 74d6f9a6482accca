package registry

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Limits of a file of tools.
const (
	MaxBundle         = 8 << 20 // bytes
	MaxBundleVersions = 256
)

const bundleFormat = "reachyd-tools 1"

// bundle is what is in the file, as JSON after a line with format, checksum and length. Versions come after the ones
// that they call. Their numbers are those of the robot that exported them.
type bundle struct {
	Created  time.Time      `json:"created"`
	Active   map[string]int `json:"active"`
	Versions []*Version     `json:"versions"`
}

// ErrBadBundle says that a file of tools is damaged, cut off, or was changed since it was exported.
var ErrBadBundle = errors.New("not an intact file of tools")

// Export writes tools with all their versions, and the versions of other tools which they call, into one file. Without
// names it exports all tools. Counters of use are not exported.
func (r *Registry) Export(names ...string) ([]byte, error) {
	tools := r.state.Load().tools
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(tools))
	}
	b := bundle{Created: r.set.Clock.Now().UTC(), Active: map[string]int{}}
	seen := map[Use]bool{}
	var add func(name string, number int) error
	add = func(name string, number int) error {
		if seen[Use{Name: name, Version: number}] {
			return nil
		}
		seen[Use{Name: name, Version: number}] = true
		v, err := r.Version(name, number)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		for _, u := range v.Uses {
			if err := add(u.Name, u.Version); err != nil {
				return err
			}
		}
		b.Versions = append(b.Versions, tools[name].head.Annotated(v))
		return nil
	}
	for _, name := range names {
		e := tools[name]
		if e == nil {
			return nil, fmt.Errorf("export: tool %.80q: %w", name, ErrNotFound)
		}
		for n := range e.head.Latest {
			if err := add(name, n+1); err != nil {
				return nil, err
			}
		}
		if e.head.Active != 0 {
			b.Active[name] = e.head.Active
		}
	}
	if len(b.Versions) > MaxBundleVersions {
		return nil, fmt.Errorf("export: %d versions, allowed %d: export fewer tools at once", len(b.Versions), MaxBundleVersions)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if len(text) > MaxBundle-128 {
		return nil, fmt.Errorf("export: %d bytes, allowed %d: export fewer tools at once", len(text), MaxBundle-128)
	}
	return append(fmt.Appendf(nil, "%s %s %d\n", bundleFormat, checksum(text), len(text)), text...), nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// parseBundle reads a file of tools, of which nothing may be believed. The checksums show damage and careless changes;
// that somebody may have made a file on purpose is why everything is checked and tested again.
func parseBundle(file []byte) (*bundle, error) {
	bad := func(format string, args ...any) (*bundle, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{ErrBadBundle}, args...)...)
	}
	if len(file) > MaxBundle {
		return bad("%d bytes, allowed %d", len(file), MaxBundle)
	}
	line, text, ok := bytes.Cut(file, []byte{'\n'})
	if !ok || !bytes.HasPrefix(line, []byte(bundleFormat+" ")) {
		return bad("it does not begin with %q", bundleFormat)
	}
	if want := fmt.Sprintf("%s %s %d", bundleFormat, checksum(text), len(text)); string(line) != want {
		return bad("its checksum or its length is wrong")
	}
	var b bundle
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return bad("%w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return bad("something follows the tools")
	}
	if n := len(b.Versions); n < 1 || n > MaxBundleVersions {
		return bad("%d versions, allowed 1 to %d", n, MaxBundleVersions)
	}
	seen := map[Use]bool{}
	for i, v := range b.Versions {
		switch {
		case v == nil:
			return bad("version %d of the file is null", i)
		case v.Number < 1 || v.Number > MaxVersions:
			return bad("%.80q v%d, allowed are v1 to v%d", v.Name, v.Number, MaxVersions)
		case v.digest() != v.Digest:
			return bad("the digest of %.80q v%d is wrong", v.Name, v.Number)
		case seen[Use{Name: v.Name, Version: v.Number}]:
			return bad("%.80q v%d is there twice", v.Name, v.Number)
		}
		seen[Use{Name: v.Name, Version: v.Number}] = true
	}
	for name, number := range b.Active {
		if !seen[Use{Name: name, Version: number}] {
			return bad("the active version %.80q v%d is not there", name, number)
		}
	}
	return &b, nil
}

// ImportOptions say what an import may do.
type ImportOptions struct {
	// Grants are the host calls that the owner of this robot allows; a tool that was granted more is refused.
	// nil allows whatever the file says.
	Grants []string
	// AllowDuplicates imports tools that are nearly the same as others.
	AllowDuplicates bool
	// Inactive leaves the active versions as they are.
	Inactive bool
}

// Import is a file of tools on its way into a Registry. It is all or nothing: nobody sees its versions before Commit, and
// then all of them. It is for one goroutine, which must end it with Close.
type Import struct {
	*change
	o        ImportOptions
	bundle   *bundle
	sum      string // of the file
	names    []string
	release  []func()
	old      *Version // of the file, that Next returned
	versions []*Version
}

// OpenBundle begins to import a file that Export wrote. Its tools cannot be changed by anybody else before Close. Whoever
// imports takes the drafts one by one with Next, checks and tests them like any other, and hands them to Add.
func (r *Registry) OpenBundle(ctx context.Context, file []byte, o ImportOptions) (*Import, error) {
	b, err := parseBundle(file)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	i := &Import{change: r.newChange(), o: o, bundle: b, sum: checksum(file)}
	for _, v := range b.Versions {
		if err := CheckName(v.Name, r.set.Reserved...); err != nil {
			return nil, fmt.Errorf("import: %w", refuse(v.Name, CodeName, "", "%s", err))
		}
		i.names = append(i.names, v.Name)
	}
	slices.Sort(i.names) // so that two imports do not wait for each other
	i.names = slices.Compact(i.names)
	for _, name := range i.names {
		release, err := r.hold(ctx, name)
		if err != nil {
			i.Close()
			return nil, fmt.Errorf("import: tool %s: %w", name, err)
		}
		i.release = append(i.release, release)
	}
	i.base = r.state.Load()
	return i, nil
}

// Close lets others change the tools again.
func (i *Import) Close() {
	for _, release := range i.release {
		release()
	}
	i.release = nil
}

// Version returns a version of a tool as it would be after Commit; number 0 is the active one, or else the latest.
func (i *Import) Version(name string, number int) (*Version, error) { return i.version(name, number) }

// Next returns the next version of the file that is not there yet; nil when there is no further one. The versions that it
// calls are pinned, for they were added before.
func (i *Import) Next() (*Draft, error) {
	for len(i.bundle.Versions) > 0 {
		i.old, i.bundle.Versions = i.bundle.Versions[0], i.bundle.Versions[1:]
		if e := i.entry(i.old.Name); e != nil && slices.Contains(e.head.Digests, i.old.Digest) {
			continue
		}
		d, err := i.draft(i.old)
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		return d, nil
	}
	return nil, nil
}

func (i *Import) draft(old *Version) (*Draft, error) {
	d := &Draft{
		Name: old.Name, Language: old.Language, Source: old.Source, Cases: old.Cases, Grants: old.Grants,
		Author: old.Provenance.Author, Model: old.Provenance.Model, Prompt: old.Provenance.Prompt, Licence: old.Licence,
		Notes: old.Notes, AllowDuplicate: i.o.AllowDuplicates, Inactive: i.o.Inactive || i.bundle.Active[old.Name] != old.Number,
	}
	for _, p := range old.Provenance.Parents {
		d.Parents = append(d.Parents, Use{Name: p.Name, Digest: p.Digest})
	}
	for _, u := range old.Uses { // the number is another robot's
		d.Uses = append(d.Uses, Use{Name: u.Name, Digest: cmp.Or(u.Digest, "none")})
	}
	if err := i.r.checkDraft(d); err != nil {
		return nil, err
	}
	for _, g := range d.Grants {
		if i.o.Grants != nil && !slices.Contains(i.o.Grants, g) {
			return nil, refuse(d.Name, CodeCapability, "allow it, or leave the tool out", "v%d of the file was granted %q, which is not allowed here", old.Number, g)
		}
	}
	pinned := &Version{}
	if _, err := i.compose(d, pinned); err != nil {
		return nil, err
	}
	d.Uses = pinned.Uses
	return d, nil
}

// Admit says why the draft that Next returned could not be added, whatever its tests come to.
func (i *Import) Admit(c Candidate) error {
	_, err := i.admitOld(&c)
	return err
}

func (i *Import) admitOld(c *Candidate) (*Version, error) {
	v, err := i.admit(c)
	if err == nil && v.Digest != i.old.Digest {
		err = fmt.Errorf("%w: %s v%d is written in another way than it is exported", ErrBadBundle, i.old.Name, i.old.Number)
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return v, nil
}

// Add takes what became of the draft that Next returned. One refusal refuses the file.
func (i *Import) Add(c Candidate) error {
	v, err := i.admitOld(&c)
	if err != nil {
		return err
	}
	if err := v.tested(&c); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	v.Provenance.Imported = &Imported{File: i.sum, Version: i.old.Number, Created: i.old.Created}
	if _, err := i.add(&c, v, i.r.set.Clock.Now()); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	i.versions = append(i.versions, v)
	return nil
}

// Commit makes everything that was added visible at once, as the next versions of their names, and returns it.
func (i *Import) Commit() ([]*Version, error) {
	if len(i.versions) == 0 {
		return nil, nil
	}
	i.r.commit.Lock()
	defer i.r.commit.Unlock()
	i.base = i.r.state.Load() // others may have registered other tools meanwhile
	if err := i.again(i.versions, i.o); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if err := i.store(i.names, i.versions); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	i.r.publish(slices.Collect(maps.Values(i.added))...)
	return i.versions, nil
}

// again checks what may have changed while the versions were tested.
func (w *change) again(added []*Version, o ImportOptions) error {
	if n := w.count(); n > MaxTools {
		return fmt.Errorf("there would be %d tools, allowed %d", n, MaxTools)
	}
	for _, v := range added {
		if err := w.duplicate(&Draft{AllowDuplicate: o.AllowDuplicates}, v); err != nil {
			return err
		}
	}
	return nil
}

// store writes versions one by one, to which nothing refers yet, and then all heads at once: an import can be larger
// than what a store applies at once, and still all of it is seen or nothing.
func (w *change) store(names []string, added []*Version) (err error) {
	records := make([]Op, len(added))
	keys := make([]string, len(added))
	for i, v := range added {
		if records[i], err = versionOp(v); err != nil {
			return err
		}
		keys[i] = records[i].Key
	}
	heads := []Op{{Key: stagedKey}}
	for _, e := range w.added {
		op, err := e.headOp()
		if err != nil {
			return err
		}
		heads = append(heads, op)
	}
	if w.r.broken != nil {
		return w.r.broken
	}
	if err := stage(w.r.set.Store, keys); err != nil {
		return err
	}
	for _, op := range records {
		if err = w.r.apply(nil, op); err != nil {
			break
		}
	}
	if err == nil {
		err = w.r.apply(names, heads...)
	}
	if err == nil {
		return nil
	}
	if bad := unstage(w.r.set.Store); bad != nil {
		// A later registration would be given the number of a staged version, and be deleted with it.
		w.r.broken = fmt.Errorf("registry is read-only until it is opened again: %w", bad)
		err = errors.Join(err, w.r.broken)
	}
	return err
}
