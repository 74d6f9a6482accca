package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

// watchPause is the time between two tries to reach the body.
const watchPause = 200 * time.Millisecond

var errFull = errors.New("too many clients of the SDK")

// join adds a client; with the first one the gateway begins to follow the body.
func (g *Gateway) join(c *client) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return net.ErrClosed
	case len(g.clients) >= maxClients:
		return errFull
	}
	g.serial++
	c.number = g.serial
	g.clients[c] = struct{}{}
	if g.watch == nil {
		var ctx context.Context
		ctx, g.watch = context.WithCancel(g.ctx)
		g.work.Add(1)
		go func() {
			defer g.work.Done()
			g.follow(ctx)
		}()
	}
	return nil
}

// leave takes a client out; with the last one the gateway stops to follow the body.
func (g *Gateway) leave(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.clients, c)
	if len(g.clients) == 0 && g.watch != nil {
		g.watch()
		g.watch = nil
	}
}

// each calls fn for every client.
func (g *Gateway) each(fn func(*client)) {
	g.mu.Lock()
	list := slices.Collect(maps.Keys(g.clients))
	g.mu.Unlock()
	for _, c := range list {
		fn(c)
	}
}

// follow tells the clients where the robot is, and once in statusPeriod how the daemon is, until ctx ends.
func (g *Gateway) follow(ctx context.Context) {
	g.run(func() {
		tick := time.NewTicker(statusPeriod)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				g.each(func(c *client) {
					if c.remote == nil { // the others ask
						c.show(encode(g.statusFor(c, facePatience)))
					}
				})
			}
		}
	})
	for ctx.Err() == nil {
		_ = g.Body.Watch(ctx, stateRate, func(m body.Message) { // a body that is gone comes again
			if m.State != nil {
				g.publish(m.State)
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(watchPause):
		}
	}
}

// publish sends a state to all clients, and to the recordings.
func (g *Gateway) publish(s *hal.State) {
	joints, pose := encode(jointsOf(s)), encode(poseOf(s))
	g.each(func(c *client) {
		if c.remote != nil {
			c.pushPose()
		} else {
			c.show(joints, pose)
		}
		c.record(s)
	})
}

// encode turns a message into JSON. The messages are made of numbers that came as JSON, and of text: nothing can fail.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
