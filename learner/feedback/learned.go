package feedback

import (
	"fmt"
	"maps"
	"slices"

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
	return append(all, b.learnedRoutes(session)...)
}

// RouteName is the name under which what was learned of who answers is listed and forgotten.
const RouteName = "route"

// learnedRoutes are the sentences that are now answered by others than the rules say.
func (b *Book) learnedRoutes(session string) (all []Lesson) {
	if b.o.Routes == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := map[string]int{} // index in all, by sentence
	for i := len(b.pieces) - 1; i >= 0; i-- {
		p := &b.pieces[i]
		if p.Route == nil || p.Session != session {
			continue
		}
		ways := append([]string{p.Route.Usual}, b.waysOf(session)...)
		way, learned := b.o.Routes.Choose(session, p.Route.Asked, p.Route.Usual, ways)
		k, known := seen[p.Route.Asked]
		switch {
		case !learned || !known && len(all) == maxFrom:
			continue
		case !known:
			k = len(all)
			seen[p.Route.Asked] = k
			all = append(all, Lesson{
				Parameter: RouteName, Option: way, Learned: true, From: []string{},
				Words: fmt.Sprintf("You were not happy with my answers to %q: I take another way (%s) than my rules (%s)", p.Route.Asked, way, p.Route.Usual),
			})
		}
		if all[k].Pieces++; len(all[k].From) < maxFrom {
			all[k].From = append(all[k].From, p.ID)
		}
	}
	return all
}

// waysOf are the ways that a session has seen. b.mu is held.
func (b *Book) waysOf(session string) []string {
	ways := map[string]bool{}
	for i := range b.pieces {
		if r := b.pieces[i].Route; r != nil && b.pieces[i].Session == session {
			ways[r.Way] = true
		}
	}
	return slices.Sorted(maps.Keys(ways))
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
	if _, known := preference.Named(parameter); parameter != "" && parameter != RouteName && !known {
		return 0, unknown("parameter", parameter)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.relearn()
	for i := range b.pieces {
		p := b.pieces[i]
		p.Credits = append([]Credit(nil), p.Credits...)
		changed := p.Route != nil && (parameter == "" || parameter == RouteName)
		if changed {
			p.Route = nil
		}
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
