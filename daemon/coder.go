package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/statecache"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/toolmanager"
)

// making is what a coder is made of.
type making struct {
	box      *toolmanager.Manager // nil: the robot can have no tools of its own
	registry *tool.Registry
	plans    *plans
	model    *llm.Client // nil: templates only
	store    *store.Store
	events   *event.Bus
	robot    *statecache.Cache
	mind     func() *coordinator.Coordinator
}

// openCoder returns what writes tools; nil when there is nowhere to keep them.
func (d *Daemon) openCoder(m making) *coder.Coder {
	if m.box == nil {
		return nil
	}
	o := coder.Options{
		Maker: m.box.Pipeline(), Tools: m.registry, Plan: m.plans.Plan, Do: m.box.Do, Policy: coder.Policy(d.Config.Tools.Write),
		Call: func(ctx context.Context, name string, args json.RawMessage) tool.Result {
			return m.mind().Call(ctx, name, args)
		},
		Failures: newFailures(m.store), Schedules: newSchedules(m.store), Publish: m.events.Publish,
		Failed:  func(err error) { d.Log.Warn().Err(err).Msg("writing tools") },
		Latched: func() bool { return m.robot.State().EStop },
		Busy:    func() bool { return m.robot.State().Moving },
	}
	if m.model != nil {
		o.Model = m.model
	}
	return coder.New(o)
}

// runCoder does what is done regularly, and ends or pauses it when somebody says stop, in whatever way.
func (d *Daemon) runCoder(parts *stack, c *coder.Coder, events *event.Bus) {
	if c == nil {
		return
	}
	parts.run("what is done regularly", c.Run)
	const enough = 64
	sub := events.Subscribe("coder", enough, api.TypeUtterance, api.TypeEStop)
	parts.run("stops of what is done regularly", func(ctx context.Context) error {
		defer sub.Close()
		for {
			select {
			case <-ctx.Done():
				return nil
			case e, ok := <-sub.Events():
				if !ok {
					return nil
				}
				switch data := e.Data.(type) {
				case api.Utterance:
					c.Heard(data.Text)
				case api.EStop:
					if data.Active {
						c.Stopped()
					}
				}
			}
		}
	})
}

// failures keeps attempts to write a tool that did not succeed.
type failures struct{ bucket *store.Bucket[coder.Failure] }

func newFailures(s *store.Store) failures {
	return failures{store.NewBucket[coder.Failure](s, "failures", store.Keep{Count: coder.MaxFailures})}
}

// SaveFailure implements coder.Failures.
func (f failures) SaveFailure(v coder.Failure) error {
	return f.bucket.Put(fmt.Sprintf("%016x", v.At.UnixNano()), v)
}

// LoadFailures implements coder.Failures.
func (f failures) LoadFailures() ([]coder.Failure, error) {
	all, err := f.bucket.Newest("", coder.MaxFailures)
	return all, err
}

// schedules keeps what is done regularly, in one document: it changes as a whole.
type schedules struct {
	bucket *store.Bucket[[]coder.Schedule]
}

const allSchedules = "all"

func newSchedules(s *store.Store) schedules {
	return schedules{store.NewBucket[[]coder.Schedule](s, "schedules", store.Keep{Count: 1})}
}

// SaveSchedules implements coder.Schedules.
func (s schedules) SaveSchedules(all []coder.Schedule) error {
	return s.bucket.Put(allSchedules, slices.Clone(all))
}

// LoadSchedules implements coder.Schedules.
func (s schedules) LoadSchedules() ([]coder.Schedule, error) {
	all, err := s.bucket.Get(allSchedules)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return all, err
}

var (
	_ coder.Failures  = failures{}
	_ coder.Schedules = schedules{}
)
