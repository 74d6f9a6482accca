package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
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
