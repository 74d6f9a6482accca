package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Markdown writes the documentation of a version for people.
func (v *Version) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s v%d\n\n%s\n", v.Name, v.Number, strings.TrimSpace(v.Doc.Summary))
	if rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(v.Doc.Text), strings.TrimSpace(v.Doc.Summary))); rest != "" {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.ReplaceAll(rest, "```", "'''"))
	}
	var s struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
	}
	if json.Unmarshal(v.Schema, &s) == nil && len(s.Properties) > 0 {
		b.WriteString("\n| parameter | type | needed | meaning |\n|---|---|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			needed := "no"
			if slices.Contains(s.Required, name) {
				needed = "yes"
			}
			fmt.Fprintf(&b, "| %s | %v | %s | %s |\n", cell(name), s.Properties[name].Type, needed, cell(s.Properties[name].Description))
		}
	}
	b.WriteByte('\n')
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", what, cell(text))
		}
	}
	line("may call", strings.Join(v.Grants, ", "))
	line("uses the tools", strings.Join(v.Calls, ", "))
	line("author", v.Provenance.Author)
	line("model", v.Provenance.Model)
	line("licence", v.Licence)
	if !v.Created.IsZero() {
		line("registered", v.Created.Format(time.RFC3339))
	}
	if v.Report != nil {
		line("tests", fmt.Sprintf("%d of %d passed, %.0f %% of the lines ran", v.Report.Passed, v.Report.Total, 100*clamp(v.Report.Coverage)))
	} else {
		line("tests", "never tested")
	}
	line("quality", fmt.Sprintf("%.2f", v.Score.Total))
	for _, n := range v.Notes {
		line("note on "+n.Kind, n.Text)
	}
	return b.String()
}

// cell keeps text from leaving its line or its cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
