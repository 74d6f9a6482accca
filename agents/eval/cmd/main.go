// Command cmd measures a language model of an Ollama server on the suite of package eval and prints a table.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/calling"
	"github.com/reachyd/reachyd/agents/eval"
	"github.com/reachyd/reachyd/agents/eval/program"
	"github.com/reachyd/reachyd/agents/hostrobot"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg {
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	program.Main(run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	url := flags.String("url", "http://127.0.0.1:11434", "the Ollama server")
	model := flags.String("model", "", "the model to measure")
	only := flags.String("only", "requests,scenarios,tasks",
		"what to measure: also heldout and unseen, of which the layer has seen nothing, robot: the scenarios by the whole robot,\n"+
			"conversation: a talk with it, to be read, and tools: as the robot writes them, beside those of one reply")
	calls := flags.String("calls", "schema", "how calls are asked for: schema, text, native; raw: all tools at once, without the layer for small models")
	threads := flags.Int("threads", 0, "processors that the server uses; 0: its own choice")
	sentences := flags.String("sentences", "", "a file of requests in place of the suite's own, a line each:\n"+
		"sentence = tool argument=value …; nothing behind = when no tool fits; with -only conversation what is said,\n"+
		"with \"! \" before what interrupts the answer to the line above")
	every := flags.Int("every", 1, "measure only every so many of the requests and the tools")
	lines := flags.Bool("json", false, "a line of JSON for each item in place of the table")
	patience := flags.Duration("patience", 5*time.Minute, "for one reply")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *model == "" || flags.NArg() > 0 {
		_, _ = fmt.Fprintln(stderr, "eval: name one model: -model qwen3:4b")
		return 2
	}
	items, err := measure(ctx, wanted{*url, *model, *only, *calls, *sentences, *threads, *every, *patience, stdout}, func(i eval.Item) {
		if *lines {
			_ = json.NewEncoder(stdout).Encode(i) // nobody is left to tell
			return
		}
		mark := "-"
		if i.Passed {
			mark = "+"
		}
		_, _ = fmt.Fprintln(stderr, mark, i.Told())
	})
	if !*lines && len(items) > 0 {
		if err := eval.Print(stdout, *model, items); err != nil {
			return 1
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "eval:", err)
		return 1
	}
	return 0
}

// evalContext is how many tokens the model keeps in mind: as reachyd's own.
const evalContext = 8192

// wanted is what is measured.
type wanted struct {
	url, model, only, calls, sentences string

	threads, every int
	patience       time.Duration
	out            io.Writer // for a conversation
}

// measure runs the wanted parts of the suite. With an error it returns what was measured before.
func measure(ctx context.Context, w wanted, told func(eval.Item)) ([]eval.Item, error) {
	names := map[llm.Role][]string{}
	for _, r := range llm.Roles {
		names[r] = []string{w.model}
	}
	c, err := llm.New(llm.Config{
		URL: w.url, Models: names, Threads: w.threads, Context: evalContext, FirstToken: w.patience, Total: w.patience, Between: w.patience, Short: time.Minute,
	})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	suite := eval.Suite{Model: eval.Only(c, w.model), Told: told}
	if w.calls != "raw" {
		if !slices.Contains(calling.Styles, calling.Style(w.calls)) {
			return nil, fmt.Errorf("calls %q are unknown; known are %v and raw", w.calls, calling.Styles)
		}
		suite.Model = calling.New(suite.Model, calling.Options{Style: calling.Style(w.calls), Always: true})
	}
	requests := eval.Requests
	if w.sentences != "" && w.only != "conversation" {
		text, err := os.ReadFile(w.sentences)
		if err != nil {
			return nil, err
		}
		if requests = eval.Listed(string(text)); len(requests) == 0 {
			return nil, fmt.Errorf("%s holds no line with \" =\"", w.sentences)
		}
	}
	var items []eval.Item
	for part := range strings.SplitSeq(w.only, ",") {
		var more []eval.Item
		switch part {
		case "requests":
			more, err = suite.Sentences(ctx, some(requests, w.every))
		case "heldout":
			more, err = suite.Sentences(ctx, some(eval.HeldOut(), w.every))
		case "unseen":
			more, err = suite.Sentences(ctx, some(eval.Unseen(), w.every))
		case "scenarios":
			more, err = suite.Scenarios(ctx)
		case "robot":
			more, err = suite.Robot(ctx)
		case "conversation":
			more, err = talk(ctx, &suite, w)
		case "tasks", "tools":
			more, err = tasks(ctx, &suite, part == "tools", w.every)
		default:
			err = fmt.Errorf("%q cannot be measured; requests, heldout, unseen, scenarios, robot, conversation, tasks and tools can", part)
		}
		items = append(items, more...)
		if err != nil {
			return items, err
		}
	}
	return items, nil
}

// talk holds the suite's conversation, or that of a file.
func talk(ctx context.Context, suite *eval.Suite, w wanted) ([]eval.Item, error) {
	if w.sentences == "" || w.only != "conversation" {
		return suite.Conversation(ctx, "", w.out)
	}
	text, err := os.ReadFile(w.sentences)
	if err != nil {
		return nil, err
	}
	return suite.Conversation(ctx, string(text), w.out)
}

// some are every so many of all.
func some(all []eval.Request, every int) (out []eval.Request) {
	for i := 0; i < len(all); i += max(every, 1) {
		out = append(out, all[i])
	}
	return out
}

// tasks runs the part of the suite that needs Python.
func tasks(ctx context.Context, suite *eval.Suite, line bool, every int) (items []eval.Item, err error) {
	sandbox, err := guest.Open(ctx, guest.Config{Image: guest.ImageConfig{Modules: python.Modules(hostrobot.Functions()...)}})
	if err != nil {
		return nil, fmt.Errorf("%w; 'make python' builds the interpreter", err)
	}
	defer func() {
		if e := sandbox.Close(); err == nil {
			err = e
		}
	}()
	suite.Sandbox = sandbox
	if line {
		return suite.Line(ctx, every)
	}
	return suite.Tasks(ctx)
}
