package robot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// token is a token as reachyd tells it.
type token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Secret  string    `json:"token,omitempty"`
}

func tokenCommand(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Who may come to the robot over HTTP from elsewhere",
		Long: `Programs on the robot's own host need no token. All others need one, and TLS (https://), and http.listen must be an address
that they can reach. A token is shown once, when it is made; reachyd keeps only a hash of it. Tokens go over HTTP, never over MQTT.

Scopes: read (look), talk (say something, as a person beside the robot could), move, tools, admin (everything).`,
		Example: `  reachyctl token add tablet --scope read,talk --for 720h
  reachyctl token list
  reachyctl token revoke tablet`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var scopes []string
	var life time.Duration
	add := &cobra.Command{
		Use: "add NAME", Short: "Make a token and show it, once", Args: cobra.ExactArgs(1),
		Long:    "add makes a token with the scopes that --scope names and prints it. Nobody can see it again, reachyd neither.",
		Example: "  reachyctl token add tablet --scope read,talk --for 720h",
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"name": args[0], "scopes": scopes}
			if life > 0 {
				body["expires_in"] = life.String()
			}
			var made token
			if err := overHTTP(cmd.Context(), a, http.MethodPost, "/api/v1/tokens", body, &made); err != nil {
				return err
			}
			return shown(a, made, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "%s\n\nIt is %s's and allows %s. It is not shown again.\n", made.Secret, made.Name, strings.Join(made.Scopes, ", "))
			})
		},
	}
	add.Flags().StringSliceVar(&scopes, "scope", []string{string(api.ScopeRead)}, "what it allows: read, talk, move, tools, admin, with commas")
	add.Flags().DurationVar(&life, "for", 0, "how long it is valid, such as 720h (default: until it is revoked)")
	list := &cobra.Command{
		Use: "list", Short: "List the tokens", Args: cli.NoArgs,
		Long:    "list prints the tokens by name, with what they allow and until when, never the secrets.",
		Example: "  reachyctl token list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all struct {
				Tokens []token `json:"tokens"`
			}
			if err := overHTTP(cmd.Context(), a, http.MethodGet, "/api/v1/tokens", nil, &all); err != nil {
				return err
			}
			return shown(a, all, func(w io.Writer) {
				for _, t := range all.Tokens {
					until := "until it is revoked"
					if !t.Expires.IsZero() {
						until = "until " + t.Expires.Local().Format(time.DateTime)
					}
					_, _ = fmt.Fprintf(w, "%s  %-20s %-30s %s\n", t.ID, t.Name, strings.Join(t.Scopes, ","), until)
				}
			})
		},
	}
	revoke := &cobra.Command{
		Use: "revoke NAME|ID", Short: "End a token", Args: cobra.ExactArgs(1),
		Long:    "revoke ends a token at once; who uses it is refused from then on.",
		Example: "  reachyctl token revoke tablet",
		RunE: func(cmd *cobra.Command, args []string) error {
			var gone token
			if err := overHTTP(cmd.Context(), a, http.MethodDelete, "/api/v1/tokens/"+url.PathEscape(args[0]), nil, &gone); err != nil {
				return err
			}
			return shown(a, gone, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s (%s) is revoked\n", gone.Name, gone.ID) })
		},
	}
	c.AddCommand(add, list, revoke)
	return c
}

// shown prints an answer: as one JSON object, or for people.
func shown(a *cli.App, v any, people func(w io.Writer)) error {
	if a.JSON {
		a.PrintJSON(v)
		return nil
	}
	people(a.Stdout)
	return nil
}

// overHTTP asks reachyd's web server.
func overHTTP(ctx context.Context, a *cli.App, method, path string, in, out any) error {
	server, known := connect.WebServer(a)
	if !known {
		return cli.Unreachable("where reachyd's web server is is not known; say --http http://127.0.0.1:8000")
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(server, "/")+path, bytes.NewReader(body))
	if err != nil {
		return cli.Usage("--http: %q is not the URL of a web server", server)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return cli.Unreachable("%s cannot be reached: %w", server, err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return cli.Unreachable("%s broke off: %w", server, err)
	}
	if resp.StatusCode != http.StatusOK {
		var p api.Problem
		if json.Unmarshal(data, &p) != nil || p.Detail == "" {
			p.Detail = resp.Status
		}
		return fmt.Errorf("%s", p.Detail)
	}
	return json.Unmarshal(data, out)
}
