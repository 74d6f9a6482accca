package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const (
	// maxRecord is the most bytes of a recording as it is sent: the SDK's client ends at 1 MiB.
	maxRecord = 1<<20 - 4096
	// maxRemoteRecord is that for a client over WebRTC: browsers take messages of 256 KiB.
	maxRemoteRecord = 256<<10 - 4096
	// maxKept is the most bytes of a recording while it is made.
	maxKept = 16 << 20
)

// recorder keeps what a client records: the targets that it appends, or, while it appends none, where the robot is.
type recorder struct {
	on       bool
	since    time.Time
	appended []json.RawMessage
	seen     []json.RawMessage
	bytes    int
}

type recordFrame struct {
	Time     float64       `json:"time"` // s since the beginning
	Head     [4][4]float64 `json:"head"`
	Antennas [2]float64    `json:"antennas"`
	BodyYaw  float64       `json:"body_yaw"`
	Check    bool          `json:"check_collision"`
}

func startRecording(_ context.Context, c *client, _ *message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rec = recorder{on: true, since: time.Now()}
	return nil
}

func appendRecord(_ context.Context, c *client, m *message) error {
	if len(m.Record) == 0 || m.Record[0] != '{' {
		return errors.New("record is missing or no object")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.rec.on {
		return errors.New("no recording is being made")
	}
	c.rec.seen = nil
	return c.rec.keep(&c.rec.appended, m.Record)
}

func (r *recorder) keep(list *[]json.RawMessage, frame json.RawMessage) error {
	if r.bytes += len(frame); r.bytes > maxKept {
		return errors.New("the recording is full")
	}
	*list = append(*list, frame)
	return nil
}

// record adds a measured state, for those who guide the robot by hand.
func (c *client) record(s *hal.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.rec
	if !r.on || len(r.appended) > 0 {
		return
	}
	frame := encode(recordFrame{
		Time: time.Since(r.since).Seconds(), Head: matrix(s.Head), Antennas: [2]float64{s.Antennas.Right, s.Antennas.Left}, BodyYaw: s.BodyYaw,
	})
	_ = r.keep(&r.seen, frame) // a full recording stays as it is
}

func stopRecording(_ context.Context, c *client, _ *message) error {
	c.mu.Lock()
	list := c.rec.appended
	if len(list) == 0 {
		list = c.rec.seen
	}
	c.rec = recorder{}
	c.mu.Unlock()
	most := maxRecord
	if c.remote != nil {
		most = maxRemoteRecord
	}
	c.tell(recorded(thin(list, most)))
	return nil
}

// thin leaves every second frame out until the rest fits into a message.
func thin(list []json.RawMessage, most int) []json.RawMessage {
	for {
		size := 0
		for _, f := range list {
			size += len(f) + 1
		}
		if size <= most {
			return list
		}
		half := make([]json.RawMessage, 0, (len(list)+1)/2)
		for i := 0; i < len(list); i += 2 {
			half = append(half, list[i])
		}
		list = half
	}
}

func recorded(list []json.RawMessage) []byte {
	if list == nil {
		list = []json.RawMessage{}
	}
	return encode(struct {
		Type string            `json:"type"`
		Data []json.RawMessage `json:"data"`
	}{"recorded_data", list})
}
