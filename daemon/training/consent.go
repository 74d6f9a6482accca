package training

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// answerTime is how long a person has to agree.
const answerTime = time.Minute

// onRobotTask is what can be practised on the robot itself.
const onRobotTask = "reach_pose"

// question is whether the robot may move to practise.
type question struct {
	id      string
	text    string
	until   time.Time
	request []byte // to the trainer, when the answer is yes
	task    string
	timer   *time.Timer
}

// consent is yes and no, as they are said; see perception/language/en/coder.txt.
var consent = language.Sentences("consent")

// ask asks a person whether the robot may move. Nothing moves before the answer.
func (s *Service) ask(a *api.TrainArgs, request []byte) (any, error) {
	if s.Floor == nil {
		return nil, errors.New("on_robot: this robot cannot be moved by learning")
	}
	if a.Task == "" {
		a.Task = onRobotTask
	}
	if a.Task != onRobotTask {
		return nil, fmt.Errorf("task: %q cannot be practised on the robot itself; %s can", a.Task, onRobotTask)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active {
		return nil, errors.New("something is being practised; stop it first")
	}
	s.drop()
	q := &question{id: rand.Text()[:8], until: time.Now().Add(s.patience()), request: request, task: a.Task}
	q.text = "May I move my head by myself to practise, for up to an hour? Stop me at any time. Yes or no?"
	q.timer = time.AfterFunc(s.patience(), func() { s.unanswered(q) })
	s.question = q
	told := q.told("asking")
	s.Events.Publish("", told)
	return told, nil
}

func (s *Service) patience() time.Duration {
	if s.AnswerTime > 0 {
		return s.AnswerTime
	}
	return answerTime
}

// told is how things stand with the question.
func (q *question) told(state string) api.Training {
	t := api.Training{State: state, Task: q.task, OnRobot: true, Message: q.text}
	if state == "asking" {
		t.Consent = q.id
	}
	return t
}

// drop forgets the question; s.mu is held.
func (s *Service) drop() {
	if s.question != nil {
		s.question.timer.Stop()
		s.question = nil
	}
}

func (s *Service) unanswered(q *question) {
	s.mu.Lock()
	late := s.question == q
	if late {
		s.drop()
	}
	s.mu.Unlock()
	if late {
		q.text = "nobody has agreed in time; the robot does not move"
		s.Events.Publish("", q.told("stopped"))
	}
}

// answer takes what a person says to the question of that id, or of any when it is empty.
func (s *Service) answer(ctx context.Context, id, answer string) (any, error) {
	s.mu.Lock()
	q := s.question
	if q != nil && (id == "" || id == q.id) {
		s.drop()
	}
	s.mu.Unlock()
	switch {
	case q == nil:
		return nil, errors.New("consent: nothing is being asked; start with on_robot first")
	case id != "" && id != q.id:
		return nil, fmt.Errorf("consent: %.20q is not the question that is asked", id)
	case answer != "yes":
		q.text = "somebody said no; the robot does not move"
		told := q.told("stopped")
		s.Events.Publish("", told)
		return told, nil
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	s.Floor.grant()
	var result json.RawMessage
	if err := s.client.Call(ctx, "POST", "/train", bytes.NewReader(q.request), &result); err != nil {
		s.Floor.withdraw(err)
		return nil, err
	}
	return result, nil
}

// Agreed takes a turn of conversation that answers the question, if there is one.
func (s *Service) Agreed(ctx context.Context, text string) (reply string, ok bool) {
	s.mu.Lock()
	asking := s.question != nil
	s.mu.Unlock()
	if !asking {
		return "", false
	}
	said := template.Split(strings.ReplaceAll(strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".!")), ",", ""))
	for _, answer := range []string{"yes", "no"} {
		if consent.Rule(answer).Find(said) == nil {
			continue
		}
		if _, err := s.answer(ctx, "", answer); err != nil {
			return "I cannot practise: " + err.Error() + ".", true
		}
		if answer == "no" {
			return "Then I will not move.", true
		}
		return "I begin. Say stop at any time.", true
	}
	return "", false
}

// stopped ends the agreement, because the robot was stopped or what was agreed to has ended.
func (s *Service) stopped(why error) {
	s.mu.Lock()
	s.drop()
	s.mu.Unlock()
	if s.Floor != nil {
		s.Floor.withdraw(why)
	}
}
