package pipeline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Codes of what can be found without a sandbox.
const (
	codeSecret    = "secret"    // what looks like a password or a key
	codeInvisible = "invisible" // characters that hide what the source does
)

// secrets are what never belongs into a source, whoever wrote it.
var secrets = map[string]*regexp.Regexp{
	"a private key": regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`),
	"an access key": regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
	"an access token": regexp.MustCompile(
		`\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|hf_[0-9A-Za-z]{30,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,})`,
	),
	"a password in a URL":        regexp.MustCompile(`(?i)\b[a-z][a-z+.-]*://[^\s/:@'"]+:[^\s/@'"]{3,}@`),
	"a password, key or a token": regexp.MustCompile(`(?i)\b\w*(?:password|passwd|secret|api_?key|token)\w*\s*[:=]\s*['"][^'"\s]{8,}['"]`),
}

// static is all that can be said of a source without running anything: no interpreter has looked at it.
func static(source string) registry.Validation {
	v := registry.Validation{Schema: json.RawMessage(`{"type":"object","properties":{}}`), Doc: registry.Doc{Summary: "Nobody has looked at it yet."}}
	for i, line := range strings.Split(source, "\n") {
		found := func(code string, severity registry.Severity, message, fix string) {
			v.Findings = append(v.Findings, registry.Finding{Code: code, Severity: severity, Line: i + 1, Column: 1, Message: message, Fix: fix})
		}
		for what, pattern := range secrets {
			if pattern.MatchString(line) {
				found(codeSecret, registry.SeverityError, "There is what looks like "+what+".", "Take it out: whoever sees the tool sees it.")
				break // one is enough to refuse it
			}
		}
		if at := strings.IndexFunc(line, invisible); at >= 0 {
			found(codeInvisible, registry.SeverityError, fmt.Sprintf("Column %d has a character that cannot be seen.", at+1), "Take it out, or write it as an escape.")
		}
		if strings.TrimSpace(line) != "" {
			v.Metrics.Lines++
		}
	}
	return v
}

// invisible says whether a character makes a source look other than it is: controls, and what turns text around.
func invisible(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\f' || unicode.Is(unicode.Cf, r)
}

// function finds the name of the first public function at the beginning of a line, Python's or JavaScript's.
var function = regexp.MustCompile(`(?m)^(?:export[ \t]+)?(?:async[ \t]+)?(?:def|function)[ \t]+([a-z]\w*)[ \t]*\(`)

// unseen is a draft that nobody can look at closer now. It cannot be called before it was completed and approved.
func unseen(d registry.Draft) (*Checked, error) {
	if d.Name == "" {
		m := function.FindStringSubmatch(d.Source)
		if m == nil {
			return nil, inputf("name: must be given: there is no public function to be seen, and no sandbox to look closer")
		}
		d.Name = m[1]
	}
	c := &Checked{Draft: d, found: static(d.Source)}
	if slices.ContainsFunc(c.found.Findings, func(f registry.Finding) bool { return f.Severity == registry.SeverityError }) {
		return nil, &registry.Refusal{Name: d.Name, Findings: c.found.Findings}
	}
	return c, nil
}
