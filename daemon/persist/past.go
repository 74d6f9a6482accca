package persist

import (
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// Past shows what happened.
type Past struct {
	Archive *Archive
	Store   *store.Events
	Last    func() uint64 // ID of the newest event
}

// Events implements command.Past.
func (p *Past) Events(after *int, limit int, types []api.Type) (api.EventList, error) {
	list := api.EventList{Events: []api.Event{}, Last: p.Last()}
	var found []api.Event
	var err error
	if after != nil {
		found, err = p.Store.Since(uint64(*after), limit, types...)
	} else {
		found, err = p.Store.Newest(limit, types...)
	}
	list.Events = append(list.Events, found...)
	return list, err
}

// turn is a trace in a list.
type turn struct {
	ID         string              `json:"id"`
	Session    string              `json:"session"`
	TS         time.Time           `json:"ts"`
	Text       string              `json:"text"`
	Outcome    coordinator.Outcome `json:"outcome"`
	Reply      string              `json:"reply"`
	DurationMS float64             `json:"duration_ms"`
}

// Traces implements command.Past.
func (p *Past) Traces(limit int) (any, error) {
	latest, err := p.Archive.turns.Newest("", limit)
	if latest == nil {
		latest = []turn{}
	}
	return map[string]any{"traces": latest}, err
}

var _ command.Past = (*Past)(nil)
