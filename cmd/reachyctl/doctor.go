package main

import (
	"context"

	"github.com/spf13/cobra"
)

// level says how bad a finding is.
type level string

// The levels: a note is worth knowing, a problem keeps something from working.
const (
	fine    level = "ok"
	note    level = "note"
	problem level = "problem"
)

// finding is one line of the doctor's report.
type finding struct {
	Check  string `json:"check"`
	Level  level  `json:"level"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // what to do about it
}

// check looks at one thing. To have the doctor look at another, write a function and add it to checks.
type check struct {
	name string
	run  func(ctx context.Context, a *app) []finding
}

// checks are made and reported in this order.
var checks = []check{
	{"host", checkHost},
	{"realtime", checkRealtime},
	{"disk", checkDisk},
	{"programs", checkPrograms},
	{"libraries", checkLibraries},
	{"sandbox", checkSandbox},
	{"port", checkPorts},
	{"official daemon", checkOfficialDaemon},
	{"body", checkBody},
	{"senses", checkSenses},
	{"models", checkModels},
	{"robot", checkRobot},
	{"mind", checkMind},
}

func good(detail string) []finding       { return []finding{{Level: fine, Detail: detail}} }
func remark(detail, do string) []finding { return []finding{{Level: note, Detail: detail, Do: do}} }
func wrong(detail, do string) []finding  { return []finding{{Level: problem, Detail: detail, Do: do}} }

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check host, devices, libraries, broker and robot; say what to do about each",
		Long: `doctor looks at everything that reachyd needs and says what is fine (ok), what is worth knowing (note), and what keeps
something from working (problem), with what to do about it. It changes nothing.

Exit codes: 0 no problem, 1 at least one.`,
		Example: "  reachyctl doctor\n  reachyctl doctor --json | jq 'select(.level == \"problem\")'",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bad := 0
			for _, c := range checks {
				for _, f := range c.run(cmd.Context(), a) {
					f.Check = c.name
					if f.Level == problem {
						bad++
					}
					a.printFinding(f)
				}
				if err := cmd.Context().Err(); err != nil {
					return err
				}
			}
			if bad > 0 {
				return errSaid
			}
			return nil
		},
	}
}

func (a *app) printFinding(f finding) {
	if a.json {
		a.printJSON(f)
		return
	}
	colour := map[level]string{fine: green, note: yellow, problem: red}[f.Level]
	// Padded before it is painted: colours have no width.
	word := (string(f.Level) + "       ")[:len(problem)]
	a.printf("%s  %-15s  %s\n", a.style.paint(colour, word), f.Check, printable(f.Detail))
	if f.Do != "" {
		a.printf("%s  %-15s  %s\n", "       ", "", "→ "+printable(f.Do))
	}
}

// checkNames are the names of the checks, in order.
func checkNames() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}
