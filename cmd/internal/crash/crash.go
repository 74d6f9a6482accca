// Package crash keeps what the Go runtime writes when a program breaks off: locally, for its owner and nobody else.
package crash

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// DirEnv tells the workers where.
	DirEnv = "CRASHES_DIRECTORY"
	// Folder is where, in the data directory.
	Folder = "crashes"
	// most reports are kept of each program; what is older goes.
	most = 10
	// longest is how much is kept of one, bytes: the goroutine that broke off comes first.
	longest = 256 << 10
	end     = ".txt"
	stamp   = "20060102T150405Z"
)

// Keep has the runtime write into a file of dir, too, if this process breaks off. A process that ends otherwise leaves no report.
func Keep(dir, program, version string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("crash reports: %w", err)
	}
	if err := tidy(dir, program); err != nil {
		return fmt.Errorf("crash reports: %w", err)
	}
	now := time.Now().UTC()
	name := fmt.Sprintf("%s-%s-%d%s", program, now.Format(stamp), os.Getpid(), end)
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("crash reports: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s %s, started %s\n", program, version, now.Format(time.RFC3339))
	if err == nil {
		err = debug.SetCrashOutput(f, debug.CrashOptions{}) // keeps a descriptor of its own, which goes on behind that line
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("crash reports: %w", err)
	}
	return nil
}

// tidy removes what processes that are gone have left without a report, and the oldest reports; it cuts long ones.
func tidy(dir, program string) error {
	reports := 0
	all, err := files(dir)
	for _, f := range slices.Backward(all) { // the newest first
		if f.program != program || f.lives() {
			continue
		}
		path := filepath.Join(dir, f.name)
		if !hasReport(path) || reports == most {
			err = errors.Join(err, ifThere(os.Remove(path)))
			continue
		}
		reports++
		if info, gone := os.Stat(path); gone == nil && info.Size() > longest {
			err = errors.Join(err, ifThere(os.Truncate(path, longest)))
		}
	}
	return err
}

func ifThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Report is one crash.
type Report struct {
	Name    string    `json:"name"` // of its file
	Program string    `json:"program"`
	Time    time.Time `json:"time"`  // of its end
	First   string    `json:"first"` // line of what the runtime wrote
}

// List returns the reports in a directory, the newest last; none when it is not there.
func List(dir string) ([]Report, error) {
	all, err := files(dir)
	if err != nil {
		return nil, fmt.Errorf("crash reports: %w", err)
	}
	var reports []Report
	for _, f := range all {
		path := filepath.Join(dir, f.name)
		text, err := Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, trace, _ := strings.Cut(text, "\n")
		first, _, _ := strings.Cut(strings.TrimSpace(trace), "\n")
		if first == "" {
			continue // it runs, or has ended well
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		reports = append(reports, Report{Name: f.name, Program: f.program, Time: info.ModTime(), First: first})
	}
	slices.SortFunc(reports, func(a, b Report) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name)) })
	return reports, nil
}

// Read returns the text of a report.
func Read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("crash reports: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, longest))
	if err != nil {
		return "", fmt.Errorf("crash reports: %w", err)
	}
	return string(bytes.ToValidUTF8(text, []byte("?"))), nil
}

func hasReport(path string) bool {
	text, err := Read(path)
	_, trace, _ := strings.Cut(text, "\n")
	return err == nil && strings.TrimSpace(trace) != ""
}

// file is one of the directory, by its name.
type file struct {
	name, program, at string
	pid               int
}

// lives says whether its process still runs; one that has got its number counts as it, and is looked at the next time.
func (f file) lives() bool { return f.pid != os.Getpid() && unix.Kill(f.pid, 0) != unix.ESRCH }

// files lists those that Keep has made, the oldest first.
func files(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ifThere(err)
	}
	var all []file
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), end)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		rest, number, ok := cutLast(base)
		program, at, fine := cutLast(rest)
		pid, err := strconv.Atoi(number)
		if !ok || !fine || err != nil || pid <= 0 {
			continue
		}
		all = append(all, file{e.Name(), program, at, pid})
	}
	slices.SortStableFunc(all, func(a, b file) int { return cmp.Compare(a.at, b.at) })
	return all, nil
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, '-')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}
