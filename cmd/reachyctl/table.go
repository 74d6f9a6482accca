package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/tool"
)

// table prints rows whose columns are as wide as the widest cell.
type table struct{ w *tabwriter.Writer }

func (a *app) table() table { return table{tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)} }

// row adds a row; the cells are printable already or come from the robot.
func (t table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = printable(c)
	}
	fmt.Fprintln(t.w, strings.TrimRight(strings.Join(cells, "\t"), "\t")) //nolint:errcheck // a reader that is gone needs no answer
}

func (t table) flush() error { return t.w.Flush() }

func jsonNumber(n int) string { return strconv.Itoa(n) }

// versionNumber reads "2" or "v2".
func versionNumber(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n < 1 {
		return 0, usagef("%q is not the number of a version, such as 1", s)
	}
	return n, nil
}

// completionTime is how long a shell waits for names.
const completionTime = 2 * time.Second

// completeTools offers the names of tools for the first argument.
func (a *app) completeTools(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	l, err := a.connect(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer l.close()
	r, err := l.call(cmd.Context(), "tools/list", nil, completionTime)
	var list struct{ Tools []tool.Spec }
	if err != nil || json.Unmarshal(r.Result, &list) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range list.Tools {
		if strings.HasPrefix(s.Name, begun) {
			names = append(names, cobra.CompletionWithDesc(s.Name, s.Description))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
