package command

import (
	"strings"
	"testing"
)

// talks are conversations that note what was asked of them.
type talks struct{ asked []string }

func (s *talks) List() ([]Session, error) { return []Session{{ID: "kitchen", Exchanges: 2}}, nil }

func (s *talks) Show(id string) (any, error) {
	s.asked = append(s.asked, "show "+id)
	return map[string]any{"id": id}, nil
}

func (s *talks) Forget(id string) (any, error) {
	s.asked = append(s.asked, "forget "+id)
	return nil, &Error{Code: CodeInvalid, Message: "session: there is none"}
}

func TestSessions(t *testing.T) {
	d, _ := newDispatcher()
	kept := &talks{}
	d.Sessions = kept
	if r := do(t, d, "sessions/list", `{"id":"1"}`); !r.OK || !strings.Contains(string(encode(r)), `"id":"kitchen"`) {
		t.Errorf("%+v", r)
	}
	do(t, d, "sessions/show", `{"id":"2"}`)
	do(t, d, "sessions/show", `{"id":"2","session":"kitchen"}`) // reading again is harmless
	for range 2 {
		if r := do(t, d, "sessions/forget", `{"id":"3","session":"kitchen"}`); r.OK || r.Error.Code != CodeInvalid { // acts once
			t.Errorf("%+v", r)
		}
	}
	if got := strings.Join(kept.asked, ", "); got != "show , show kitchen, forget kitchen" {
		t.Errorf("asked: %s", got)
	}
	if r := do(t, d, "sessions/forget", `{"id":"4"}`); r.OK || !strings.Contains(r.Error.Message, "session") {
		t.Errorf("without a name: %+v", r)
	}
	if r := do(t, d, "sessions/show", `{"id":"5","session":"`+strings.Repeat("x", maxName+1)+`"}`); r.OK || r.Error.Code != CodeInvalid {
		t.Errorf("too long: %+v", r)
	}
}
