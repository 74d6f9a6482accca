package feedback

import (
	"fmt"
	"maps"

	"github.com/reachyd/reachyd/learner/preference"
)

// Lesson is what was learned of how a person likes the robot to behave.
type Lesson struct {
	Parameter string   `json:"parameter"`
	Option    string   `json:"option"`
	Words     string   `json:"words"`
	Learned   bool     `json:"learned"` // false: it is as it always was
	From      []string `json:"from"`    // ids of the latest feedback that it was learned from
	Pieces    int      `json:"pieces"`  // of feedback on it
}

// maxFrom is how many ids a lesson names.
const maxFrom = 10

// Learned says what was learned, for each parameter.
func (b *Book) Learned(session string) (all []Lesson) {
	for _, p := range preference.Parameters() {
		option, learned := b.o.Learner.Best(session, p.Name)
		l := Lesson{Parameter: p.Name, Option: p.Options[option].Name, Learned: learned, From: []string{}}
		l.Words = "I " + p.Options[option].Words + ", as I always did"
		if learned {
			l.Words = "You like it when I " + p.Options[option].Words
		}
		b.mu.Lock()
		for i := len(b.pieces) - 1; i >= 0; i-- {
			if about(&b.pieces[i], p.Name) {
				if l.Pieces++; len(l.From) < maxFrom {
					l.From = append(l.From, b.pieces[i].ID)
				}
			}
		}
		b.mu.Unlock()
		all = append(all, l)
	}
	return all
}

// about reports whether something was learned from a piece about a parameter.
func about(p *Piece, parameter string) bool {
	for _, o := range observations(p) {
		if _, there := o.Choices[parameter]; there {
			return true
		}
	}
	return false
}

// Forget forgets what was learned about a parameter, or everything when that is empty: the feedback stays, and no longer counts
// for it. It says of how many pieces that was.
func (b *Book) Forget(parameter string) (pieces int, err error) {
	if _, known := preference.Named(parameter); parameter != "" && !known {
		return 0, fmt.Errorf("%w: parameter: %q", ErrUnknown, parameter)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.relearn()
	for i := range b.pieces {
		p := b.pieces[i]
		p.Credits = append([]Credit(nil), p.Credits...)
		changed := false
		for k := range p.Credits {
			left := maps.Clone(p.Credits[k].Choices)
			maps.DeleteFunc(left, func(name string, _ int) bool { return parameter == "" || name == parameter })
			changed = changed || len(left) < len(p.Credits[k].Choices)
			p.Credits[k].Choices = left
		}
		if !changed {
			continue
		}
		if err := b.o.Store.Put(p); err != nil {
			return pieces, err
		}
		b.pieces[i] = p
		pieces++
	}
	return pieces, nil
}
