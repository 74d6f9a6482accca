package eval

import (
	"context"
	_ "embed" // the conversation
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/agents/trace"
)

//go:embed conversation.txt
var conversation string

// line is a sentence of a conversation.
type line struct {
	text string
	// interrupts says that it is said as soon as the robot has begun to answer the one before.
	interrupts bool
}

// script reads sentences, a line each; "! " before one says that it interrupts, and what begins with # is left out.
func script(text string) (all []line) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		rest, interrupts := strings.CutPrefix(l, "! ")
		if l != "" && !strings.HasPrefix(l, "#") {
			all = append(all, line{rest, interrupts && len(all) > 0})
		}
	}
	return all
}

// Conversation lets the whole robot talk, and writes down what was said and done; an empty text is the suite's own conversation. Whether a
// reply claims what was not done is for who reads it. What is measured is how long the robot was silent in the turns for which it asked the
// model, and the tokens that it sent.
func (s *Suite) Conversation(ctx context.Context, text string, out io.Writer) (items []Item, err error) {
	stage := rehearsal.NewStage()
	defer func() { err = errors.Join(err, stage.Close()) }()
	stage.Model, stage.Patience = s.Model, robotPatience
	talk := stage.Begin()
	defer func() { err = errors.Join(err, talk.Close(ctx)) }()
	if text == "" {
		text = conversation
	}
	lines := script(text)
	for i := 0; i < len(lines); {
		said := begin(ctx, talk, lines[i].text)
		all := []*saying{said}
		for i++; i < len(lines) && lines[i].interrupts; i++ {
			said.wait()
			said = begin(ctx, talk, lines[i].text)
			all = append(all, said)
		}
		for _, said := range all {
			<-said.done
			if said.err != nil {
				return items, said.err
			}
			if err := said.write(out); err != nil {
				return items, err
			}
			if item, asked := said.item(); asked {
				items = s.add(items, item)
			}
		}
	}
	return items, nil
}

// saying is a turn under way. It is a coordinator.Listener.
type saying struct {
	text  string
	start time.Time
	done  chan struct{}
	turn  rehearsal.Turn
	err   error
	took  time.Duration

	once  sync.Once
	spoke chan struct{} // closed at the first word
	first time.Duration // until then
}

func begin(ctx context.Context, talk *rehearsal.Conversation, text string) *saying {
	s := &saying{text: text, start: time.Now(), done: make(chan struct{}), spoke: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.turn, s.err = talk.Say(coordinator.WithListener(ctx, s), text)
		s.took = time.Since(s.start)
		s.Partial(s.turn.Reply)
	}()
	return s
}

// wait waits for the first word, or the end.
func (s *saying) wait() {
	select {
	case <-s.spoke:
	case <-s.done:
	}
}

// Thinks implements coordinator.Listener.
func (s *saying) Thinks() {}

// Partial implements coordinator.Listener.
func (s *saying) Partial(string) {
	s.once.Do(func() {
		s.first = time.Since(s.start)
		close(s.spoke)
	})
}

// write writes down what was said and done.
func (s *saying) write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "> %s\n%s\n", s.text, s.turn.Reply)
	for _, step := range s.turn.Steps {
		fmt.Fprintf(&b, "  %s %s\n", step.Tool, step.Args)
	}
	fmt.Fprintf(&b, "  (first word after %s, all after %s)\n", seconds(s.first), seconds(s.took))
	_, err := io.WriteString(out, b.String())
	return err
}

// item is what was measured; asked says that the model was.
func (s *saying) item() (item Item, asked bool) {
	item = Item{Kind: KindTurn, Name: s.text, Passed: true, Got: oneLine(s.turn.Reply), Took: s.first}
	for _, span := range s.turn.Spans {
		if span.Kind != trace.Model {
			continue
		}
		if prompt, ok := span.Data["prompt_tokens"].(int); ok && prompt > 0 {
			item.Prompt = prompt
			item.Cached, _ = span.Data["cached_tokens"].(int)
			return item, true
		}
	}
	return item, false
}

var _ coordinator.Listener = (*saying)(nil)
