package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/client"
)

// speaker is a voice that says no.
type speaker struct {
	Senses
	err error
}

func (s speaker) Synthesize(context.Context, string, string) (api.Sound, error) {
	return api.Sound{Audio: []byte("RIFF")}, s.err
}

// What cannot be made sound of is named as the field that it is, with what is allowed.
func TestSynthesizeNamesTheField(t *testing.T) {
	refused := func(reason string) error { return &client.Error{Status: http.StatusBadRequest, Reason: reason} }
	for _, c := range []struct {
		args                  string
		err                   error
		field, value, allowed string
	}{
		{`{"text":""}`, nil, "text", `""`, "1 to 2000 characters"},
		{`{"text":" \n"}`, nil, "text", `" \n"`, "1 to 2000 characters"},
		{`{}`, nil, "text", "", "missing"},
		{`{"text":"…"}`, refused("text: there is nothing in the text that can be said"), "text", `"…"`, "nothing in the text"},
		{`{"text":"hi","voice":"nobody"}`, refused("voice: there is none of that name; allowed are en-us, fr"), "voice", `"nobody"`, "allowed are en-us, fr"},
		{`{"text":"hi","voice":7}`, nil, "voice", "7", "text"},
		{`{"text":"hi"}`, nil, "", "", ""},
		{`{"text":"hi"}`, errors.New("the disk is full"), "", "", ""},
	} {
		d, _ := newDispatcher()
		d.Senses = speaker{err: c.err}
		if says := do(t, d, "speak", c.args); strings.Contains(c.allowed, "1 to") && (says.OK || says.Error.Fields[0].Field != "text") {
			t.Errorf("speak %s: %+v", c.args, says)
		}
		reply := do(t, d, "synthesize", c.args)
		switch {
		case c.field == "" && c.err == nil:
			if !reply.OK {
				t.Errorf("%s: %+v", c.args, reply.Error)
			}
		case c.field == "":
			if reply.OK || len(reply.Error.Fields) != 0 {
				t.Errorf("%s: %+v", c.args, reply)
			}
		case reply.OK || len(reply.Error.Fields) != 1 || reply.Error.Code != CodeInvalid:
			t.Errorf("%s: %+v", c.args, reply)
		default:
			f := reply.Error.Fields[0]
			if f.Field != c.field || f.Value != c.value || !strings.Contains(f.Allowed, c.allowed) ||
				!strings.HasPrefix(reply.Error.Message, fmt.Sprint(c.field, ": ", c.value)) {
				t.Errorf("%s: %+v", c.args, reply.Error)
			}
		}
	}
}
