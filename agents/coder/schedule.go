package coder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// Kind says what a schedule is for.
type Kind string

// The kinds of schedules.
const (
	Routine  Kind = "routine"  // a tool is called regularly
	Watcher  Kind = "watcher"  // something is looked for until it is there
	Reminder Kind = "reminder" // something is said at a time
)

// Schedule is something that is done regularly, or later.
type Schedule struct {
	ID      int             `json:"id"`
	Kind    Kind            `json:"kind"`
	Text    string          `json:"text"` // what is done, as a person says it: "look left and right"
	Session string          `json:"session"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Moves   bool            `json:"moves"`
	Created time.Time       `json:"created"`
	Next    time.Time       `json:"next"`
	Every   time.Duration   `json:"every,omitempty"`  // 0: once
	Days    []time.Weekday  `json:"days,omitempty"`   // of the week, on which it comes; none: on any
	Until   time.Time       `json:"until,omitzero"`   // zero: for good
	Rounds  int             `json:"rounds,omitempty"` // still to be done; 0: any number
	Paused  bool            `json:"paused,omitempty"`
	Done    int             `json:"done"`    // rounds that were done
	Failing int             `json:"failing"` // rounds that failed one after the other
	Watch   *Watch          `json:"watch,omitempty"`
	Then    string          `json:"then,omitempty"`  // of a watcher: the tool that is called when it has seen something
	Does    string          `json:"does,omitempty"`  // and what that does, as a person says it
	Said    string          `json:"said,omitempty"`  // of a timer: the sentence with which it was set
	Clock   bool            `json:"clock,omitempty"` // it goes by the time of day, not by what has passed

	loaded bool          // of a former run, and not yet planned anew
	late   time.Duration // of Up: it has waited as long as it was to wait in all, whatever the clock says
}

// Watch is what a watcher looks for.
type Watch struct {
	Gone  bool     `json:"gone,omitempty"`  // tell what goes, not what comes
	Name  string   `json:"name,omitempty"`  // of the thing; empty: any
	Again bool     `json:"again,omitempty"` // go on after telling
	Known []string `json:"known"`
	Based bool     `json:"based"`           // Known is what was seen, not a guess
	Maybe []string `json:"maybe,omitempty"` // what was different at the last look; told when it still is at the next
}

// Limits of schedules.
const (
	maxFailing = 5 // rounds that may fail one after the other before a schedule is paused
	retryAfter = 5 * time.Second
	maxYears   = 366 * 24 * time.Hour // how far away something may be
)

// scheduler does what is to be done later.
type scheduler struct {
	c *Coder

	mu     sync.Mutex
	all    []Schedule
	last   int // ID
	loaded bool
	zero   time.Time        // what the clock would have shown as Up was zero
	wake   [2]chan struct{} // something changed, for each lane
}

// The lanes: what moves is done one after the other, and a reminder does not wait for it.
const (
	still = iota
	moving
)

func (k *Schedule) lane() int {
	if k.Moves {
		return moving
	}
	return still
}

func (s *scheduler) init(c *Coder) {
	s.c = c
	for i := range s.wake {
		s.wake[i] = make(chan struct{}, 1)
	}
}

// load reads what is kept. The caller holds mu.
func (s *scheduler) load() {
	if s.loaded {
		return
	}
	s.loaded = true
	if s.c.o.Schedules == nil {
		return
	}
	kept, err := s.c.o.Schedules.LoadSchedules()
	if err != nil {
		s.c.o.Failed(fmt.Errorf("load what is done regularly: %w", err))
		return
	}
	now, up := s.now(), s.c.o.Up()
	for i := range kept {
		s.last = max(s.last, kept[i].ID)
		kept[i].takeUp(now, up)
	}
	s.all = kept
}

// keep stores what there is, and tells when it cannot. The caller holds mu.
func (s *scheduler) keep() error {
	if s.c.o.Schedules == nil {
		return nil
	}
	err := s.c.o.Schedules.SaveSchedules(slices.Clone(s.all))
	if err != nil {
		s.c.o.Failed(fmt.Errorf("keep what is done regularly: %w", err))
	}
	return err
}

func (s *scheduler) changed() {
	for _, w := range s.wake {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// errFull and its like are sentences for a person.
type scheduleError string

func (e scheduleError) Error() string { return string(e) }

// add begins a schedule. The error is a sentence for a person.
func (s *scheduler) add(k Schedule) (Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	now := s.now()
	least := s.c.least(k.Moves)
	switch {
	case len(s.all) >= s.c.o.MaxSchedules:
		return k, scheduleError(fmt.Sprintf("I am doing %d things regularly already, which is the most that I do; cancel one of them first.", len(s.all)))
	case k.Every > 0 && k.Every < least:
		return k, scheduleError(fmt.Sprintf("Every %s is too often for me in the background; at most every %s.", sayDuration(k.Every), sayDuration(least)))
	case k.Next.Sub(now) > maxYears, k.Every > maxYears:
		return k, scheduleError("That is too far away; at most a year.")
	}
	for _, o := range s.all {
		if o.same(&k) {
			return o, scheduleError("I am doing that already.")
		}
	}
	s.last++
	k.ID, k.Created = s.last, now
	s.all = append(s.all, k)
	if err := s.keep(); err != nil { // what the next restart would forget is not promised
		s.all = s.all[:len(s.all)-1]
		return k, scheduleError("I will not do that, since I cannot keep it: " + unkept(err) + ".")
	}
	s.changed()
	return k, nil
}

// same says whether two schedules do the same at the same times.
func (k *Schedule) same(o *Schedule) bool {
	if k.Kind != o.Kind || k.Kind == Reminder || k.Paused || k.Every != o.Every || !slices.Equal(k.Days, o.Days) || k.Tool != o.Tool || k.Text != o.Text {
		return false
	}
	const near = time.Minute
	apart := k.Next.Sub(o.Next).Abs()
	return k.Every%dayLong != 0 || apart%k.Every < near // at another time of day it is another thing
}

// list returns all schedules in the order in which they were made.
func (s *scheduler) list() []Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	s.now() // they are as the clock is now
	return slices.Clone(s.all)
}

// unkept is why something could not be stored, for a person.
func unkept(err error) string {
	if errors.Is(err, ErrNoRoom) {
		return ErrNoRoom.Error()
	}
	return "my memory does not take it"
}

// end takes schedules out. An error means that they are back after a restart.
func (s *scheduler) end(ids []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	s.all = slices.DeleteFunc(slices.Clone(s.all), func(k Schedule) bool { return slices.Contains(ids, k.ID) })
	s.changed()
	return s.keep()
}

// pause pauses what moves.
func (s *scheduler) pause() {
	s.each(func(k *Schedule) bool {
		was := k.Paused
		k.Paused = k.Paused || k.Moves
		return k.Paused != was
	})
}

// resume lets all go on that was paused, and says how much that was.
func (s *scheduler) resume() int {
	return s.each(func(k *Schedule) bool {
		was := k.Paused
		k.Paused, k.Failing = false, 0
		if now := s.now(); was && k.Every > 0 && k.Next.Before(now) {
			k.skip(now)
		}
		return was
	})
}

func (s *scheduler) each(change func(k *Schedule) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	for i := range s.all {
		if change(&s.all[i]) {
			n++
		}
	}
	if n > 0 {
		_ = s.keep() // told as a failure; what was paused stays so until a restart
		s.changed()
	}
	return n
}

// due returns what a lane is to do now, or else how long to wait for it; 0: until something changes.
func (s *scheduler) due(lane int) (Schedule, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	now, up := s.now(), s.c.o.Up()
	before := len(s.all)
	s.all = slices.DeleteFunc(s.all, func(k Schedule) bool { return !k.Until.IsZero() && now.After(k.Until) })
	if len(s.all) < before {
		_ = s.keep() // what is over is found to be so again
	}
	var first *Schedule
	var wait time.Duration
	for i := range s.all {
		k := &s.all[i]
		if k.Paused || k.lane() != lane {
			continue
		}
		in := k.wait(now, up)
		if first == nil || in < wait {
			first, wait = k, in
		}
	}
	switch {
	case first == nil:
		return Schedule{}, 0
	case wait <= 0:
		return *first, 0
	case slices.ContainsFunc(s.all, func(k Schedule) bool { return k.Clock || k.loaded }):
		wait = min(wait, lookEvery) // nobody says when the clock is set
	}
	return Schedule{}, wait
}

func (s *scheduler) run(ctx context.Context) {
	var lanes sync.WaitGroup
	for lane := range s.wake {
		lanes.Go(func() { s.drive(ctx, lane) })
	}
	lanes.Wait()
}

// drive does what is in a lane.
func (s *scheduler) drive(ctx context.Context, lane int) {
	for ctx.Err() == nil {
		k, wait := s.due(lane)
		if k.ID != 0 {
			s.round(ctx, k)
			continue
		}
		var timer <-chan time.Time
		if wait > 0 {
			timer = s.c.o.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-s.wake[lane]:
		case <-timer:
		}
	}
}

// round does one round of a schedule and plans the next.
func (s *scheduler) round(ctx context.Context, k Schedule) {
	if k.Moves && (s.c.o.Latched() || s.c.o.Busy()) { // never against a stop, and never against somebody who is at it
		latched := s.c.o.Latched()
		s.settle(k.ID, func(k *Schedule) {
			k.Paused = k.Paused || latched // to release the stop restarts nothing
			k.Next, k.loaded = s.now().Add(retryAfter), false
		})
		return
	}
	res := s.c.o.Call(tool.Unattended(ctx), k.Tool, k.Args)
	if ctx.Err() != nil {
		return
	}
	told := ""
	ended := false
	s.settle(k.ID, func(k *Schedule) {
		now := s.now()
		k.Done++
		if k.Rounds > 0 {
			k.Rounds--
			ended = k.Rounds == 0
		}
		ended = ended || k.Every == 0
		k.plan(now)
		told = s.outcome(k, res, &ended)
		if ended {
			k.Until = now.Add(-1) // and out at the next look
		}
	})
	switch {
	case told == "":
	case k.Then != "" && res.OK():
		s.c.o.Publish("", api.Notification{Session: k.Session, Schedule: k.ID, Kind: string(k.Kind), Text: told})
		s.c.o.Call(ctx, k.Then, json.RawMessage("{}"))
	default:
		s.c.tell(ctx, k, told, res)
	}
}

// settle changes a schedule that may have been ended meanwhile.
func (s *scheduler) settle(id int, change func(k *Schedule)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.all, func(k Schedule) bool { return k.ID == id })
	if at < 0 {
		return
	}
	change(&s.all[at])
	_ = s.keep() // the round is done; after a restart it may be done again
}

// outcome says what a person must be told of a round; empty: nothing.
func (s *scheduler) outcome(k *Schedule, res tool.Result, ended *bool) string {
	if !res.OK() {
		if res.Code == tool.CodeCancelled { // by somebody who wanted something else
			return ""
		}
		if k.Kind == Reminder { // what was to be said is said without the tool
			return k.said()
		}
		if k.Failing++; k.Failing < maxFailing {
			return ""
		}
		k.Paused = true
		return fmt.Sprintf("I have tried %d times and could not do this: %s. I paused it. The last reason: %s", k.Failing, k.Text, res.Message)
	}
	k.Failing = 0
	switch k.Kind {
	case Reminder:
		return k.said()
	case Watcher:
		text := k.Watch.look(res)
		k.Args = k.Watch.args()
		if text != "" && !k.Watch.Again {
			*ended = true
		}
		return text
	}
	return ""
}

// said is what a reminder says.
func (k *Schedule) said() string {
	var a struct{ Text string }
	if json.Unmarshal(k.Args, &a) != nil || a.Text == "" {
		return k.Text
	}
	return a.Text
}

// tell tells a person something for which nobody waits.
func (c *Coder) tell(ctx context.Context, k Schedule, text string, res tool.Result) {
	c.o.Publish("", api.Notification{Session: k.Session, Schedule: k.ID, Kind: string(k.Kind), Text: text})
	if k.Kind == Reminder && (res.OK() || k.Tool == "speak") { // its tool has said it, or nobody can
		return
	}
	if spec, ok := c.o.Tools.Get("speak"); ok && spec.Unavailable == "" {
		c.o.Call(ctx, "speak", raw(args{"text": text}))
	}
}

// toYou says to a person what he said of himself.
func toYou(text string) string { return memory.ToYou(text) }
