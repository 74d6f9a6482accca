// Package modelfetch lists the model files that the senses can use, and fetches them while the robot runs.
package modelfetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/perception/models"
)

// news is how often it is told how far a file has come.
const news = 500 * time.Millisecond

// Fetcher lists models and fetches them, one at a time. Fill in the exported fields; Close ends what is being fetched.
type Fetcher struct {
	Store   *models.Store
	Dir     string // where a model is put
	Publish func(trace string, data api.Payload)
	// Elsewhere says for a model why it is not fetched here, and how it can be had; empty for the others. It may be nil.
	Elsewhere func(name string) string

	mu      sync.Mutex
	closed  bool
	now     api.ModelFetch // of what is being fetched, or was last
	cancel  context.CancelFunc
	running sync.WaitGroup
	told    time.Time
}

// List implements command.Models.
func (f *Fetcher) List() api.ModelList {
	list := api.ModelList{Models: []api.ModelInfo{}, Dir: f.Dir}
	f.mu.Lock()
	now := f.now
	f.mu.Unlock()
	for _, m := range f.Store.List() {
		info := api.ModelInfo{
			Name: m.Name, Kind: string(m.Kind), About: m.About, Licence: m.Licence, Bytes: m.Size(), Path: m.Path, Partial: m.Partial, Unlisted: m.Unlisted,
			State: api.ModelMissing,
		}
		switch {
		case m.Path != "":
			info.State = api.ModelHere
		case m.Partial > 0:
			info.State = api.ModelPartial
		}
		if info.State != api.ModelHere && f.Elsewhere != nil {
			info.Message = f.Elsewhere(m.Name)
		}
		if m.Name == now.Name && (info.State != api.ModelHere || now.State == api.ModelFetching) {
			info.State, info.File, info.Done, info.Total, info.Message = now.State, now.File, now.Done, now.Total, now.Message
		}
		list.Models = append(list.Models, info)
	}
	return list
}

// Pull begins to fetch a model, or goes on with what is there of it, and returns at once.
func (f *Fetcher) Pull(name string) (api.ModelFetch, error) {
	var found *api.ModelInfo
	for _, m := range f.List().Models {
		if m.Name == name && !m.Unlisted {
			found = &m
		}
	}
	switch {
	case found == nil:
		return api.ModelFetch{}, &command.Error{Code: api.CodeUnknownName, Message: fmt.Sprintf("name: there is no model %.64q; models/list lists them", name)}
	case found.State == api.ModelHere:
		return api.ModelFetch{Name: name, State: api.ModelHere, Done: found.Bytes, Total: found.Bytes, Message: "it is here: " + found.Path}, nil
	case f.Elsewhere != nil && f.Elsewhere(name) != "":
		return api.ModelFetch{}, &command.Error{Code: api.CodeNotAvailable, Message: "name: " + f.Elsewhere(name)}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return api.ModelFetch{}, &command.Error{Code: api.CodeUnavailable, Message: "reachyd is ending"}
	case f.cancel != nil && f.now.Name == name:
		return f.now, nil
	case f.cancel != nil:
		return api.ModelFetch{}, &command.Error{Code: api.CodeBusy, Message: f.now.Name + " is being fetched; allowed is one model at a time"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel, f.now = cancel, api.ModelFetch{Name: name, State: api.ModelFetching, Total: found.Bytes}
	f.running.Go(func() {
		err := f.Store.Pull(ctx, name, f.Dir, f.progress)
		f.ended(err, ctx.Err() != nil)
		cancel()
	})
	f.tell()
	return f.now, nil
}

// Cancel ends the fetching of a model; what has come of it is kept, and the next Pull goes on from there.
func (f *Fetcher) Cancel(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel == nil || f.now.Name != name {
		return &command.Error{Code: api.CodeUnknownName, Message: fmt.Sprintf("name: %.64q is not being fetched", name)}
	}
	f.cancel()
	return nil
}

// Close ends what is being fetched, and waits for it.
func (f *Fetcher) Close() error {
	f.mu.Lock()
	f.closed = true
	if f.cancel != nil {
		f.cancel()
	}
	f.mu.Unlock()
	f.running.Wait()
	return nil
}

// tell publishes how far it has come; f.mu is held.
func (f *Fetcher) tell() {
	f.told = time.Now()
	f.Publish("", f.now)
}

func (f *Fetcher) progress(p models.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.File, f.now.Done, f.now.Total = p.File, p.Done, p.Total
	if time.Since(f.told) >= news {
		f.tell()
	}
}

// ended notes how the fetching ended.
func (f *Fetcher) ended(err error, cancelled bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancel = nil
	switch {
	case err == nil:
		f.now.State, f.now.Message = api.ModelHere, "it is used when reachyd starts the next time"
	case cancelled && errors.Is(err, context.Canceled):
		f.now.State, f.now.Message = api.ModelPartial, "cancelled; the next time it goes on from here"
	default:
		f.now.State, f.now.Message = api.ModelFailed, err.Error()
	}
	f.tell()
}

var _ command.Models = (*Fetcher)(nil)
