package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) exportTools(cmd *cobra.Command, args []string, o *selfMade) error {
	request := map[string]any{}
	if len(args) > 0 {
		request["names"] = args
	}
	if _, known := a.webServer(); known {
		request["large"] = true
	}
	var r struct{ File string }
	if err := a.inquire(cmd, "tools/export", request, &r); err != nil {
		return err
	}
	if o.out != "" {
		if err := os.WriteFile(o.out, []byte(r.File), 0o644); err != nil {
			return err
		}
		if !a.json {
			a.printf("wrote %s, %d bytes\n", o.out, len(r.File))
		}
		return nil
	}
	if !a.json {
		a.printf("%s", r.File)
	}
	return nil
}

func (a *app) importTools(cmd *cobra.Command, args []string, o *selfMade) error {
	file, err := readFile(args[0], maxBundle)
	if err != nil {
		return err
	}
	request, beside := map[string]any{"file": file}, []given(nil)
	if len(file) > maxMessage/2 { // it grows when it is written as JSON
		delete(request, "file")
		beside = []given{{"tools", []byte(file)}}
	}
	for _, path := range args[1:] {
		module, err := readFile(path, maxModule)
		if err != nil {
			return err
		}
		beside = append(beside, given{filepath.Base(path), []byte(module)})
	}
	o.common(cmd, request)
	var r struct{ Tools []registered }
	if err := a.inquireAbout(cmd, args[0], "tools/import", request, &r, beside...); err != nil {
		return err
	}
	if a.json {
		return nil
	}
	for _, one := range r.Tools {
		a.printRegistered(one)
	}
	if len(r.Tools) == 0 {
		a.printf("all of them were there already\n")
	}
	return nil
}

func (a *app) diffTool(cmd *cobra.Command, args []string, _ *selfMade) error {
	if len(args) != 3 {
		return usagef("the name of a tool and two versions must be given, such as shake_it 1 2")
	}
	from, err := versionNumber(args[1])
	if err != nil {
		return err
	}
	to, err := versionNumber(args[2])
	if err != nil {
		return err
	}
	var d struct {
		Source  string
		Changed []string
	}
	if err := a.inquire(cmd, "tools/diff", map[string]any{"name": args[0], "from": from, "to": to}, &d); err != nil || a.json {
		return err
	}
	for line := range strings.Lines(d.Source) {
		color := ""
		switch line[0] {
		case '+':
			color = green
		case '-':
			color = red
		}
		text := printable(strings.TrimRight(line, "\n"))
		if color != "" {
			text = a.style.paint(color, text)
		}
		a.printf("%s\n", text)
	}
	switch {
	case len(d.Changed) > 0:
		a.printf("changed beside the source: %s\n", printable(strings.Join(d.Changed, ", ")))
	case d.Source == "":
		a.printf("they are the same\n")
	}
	return nil
}

func (a *app) reviewTool(cmd *cobra.Command, args []string, o *selfMade) error {
	request := map[string]any{"action": "list"}
	if len(args) > 0 {
		request["name"] = args[0]
	}
	if o.approve && o.reject != "" {
		return usagef("--approve and --reject do not go together")
	}
	if cmd.Flags().Changed("note") {
		return a.annotate(cmd, args, o)
	}
	if o.approve || cmd.Flags().Changed("reject") {
		if len(args) == 0 {
			return usagef("which tool is to be approved or rejected?")
		}
		return a.decide(cmd, o, request)
	}
	var r struct {
		Pending []struct {
			Name, Description, Author, Model, Prompt, Source string
			Version                                          int
			Grants                                           []string
			Score                                            float64
			Untested                                         bool
			Licence                                          string
			Notes                                            []toolNote
			Findings                                         []sourceNote
		}
	}
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.json {
		return err
	}
	t := a.table()
	for _, w := range r.Pending {
		about := w.Description
		if w.Untested {
			about = "never tested: there was no sandbox"
		}
		t.row(w.Name, "v"+jsonNumber(w.Version), cmp.Or(w.Author, w.Model, "-"), about)
	}
	if len(r.Pending) == 0 {
		about := "nothing"
		if len(args) > 0 {
			about = "no version of " + printable(args[0])
		}
		a.printf("%s waits for review\n", about)
	}
	if err := t.flush(); err != nil || len(args) == 0 {
		return err
	}
	for _, w := range r.Pending {
		a.printf("\n%s v%d, ", a.style.paint(bold, printable(w.Name)), w.Version)
		if w.Untested {
			a.printf("never tested; what it may call is found out when it is approved\n")
		} else {
			a.printf("score %.2f; may call %s\n", w.Score, printable(cmp.Or(strings.Join(w.Grants, ", "), "nothing")))
		}
		if w.Prompt != "" {
			a.printf("asked for: %s\n", printable(w.Prompt))
		}
		if w.Licence != "" {
			a.printf("licence: %s\n", printable(w.Licence))
		}
		a.printNotes(w.Notes)
		a.printFindings(w.Name, w.Findings)
		for line := range strings.Lines(w.Source) {
			a.printf("%s\n", printable(strings.TrimRight(line, "\n")))
		}
	}
	return nil
}

// decide approves or rejects a version.
func (a *app) decide(cmd *cobra.Command, o *selfMade, request map[string]any) error {
	request["action"] = "approve"
	if !o.approve {
		if o.reject == "" {
			return usagef("--reject needs a reason: the author of the tool reads it")
		}
		request["action"], request["reason"] = "reject", o.reject
	}
	if o.version > 0 {
		request["version"] = o.version
	}
	if user := a.env["USER"]; user != "" {
		request["author"] = user
	}
	var r struct {
		Name, Review    string
		Version, Active int
	}
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.json {
		return err
	}
	a.printf("%s v%d was %s", printable(r.Name), r.Version, printable(r.Review))
	if r.Active > 0 {
		a.printf("; v%d is active", r.Active)
	}
	a.printf("\n")
	return nil
}

// annotate adds a remark to a version of a tool.
func (a *app) annotate(cmd *cobra.Command, args []string, o *selfMade) error {
	if len(args) == 0 || o.note == "" || o.approve || o.reject != "" {
		return usagef("--note needs the name of a tool and a text, and goes with neither --approve nor --reject")
	}
	request := map[string]any{"action": "note", "name": args[0], "reason": o.note, "kind": o.kind}
	if o.version > 0 {
		request["version"] = o.version
	}
	if user := a.env["USER"]; user != "" {
		request["author"] = user
	}
	var r struct{ Name string }
	if err := a.inquire(cmd, "tools/review", request, &r); err != nil || a.json {
		return err
	}
	a.printf("%s has a note on %s; tool show tells it\n", printable(r.Name), printable(o.kind))
	return nil
}

func (a *app) describeFiles(cmd *cobra.Command, args []string, _ *selfMade) error {
	files, err := readGiven(args)
	if err != nil {
		return err
	}
	var r struct{ Files []json.RawMessage }
	if err := a.inquireAbout(cmd, "", "tools/files", map[string]any{}, &r, files...); err != nil || a.json {
		return err
	}
	for _, f := range r.Files {
		if err := a.describeFile(f); err != nil {
			return err
		}
	}
	return nil
}

// describeFile prints what is known of one file.
func (a *app) describeFile(raw json.RawMessage) error {
	type column struct{ Name, Type, Example string }
	var f struct {
		Name, Type, Encoding, Shape string
		Size, Rows, Pages, Count    int
		Width, Height               int
		Columns                     []column
		Keys                        []string
		Sheets                      []struct {
			Name    string
			Rows    int
			Columns []column
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return &malformedError{"a description of a file", raw, err}
	}
	a.printf("%s: %s, %d bytes", a.style.paint(bold, printable(f.Name)), printable(f.Type), f.Size)
	for _, n := range []struct {
		n    int
		what string
	}{{f.Rows, "rows"}, {f.Pages, "pages"}, {f.Width, "× " + jsonNumber(f.Height) + " pixels"}, {len(f.Sheets), "sheets"}} {
		if n.n > 0 {
			a.printf(", %d %s", n.n, n.what)
		}
	}
	if f.Shape != "" {
		a.printf(", %s of %d", printable(f.Shape), f.Count)
	}
	if len(f.Keys) > 0 {
		a.printf(": %s", printable(strings.Join(f.Keys, ", ")))
	}
	a.printf("\n")
	columns := func(all []column) error {
		t := a.table()
		for _, c := range all {
			t.row("  "+c.Name, c.Type, c.Example)
		}
		return t.flush()
	}
	if err := columns(f.Columns); err != nil {
		return err
	}
	for _, s := range f.Sheets {
		a.printf("sheet %s: %d rows\n", printable(s.Name), s.Rows)
		if err := columns(s.Columns); err != nil {
			return err
		}
	}
	return nil
}
