// Package onrobot lets a run of the learner move the robot itself: what the trainer asks, over a unix socket, and what it is answered.
// Who answers asks the body like everybody else, and only as long as a person agrees.
package onrobot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/local"
)

// Why the robot does not go on.
var (
	// ErrStopped means that a person has stopped the robot: nothing is practised until somebody agrees anew.
	ErrStopped = errors.New("the robot was stopped")
	// ErrTaken means that somebody else moves the robot: the episode is cut off.
	ErrTaken = errors.New("somebody else moves the robot")

	errUnavailable = errors.New("the robot cannot be reached")
)

// The statuses that say these errors; every other one but 200 means that there is no agreement, or that the robot cannot move.
const (
	StatusStopped = http.StatusForbidden
	StatusTaken   = http.StatusConflict
)

// Pace is how many times longer than in simulation a decision takes: learned motion has half the speed on the robot itself.
const Pace = 2.0

// Begin asks for the start of an episode: rad and m.
type Begin struct {
	Start hal.Head `json:"start"`
}

// Glide asks for the movement of one decision: rad and m.
type Glide struct {
	From hal.Head `json:"from"`
	To   hal.Head `json:"to"`
}

// Moved says where the head was on the way, evenly spaced and the last at the end, and whether the body changed what was asked.
type Moved struct {
	On      []hal.Head `json:"on"`
	Changed bool       `json:"changed"`
}

// Client asks for movements.
type Client struct {
	local *local.Client

	mu  sync.Mutex
	why error
}

// NewClient contacts nothing yet.
func NewClient(socket string) *Client {
	return &Client{local: local.NewClient(socket, errUnavailable, func(status int, reason string) error {
		switch status {
		case StatusStopped:
			return fmt.Errorf("%w: %s", ErrStopped, reason)
		case StatusTaken:
			return fmt.Errorf("%w: %s", ErrTaken, reason)
		}
		return errors.New(reason)
	})}
}

// Close ends all calls.
func (c *Client) Close() { c.local.Close() }

func (c *Client) ask(path string, in any) (m Moved, err error) {
	body, err := json.Marshal(in)
	if err == nil {
		err = c.local.Call(context.Background(), http.MethodPost, path, bytes.NewReader(body), &m)
	}
	if err == nil && len(m.On) == 0 {
		err = errUnavailable
	}
	if err != nil && !errors.Is(err, ErrTaken) {
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
	}
	return m, err
}

// Begin implements env.Live.
func (c *Client) Begin(start hal.Head) (hal.Head, error) {
	m, err := c.ask("/begin", Begin{start})
	if err != nil {
		return start, err
	}
	return m.On[len(m.On)-1], nil
}

// Glide implements env.Live.
func (c *Client) Glide(from, to hal.Head) (on []hal.Head, changed bool, err error) {
	m, err := c.ask("/glide", Glide{from, to})
	return m.On, m.Changed, err
}

// Pace implements env.Live.
func (c *Client) Pace() float64 { return Pace }

// Why is the reason why the robot does not go on; nil as long as it does.
func (c *Client) Why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}
