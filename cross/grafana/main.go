// Command grafana reads a dashboard as Grafana's own library does, strictly, and prints the queries of its panels: grafana DASHBOARD.json
//
// A module of its own: nothing of the robot needs that library.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// query is one of a panel's.
type query struct {
	Panel string `json:"panel"`
	Type  string `json:"type"`
	Expr  string `json:"expr"`
}

func main() {
	queries, err := read(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(queries)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}

// fault is an error of the library, which returns lists of them, also empty ones.
func fault(err error) error {
	if list := cog.BuildErrors(nil); errors.As(err, &list) && len(list) == 0 {
		return nil
	}
	return err
}

func read(file string) (queries []query, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	plugins.RegisterDefaultPlugins()
	if err := fault(new(dashboard.Dashboard).UnmarshalJSONStrict(data)); err != nil {
		return nil, fmt.Errorf("it is no dashboard: %w", err)
	}
	var board dashboard.Dashboard // read again: reading strictly leaves the panels out
	if err := json.Unmarshal(data, &board); err != nil {
		return nil, err
	}
	if err := fault(board.Validate()); err != nil {
		return nil, fmt.Errorf("it is no valid dashboard: %w", err)
	}
	for _, p := range board.Panels {
		if p.Panel == nil || p.Panel.Title == nil {
			return nil, errors.New("a panel without a title, or a row")
		}
		for _, t := range p.Panel.Targets {
			q, ok := t.(prometheus.Dataquery)
			if at, is := t.(*prometheus.Dataquery); is {
				q, ok = *at, true
			}
			if !ok {
				return nil, fmt.Errorf("%s: a query of the type %T, not of Prometheus", *p.Panel.Title, t)
			}
			queries = append(queries, query{*p.Panel.Title, p.Panel.Type, q.Expr})
		}
	}
	return queries, nil
}
