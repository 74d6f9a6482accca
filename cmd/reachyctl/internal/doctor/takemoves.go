package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
	"github.com/reachyd/reachyd/hal/moves"
	"github.com/reachyd/reachyd/perception/models"
)

const (
	// ownMoves is the name of the datasets' directory in reachyd's data directory.
	ownMoves = "moves"
	// staging is where a file of it is written before it gets its name, so that what has a name is whole.
	staging = ownMoves + "/.taking-over"
	// spare is what taking moves leaves free on the disk, bytes: below it the store may stop taking events.
	spare = 200 * host.MiB
)

// moveSet is a dataset of moves in the cache of a user's programs of Hugging Face.
type moveSet struct {
	name  string   // OWNER/NAME
	cache string   // directory of the dataset; its files are links to others in there
	at    string   // of what was fetched last, in there
	moves []string // paths of the moves below at, without .json
	bytes int64
}

func (s *moveSet) from() string { return filepath.Join(s.cache, filepath.FromSlash(s.at)) }

// movesOf are the datasets of moves of a user.
func movesOf(home string) (all []moveSet) {
	for _, cache := range glob(filepath.Join(home, ".cache", "huggingface", "hub", "datasets--*--*")) {
		ref, err := readSmall(filepath.Join(cache, "refs", "main"))
		at := path.Join("snapshots", strings.TrimSpace(string(ref)))
		owner, name, _ := strings.Cut(strings.TrimPrefix(filepath.Base(cache), "datasets--"), "--")
		if err != nil || !fs.ValidPath(at) || at == "snapshots" || strings.HasPrefix(owner, ".") || strings.HasPrefix(name, ".") {
			continue
		}
		s := moveSet{name: owner + "/" + name, cache: cache, at: at}
		for _, dir := range []string{"", "data"} {
			for _, file := range glob(filepath.Join(globQuote(filepath.Join(s.from(), dir)), "*.json")) {
				s.moves = append(s.moves, path.Join(dir, strings.TrimSuffix(filepath.Base(file), ".json")))
				for _, f := range []string{file, strings.TrimSuffix(file, ".json") + ".wav"} {
					if info, err := os.Stat(f); err == nil && info.Size() <= moves.MaxFile {
						s.bytes += info.Size()
					}
				}
			}
		}
		if len(s.moves) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// target is where the files of a dataset come to lie.
func (a commands) target(s *moveSet) string {
	return filepath.Join(a.Host.DataDir, ownMoves, filepath.FromSlash(s.name))
}

// taken counts the moves of a dataset that are in the data directory, whatever is in them.
func (a commands) taken(s *moveSet) (n int) {
	for _, m := range s.moves {
		if _, err := os.Stat(filepath.Join(a.target(s), m+".json")); err == nil {
			n++
		}
	}
	return n
}

// served says that the robot's reachyd looks into the cache of that user by itself.
func (a commands) served(home string) bool { return within(home, a.Host.DataDir) }

// moveSets are the datasets of all users but those into whose cache the robot's reachyd looks by itself.
func (a commands) moveSets() (all []moveSet) {
	for _, home := range a.Host.Homes() {
		if !a.served(home) {
			all = append(all, movesOf(home)...)
		}
	}
	return all
}

func (a commands) takeMoves() (steps []step) {
	const part = "moves"
	for _, s := range a.moveSets() {
		if a.Host.Enter(a.Host.DataDir) == nil && a.taken(&s) == len(s.moves) {
			continue
		}
		what := fmt.Sprintf("%d moves of %s (%s) come from %s into %s", len(s.moves), s.name, models.Bytes(s.bytes), s.from(), a.target(&s))
		switch _, err := os.Stat(a.Host.DataDir); {
		case absent(err):
			steps = append(steps, step{Name: part, State: stepFailed, Detail: what + ": that directory is not there yet", Do: "start reachyd once"})
		case !mayWrite(a.Host.DataDir):
			steps = append(steps, forRoot(takeOver, part, what))
		default:
			act := func(ctx context.Context, st *step) error { return a.copyMoves(ctx, &s, st) }
			steps = append(steps, step{Name: part, Detail: what, Undo: a.undo(part), act: act})
		}
	}
	return steps
}

// copyMoves brings a dataset into the data directory: each move whole or not at all, none over a file that differs.
func (a commands) copyMoves(ctx context.Context, s *moveSet, st *step) error {
	if free, err := a.Host.Free(a.Host.DataDir); err == nil && free < uint64(s.bytes)+spare {
		return fmt.Errorf("%s are free on its disk, and reachyd needs %s to live on: make room", models.Bytes(int64(free)), models.Bytes(spare))
	}
	from, to, err := a.open(s)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	n, same, last := 0, 0, time.Time{}
	for i, m := range s.moves {
		if err = errors.Join(err, ctx.Err()); err != nil {
			break
		}
		var fresh bool
		fresh, err = to.move(from, path.Join(s.at, m), path.Join(ownMoves, s.name, m))
		var left leftError
		switch {
		case errors.As(err, &left):
			st.Left = append(st.Left, m+": "+left.Error())
			err = nil
		case err != nil:
		case fresh:
			n++
		default:
			same++
		}
		if a.Style.Tty && !a.JSON && time.Since(last) > 100*time.Millisecond {
			last = time.Now()
			a.Printf("\r%d of %d moves ", i+1, len(s.moves))
		}
	}
	if !last.IsZero() {
		a.Printf("\r")
	}
	err = errors.Join(err, to.close())
	st.Detail = fmt.Sprintf("%d of %d moves of %s are now in %s", n, len(s.moves), s.name, a.target(s))
	if same > 0 {
		st.Detail += fmt.Sprintf(", and %d were there", same)
	}
	if len(st.Left) > 0 {
		st.Detail += fmt.Sprintf("; %d are left", len(st.Left))
	}
	return err
}

// open opens the cache of a dataset and the data directory, each closed to what lies outside.
func (a commands) open(s *moveSet) (from *os.Root, to *movesDir, err error) {
	if from, err = os.OpenRoot(s.cache); err != nil {
		return nil, nil, err
	}
	if to, err = openMoves(a.Host.DataDir); err != nil {
		return nil, nil, errors.Join(err, from.Close())
	}
	return from, to, nil
}

// leftError is why one move is not taken, others being none the worse.
type leftError struct{ error }

// movesDir is reachyd's data directory while moves are brought there. Nothing in it, whoever made it, leads out of it.
type movesDir struct {
	root     *os.Root
	lock     *os.File
	uid, gid int
}

// openMoves opens a data directory for one take-over at a time, and clears what one that was killed has left.
func openMoves(dir string) (*movesDir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	m := &movesDir{root: root}
	m.uid, m.gid = host.Owner(dir)
	err = m.mkdir(staging)
	if err == nil {
		m.lock, err = root.Open(staging)
	}
	if err == nil {
		err = unix.Flock(int(m.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errors.Join(errors.New("another take-over is at it"), m.lock.Close(), root.Close())
		return nil, err
	}
	var names []string
	if err == nil {
		names, err = m.lock.Readdirnames(-1)
	}
	for _, name := range names {
		err = errors.Join(err, root.Remove(path.Join(staging, name)))
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *movesDir) close() error {
	err := m.root.Remove(staging)
	if m.lock != nil {
		err = errors.Join(err, m.lock.Close())
	}
	return errors.Join(err, m.root.Close())
}

// mkdir makes a directory and those above it, for the owner of the data directory.
func (m *movesDir) mkdir(dir string) error {
	for i := range dir + "/" {
		if i < len(dir) && dir[i] != '/' || i == 0 {
			continue
		}
		err := m.root.Mkdir(dir[:i], 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = m.root.Lchown(dir[:i], m.uid, m.gid)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// move brings a move and its sound from a cache, and reports whether it was not there. The sound comes first: a move is whole or not there.
func (m *movesDir) move(from *os.Root, source, target string) (fresh bool, err error) {
	text, err := readIn(from, source+".json")
	if err != nil {
		return false, leftError{err}
	}
	if _, err := moves.Parse(text); err != nil {
		return false, leftError{fmt.Errorf("it is no move: %w", err)}
	}
	sound, none := readIn(from, source+".wav")
	if none != nil && !absent(none) {
		return false, leftError{none}
	}
	if err := m.mkdir(path.Dir(target)); err != nil {
		return false, err
	}
	newSound := false
	if none == nil {
		if newSound, err = m.file(target+".wav", sound); err != nil {
			return false, err
		}
	}
	fresh, err = m.file(target+".json", text)
	if err != nil && newSound {
		err = errors.Join(err, m.root.Remove(target+".wav"))
	}
	return fresh, err
}

// file writes a file that is not there yet, whole or not at all, and reports whether it was not. One that is there and differs stays.
func (m *movesDir) file(name string, text []byte) (fresh bool, err error) {
	temp := path.Join(staging, "file")
	f, err := m.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chown(m.uid, m.gid)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = m.root.Link(temp, name)
	}
	err = errors.Join(err, m.root.Remove(temp))
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	is, err := readIn(m.root, name)
	if err == nil && !bytes.Equal(is, text) {
		err = leftError{fmt.Errorf("another %s is there, and stays", path.Base(name))}
	}
	return false, err
}

// readIn reads a file that links may lead to, but not out of the root.
func readIn(root *os.Root, name string) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe must not hold us up
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path.Base(name))
	}
	text, err := io.ReadAll(io.LimitReader(f, moves.MaxFile+1))
	if err == nil && len(text) > moves.MaxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path.Base(name), moves.MaxFile>>20)
	}
	return text, err
}

// backMoves takes from the data directory what users have as well.
func (a commands) backMoves() (steps []step) {
	const part = "moves"
	for _, s := range a.moveSets() {
		n := a.taken(&s)
		if n == 0 {
			continue
		}
		what := fmt.Sprintf("%d moves of %s go from %s; those of %s stay", n, s.name, a.target(&s), s.from())
		if !mayWrite(a.Host.DataDir) {
			steps = append(steps, forRoot(goBack, part, what))
			continue
		}
		act := func(ctx context.Context, st *step) error { return a.removeMoves(ctx, &s, st) }
		steps = append(steps, step{Name: part, Detail: what, Undo: a.takes(part), act: act})
	}
	return steps
}

// removeMoves removes the files of a dataset that are the same in the user's cache, and directories that are empty then.
func (a commands) removeMoves(ctx context.Context, s *moveSet, st *step) error {
	from, to, err := a.open(s)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	for _, m := range s.moves {
		for _, end := range []string{".json", ".wav"} { // a sound alone is no move
			name := path.Join(ownMoves, s.name, m+end)
			is, errIs := readIn(to.root, name)
			was, errWas := readIn(from, path.Join(s.at, m+end))
			if absent(errIs) || ctx.Err() != nil {
				continue
			}
			if errIs != nil || errWas != nil || !bytes.Equal(is, was) {
				st.Left = append(st.Left, m+end+": it is another one, and stays")
				continue
			}
			err = errors.Join(err, to.root.Remove(name))
		}
	}
	for _, dir := range []string{path.Join(s.name, "data"), s.name, path.Dir(s.name)} {
		_ = to.root.Remove(path.Join(ownMoves, dir)) // one that is not empty stays
	}
	return errors.Join(err, ctx.Err(), to.close())
}
