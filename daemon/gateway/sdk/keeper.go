package sdk

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
)

// What is asked of a keeper.
const (
	errandStart  = "start"
	errandRemove = "remove"
)

const (
	// errandPatience is how long a keeper may take: one that starts an app waits until that has begun.
	errandPatience = 20 * time.Second
	// maxErrands is how many wait for a keeper, maxKeptApps how many apps it may have, and maxErrandLog how many lines of a job it may tell.
	maxErrands, maxKeptApps, maxErrandLog = 8, 200, 100
)

// errand is what a keeper is to do.
type errand struct {
	Job  string `json:"job"`
	Do   string `json:"do"`
	Name string `json:"name"`

	over chan ended // with room for one
}

// ended is how an errand ended.
type ended struct {
	Job   string   `json:"job"`
	Error string   `json:"error"`
	Logs  []string `json:"log"`
}

// keptApp is an app that a keeper has.
type keptApp struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	About   string `json:"description"`
}

func (k *keptApp) info() appInfo {
	return appInfo{Name: k.Name, Kind: "installed", About: k.About, Extra: map[string]any{"version": k.Version}}
}

// keeper is `reachyctl app serve`, by which the owner of the apps lets others start and remove them: reachyd itself runs nobody's code, and
// what is installed is the owner's choice.
type keeper struct {
	mu    sync.Mutex
	id    string
	heard time.Time
	apps  []keptApp
	list  []errand // the oldest first, which is the one that is asked for
}

// there says whether a keeper was heard just now. mu is held.
func (k *keeper) there() bool { return k.id != "" && time.Since(k.heard) < tenure }

// known returns its apps, and whether there is one.
func (k *keeper) known() ([]keptApp, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.there() {
		return nil, false
	}
	return slices.Clone(k.apps), true
}

// kept is what a keeper says.
type kept struct {
	ID   string    `json:"id"`
	Apps []keptApp `json:"apps"`
	Done []ended   `json:"done"`
}

// hear takes what a keeper says, and returns what it is to do next; nil for nothing.
func (k *keeper) hear(said *kept) (*errand, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.there() && k.id != said.ID {
		return nil, wrong(http.StatusConflict, "another `reachyctl app serve` is there already")
	}
	if k.id != said.ID {
		k.drop(errKeeperGone)
	}
	k.id, k.heard, k.apps = said.ID, time.Now(), said.Apps
	for _, d := range said.Done {
		at := slices.IndexFunc(k.list, func(e errand) bool { return e.Job == d.Job })
		if at < 0 {
			continue // nobody waits any more
		}
		k.list[at].over <- d
		k.list = slices.Delete(k.list, at, at+1)
	}
	if len(k.list) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to do
	}
	next := k.list[0]
	return &next, nil
}

var errKeeperGone = errors.New("`reachyctl app serve` has gone")

// drop ends all errands. mu is held.
func (k *keeper) drop(why error) {
	for _, e := range k.list {
		e.over <- ended{Job: e.Job, Error: why.Error()}
	}
	k.list = nil
}

// send has the keeper do something with one of its apps. The error is why it cannot.
func (k *keeper) send(e errand) (<-chan ended, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.there():
		return nil, wrong(http.StatusConflict, "nobody keeps apps for others here: whose apps they are may run `reachyctl app serve`")
	case !slices.ContainsFunc(k.apps, func(a keptApp) bool { return a.Name == e.Name }):
		return nil, wrong(http.StatusNotFound, "app %.80q is not installed", e.Name)
	case len(k.list) >= maxErrands:
		return nil, wrong(http.StatusServiceUnavailable, "%d jobs with apps wait already", maxErrands)
	}
	e.over = make(chan ended, 1)
	k.list = append(k.list, e)
	return e.over, nil
}

// await waits until an errand has ended, or cannot any more.
func (k *keeper) await(ctx context.Context, job string, over <-chan ended) ended {
	ctx, cancel := context.WithTimeout(ctx, errandPatience)
	defer cancel()
	look := time.NewTicker(tenure / 3)
	defer look.Stop()
	for {
		select {
		case d := <-over:
			return d
		case <-ctx.Done():
			return k.forget(job, over, "it is not done after "+errandPatience.String())
		case <-look.C:
		}
		k.mu.Lock()
		there := k.there()
		k.mu.Unlock()
		if !there {
			return k.forget(job, over, errKeeperGone.Error())
		}
	}
}

// forget gives an errand up, unless it has ended meanwhile.
func (k *keeper) forget(job string, over <-chan ended, why string) ended {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case d := <-over:
		return d
	default:
	}
	k.list = slices.DeleteFunc(k.list, func(e errand) bool { return e.Job == job })
	return ended{Job: job, Error: why}
}

// mayRun says that whoever asks may run code here.
func mayRun(r *http.Request) error {
	if g := access.Of(r.Context()); !g.Allows(api.ScopeTools) {
		return wrong(http.StatusForbidden, "to start or remove apps needs the scope %s; the token of %s has %v", api.ScopeTools, g.By, g.Scopes)
	}
	return nil
}

var keeperRoutes = []route{
	{"PUT /api/apps/kept", "for `reachyctl app serve`: which apps it has; answers what it is to do", func(g *Gateway, r *http.Request) (any, error) {
		if !fromHere(r) {
			return nil, wrong(http.StatusForbidden, "only programs of this host keep apps")
		}
		var said kept
		if err := decode(r, &said); err != nil {
			return nil, err
		}
		if err := said.check(); err != nil {
			return nil, err
		}
		next, err := g.keeper.hear(&said)
		return map[string]any{"asked": next}, err
	}},
	{"POST /api/apps/start-app/{name}", "start an app of `reachyctl app serve`", startApp},
	{"POST /api/apps/start-app/{name}/no-evict", "the same: no app is ended for another one", startApp},
	{"POST /api/apps/remove/{name}", "remove an app of `reachyctl app serve`", removeApp},
}

func (s *kept) check() error {
	switch {
	case s.ID == "" || len(s.ID) > maxAppName:
		return invalid("id has %d bytes; allowed are 1 to %d", len(s.ID), maxAppName)
	case len(s.Apps) > maxKeptApps:
		return invalid("apps are %d; allowed are %d", len(s.Apps), maxKeptApps)
	}
	for _, a := range s.Apps {
		switch {
		case a.Name == "" || len(a.Name) > maxAppName:
			return invalid("name has %d bytes; allowed are 1 to %d", len(a.Name), maxAppName)
		case len(a.About) > maxAppText || len(a.Version) > maxAppName:
			return invalid("description has %d bytes and version %d; allowed are %d and %d", len(a.About), len(a.Version), maxAppText, maxAppName)
		}
	}
	for _, d := range s.Done {
		if len(d.Error) > maxAppText || len(d.Logs) > maxErrandLog {
			return invalid("done has an error of %d bytes and %d lines; allowed are %d and %d", len(d.Error), len(d.Logs), maxAppText, maxErrandLog)
		}
	}
	return nil
}

// startApp starts an app and waits until it has begun.
func startApp(g *Gateway, r *http.Request) (any, error) {
	name := r.PathValue("name")
	if err := mayRun(r); err != nil {
		return nil, err
	}
	if now := g.apps.now(); now.alive() {
		return nil, wrong(http.StatusBadRequest, "An app is already running: %s", now.Name)
	}
	e := errand{Job: newUUID(), Do: errandStart, Name: name}
	over, err := g.keeper.send(e)
	if err != nil {
		return nil, err
	}
	if d := g.keeper.await(r.Context(), e.Job, over); d.Error != "" {
		return nil, wrong(http.StatusBadRequest, "%s", d.Error)
	}
	if now := g.apps.now(); now.Name == name {
		return now.status(), nil
	}
	return &appStatus{Info: (&keptApp{Name: name}).info(), State: appStarting}, nil // its supervisor has said nothing yet
}

// removeApp begins to remove an app.
func removeApp(g *Gateway, r *http.Request) (any, error) {
	if err := mayRun(r); err != nil {
		return nil, err
	}
	e := errand{Do: errandRemove, Name: r.PathValue("name")}
	e.Job = g.jobs.add(e.Do)
	over, err := g.keeper.send(e)
	if err != nil {
		g.jobs.end(e.Job, err.Error())
		return nil, err
	}
	g.run(func() {
		d := g.keeper.await(g.ctx, e.Job, over)
		g.jobs.end(e.Job, d.Error, d.Logs...)
	})
	return map[string]string{"job_id": e.Job}, nil
}
