package command

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

const (
	// rememberFor is how long an id is remembered.
	rememberFor = 10 * time.Minute
	// rememberMost is how many ids are remembered; the oldest go first.
	rememberMost = 1024
)

// Replies remembers replies over a restart. Put must not return before the reply would survive a power cut.
type Replies interface {
	Get(id string) (remembered []byte, ok bool, err error)
	Put(id string, remembered []byte, ttl time.Duration) error
}

// once makes every id act once.
type once struct {
	mu    sync.Mutex
	byID  map[string]*list.Element // of *entry
	order list.List                // oldest first
}

type entry struct {
	id     string
	digest string
	at     time.Time
	done   chan struct{} // closed when reply is set
	reply  []byte
}

// stored is an entry as Replies keeps it.
type stored struct {
	Digest string          `json:"digest"`
	Reply  json.RawMessage `json:"reply"`
}

func (o *once) do(ctx context.Context, replies Replies, now func() time.Time, id, verb string, payload []byte, act func() []byte) []byte {
	sum := sha256.Sum256(append([]byte(verb+"\x00"), payload...))
	digest := hex.EncodeToString(sum[:8])

	o.mu.Lock()
	o.forget(now())
	if el, ok := o.byID[id]; ok {
		e := el.Value.(*entry)
		o.mu.Unlock()
		if e.digest != digest {
			return reused(id)
		}
		select {
		case <-e.done:
			return e.reply
		case <-ctx.Done():
			return encode(Reply{ID: id, Error: &Error{Code: CodeInterrupted, Message: "the same command is still being carried out"}})
		}
	}
	e := &entry{id: id, digest: digest, at: now(), done: make(chan struct{})}
	if o.byID == nil {
		o.byID = map[string]*list.Element{}
	}
	o.byID[id] = o.order.PushBack(e)
	o.mu.Unlock()

	defer close(e.done)
	if replies != nil {
		if data, ok, err := replies.Get(id); err == nil && ok {
			var s stored
			if json.Unmarshal(data, &s) == nil {
				if e.reply = s.Reply; s.Digest != digest {
					e.reply = reused(id)
				}
				return e.reply
			}
		}
	}
	e.reply = act()
	if replies != nil {
		if data, err := json.Marshal(stored{digest, e.reply}); err == nil {
			// A store that fails must not keep the robot from answering; the id is then remembered until a restart.
			_ = replies.Put(id, data, rememberFor)
		}
	}
	return e.reply
}

// forget drops what is too old or too much. Ids whose command still runs are kept.
func (o *once) forget(now time.Time) {
	for el := o.order.Front(); el != nil; {
		e, next := el.Value.(*entry), el.Next()
		if now.Sub(e.at) < rememberFor && o.order.Len() < rememberMost {
			return
		}
		select {
		case <-e.done:
			o.order.Remove(el)
			delete(o.byID, e.id)
		default:
		}
		el = next
	}
}

func reused(id string) []byte {
	why := fmt.Sprintf("id: %q was used for another command in the last %d minutes; use a new one", id, int(rememberFor.Minutes()))
	return encode(Reply{ID: id, Error: &Error{Code: CodeIDReused, Message: why}})
}
