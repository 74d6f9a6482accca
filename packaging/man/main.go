// Command man writes the manual page of a program from its help and that of its commands: man PROGRAM SECTION DATE < nothing > page.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments; allowed are the program, the section and the date", len(args))
	}
	p := page{program: args[0], name: filepath.Base(args[0])}
	top, err := p.help()
	if err != nil {
		return err
	}
	about, _, _ := strings.Cut(top.about, "\n")
	about = strings.TrimSuffix(strings.TrimPrefix(about, p.name+" "), ".")
	fmt.Fprintf(&p.text, ".TH %s %s %s reachyd \"User Commands\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(p.name), args[1], args[2], p.name, roff(about))
	p.section("SYNOPSIS", top.usage, true)
	p.section("DESCRIPTION", top.about, false)
	p.section("OPTIONS", top.flags, true)
	p.section("EXAMPLES", top.examples, true)
	if len(top.commands) > 0 {
		p.text.WriteString(".SH COMMANDS\n")
	}
	if err := p.commands(nil, top.commands); err != nil {
		return err
	}
	_, err = io.WriteString(out, p.text.String())
	return err
}

// page is a manual page that is being written.
type page struct {
	program, name string
	text          strings.Builder
}

// help is the help of one command, in parts.
type help struct {
	about, usage, examples, flags string
	commands                      []string
}

var heading = regexp.MustCompile(`(?m)^(Usage|Examples|Available Commands|Flags|Global Flags|Additional help topics|Use ".*):?.*$`)

// help asks the program for the help of a command.
func (p *page) help(command ...string) (h help, err error) {
	data, err := exec.CommandContext(context.Background(), p.program, append(command, "--help")...).Output()
	if err != nil {
		return h, fmt.Errorf("%s %s --help: %w", p.program, strings.Join(command, " "), err)
	}
	text := string(data)
	at := heading.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return help{about: strings.TrimSpace(text)}, nil
	}
	h.about = strings.TrimSpace(text[:at[0][0]])
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := strings.Trim(text[m[1]:end], "\n")
		switch text[m[2]:m[3]] {
		case "Usage":
			h.usage = body
		case "Examples":
			h.examples = body
		case "Flags":
			h.flags = body
		case "Available Commands":
			for line := range strings.Lines(body) {
				if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "help" && name != "completion" {
					h.commands = append(h.commands, name)
				}
			}
		}
	}
	return h, nil
}

// commands writes a part for each command, and for those below it.
func (p *page) commands(above, names []string) error {
	for _, name := range names {
		path := append(append([]string{}, above...), name)
		h, err := p.help(path...)
		if err != nil {
			return err
		}
		fmt.Fprintf(&p.text, ".SS %s %s\n", p.name, strings.Join(path, " "))
		p.paragraphs(h.about, false)
		p.paragraphs(h.usage, true)
		p.paragraphs(h.flags, true)
		p.paragraphs(h.examples, true)
		if err := p.commands(path, h.commands); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) section(title, text string, verbatim bool) {
	if strings.TrimSpace(text) != "" {
		p.text.WriteString(".SH " + title + "\n")
		p.paragraphs(text, verbatim)
	}
}

// paragraphs writes text; verbatim keeps its lines.
func (p *page) paragraphs(text string, verbatim bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if verbatim {
		p.text.WriteString(".PP\n.nf\n" + roff(text) + "\n.fi\n")
		return
	}
	p.text.WriteString(".PP\n" + strings.ReplaceAll(roff(text), "\n\n", "\n.PP\n") + "\n")
}

var leading = regexp.MustCompile(`(?m)^([.'])`)

// roff escapes what means something to troff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return leading.ReplaceAllString(text, `\&$1`)
}
