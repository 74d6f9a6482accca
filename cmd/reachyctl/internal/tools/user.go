package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// options are the options of the commands for tools that people write.
type options struct {
	cases, name, out    string
	language            string
	files               []string
	approve             bool
	reject, note, kind  string
	licence             string
	version             int
	grants              []string
	lenient, unlooked   bool
	duplicate, inactive bool
	untested            bool
}

// selfMadeCommands are the commands for tools that people write.
func (a commands) selfMadeCommands() []*cobra.Command {
	var o options
	build := func(use, short, long, example string, args cobra.PositionalArgs, run func(cmd *cobra.Command, args []string, o *options) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Long: long, Example: example, Args: args,
			RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args, &o) },
		}
	}
	begin := build("new NAME", "Begin a tool: write NAME.py and NAME.cases.json here",
		"new writes a tool that passes all checks, and its test cases, to begin with. It needs no robot and overwrites nothing.",
		"  reachyctl tool new shake_it", cli.SomeArgs(1, "the name of one tool"), a.newTool)
	check := build("check FILE", "Look at the source of a tool without running it",
		"check says what to change in a tool before the robot takes it: one line for each finding, with how to mend it.",
		"  reachyctl tool check shake_it.py", cli.SomeArgs(1, "one file of Python"), a.checkTool)
	check.Flags().BoolVar(&o.lenient, "lenient", false, "only warn of missing documentation and of complexity")
	test := build("test FILE", "Run the test cases of a tool, with a robot that is not there",
		"test runs a tool on its cases in the sandbox. Time does not pass in a test, and nothing moves. The cases are those of\n--cases, else those in "+
			"NAME.cases.json beside NAME.py, else they are made from the parameters.",
		"  reachyctl tool test shake_it.py", cli.SomeArgs(1, "one file of Python"), a.testTool)
	add := build("add FILE", "Check and test a tool and make it one of the robot's",
		"add makes the tool in a file the newest version of its name, if it passes all checks and tests. It may then call those of\nthe robot's tools that its "+
			"source names, or only those of --grant. The cases are found as by test.\nA WebAssembly module needs NAME.json beside NAME.wasm, with name, description, "+
			"parameters, returns and calls.",
		"  reachyctl tool add shake_it.py\n  reachyctl tool add measure.wasm\n  reachyctl tool call shake_it angle=30", cli.SomeArgs(1,
			"one file of Python"), a.addTool)
	run := build("run FILE [k=v ...|JSON]", "Run a tool once without keeping it",
		"run runs the function of a file in the sandbox. With --skip-checks nobody looks at it first: the sandbox alone holds it.\nIt may call only those of the "+
			"robot's tools that --grant names.",
		"  reachyctl tool run shake_it.py --grant move_head angle=10\n  reachyctl tool run attack.py --skip-checks", cli.SomeArgs(-1,
			"one file of Python"), a.runTool)
	run.Flags().BoolVar(&o.unlooked, "skip-checks", false, "do not look at the source first")
	run.Flags().StringVar(&o.name, "function", "", "the `name` of the function (with --skip-checks; default: the file's name)")
	rollback := build("rollback NAME [N]", "Go back to version N of a tool, or to the one before",
		"rollback makes an earlier version the one that is called.", "  reachyctl tool rollback shake_it 1", cli.SomeArgs(2,
			"the name of a tool"), a.switchTool("rollback"))
	activate := build("activate NAME [N]", "Make version N of a tool, or the newest, the one that is called",
		"activate makes a version the one that is called.", "  reachyctl tool activate shake_it", cli.SomeArgs(2, "the name of a tool"), a.switchTool("activate"))
	deactivate := build("deactivate NAME", "Take a tool away from the robot; its versions stay",
		"deactivate takes a tool away from the robot. Its versions stay and can be activated again.",
		"  reachyctl tool deactivate shake_it", cli.SomeArgs(1, "the name of one tool"), a.switchTool("deactivate"))
	export := build("export [NAME ...]", "Write tools with all their versions into one file",
		"export writes the named tools, or all, with their versions, tests and the tools that they call into one file.",
		"  reachyctl tool export shake_it --out shake_it.tools", cobra.ArbitraryArgs, a.exportTools)
	export.Flags().StringVar(&o.out, "out", "", "the `file` (default: standard output)")
	imp := build("import FILE [MODULE.wasm ...]", "Check, test and take over tools from a file that export wrote",
		"import takes all tools of a file, or none: each is checked and tested again. WebAssembly modules are not in the file and\nare named after it.",
		"  reachyctl tool import shake_it.tools\n  reachyctl tool import measure.tools measure.wasm", cli.SomeArgs(-1, "one file that export wrote"), a.importTools)
	diff := build("diff NAME V1 V2", "Show what differs between two versions of a tool",
		"diff prints what V2 changes in V1.", "  reachyctl tool diff shake_it 1 2", cli.SomeArgs(3, "the name of a tool and two versions"), a.diffTool)
	review := build("review [NAME]", "Show the tools that wait for review, approve or reject one",
		"On a real robot a self-made tool waits until somebody approves it. review shows what waits, or with NAME all that a\nreviewer must see of one.",
		"  reachyctl tool review\n  reachyctl tool review shake_it --approve\n  reachyctl tool review shake_it --reject 'it moves too far'", cobra.MaximumNArgs(1),
		a.reviewTool)
	review.Flags().BoolVar(&o.approve, "approve", false, "let it be called from now on")
	review.Flags().StringVar(&o.reject, "reject", "", "turn it down; `why` is told to its author")
	review.Flags().StringVar(&o.note, "note", "", "add a `text` to a version, whether it waits or not: tool show and export tell it")
	review.Flags().StringVar(&o.kind, "kind", "review", "what the note is about: review, vulnerability or licence")
	review.Flags().IntVar(&o.version, "version", 0, "`number` of the version (default: the newest that waits)")
	look := build("files FILE ...", "Say what is in files, as a tool that gets them would see them",
		"files checks files by name and content and prints type, size, columns, sheets, pages: what the author of a tool needs.\nA tool reads them with "+
			"reachy.files() and reachy.read_file(name=...), or open('/files/<name>').",
		"  reachyctl tool files sales.csv", cli.SomeArgs(-1, "a file"), a.describeFiles)
	run.Flags().StringArrayVar(&o.files, "file", nil, "a `file` that the tool gets; may be given several times")
	for _, c := range []*cobra.Command{check, test, add, run} {
		c.Flags().StringVar(&o.language, "language", "", "`language` that it is written in (default: by the file's ending; python)")
	}
	for _, c := range []*cobra.Command{rollback, activate, deactivate, export, review, diff} {
		c.ValidArgsFunction = a.completeTools
	}
	for _, c := range []*cobra.Command{test, add} {
		c.Flags().StringVar(&o.cases, "cases", "", "the `file` with the test cases, JSON (default: NAME.cases.json beside NAME.py, if it is there)")
	}
	for _, c := range []*cobra.Command{add, run, imp} {
		c.Flags().StringSliceVar(&o.grants, "grant", nil, "the robot's `tools` that it may call, with commas")
	}
	for _, c := range []*cobra.Command{add, imp} {
		c.Flags().BoolVar(&o.duplicate, "allow-duplicate", false, "take it though it is nearly the same as another tool")
		c.Flags().BoolVar(&o.inactive, "inactive", false, "leave the active version as it is")
	}
	add.Flags().StringVar(&o.licence, "licence", "", "`SPDX` expression of the licence that it is under, such as MIT")
	add.Flags().BoolVar(&o.untested, "allow-untested", false, "keep it for review though there is no sandbox to test it in; it is tested when it is approved")
	return []*cobra.Command{begin, check, test, add, run, look, review, diff, rollback, activate, deactivate, export, imp}
}

// maxFile is how many bytes of a source or of test cases are read, maxBundle of a file of tools.
const (
	maxFile   = 1 << 20
	maxBundle = 8 << 20
)

// request is what the commands about a file of Python send.
func (o *options) request(cmd *cobra.Command, path string) (map[string]any, error) {
	language := o.languageOf(path)
	var source string
	var err error
	switch language { // a module goes as a file
	case WASI:
		source = filepath.Base(path)
	case wasm:
		source, err = manifest(path)
	default:
		source, err = cli.ReadFile(path, maxFile)
	}
	if err != nil {
		return nil, err
	}
	args := map[string]any{"source": source}
	if language != "" {
		args["language"] = language
	}
	beside := strings.TrimSuffix(path, filepath.Ext(path)) + ".cases.json"
	if _, err := os.Stat(beside); o.cases == "" && err == nil && cmd.Flags().Lookup("cases") != nil {
		o.cases = beside // as new wrote them
	}
	if o.cases != "" {
		text, err := cli.ReadFile(o.cases, maxFile)
		if err != nil {
			return nil, err
		}
		var cases []json.RawMessage
		if err := json.Unmarshal([]byte(text), &cases); err != nil {
			return nil, cli.Usage("%s is no JSON list of test cases: %w", o.cases, err)
		}
		args["cases"] = cases
	}
	o.common(cmd, args)
	return args, nil
}

// languages are the languages of tools by the ending of a file; what is not here is Python, the usual one.
var languages = map[string]string{".js": "javascript", ".mjs": "javascript", ".wasm": wasm}

// Languages of WebAssembly modules: wasm with a manifest, as a tool, and wasi without one, which run can run once.
const (
	wasm = "wasm"
	WASI = "wasi"
)

func (o *options) languageOf(path string) string {
	if o.language != "" {
		return o.language
	}
	return languages[filepath.Ext(path)]
}

func (o *options) common(cmd *cobra.Command, args map[string]any) {
	if cmd.Flags().Changed("grant") {
		args["grants"] = append([]string{}, o.grants...)
	}
	if o.duplicate {
		args["allow_duplicate"] = true
	}
	if o.untested {
		args["allow_untested"] = true
	}
	if o.inactive {
		args["inactive"] = true
	}
}

func (a commands) checkTool(cmd *cobra.Command, args []string, o *options) error {
	request, err := o.request(cmd, args[0])
	if err != nil {
		return err
	}
	if o.lenient {
		request["mode"] = "lenient"
	}
	var r struct {
		OK       bool
		Function string
		Findings []sourceNote
		Calls    []string
	}
	files, err := o.module(args[0])
	if err != nil {
		return err
	}
	if err := a.inquireAbout(cmd, "", "tools/check", request, &r, files...); err != nil {
		return err
	}
	if !a.JSON {
		a.printFindings(args[0], r.Findings)
		if r.OK {
			a.Printf("%s: %s is good", cli.Printable(args[0]), cli.Printable(r.Function))
			if len(r.Calls) > 0 {
				a.Printf("; it calls %s", cli.Printable(strings.Join(r.Calls, ", ")))
			}
			a.Printf("\n")
		} else {
			a.Printf("%s: %s\n", cli.Printable(args[0]), a.Style.Paint(cli.Red, "not good enough"))
		}
	}
	if !r.OK {
		return cli.ErrSaid
	}
	return nil
}

// sourceNote is one thing that is wrong with a source.
type sourceNote struct {
	Code, Severity, Message, Fix string
	Line, Column                 int
}

func (a commands) printFindings(file string, findings []sourceNote) {
	for _, f := range findings {
		color := cli.Yellow
		if f.Severity == "error" {
			color = cli.Red
		}
		where := cli.Printable(file)
		if f.Line > 0 {
			where += fmt.Sprintf(":%d:%d", f.Line, max(f.Column, 1))
		}
		a.Printf("%s: %s %s: %s", where, a.Style.Paint(color, cli.Printable(f.Severity)), cli.Printable(f.Code), cli.Printable(f.Message))
		if f.Fix != "" {
			a.Printf(" → %s", cli.Printable(f.Fix))
		}
		a.Printf("\n")
	}
}

func (a commands) testTool(cmd *cobra.Command, args []string, o *options) error {
	request, err := o.request(cmd, args[0])
	if err != nil {
		return err
	}
	var r struct {
		OK       bool
		Passed   int
		Outcomes []struct {
			Name, Message string
			Passed        bool
			Clock, Took   time.Duration
		}
		Coverage float64
		Missed   []int
		Took     time.Duration
	}
	files, err := o.module(args[0])
	if err != nil {
		return err
	}
	if err := a.inquireAbout(cmd, args[0], "tools/test", request, &r, files...); err != nil {
		return err
	}
	if !a.JSON {
		for _, c := range r.Outcomes {
			mark := a.Style.Paint(cli.Green, "ok  ")
			if !c.Passed {
				mark = a.Style.Paint(cli.Red, "FAIL")
			}
			a.Printf("%s %s", mark, cli.Printable(c.Name))
			if c.Clock >= time.Second {
				a.Printf(" (%.1f s of the robot's time)", c.Clock.Seconds())
			}
			if c.Message != "" {
				a.Printf(": %s", cli.Printable(c.Message))
			}
			a.Printf("\n")
		}
		a.Printf("%d of %d passed, %.0f %% of the lines ran, %v\n", r.Passed, len(r.Outcomes), 100*r.Coverage, r.Took.Round(time.Millisecond))
		if len(r.Missed) > 0 {
			a.Printf("not reached: lines %s\n", strings.Trim(fmt.Sprint(r.Missed), "[]"))
		}
	}
	if !r.OK {
		return cli.ErrSaid
	}
	return nil
}

func (a commands) runTool(cmd *cobra.Command, args []string, o *options) error {
	if o.languageOf(args[0]) == wasm {
		o.language = WASI
	}
	request, err := o.request(cmd, args[0])
	if err != nil {
		return err
	}
	arguments, err := toolArguments(args[1:])
	if err != nil {
		return cli.Usage("%w", err)
	}
	request["args"] = arguments
	if o.unlooked {
		request["skip_checks"] = true
		request["name"] = o.name
		if o.name == "" {
			request["name"] = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
		}
	}
	var r struct {
		Reason, Log string
		Value       json.RawMessage
		Error       *struct {
			Type, Message, Traceback string
			Line                     int
		}
		Usage struct {
			Wall, CPU time.Duration
			Memory    int64
			Calls     int
		}
	}
	paths := o.files
	if o.languageOf(args[0]) == WASI {
		paths = append([]string{args[0]}, paths...)
	}
	files, err := connect.ReadAttachments(paths)
	if err != nil {
		return err
	}
	if err := a.inquireAbout(cmd, args[0], "tools/run", request, &r, files...); err != nil {
		return err
	}
	if !a.JSON {
		if r.Log != "" {
			a.Printf("%s\n", cli.Printable(strings.TrimRight(r.Log, "\n")))
		}
		if r.Error != nil {
			a.Printf("%s: ended (%s): %s %s\n", cli.Printable(args[0]), cli.Printable(r.Reason), cli.Printable(r.Error.Type), cli.Printable(r.Error.Message))
		} else {
			a.Printf("%s\n", cli.Printable(string(r.Value)))
		}
		if r.Error != nil && strings.Contains(r.Error.Message, "not granted") {
			a.Printf("  run may call what --grant names; add grants what the source calls\n")
		}
		calls := "1 call"
		if r.Usage.Calls != 1 {
			calls = fmt.Sprint(r.Usage.Calls, " calls")
		}
		a.Printf("%s\n", a.Style.Paint(cli.Faint, fmt.Sprintf("%.1f ms, %.1f ms of the processor, %.0f MiB, %s of the robot",
			float64(r.Usage.Wall.Microseconds())/1e3, float64(r.Usage.CPU.Microseconds())/1e3, float64(r.Usage.Memory)/(1<<20), calls)))
	}
	if r.Reason != "ok" {
		return cli.ErrSaid
	}
	return nil
}

// inquire sends a command and reads its result. The first use of Python on a robot takes a while.
func (a commands) inquire(cmd *cobra.Command, verb string, request map[string]any, into any) error {
	return a.inquireAbout(cmd, "", verb, request, into)
}

// inquireAbout is inquire about a file: when the robot refuses it, what is wrong with it is printed.
func (a commands) inquireAbout(cmd *cobra.Command, file, verb string, request map[string]any, into any, files ...api.File) error {
	r, err := connect.Send(cmd.Context(), a.App, verb, request, files, request["large"] == true, a.Wait(cli.MoveTime))
	if err != nil {
		return err
	}
	if a.JSON {
		a.PrintRaw(r.Raw)
	}
	if r.OK {
		if err := json.Unmarshal(r.Result, into); err != nil {
			return cli.Malformed("an answer to "+verb, r.Raw, err)
		}
		return nil
	}
	if a.JSON {
		return cli.ErrSaid
	}
	var refused struct {
		Findings []sourceNote
		Report   *struct {
			Cases []struct {
				Name, Message string
				Passed        bool
			}
		}
	}
	if len(r.Result) > 0 && json.Unmarshal(r.Result, &refused) == nil && file != "" {
		a.printFindings(file, refused.Findings)
		if len(refused.Findings) > 0 { // the message says them once more
			r.Error.Message, _, _ = strings.Cut(r.Error.Message, ": ")
		}
	}
	return &cli.RefusedError{Reply: r.Error}
}
