package sdk

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// tenure is how long an app counts as running after its supervisor was heard last: it says so twice a second.
	tenure = 3 * time.Second
	// stopPatience is how long an answer waits until an app has ended, or has begun again.
	stopPatience = 20 * time.Second
	// maxAppName is the longest name of an app, and maxAppText the longest of what is said about it, bytes.
	maxAppName, maxAppText = 64, 1000
)

// What an app does, in the official daemon's words.
const (
	appStarting = "starting"
	appRunning  = "running"
	appStopping = "stopping"
	appDone     = "done"
	appError    = "error"
)

var appStates = []string{appStarting, appRunning, appStopping, appDone, appError}

// What is asked of a supervisor.
const (
	askStop    = "stop"
	askRestart = "restart"
)

// tenant is an app, as its supervisor (`reachyctl app`) tells of it: reachyd itself starts no apps.
type tenant struct {
	ID    string `json:"id"` // of the supervisor
	Name  string `json:"name"`
	About string `json:"description"`
	State string `json:"state"`
	Error string `json:"error"`

	heard  time.Time
	begun  int    // how often it was started
	asked  string // what somebody asks of the supervisor
	anyone bool   // false: there was never an app
}

func (t *tenant) alive() bool {
	return t.anyone && (t.State == appStarting || t.State == appRunning || t.State == appStopping)
}

// tenancy is which app has the robot.
type tenancy struct {
	mu      sync.Mutex
	app     tenant
	changed chan struct{} // closed when the app changes; nil while nobody waits
}

// now returns the app that runs, or ran last. One whose supervisor is silent has ended: it dies with its supervisor.
func (t *tenancy) now() tenant {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.app.alive() && time.Since(t.app.heard) > tenure {
		t.app.State, t.app.Error, t.app.asked = appError, "its supervisor is gone", ""
	}
	return t.app
}

// hear takes what a supervisor says, and returns what is asked of it. An app that begins takes the place of the one before.
func (t *tenancy) hear(said tenant) (asked string) {
	before := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if before.alive() && said.ID != before.ID && said.State != appStarting {
		return askStop // another app was begun
	}
	said.heard, said.anyone, said.begun, said.asked = time.Now(), true, before.begun, before.asked
	if said.ID != before.ID {
		said.asked = ""
	}
	switch said.State {
	case appStarting:
		said.begun++
		said.asked = ""
	case appStopping, appDone, appError:
		said.asked = ""
	}
	asked, t.app = said.asked, said
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	return asked
}

// ask asks something of the supervisor of the app that runs, and waits until it is done.
func (t *tenancy) ask(ctx context.Context, what string, done func(before, now tenant) bool) (tenant, error) {
	before := t.now()
	if !before.alive() || before.State == appStopping {
		return before, wrong(http.StatusBadRequest, "No app is currently running")
	}
	t.mu.Lock()
	t.app.asked = what
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	for {
		news := t.news()
		now := t.now()
		if done(before, now) {
			return now, nil
		}
		select {
		case <-ctx.Done():
			return now, wrong(http.StatusBadRequest, "app %s is still %s after %s", now.Name, now.State, stopPatience)
		case <-news:
		case <-time.After(tenure): // a supervisor that is silent changes nothing
		}
	}
}

func (t *tenancy) news() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

type appInfo struct {
	Name  string         `json:"name"`
	Kind  string         `json:"source_kind"`
	About string         `json:"description"`
	URL   *string        `json:"url"`
	Extra map[string]any `json:"extra"`
}

type appStatus struct {
	Info  appInfo `json:"info"`
	State string  `json:"state"`
	Error *string `json:"error"`
}

func (t *tenant) info() appInfo {
	return appInfo{Name: t.Name, Kind: "installed", About: t.About, Extra: map[string]any{}}
}

func (t *tenant) status() *appStatus {
	if !t.anyone {
		return nil
	}
	s := &appStatus{Info: t.info(), State: t.State}
	if t.Error != "" {
		s.Error = &t.Error
	}
	return s
}

var appRoutes = []route{
	{"PUT /api/apps/supervised", "for `reachyctl app`: which app runs; answers what is asked of it", func(g *Gateway, r *http.Request) (any, error) {
		var said tenant
		if err := decode(r, &said); err != nil {
			return nil, err
		}
		switch {
		case said.ID == "" || len(said.ID) > maxAppName:
			return nil, invalid("id has %d bytes; allowed are 1 to %d", len(said.ID), maxAppName)
		case said.Name == "" || len(said.Name) > maxAppName:
			return nil, invalid("name has %d bytes; allowed are 1 to %d", len(said.Name), maxAppName)
		case len(said.About) > maxAppText:
			return nil, invalid("description has %d bytes; allowed are %d", len(said.About), maxAppText)
		case len(said.Error) > maxAppText:
			return nil, invalid("error has %d bytes; allowed are %d", len(said.Error), maxAppText)
		case !slices.Contains(appStates, said.State):
			return nil, invalid("state is %.40q; allowed are %s", said.State, strings.Join(appStates, ", "))
		}
		return map[string]string{"asked": g.apps.hear(said)}, nil
	}},
	{"GET /api/apps/current-app-status", "the app that `reachyctl app` runs, or ran last; null: none", func(g *Gateway, _ *http.Request) (any, error) {
		now := g.apps.now()
		return now.status(), nil
	}},
	{"POST /api/apps/stop-current-app", "end the app that `reachyctl app` runs", func(g *Gateway, r *http.Request) (any, error) {
		_, err := g.apps.ask(r.Context(), askStop, func(before, now tenant) bool { return !now.alive() || now.ID != before.ID })
		return nil, err
	}},
	{"POST /api/apps/restart-current-app", "end that app and begin it again", func(g *Gateway, r *http.Request) (any, error) {
		now, err := g.apps.ask(r.Context(), askRestart, func(before, now tenant) bool {
			return !now.alive() || now.begun > before.begun && now.State == appRunning
		})
		if err == nil && !now.alive() {
			err = wrong(http.StatusBadRequest, "app %s has not begun again: %s", now.Name, now.Error)
		}
		return now.status(), err
	}},
	{"GET /api/apps/list-available", "the apps of `reachyctl app serve`, and the one that runs: there is no app store here", listApps},
	{"GET /api/apps/list-available/{kind}", "installed: these; hf_space, dashboard_selection, local: none", func(g *Gateway, r *http.Request) (any, error) {
		switch kind := r.PathValue("kind"); kind {
		case "installed":
			return listApps(g, r)
		case "hf_space", "dashboard_selection", "local":
			return []any{}, nil
		default:
			return nil, invalid("source_kind is %.40q; allowed are hf_space, dashboard_selection, local, installed", kind)
		}
	}},
	{"GET /api/apps/startup-app", "null: none", func(*Gateway, *http.Request) (any, error) { return map[string]any{"startup_app": nil}, nil }},
	{"PUT /api/apps/startup-app", "null is so already; no app begins by itself", func(g *Gateway, r *http.Request) (any, error) {
		var in struct {
			App *string `json:"startup_app"`
		}
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		if in.App == nil || *in.App == "" {
			return map[string]any{"startup_app": nil}, nil
		}
		if apps, _ := g.keeper.known(); !slices.ContainsFunc(apps, func(a keptApp) bool { return a.Name == *in.App }) {
			return nil, wrong(http.StatusBadRequest, "App '%.64s' is not installed", *in.App)
		}
		return nil, wrong(http.StatusNotImplemented, "not offered by reachyd: no app begins by itself; `reachyctl app start %.64s` begins it", *in.App)
	}},
	{"GET /api/apps/check-updates", "none", func(*Gateway, *http.Request) (any, error) {
		return map[string]any{"apps_with_updates": []any{}, "apps_checked": 0, "apps_skipped": 0}, nil
	}},
	{"GET /api/daemon/robot-app-lock-status", "whether an app has the robot", func(g *Gateway, _ *http.Request) (any, error) {
		if now := g.apps.now(); now.alive() {
			return map[string]any{"state": "local_app", "holder_name": now.Name}, nil
		}
		return map[string]any{"state": "free", "holder_name": nil}, nil
	}},
}

func listApps(g *Gateway, _ *http.Request) (any, error) {
	list := []appInfo{}
	apps, _ := g.keeper.known()
	for i := range apps {
		list = append(list, apps[i].info())
	}
	if now := g.apps.now(); now.alive() && !slices.ContainsFunc(list, func(a appInfo) bool { return a.Name == now.Name }) {
		list = append(list, now.info())
	}
	return list, nil
}
