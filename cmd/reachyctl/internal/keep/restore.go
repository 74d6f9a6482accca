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
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/release"
)

const (
	// mostRestored is the most that a backup may unpack to, bytes: a broken one must not fill the disk.
	mostRestored = 16 << 30
	// freshEnd and asideEnd are what the directories beside the data directory end in: what is unpacked, and what was there before.
	freshEnd, asideEnd = ".restoring", ".before-restore"
	// unfinished is in what is unpacked until the restore is done. Where the data directory has it, the two have been changed over, and
	// .restoring is what was there before.
	unfinished = ".unfinished-restore"
)

func (a commands) restoreCommand() *cobra.Command {
	var secret passphrase
	withSettings := false
	cmd := &cobra.Command{
		Use: "restore FILE|-", Short: "Bring back what backup saved, on this robot or another", Args: cli.SomeArgs(1, "a file, or -"),
		Long: `restore puts what a backup holds in the place of what the robot keeps now. The present files are set aside in a directory beside, whose
name ends in .before-restore; models stay. Nothing is changed when the backup is broken, or of a later version; one that is killed leaves
either the former or the new, and may be done again. reachyd must not run meanwhile. The configuration of the backup is left beside
as reachyd.yaml.restored, or with --settings put into force; another robot may have another port.`,
		Example: "  reachyctl restore robot.tar.gz\n  reachyctl restore --settings robot.tar.gz.age",
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
			if in, err = secret.open(a.App, in); err != nil {
				return fmt.Errorf("restore: nothing was changed: %w", err)
			}
			r := restoring{dir: dir, version: a.version}
			if err := r.restore(in); err != nil {
				return err
			}
			before := "nothing was there before"
			if r.had {
				before = "what was there is in " + dir + asideEnd
			}
			if err := a.Said(map[string]any{"files": r.n, "dir": dir, "before": r.before()}, "%d files are back in %s; %s", r.n, dir, before); err != nil {
				return err
			}
			return a.tellSettings(dir, withSettings)
		},
	}
	secret.flags(cmd, "", "")
	cmd.Flags().BoolVar(&withSettings, "settings", false, "also put the configuration of the backup into force, and set the present one aside")
	return cmd
}

// tellSettings puts the restored configuration into force, or says where it is.
func (a commands) tellSettings(dir string, force bool) error {
	restored, present := filepath.Join(dir, restoredSettings), a.Host.ConfigFile(a.Env)
	text, err := os.ReadFile(restored)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore: all but the configuration is done: %w", err)
	}
	if was, err := os.ReadFile(present); err == nil && string(was) == string(text) {
		return os.Remove(restored)
	}
	if !force {
		return a.Said(map[string]any{"settings": restored}, "the configuration of the backup is %s: compare it, or say restore --settings the next time", restored)
	}
	if present == "" {
		return fmt.Errorf("restore: all but the configuration is done: this machine has no reachyd.yaml yet; put %s where `reachyd config` says", restored)
	}
	aside := present + asideEnd
	if err := os.Rename(present, aside); err != nil {
		return fmt.Errorf("restore: all but the configuration, %s, is done: %w", restored, err)
	}
	info, err := os.Stat(aside)
	if err == nil {
		err = os.WriteFile(present, text, info.Mode().Perm())
	}
	if err == nil {
		err = ownerOf(aside)(present)
	}
	if err == nil {
		err = os.Remove(restored)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("restore: all but the configuration, %s, is done: %w", restored, err), os.Rename(aside, present))
	}
	return a.Said(map[string]any{"settings": present, "before": aside}, "the configuration is back in %s; the former is %s", present, aside)
}

// restoring is one restore of a data directory.
type restoring struct {
	dir     string
	version string // of this reachyctl
	n       int    // files
	had     bool   // something was there before
}

func (r *restoring) before() string {
	if !r.had {
		return ""
	}
	return r.dir + asideEnd
}

// restore unpacks an archive beside the data directory, then changes the two over at once.
func (r *restoring) restore(archive io.Reader) error {
	fresh, aside := r.dir+freshEnd, r.dir+asideEnd
	if err := r.tidy(); err != nil {
		return err
	}
	if _, err := os.Stat(aside); err == nil {
		return fmt.Errorf("restore: %s is there from an earlier restore; look whether it is still needed, and remove it", aside)
	}
	if err := r.unpack(archive, fresh, ownerOf(r.dir)); err != nil {
		return errors.Join(fmt.Errorf("restore: nothing was changed: %w", err), os.RemoveAll(fresh))
	}
	info, err := os.Stat(r.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.Rename(fresh, r.dir)
	case err == nil:
		r.had = true
		if err = r.linkModels(fresh); err == nil {
			err = os.Chmod(fresh, info.Mode().Perm())
		}
		if err == nil {
			err = exchange(fresh, r.dir, aside)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("restore: nothing was changed: %w", err), os.RemoveAll(fresh))
	}
	return r.tidy()
}

// exchange changes two directories over in one step, where the file system can.
func exchange(fresh, dir, aside string) error {
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(aside, dir))
	}
	return nil
}

// tidy ends what this restore, or one that was killed, has left: what was there before goes aside, what was not finished goes.
func (r *restoring) tidy() error {
	fresh, aside := r.dir+freshEnd, r.dir+asideEnd
	mark := filepath.Join(r.dir, unfinished)
	_, err := os.Lstat(mark)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.RemoveAll(fresh)
	} else if err == nil {
		if err = os.Rename(fresh, aside); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(mark)
		}
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// linkModels lets the models be in the new directory, too, where the backup has none.
func (r *restoring) linkModels(fresh string) error {
	from := filepath.Join(r.dir, modelsDir)
	if _, err := os.Stat(filepath.Join(fresh, modelsDir)); err == nil {
		return nil
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.dir, path)
		if err != nil {
			return err
		}
		to := filepath.Join(fresh, name)
		if !d.IsDir() {
			return os.Link(path, to)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := os.Mkdir(to, 0o700); err != nil {
			return err
		}
		if err := ownerOf(path)(to); err != nil {
			return err
		}
		return os.Chmod(to, info.Mode()) // with the bit by which its files belong to the group
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unpack writes the archive's files below dir and nowhere else.
func (r *restoring) unpack(archive io.Reader, dir string, owner func(path string) error) error {
	z, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("this is no backup, or damaged: %w", err)
	}
	t := tar.NewReader(z)
	left := int64(mostRestored)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := owner(dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, unfinished), nil, 0o600); err != nil {
		return err
	}
	for first := true; ; first = false {
		h, err := t.Next()
		if errors.Is(err, io.EOF) && !first {
			_, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)) // the checksum at its end
			return err
		}
		if err != nil {
			return fmt.Errorf("this is no backup, or damaged: %w", err)
		}
		name, ok := strings.CutPrefix(h.Name, mark+"/")
		if !ok {
			return fmt.Errorf("this is no backup of this version: it holds %q, allowed is what begins with %s/", h.Name, mark)
		}
		if first {
			if err := r.checkVersion(h.PAXRecords[versionRecord]); err != nil {
				return err
			}
		}
		if name = strings.TrimSuffix(name, "/"); name == "" {
			continue
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("name %q: allowed is one within the backup", h.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, fs.FileMode(h.Mode).Perm()|0o700)
		case tar.TypeReg:
			if left -= h.Size; left < 0 {
				return fmt.Errorf("it unpacks to more than %d GB", mostRestored>>30)
			}
			r.n++
			err = unpackFile(t, path, fs.FileMode(h.Mode).Perm()&0o770)
		default:
			return fmt.Errorf("%q is neither file nor directory", h.Name)
		}
		if err == nil {
			err = owner(path)
		}
		if err != nil {
			return err
		}
	}
}

// checkVersion refuses what a later version wrote: its store may be one that this one cannot read.
func (r *restoring) checkVersion(wrote string) error {
	if order, comparable := release.Compare(wrote, r.version); comparable && order > 0 {
		return fmt.Errorf("it was saved by reachyd %s, and this is %s: allowed is the same version or an earlier one; install that version first",
			cli.Printable(wrote), r.version)
	}
	return nil
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
