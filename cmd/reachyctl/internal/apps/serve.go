package apps

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

const (
	// servePeriod is how often reachyd is asked what is to be done, and serveTime how long its answer may take.
	servePeriod, serveTime = 500 * time.Millisecond, 2 * time.Second
	// maxText is the longest text that is told about an app, bytes.
	maxText = 1000
)

// errand is what reachyd asks for.
type errand struct{ Job, Do, Name string }

// outcome is how it ended.
type outcome struct {
	Job   string   `json:"job"`
	Error string   `json:"error"`
	Log   []string `json:"log"`
}

// keeper does with apps what pages and scripts ask of reachyd.
type keeper struct {
	commands

	store  *store
	limits limits
	robot  string
	begun  string // the job that was begun last
	done   []outcome
	over   chan outcome
}

func (a commands) serveCommand() *cobra.Command {
	return limited(&cobra.Command{
		Use: "serve", Short: "Let pages and scripts of the official daemon list, start and remove your apps", Args: cli.NoArgs,
		Long: `serve goes on until Ctrl-C. Meanwhile whoever may use the robot's interface (over the network: with a token that has the scopes move
and tools) sees the apps that you have installed, starts them as you and removes them, as with the official daemon. Nobody installs any.
An app that was started goes on when serve has ended.`,
		Example: "  reachyctl app serve --memory 512",
	}, func(ctx context.Context, l limits, _ []string) error {
		k := &keeper{
			commands: a, store: a.store(), limits: l, robot: cmp.Or(a.HTTP, a.Env["REACHYCTL_HTTP"], defaultRobot), over: make(chan outcome, 1),
		}
		return k.serve(ctx)
	})
}

// serve asks reachyd what is to be done, and does it, until ctx ends.
func (k *keeper) serve(ctx context.Context) error {
	last, busy := "", false
	for {
		e, err := k.ask(ctx)
		says := "the apps are served"
		if err != nil {
			says = "the apps are not served: " + err.Error()
		}
		if says != last && ctx.Err() == nil {
			fmt.Fprintln(k.Stderr, says) //nolint:errcheck // nowhere else to say so
			last = says
		}
		if err == nil && e != nil && !busy && e.Job != k.begun {
			k.begun, busy = e.Job, true
			go func() { k.over <- k.do(ctx, e) }()
		}
		select {
		case <-ctx.Done():
			if busy {
				<-k.over // it ends with ctx
			}
			return nil
		case o := <-k.over:
			k.done, busy = append(k.done, o), false
		case <-time.After(servePeriod):
		}
	}
}

// ask tells reachyd what there is, and returns what is to be done; nil for nothing.
func (k *keeper) ask(ctx context.Context) (*errand, error) {
	apps, err := k.store.list()
	if err != nil {
		return nil, err
	}
	type entry struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		About   string `json:"description"`
	}
	said := struct {
		ID   string    `json:"id"`
		Apps []entry   `json:"apps"`
		Done []outcome `json:"done"`
	}{fmt.Sprint(os.Getpid()), make([]entry, 0, len(apps)), k.done}
	for i := range apps {
		said.Apps = append(said.Apps, entry{apps[i].Name, cut(apps[i].Version, maxName), cut(apps[i].About, maxText)})
	}
	body, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, serveTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, k.robot+"/api/apps/kept", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	const most = 1 << 20
	var answer struct {
		Asked  *errand
		Detail any
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %v", k.robot, resp.Status, cmp.Or[any](answer.Detail, "it is no reachyd that knows of apps"))
	}
	k.done = nil
	return answer.Asked, nil
}

// maxName is the longest version that is told of an app, bytes.
const maxName = 64

// do carries out an errand.
func (k *keeper) do(ctx context.Context, e *errand) outcome {
	out := outcome{Job: e.Job, Log: []string{}}
	err := k.carryOut(ctx, e)
	if err != nil {
		out.Error = cut(err.Error(), maxText)
	} else {
		out.Log = append(out.Log, fmt.Sprintf("%s %s: done", e.Do, e.Name))
	}
	fmt.Fprintf(k.Stderr, "%s %s: %s\n", e.Do, cli.Printable(e.Name), cmp.Or(out.Error, "done")) //nolint:errcheck // nowhere else to say so
	return out
}

func (k *keeper) carryOut(ctx context.Context, e *errand) error {
	app, err := k.store.get(e.Name)
	if err != nil {
		return err
	}
	switch e.Do {
	case "start":
		if r := k.store.running(); r != nil {
			return fmt.Errorf("%w: %s", errBusy, r.Name)
		}
		_, err = k.background(ctx, k.store, app, k.limits, nil)
		return err
	case "remove":
		return k.remove(app.Name)
	}
	return errors.New("this reachyctl cannot " + cut(e.Do, maxName) + " apps")
}

// remove deletes an app that does not run.
func (a commands) remove(name string) error {
	s := a.store()
	if r := s.running(); r != nil && r.Name == name {
		return fmt.Errorf("app %s runs; `reachyctl app stop` ends it", r.Name)
	}
	return s.remove(name)
}
