// Package release asks whether there is a later release. It is asked only when a person does.
package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// latest is where the newest release is told.
const latest = "https://api.github.com/repos/reachyd/reachyd/releases/latest"

const (
	patience   = 15 * time.Second
	mostAnswer = 1 << 20 // bytes
	mostShown  = 200     // characters of what the other side wrote
)

// Release is what is told of one.
type Release struct {
	Version string `json:"tag_name"`
	Page    string `json:"html_url"`
	Date    string `json:"published_at"`
}

// Command returns reachyctl update for a program of this version.
func Command(a *cli.App, version string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "update", Short: "Say whether there is a later version", Args: cli.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Long: "update looks for later versions. Nothing is installed, and nobody is asked unless a person says so.", Example: "  reachyctl update check",
	}
	from := latest
	check := &cobra.Command{
		Use: "check", Short: "Ask the project's page for the newest release and compare", Args: cli.NoArgs,
		Example: "  reachyctl update check\n  reachyctl update check --json | jq .newer",
		Long: `check asks the project's page on GitHub for the newest release. What it sends is the question, and nothing about the robot.
Without a network it says so. To install: apt install the packages of that release; settings, memories and tools stay.

Exit codes: 0 asked and answered, 1 that was not possible.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), a.Wait(patience))
			defer cancel()
			r, err := ask(ctx, from)
			if err != nil {
				return fmt.Errorf("whether there is a later version than %s is not known: %w", version, err)
			}
			return tell(a, version, r)
		},
	}
	check.Flags().StringVar(&from, "from", latest, "`URL` that tells the newest release, as GitHub does")
	cmd.AddCommand(check)
	return cmd
}

func tell(a *cli.App, version string, r Release) error {
	order, comparable := Compare(r.Version, version)
	said := map[string]any{
		"version": version, "latest": r.Version, "page": r.Page, "published": r.Date, "newer": comparable && order > 0, "comparable": comparable,
	}
	newest, page := cli.Printable(r.Version), cli.Printable(r.Page)
	switch {
	case !comparable:
		return a.Said(said, "this is a build of %s, which has no number to compare; the newest release is %s: %s", version, newest, page)
	case order > 0:
		return a.Said(said, "%s is there (this is %s): %s", newest, version, page)
	}
	return a.Said(said, "%s is up to date; the newest release is %s", version, newest)
}

// errOffline is what a machine without a network reads.
var errOffline = errors.New("this machine is offline, or the page does not answer; try again with a network")

// ask reads the newest release from a page.
func ask(ctx context.Context, from string) (r Release, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil || req.URL.Host == "" {
		return r, cli.Usage("--from: %q is no URL", from)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("User-Agent", "reachyctl")
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return r, fmt.Errorf("%w (%s)", errOffline, cli.Printable(err.Error()))
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return r, fmt.Errorf("there is no release yet at %s", from)
	case resp.StatusCode != http.StatusOK:
		return r, fmt.Errorf("%s answers %s", from, cli.Printable(resp.Status))
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err != nil {
		return r, fmt.Errorf("%w (%s)", errOffline, cli.Printable(err.Error()))
	}
	if len(text) > mostAnswer {
		return r, fmt.Errorf("%s answers with more than %d bytes", from, mostAnswer)
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Version == "" || len(r.Version) > mostShown || len(r.Page) > mostShown {
		return Release{}, fmt.Errorf("what %s answers is no release", from)
	}
	return r, nil
}

// Compare says which of two versions is the later one: above 0 when a is, below when b is. It reports false when one has no number.
func Compare(a, b string) (order int, ok bool) {
	x, more, ok := numbers(a)
	y, most, fine := numbers(b)
	if !ok || !fine {
		return 0, false
	}
	for i := range max(len(x), len(y)) {
		if d := at(x, i) - at(y, i); d != 0 {
			return d, true
		}
	}
	return more - most, true
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// numbers splits v1.2.3+git45.abc: the numbers between the dots, and how many commits came after.
func numbers(version string) (list []int, commits int, ok bool) {
	version, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), "+")
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, 0, false
		}
		list = append(list, n)
	}
	if git, found := strings.CutPrefix(rest, "git"); found {
		count, _, _ := strings.Cut(git, ".")
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 {
			return nil, 0, false
		}
		commits = n
	}
	return list, commits, true
}
