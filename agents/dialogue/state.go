package dialogue

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Bounds of what a conversation remembers.
const (
	maxUndo  = 20  // poses
	maxSteps = 100 // of the last command; a longer one cannot be repeated
)

// State is where a conversation is. The zero value is one that begins. It is small, and kept with its session.
type State struct {
	Last     *Command  `json:"last,omitempty"`     // the last command that was begun
	Moved    *Command  `json:"moved,omitempty"`    // the last that moved something, where Last did not
	Redo     *Pose     `json:"redo,omitempty"`     // where the robot was before the last was undone
	Undo     []Pose    `json:"undo,omitempty"`     // where the robot was before each movement, newest last
	Question *Question `json:"question,omitempty"` // what the robot has asked
	Thing    string    `json:"thing,omitempty"`    // what "it" is: looked at or named last
	Other    string    `json:"other,omitempty"`    // the thing before that
	Tilts    bool      `json:"tilts,omitempty"`    // the head went to a side by a tilt last
	Acts     Steps     `json:"acts,omitempty"`     // the last gestures and feelings, newest last
	Held     *Held     `json:"held,omitempty"`     // a command that waits for a word
	About    string    `json:"about,omitempty"`    // the part that was asked about, while nothing has been moved since

	unlearned bool // the network is not asked
	byRules   bool // sentences of which every word is accounted for are read by the rules, too
}

// Command is what a person has told the robot to do.
type Command struct {
	Text   string `json:"text"` // in whole words: what leaned on something is joined to that
	Steps  Steps  `json:"steps"`
	Before Pose   `json:"before"`
	Done   bool   `json:"done"`             // to its end
	Scaled bool   `json:"scaled,omitempty"` // it was so many times what there was
}

// Question is what the robot has asked, and the command that the answer completes.
type Question struct {
	Text string `json:"text"` // the unfinished command, with Hole where the answer belongs
	Say  string `json:"say"`
	// Whether says that the command is whole, and that the question is only whether it was said.
	Whether bool `json:"whether,omitempty"`
	// Errand says that the runtime does what the answer completes.
	Errand bool `json:"errand,omitempty"`
}

// Hole is where an answer belongs in a command, antennaHole where that is one of the antennas.
const (
	Hole        = "…"
	antennaHole = Hole + " antenna"
)

// Steps are steps of the planner that keep their axes when they are stored.
type Steps []planner.Step

// storedStep is a step as it is stored.
type storedStep struct {
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
	Inner Steps          `json:"inner,omitempty"`
	Axes  []planner.Way  `json:"axes,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (s Steps) MarshalJSON() ([]byte, error) {
	stored := make([]storedStep, len(s))
	for i, step := range s {
		inner, _ := step.Args["steps"].([]planner.Step)
		stored[i] = storedStep{Tool: step.Tool, Args: map[string]any{}, Inner: inner}
		for k, v := range step.Args {
			if _, nested := v.([]planner.Step); !nested {
				stored[i].Args[k] = v
			}
		}
		if step.Axes.Named() {
			for _, w := range step.Axes { // not as bytes, which JSON would encode
				stored[i].Axes = append(stored[i].Axes, w)
			}
		}
	}
	return json.Marshal(stored)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Steps) UnmarshalJSON(raw []byte) error {
	var stored []storedStep
	if err := json.Unmarshal(raw, &stored); err != nil {
		return err
	}
	*s = make(Steps, len(stored))
	for i, from := range stored {
		step := planner.Step{Tool: from.Tool, Args: from.Args}
		if step.Args == nil {
			step.Args = map[string]any{}
		}
		if len(from.Inner) > 0 {
			step.Args["steps"] = []planner.Step(from.Inner)
		}
		copy(step.Axes[:], from.Axes)
		(*s)[i] = step
	}
	return nil
}

// Begin notes that the robot does what r says, from where it is.
func (s *State) Begin(r *Reading, before Pose) {
	if r.Ask != nil || len(r.Plan.Steps) > 0 || r.Say != "" || s.Question == nil || s.Question.Say != "" { // talk leaves open what was refused
		s.Question = r.Ask
	}
	if len(r.Plan.Steps) > 0 || r.about != "" {
		s.About = r.about
	}
	if r.held != nil {
		s.Held = r.held
	}
	if len(r.Plan.Steps) == 0 {
		return
	}
	s.Held = r.held
	if done := acts(r.Plan.Steps); len(done) > 0 && len(done) <= maxActs {
		s.Acts = append(slices.Clone(s.Acts), done...)
		s.Acts = s.Acts[max(0, len(s.Acts)-maxActs):]
	}
	if thing := r.thing(); thing != "" && thing != s.Thing {
		s.Thing, s.Other = thing, s.Thing
	}
	s.tilt(r)
	if r.undone > 0 {
		s.Undo = s.Undo[:max(0, len(s.Undo)-r.undone)]
	}
	// A stop belongs to its own moment: "turn left, then stop", said again, turns again.
	repeats := slices.DeleteFunc(slices.Clone(r.repeats), func(step planner.Step) bool { return step.Tool == "stop" })
	if len(repeats) > 0 && len(repeats) <= maxSteps {
		if s.Last != nil && moves(s.Last.Steps) {
			s.Moved = s.Last
		}
		from := before
		if r.Base != nil {
			from = *r.Base
		}
		s.Last = &Command{Text: r.Text, Steps: toAndFro(repeats, from), Before: from, Scaled: r.scaled}
	}
}

// toAndFro are steps of which several go with one axis to places that no number says: said again, "look left, then right" goes to the
// same places, wherever the first round has ended.
func toAndFro(steps []planner.Step, start Pose) []planner.Step {
	times := planner.Axes{}
	for _, s := range steps {
		for a, way := range s.Axes {
			if way == planner.From || way == planner.Back {
				times[a]++
			}
		}
	}
	for i := range steps {
		resolved, _ := Resolve(steps[i], start, start)
		for a, way := range steps[i].Axes {
			if (way == planner.From || way == planner.Back) && times[a] > 1 {
				steps[i].Args = maps.Clone(steps[i].Args)
				steps[i].Args[arguments[a].name], steps[i].Axes[a] = resolved.Args[arguments[a].name], planner.To
			}
		}
	}
	return steps
}

// tilt notes whether the head goes to a side by a tilt; to be straightened changes nothing of it, to look does.
func (s *State) tilt(r *Reading) {
	for _, step := range r.Plan.Steps {
		roll, _ := step.Args[arguments[planner.Roll].name].(float64)
		yaw, _ := step.Args[arguments[planner.Yaw].name].(float64)
		switch {
		case step.Axes[planner.Roll] != planner.Unnamed && roll != 0:
			s.Tilts = true
		case step.Axes[planner.Yaw] != planner.Unnamed && yaw != 0, looks(r.Text):
			s.Tilts = false
		}
	}
}

// looks reports whether a text has a verb of looking.
func looks(text string) bool {
	return slices.ContainsFunc(language.Analyse(text).Tokens, func(t language.Token) bool { return gistVerbs[t.Word] == "look" })
}

// End notes where the robot is when what r says has ended.
func (s *State) End(r *Reading, before, now Pose, done bool) {
	if s.Last != nil && r.repeats != nil {
		s.Last.Done = done
	}
	if s.Redo = nil; r.undone > 0 || r.partly {
		s.Redo = &before
	}
	if r.undone == 0 && !same(before, now) {
		s.Undo = append(s.Undo, before)
		if n := len(s.Undo) - maxUndo; n > 0 {
			s.Undo = slices.Delete(s.Undo, 0, n)
		}
	}
}

// Copy returns a state that shares nothing that is changed.
func (s *State) Copy() State {
	c := *s
	c.Undo = slices.Clone(s.Undo)
	return c
}
