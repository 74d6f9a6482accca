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

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

// mark is the first entry of a backup: what it is, and of which layout.
const mark = "reachyd-backup-1"

const (
	// versionRecord says in that entry which version of reachyctl wrote it.
	versionRecord = "REACHYD.version"
	// restoredSettings is the configuration file, beside what the data directory holds.
	restoredSettings = "reachyd.yaml.restored"
)

func (a commands) backupCommand() *cobra.Command {
	var what contents
	var secret passphrase
	cmd := &cobra.Command{
		Use: "backup FILE|-", Short: "Save what the robot keeps: tools, memories, conversations, what it learned, moves, photos, settings",
		Args: cli.SomeArgs(1, "a file, or -"),
		Long: `backup writes all that the robot keeps, and its configuration, into one file (tar.gz) that only its owner can read, or with - to its
output. Models are left out, as they can be fetched again. reachyd must not run meanwhile.

With --encrypt nobody can read it without a passphrase, of which there is no copy anywhere. It is then a file of age
(https://age-encryption.org), which "age -d" decrypts without reachyctl, too.`,
		Example: "  reachyctl backup robot.tar.gz\n  reachyctl backup --encrypt robot.tar.gz.age",
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := os.Lstat(args[0]); args[0] != "-" && err == nil {
				return fmt.Errorf("backup: %s exists; give another name, or remove it", args[0])
			}
			dir, err := a.resting()
			if err != nil {
				return err
			}
			what.dir, what.version, what.settings = dir, a.version, a.Host.ConfigFile(a.Env)
			if what.key, err = secret.forBackup(a.App); err != nil {
				return err
			}
			if args[0] == "-" {
				_, err := what.save(a.Stdout)
				return err
			}
			const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
			f, err := os.OpenFile(args[0], flags, 0o600)
			if err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			n, err := what.save(f)
			if err == nil {
				err = f.Sync()
			}
			if err = errors.Join(err, f.Close()); err != nil {
				return errors.Join(err, os.Remove(args[0]))
			}
			return a.Said(map[string]any{"file": args[0], "files": n, "dir": dir}, "%d files of %s are in %s", n, dir, args[0])
		},
	}
	secret.flags(cmd, "encrypt", "so that it can only be read with a passphrase, which is asked for")
	cmd.Flags().BoolVar(&what.models, "models", false, "also the models that were fetched (large)")
	return cmd
}

// contents are what a backup is made of.
type contents struct {
	dir      string // the data directory
	settings string // the configuration file; "": none
	models   bool
	version  string        // of reachyctl
	key      age.Recipient // nil: not encrypted
}

// save writes an archive and returns how many files are in it.
func (c contents) save(w io.Writer) (n int, err error) {
	if c.key == nil {
		return c.archive(w)
	}
	e, err := age.Encrypt(w, c.key)
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	if n, err = c.archive(e); err != nil {
		return n, err
	}
	return n, e.Close()
}

func (c contents) archive(w io.Writer) (n int, err error) {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	first := &tar.Header{Typeflag: tar.TypeDir, Name: mark + "/", Mode: 0o700, PAXRecords: map[string]string{versionRecord: c.version}}
	if err := t.WriteHeader(first); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	err = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(c.dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case name == modelsDir && !c.models:
			return filepath.SkipDir
		case !d.IsDir() && !d.Type().IsRegular() || name == restoredSettings || name == unfinished:
			return nil // sockets and links are nothing to keep
		}
		if !d.IsDir() {
			n++
		}
		return add(t, path, filepath.ToSlash(name), d)
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("there is nothing to save in %s; if it is elsewhere, say so with %s", c.dir, host.DataDirEnv)
	}
	if info, missing := os.Stat(c.settings); err == nil && missing == nil {
		n++
		err = add(t, c.settings, restoredSettings, fs.FileInfoToDirEntry(info))
	}
	if err = errors.Join(err, t.Close(), z.Close()); err != nil {
		return n, fmt.Errorf("backup: %w", err)
	}
	return n, nil
}

// add puts a file or directory into the archive.
func add(t *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	h, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	h.Name, h.Uname, h.Gname = mark+"/"+name, "", ""
	if d.IsDir() {
		h.Name += "/"
		return t.WriteHeader(h)
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return errors.Join(err, f.Close())
}
