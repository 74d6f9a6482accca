package keep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"filippo.io/age"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	// leastPassphrase is its length in characters.
	leastPassphrase = 8
	// ageMark is what a file of age begins with.
	ageMark = "age-encryption.org/"
)

// WorkFactor of scrypt: a guess takes 128 MB and half a second of a PC, and a unit of 2 GB has the room. Tests take less.
var WorkFactor = 17

// passphrase is how a person says one.
type passphrase struct {
	wanted bool
	file   string
}

func (p *passphrase) flags(cmd *cobra.Command, name, usage string) {
	if name != "" {
		cmd.Flags().BoolVar(&p.wanted, name, false, usage)
	}
	cmd.Flags().StringVar(&p.file, "passphrase-file", "", "`file` whose first line is the passphrase, instead of asking for it")
}

// forBackup returns what encrypts; nil when that was not asked for.
func (p *passphrase) forBackup(a *cli.App) (age.Recipient, error) {
	if !p.wanted && p.file == "" {
		return nil, nil
	}
	text, err := p.read(a, "Passphrase for the backup: ", "The same again: ")
	if err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(text); n < leastPassphrase {
		return nil, cli.Usage("the passphrase has %d characters, allowed are %d or more", n, leastPassphrase)
	}
	r, err := age.NewScryptRecipient(text)
	if err != nil {
		return nil, err
	}
	r.SetWorkFactor(WorkFactor)
	return r, nil
}

// open returns what is in an archive, decrypted where it is encrypted.
func (p *passphrase) open(a *cli.App, archive io.Reader) (io.Reader, error) {
	r := bufio.NewReader(archive)
	if begin, _ := r.Peek(len(ageMark)); !bytes.Equal(begin, []byte(ageMark)) { // one that is shorter is no backup either
		return r, nil
	}
	text, err := p.read(a, "Passphrase of the backup: ", "")
	if err != nil {
		return nil, err
	}
	key, err := age.NewScryptIdentity(text)
	if err != nil {
		return nil, cli.Usage("the passphrase is empty")
	}
	key.SetMaxWorkFactor(WorkFactor + 1) // another may have chosen more than this host can do
	plain, err := age.Decrypt(r, key)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, errors.New("this passphrase does not open the backup")
	}
	if err != nil {
		return nil, fmt.Errorf("the encrypted backup is damaged: %w", err)
	}
	return plain, nil
}

// read reads it from the file, else from the person at the terminal, with again twice.
func (p *passphrase) read(a *cli.App, ask, again string) (string, error) {
	if p.file != "" {
		text, err := host.FirstLine(p.file)
		if err != nil {
			return "", fmt.Errorf("--passphrase-file: %w", err)
		}
		return text, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // not the standard input, which may be the archive
	if err != nil {
		return "", cli.Usage("a passphrase is needed and there is no terminal to ask for it: give --passphrase-file")
	}
	defer tty.Close() //nolint:errcheck // nothing was written that could be lost
	text, err := askAt(tty, ask)
	if err != nil || again == "" {
		return text, err
	}
	if second, err := askAt(tty, again); err != nil || second != text {
		return "", errors.Join(err, errors.New("the two differ"))
	}
	fmt.Fprintln(a.Stderr, "Without this passphrase the backup cannot be read by anybody.") //nolint:errcheck // said for their good
	return text, nil
}

func askAt(tty *os.File, ask string) (string, error) {
	if _, err := io.WriteString(tty, ask); err != nil {
		return "", err
	}
	text, err := term.ReadPassword(int(tty.Fd()))
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	_, err = io.WriteString(tty, "\n")
	return string(text), err
}
