package doctor

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// Level says how bad a finding is.
type Level string

// The levels: a note is worth knowing, a problem keeps something from working.
const (
	Fine    Level = "ok"
	Note    Level = "note"
	Problem Level = "problem"
)

// Finding is one line of the doctor's report.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"`   // what to do about it
	Data   any    `json:"data,omitempty"` // for programs: the same in figures
}

// check looks at one thing. To have the doctor look at another, write a function and add it to checks.
type check struct {
	name string
	run  func(ctx context.Context, a commands) []Finding
}

// checks are made and reported in this order.
var checks = []check{
	{"host", checkHost},
	{"realtime", checkRealtime},
	{"access", checkAccess},
	{"disk", checkDisk},
	{"programs", checkPrograms},
	{"libraries", checkLibraries},
	{"sandbox", checkSandbox},
	{"port", checkPorts},
	{"official daemon", checkOfficialDaemon},
	{"motion sensor", checkMotion},
	{"network", checkNetwork},
	{"memory", checkMemory},
	{"crashes", checkCrashes},
	{"body", checkBody},
	{"senses", checkSenses},
	{"models", checkModels},
	{"robot", checkRobot},
	{"store", checkStore},
	{"mind", checkLanguageModels},
}

func good(detail string) []Finding       { return []Finding{{Level: Fine, Detail: detail}} }
func remark(detail, do string) []Finding { return []Finding{{Level: Note, Detail: detail, Do: do}} }
func wrong(detail, do string) []Finding  { return []Finding{{Level: Problem, Detail: detail, Do: do}} }

func (a commands) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check host, devices, libraries, broker and robot; say what to do about each",
		Long: `doctor looks at everything that reachyd needs and says what is fine (ok), what is worth knowing (note), and what keeps
something from working (problem), with what to do about it. It changes nothing; what the official daemon has left is taken over by take-over.

Exit codes: 0 no problem, 1 at least one.`,
		Example: "  reachyctl doctor\n  reachyctl doctor --json | jq 'select(.level == \"problem\")'",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Host.Locate(a.Env, a.Dirs)
			bad := 0
			for _, c := range checks {
				for _, f := range c.run(cmd.Context(), a) {
					f.Check = c.name
					if f.Level == Problem {
						bad++
					}
					a.printFinding(f)
				}
				if err := cmd.Context().Err(); err != nil {
					return err
				}
			}
			if bad > 0 {
				return cli.ErrSaid
			}
			return nil
		},
	}
	cmd.AddCommand(a.takeOverCommand(), a.goBackCommand())
	return cmd
}

func (a commands) printFinding(f Finding) {
	if a.JSON {
		a.PrintJSON(f)
		return
	}
	colour := map[Level]string{Fine: cli.Green, Note: cli.Yellow, Problem: cli.Red}[f.Level]
	// Padded before it is painted: colours have no width.
	word := (string(f.Level) + "       ")[:len(Problem)]
	a.Printf("%s  %-15s  %s\n", a.Style.Paint(colour, word), f.Check, cli.Printable(f.Detail))
	if f.Do != "" {
		a.Printf("%s  %-15s  %s\n", "       ", "", "→ "+cli.Printable(f.Do))
	}
}

// CheckNames are the names of the checks, in order.
func CheckNames() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}
