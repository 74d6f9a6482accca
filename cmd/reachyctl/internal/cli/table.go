package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table prints rows whose columns are as wide as the widest cell.
type table struct{ w *tabwriter.Writer }

// Table begins a table on the output.
func (a *App) Table() table { return table{tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)} }

// Row adds a row; the cells are printable already or come from the robot.
func (t table) Row(cells ...string) {
	for i, c := range cells {
		cells[i] = Printable(c)
	}
	fmt.Fprintln(t.w, strings.TrimRight(strings.Join(cells, "\t"), "\t")) //nolint:errcheck // a reader that is gone needs no answer
}

func (t table) Flush() error { return t.w.Flush() }

// VersionNumber reads "2" or "v2".
func VersionNumber(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n < 1 {
		return 0, Usage("%q is not the number of a version, such as 1", s)
	}
	return n, nil
}
