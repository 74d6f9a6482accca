package perception

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/perception/language"
)

// fillerAfter is how long a model may think before the robot says that it does.
const fillerAfter = time.Second

// fillers are said while a model thinks: see perception/language/en/calling.txt.
var fillers = sync.OnceValue(func() []string {
	var all []string
	for key, text := range language.Texts("thinking") {
		if strings.HasPrefix(key, "filler") {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
})

// mouth says the reply of one turn, sentence by sentence as it comes. What was interrupted is not gone on with.
type mouth struct {
	s   *Service
	ctx context.Context
	end context.CancelFunc

	mu     sync.Mutex
	text   string        // the reply as far as it has come
	begun  int           // bytes of text that are being said, or have been
	last   bool          // text is all of it
	cut    bool          // somebody has interrupted
	filler string        // to be said now, for nothing has come
	more   chan struct{} // there is something to say

	heard []string
	timer *time.Timer
	done  sync.WaitGroup
}

func (s *Service) newMouth(ctx context.Context) *mouth {
	m := &mouth{s: s, more: make(chan struct{}, 1)}
	m.ctx, m.end = context.WithCancel(ctx)
	m.done.Go(m.run)
	return m
}

// Thinks implements coordinator.Listener: when nothing has come for a second, it is said that there is being thought.
func (m *mouth) Thinks() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		return
	}
	m.timer = time.AfterFunc(fillerAfter, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.text == "" && !m.last {
			m.filler = fillers()[int(m.s.fillers.Add(1)-1)%len(fillers())]
			m.wake()
		}
	})
}

// Partial implements coordinator.Listener.
func (m *mouth) Partial(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.HasPrefix(text, m.text[:m.begun]) {
		m.text = text
		m.wake()
	}
}

func (m *mouth) wake() {
	select {
	case m.more <- struct{}{}:
	default:
	}
}

// finish says what is left of the reply and waits for its end. It returns what was heard of it, and whether it was cut off.
func (m *mouth) finish(reply string) (heard string, cut bool) {
	m.mu.Lock()
	if m.timer != nil {
		m.timer.Stop()
	}
	m.last = true
	if strings.HasPrefix(reply, m.text[:m.begun]) {
		m.text = reply
	} else { // it has become another one
		m.text, m.begun = reply, 0
	}
	m.wake()
	m.mu.Unlock()
	m.done.Wait()
	return strings.Join(m.heard, " "), m.cut
}

// close ends it; what is being said is broken off.
func (m *mouth) close() {
	m.mu.Lock()
	if m.timer != nil {
		m.timer.Stop()
	}
	m.mu.Unlock()
	m.end()
	m.done.Wait()
}

// run says what there is to say.
func (m *mouth) run() {
	for {
		text, filler, end := m.next()
		switch {
		case end:
			return
		case filler != "":
			m.say(filler)
		case text != "":
			if heard := m.say(text); heard != "" {
				m.heard = append(m.heard, heard)
			}
		default:
			select {
			case <-m.more:
			case <-m.ctx.Done():
				return
			}
		}
	}
}

// next is what is to be said now; end when there will be no more.
func (m *mouth) next() (text, filler string, end bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	filler, m.filler = m.filler, ""
	text = strings.TrimSpace(m.text[m.begun:])
	if text != "" {
		m.begun, filler = len(m.text), ""
	}
	return text, filler, m.cut || m.last && text == "" && filler == ""
}

func (m *mouth) say(text string) string {
	heard, cut := m.s.say(m.ctx, text)
	m.mu.Lock()
	m.cut = m.cut || cut
	m.mu.Unlock()
	return strings.TrimSpace(heard)
}

var _ coordinator.Listener = (*mouth)(nil)
