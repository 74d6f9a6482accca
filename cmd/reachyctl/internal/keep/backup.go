package keep

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// mark is the first entry of a backup: what it is, and of which layout.
const mark = "reachyd-backup-1"

// mostRestored is the most that a backup may unpack to, bytes: a broken one must not fill the disk.
const mostRestored = 16 << 30

func (a commands) backupCommand() *cobra.Command {
	withModels := false
	cmd := &cobra.Command{
		Use: "backup FILE|-", Short: "Save what the robot keeps: tools, memories, conversations, what it learned, moves, photos",
		Args: cli.SomeArgs(1, "a file, or -"),
		Long: `backup writes all that the robot keeps into one file (tar.gz) that only its owner can read, or with - to its output, where it can be
encrypted on the way. Models are left out, as they can be fetched again. reachyd must not run meanwhile.`,
		Example: "  reachyctl backup robot.tar.gz\n  reachyctl backup - | gpg -c >robot.tar.gz.gpg",
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.resting()
			if err != nil {
				return err
			}
			if args[0] == "-" {
				_, err := save(a.Stdout, dir, withModels)
				return err
			}
			const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
			f, err := os.OpenFile(args[0], flags, 0o600)
			if err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			n, err := save(f, dir, withModels)
			if err == nil {
				err = f.Sync()
			}
			if err = errors.Join(err, f.Close()); err != nil {
				return errors.Join(err, os.Remove(args[0]))
			}
			return a.Said(map[string]any{"file": args[0], "files": n, "dir": dir}, "%d files of %s are in %s", n, dir, args[0])
		},
	}
	cmd.Flags().BoolVar(&withModels, "models", false, "also the models that were fetched (large)")
	return cmd
}

// save writes the data directory as an archive and returns how many files are in it.
func save(w io.Writer, dir string, withModels bool) (n int, err error) {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: mark + "/", Mode: 0o700}); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case name == modelsDir && !withModels:
			return filepath.SkipDir
		case !d.IsDir() && !d.Type().IsRegular():
			return nil // sockets and links are nothing to keep
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		h.Name, h.Uname, h.Gname = mark+"/"+filepath.ToSlash(name), "", ""
		if d.IsDir() {
			h.Name += "/"
			return t.WriteHeader(h)
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		n++
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(t, f)
		return errors.Join(err, f.Close())
	})
	if err = errors.Join(err, t.Close(), z.Close()); err != nil {
		return n, fmt.Errorf("backup: %w", err)
	}
	return n, nil
}

func (a commands) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE|-", Short: "Bring back what backup saved", Args: cli.SomeArgs(1, "a file, or -"),
		Long: `restore puts what a backup holds in the place of what the robot keeps now. The present files are set aside in a directory beside, whose
name ends in .before-restore; models stay. Nothing is changed when the backup is broken. reachyd must not run meanwhile.`,
		Example: "  reachyctl restore robot.tar.gz",
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.resting()
			if err != nil {
				return err
			}
			in := a.Stdin
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("restore: %w", err)
				}
				defer f.Close() //nolint:errcheck // only read
				in = f
			}
			n, aside, err := restore(in, dir)
			if err != nil {
				return err
			}
			return a.Said(map[string]any{"files": n, "dir": dir, "before": aside}, "%d files are back in %s; what was there is in %s", n, dir, aside)
		},
	}
}

// restore unpacks an archive beside the data directory, then changes the two over.
func restore(r io.Reader, dir string) (n int, aside string, err error) {
	fresh, aside := dir+".restoring", dir+".before-restore"
	if _, err := os.Stat(aside); err == nil {
		return 0, "", fmt.Errorf("restore: %s is there from an earlier restore; look whether it is still needed, and remove it", aside)
	}
	if err := os.RemoveAll(fresh); err != nil {
		return 0, "", fmt.Errorf("restore: %w", err)
	}
	owner := ownerOf(dir)
	if n, err = unpack(r, fresh, owner); err != nil {
		return 0, "", errors.Join(fmt.Errorf("restore: nothing was changed: %w", err), os.RemoveAll(fresh))
	}
	had := true
	if err := os.Rename(dir, aside); errors.Is(err, fs.ErrNotExist) {
		had = false
	} else if err != nil {
		return 0, "", fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if had {
			err = errors.Join(err, os.Rename(aside, dir))
		}
		return 0, "", fmt.Errorf("restore: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, modelsDir)); had && errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(filepath.Join(aside, modelsDir), filepath.Join(dir, modelsDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, aside, fmt.Errorf("restore: the models stayed in %s: %w", aside, err)
		}
	}
	return n, aside, nil
}

// unpack writes the archive's files below dir and nowhere else.
func unpack(r io.Reader, dir string, owner func(path string) error) (n int, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return 0, fmt.Errorf("this is no backup: %w", err)
	}
	t := tar.NewReader(z)
	left := int64(mostRestored)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	if err := owner(dir); err != nil {
		return 0, err
	}
	for first := true; ; first = false {
		h, err := t.Next()
		if errors.Is(err, io.EOF) && !first {
			_, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)) // the checksum at its end
			return n, err
		}
		if err != nil {
			return n, fmt.Errorf("this is no backup: %w", err)
		}
		name, ok := strings.CutPrefix(h.Name, mark+"/")
		if !ok {
			return n, fmt.Errorf("this is no backup of this version: it holds %q, allowed is what begins with %s/", h.Name, mark)
		}
		if name = strings.TrimSuffix(name, "/"); name == "" {
			continue
		}
		if !filepath.IsLocal(name) {
			return n, fmt.Errorf("name %q: allowed is one within the backup", h.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, fs.FileMode(h.Mode).Perm()|0o700)
		case tar.TypeReg:
			if left -= h.Size; left < 0 {
				return n, fmt.Errorf("it unpacks to more than %d GB", mostRestored>>30)
			}
			n++
			err = unpackFile(t, path, fs.FileMode(h.Mode).Perm()&0o770)
		default:
			return n, fmt.Errorf("%q is neither file nor directory", h.Name)
		}
		if err == nil {
			err = owner(path)
		}
		if err != nil {
			return n, err
		}
	}
}

func unpackFile(r io.Reader, path string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
