package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/api"
)

// Chat says something to the robot and waits for what it answers.
func (c *Client) Chat(ctx context.Context, say api.ChatRequest) (api.ChatAnswer, error) {
	say.Stream = false
	return post[api.ChatAnswer](ctx, c, "/chat", say)
}

// Said is one thing that happens while the robot answers: token, tool_call, tool_result, handoff, or done with the whole answer.
type Said struct {
	Event string
	Data  json.RawMessage
}

// ChatStream says something to the robot and calls each with what happens, as it happens. It returns the whole answer.
func (c *Client) ChatStream(ctx context.Context, say api.ChatRequest, each func(Said)) (answer api.ChatAnswer, err error) {
	say.Stream = true
	r := request{method: http.MethodPost, path: prefix + "/chat", body: say, accept: "text/event-stream"}
	for m, err := range c.messages(ctx, r) {
		if err != nil {
			return answer, err
		}
		switch m.event {
		case "error":
			e := &Error{}
			if err := json.Unmarshal(m.data, &e.Problem); err != nil {
				return answer, fmt.Errorf("chat: the error cannot be read: %w", err)
			}
			return answer, e
		case "done":
			return answer, json.Unmarshal(m.data, &answer)
		}
		each(Said{m.event, m.data})
	}
	return answer, io.ErrUnexpectedEOF
}

// Sessions are the conversations that are kept, the latest first.
func (c *Client) Sessions(ctx context.Context) ([]api.SessionSummary, error) {
	list, err := get[api.SessionList](ctx, c, "/sessions")
	return list.Sessions, err
}

// Session is a conversation.
func (c *Client) Session(ctx context.Context, id string) (api.SessionInfo, error) {
	return get[api.SessionInfo](ctx, c, "/session/"+url.PathEscape(id))
}

// History is what was said in a conversation, the oldest first.
func (c *Client) History(ctx context.Context, id string) ([]api.Message, error) {
	h, err := get[api.History](ctx, c, "/session/"+url.PathEscape(id)+"/history")
	return h.Messages, err
}

// Forget removes a conversation and all that is kept of it.
func (c *Client) Forget(ctx context.Context, id string) (api.Forgotten, error) {
	return ask[api.Forgotten](ctx, c, request{method: http.MethodDelete, path: prefix + "/session/" + url.PathEscape(id)})
}

// Feedback says what a person thinks of what the robot did. It returns what that was taken for, −1 blame … 1 praise.
func (c *Client) Feedback(ctx context.Context, f api.FeedbackArgs) (reward float64, err error) {
	said := struct {
		Episode string `json:"episode_id,omitempty"`
		Text    string `json:"feedback_text,omitempty"`
		Verdict string `json:"verdict,omitempty"`
		Rating  int    `json:"rating,omitempty"`
		Session string `json:"session,omitempty"`
	}{f.Episode, f.Text, f.Verdict, f.Rating, f.Session}
	answer, err := post[api.FeedbackAnswer](ctx, c, "/feedback", said)
	return answer.Reward, err
}

// Events are those of the types, all when none is named, as they happen, until ctx ends or the loop is left. after is the ID of an event
// behind which it begins; 0: from now on. It ends with an error when the connection is lost: begin again behind the last ID.
func (c *Client) Events(ctx context.Context, after uint64, types ...api.Type) iter.Seq2[api.Event, error] {
	query := url.Values{}
	if after > 0 {
		query.Set("after", strconv.FormatUint(after, 10))
	}
	if len(types) > 0 {
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = string(t)
		}
		query.Set("types", strings.Join(names, ","))
	}
	return func(yield func(api.Event, error) bool) {
		r := request{method: http.MethodGet, path: prefix + "/events", query: query, accept: "text/event-stream"}
		for m, err := range c.messages(ctx, r) {
			var e api.Event
			if err == nil {
				err = json.Unmarshal(m.data, &e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// message is a server-sent event.
type message struct {
	event string
	data  json.RawMessage
}

// messages are the server-sent events that answer a request. The last one is an error, unless the loop is left.
func (c *Client) messages(ctx context.Context, r request) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		answer, err := c.open(ctx, r)
		if err != nil {
			yield(message{}, err)
			return
		}
		defer answer.Body.Close() //nolint:errcheck // only read
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, maxAnswer)
		var m message
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case name == "event":
				m.event = value
			case name == "data":
				m.data = append(m.data, value...)
			case lines.Text() == "" && m.data != nil:
				if !yield(m, nil) {
					return
				}
				m = message{}
			}
		}
		yield(message{}, errors.Join(ctx.Err(), lines.Err(), io.ErrUnexpectedEOF))
	}
}
