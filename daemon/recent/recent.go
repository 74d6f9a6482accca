// Package recent remembers the latest of many short texts.
package recent

import "sync"

// Texts are the latest texts by their ids; older ones are forgotten.
type Texts struct {
	mu     sync.Mutex
	texts  map[string]string
	latest []string // ids, in a ring
	next   int
}

// Note remembers the text of an id, one of the latest most, which is the same number at each call. Noted again an id has its new text, and
// is as old as before.
func (t *Texts) Note(id, text string, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil {
		t.texts = map[string]string{}
		t.latest = make([]string, most)
	}
	if _, again := t.texts[id]; !again {
		delete(t.texts, t.latest[t.next])
		t.latest[t.next] = id
		t.next = (t.next + 1) % most
	}
	t.texts[id] = text
}

// Get is the text of an id that is remembered.
func (t *Texts) Get(id string) (text string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, known = t.texts[id]
	return text, known
}
