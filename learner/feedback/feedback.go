// Package feedback keeps what people think of the robot's doing: it finds out which action it was about, what it is worth, and
// lets the robot learn from it. A piece is stored before anybody is told that it was taken.
package feedback

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// Errors of Give, Correct and Delete.
var (
	ErrInvalid = errors.New("no feedback")
	ErrUnknown = errors.New("there is no such feedback")
)

// FieldError says which field was wrong; it wraps ErrInvalid or ErrUnknown.
type FieldError struct {
	Field, Value, Allowed string
	kind                  error
}

func (e *FieldError) Error() string {
	return e.Field + ": " + strings.TrimSpace(e.Value+" "+e.Allowed)
}

// Unwrap returns what kind of error it is.
func (e *FieldError) Unwrap() error { return e.kind }

func wrong(field string, value any, allowed string) error {
	return &FieldError{field, quoted(value), allowed, ErrInvalid}
}

// unknown says that something is not there.
func unknown(field, id string) error {
	return &FieldError{field, quoted(id), "is not there; allowed are those that are listed", ErrUnknown}
}

// quoted shows a value as JSON, shortened; nothing for none.
func quoted(value any) string {
	const most = 60
	if value == nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return strconv.Quote(truncate.Runes(text, most))
	}
	return fmt.Sprint(value)
}

// Verdicts are feedback in a word.
var Verdicts = map[string]float64{"great": 1, "good": 0.6, "bad": -0.6, "stop": -1}

// Action is something that the robot did.
type Action struct {
	Episode string         `json:"episode"` // trace of the turn
	Tool    string         `json:"tool"`
	Words   string         `json:"words"` // what the robot says that it did
	Choices map[string]int `json:"choices,omitempty"`
	At      time.Time      `json:"at"`
}

// Credit is the part of a piece that is about an action.
type Credit struct {
	Action
	Share float64 `json:"share"` // 0 … 1
}

// Piece is one piece of feedback.
type Piece struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at"`
	Session     string    `json:"session"` // whose it is
	Text        string    `json:"text,omitempty"`
	Verdict     string    `json:"verdict,omitempty"`
	Rating      int       `json:"rating,omitempty"` // 1 … 5
	Reward      float64   `json:"reward"`           // −1 … 1
	Uncertainty float64   `json:"uncertainty"`
	Reason      []string  `json:"reason"`
	Meant       []string  `json:"meant"`
	Corrected   bool      `json:"corrected"` // the reward is what a person says that it is
	Credits     []Credit  `json:"credits"`
	Route       *Route    `json:"route,omitempty"` // the answer that it is about
}

// Route is who answered a sentence of which no rule was sure.
type Route struct {
	Episode string    `json:"episode"`
	Asked   string    `json:"asked"`
	Way     string    `json:"way"`
	Usual   string    `json:"usual"` // what the rules would have done
	At      time.Time `json:"at"`
}

// Given is what a person gives: a text, a verdict or a rating.
type Given struct {
	Session string
	Text    string
	Verdict string // of Verdicts
	Rating  int    // 1 … 5; 0 for none
	Episode string // trace of the turn that it is about; empty: what was done last
}

// Store keeps pieces. Put returns when a piece would survive a power cut.
type Store interface {
	Put(p Piece) error
	Delete(id string) error
	// All returns the pieces, oldest first.
	All() ([]Piece, error)
}

// Options are the parts of a Book. Store and Learner must be there.
type Options struct {
	Store   Store
	Learner *preference.Learner
	// Told is called with every piece that was taken, corrected or deleted, after it was stored.
	Told func(p Piece, deleted bool)
	// Known reports whether there was a turn, or is one, that nothing need have been done in; nil: all are taken for that.
	Known func(episode string) (bool, error)
	// Routes learns who should answer; nil for nobody.
	Routes *preference.Routes
	Now    func() time.Time // time.Now when nil
	// Judge says what words are worth; the lexical model when nil.
	Judge func(text string) reward.Score
}

// Limits.
const (
	maxActions = 24              // that are remembered
	maxAge     = 3 * time.Minute // of an action that feedback without an episode is about
	maxText    = 2000            // bytes
	patience   = 40.0            // seconds, after which an action is e times less likely to be meant
	trailing   = 0.35            // how likely the action before the last one is, against the last
	named      = 8.0             // how much likelier an action is whose words are said
)

// Book is all feedback. Its methods may be called by many goroutines at once.
type Book struct {
	o     Options
	judge *reward.Personal

	mu      sync.Mutex
	pieces  []Piece // oldest first
	actions []Action
	route   map[string]Route // the latest, by session
	spoke   voices           // how the robot spoke last, beside what it did
	serial  int
	asked   map[string]question // by session
	askedAt time.Time           // when somebody was asked last
}

// Open reads what is stored, and lets the learner learn from it anew.
func Open(o Options) (*Book, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Told == nil {
		o.Told = func(Piece, bool) {}
	}
	if o.Judge == nil {
		o.Judge = func(text string) reward.Score { return reward.Default().Score(text) }
	}
	b := &Book{o: o, judge: reward.NewPersonal(o.Judge), asked: map[string]question{}, route: map[string]Route{}, spoke: voices{}}
	all, err := o.Store.All()
	if err != nil {
		return nil, fmt.Errorf("feedback: %w", err)
	}
	b.pieces = all
	for i := range all {
		if n := 0; len(all[i].ID) > 1 {
			if _, err := fmt.Sscanf(all[i].ID, "f%d", &n); err == nil {
				b.serial = max(b.serial, n)
			}
		}
		b.learnWords(&all[i])
	}
	b.relearn()
	return b, nil
}

// learnWords lets the reward model learn from a correction.
func (b *Book) learnWords(p *Piece) {
	if p.Corrected && p.Text != "" {
		b.judge.Teach(p.Session, p.Text, p.Reward)
	}
}

// relearn lets the learner learn from all pieces. b.mu is held, or nobody else has b.
func (b *Book) relearn() {
	all := make([]preference.Observation, 0, len(b.pieces))
	for i := range b.pieces {
		all = append(all, observations(&b.pieces[i])...)
	}
	b.o.Learner.Relearn(all)
	if b.o.Routes != nil {
		routes := make([]preference.Routed, 0, len(b.pieces))
		for i := range b.pieces {
			routes = append(routes, routed(&b.pieces[i])...)
		}
		b.o.Routes.Relearn(routes)
	}
}

// routed is what a piece says about who answered.
func routed(p *Piece) []preference.Routed {
	if p.Route == nil || reward.ClassOf(p.Reward) == reward.Neutral {
		return nil
	}
	return []preference.Routed{{
		Person: p.Session, Asked: p.Route.Asked, Way: p.Route.Way, Usual: p.Route.Usual, Reward: p.Reward, Weight: 1 - p.Uncertainty,
	}}
}

// Chose notes who answers a sentence of a session of which no rule was sure.
func (b *Book) Chose(session string, r Route) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.route[session]; !known && len(b.route) >= maxSessions {
		clear(b.route)
	}
	r.At = b.o.Now()
	b.route[session] = r
}

// maxSessions is of how many sessions it is remembered who answered last.
const maxSessions = 64

// routeOf is the answer that a piece is about: that of the episode which is named, or of the latest turn when nothing was done since
// in another one. b.mu is held.
func (b *Book) routeOf(g *Given, credits []Credit) *Route {
	r, known := b.route[g.Session]
	late := b.o.Now().Sub(r.At) >= maxAge
	named := g.Episode == r.Episode
	since := len(credits) > 0 && credits[0].At.After(r.At) && credits[0].Episode != r.Episode
	if !known || late || g.Episode != "" && !named || g.Episode == "" && since {
		return nil
	}
	return &r
}

// observations are what a piece says about the choices of the actions that it is about. What was done in one turn is judged
// together: that a greeting was bad says little of its speed when that was liked before.
func observations(p *Piece) (all []preference.Observation) {
	if reward.ClassOf(p.Reward) == reward.Neutral && len(p.Meant) == 0 {
		return nil // about something else
	}
	of := map[string]int{} // index in all, by episode
	for _, c := range p.Credits {
		i, begun := of[c.Episode]
		switch {
		case len(c.Choices) == 0:
			continue
		case !begun || c.Episode == "":
			i = len(all)
			of[c.Episode] = i
			all = append(all, preference.Observation{ID: p.ID, Person: p.Session, Choices: map[string]int{}, Reward: p.Reward, Meant: p.Meant})
		}
		maps.Copy(all[i].Choices, c.Choices)
		all[i].Weight += c.Share * (1 - p.Uncertainty)
	}
	for i := range all {
		narrow(all[i].Choices, p)
	}
	return all
}

// Did notes what the robot has done.
func (b *Book) Did(a Action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.At.IsZero() {
		a.At = b.o.Now()
	}
	b.actions = append(b.actions[max(0, len(b.actions)-maxActions+1):], a)
}

// DidAlone notes what the robot has done by itself, unless somebody has had it do something a moment ago: feedback is about that.
func (b *Book) DidAlone(a Action) {
	if !b.recently(aloneAfter) {
		b.Did(a)
	}
}

// aloneAfter is how long after an action what the robot does by itself may be meant instead.
const aloneAfter = time.Minute

// Give takes a piece. The error wraps ErrInvalid or is the store's, and then nothing was taken.
func (b *Book) Give(g Given) (Piece, error) {
	p, err := b.piece(g)
	if err != nil {
		return Piece{}, err
	}
	b.mu.Lock()
	if err := b.there(g.Episode); err != nil {
		b.mu.Unlock()
		return Piece{}, err
	}
	p.Credits = b.credit(g)
	p.Route = b.routeOf(&g, p.Credits)
	b.serial++
	p.ID = fmt.Sprintf("f%08d", b.serial)
	if err := b.o.Store.Put(p); err != nil {
		b.mu.Unlock()
		return Piece{}, err
	}
	b.pieces = append(b.pieces, p)
	for _, o := range observations(&p) {
		b.o.Learner.Learn(o)
	}
	for _, o := range routed(&p) {
		if b.o.Routes != nil {
			b.o.Routes.Learn(o)
		}
	}
	b.mu.Unlock()
	b.o.Told(p, false)
	return p, nil
}

// there refuses an episode that there never was. b.mu is held.
func (b *Book) there(episode string) error {
	done := func(a Action) bool { return a.Episode == episode }
	if episode == "" || b.o.Known == nil || slices.ContainsFunc(b.actions, done) {
		return nil
	}
	if known, err := b.o.Known(episode); known || err != nil {
		return err
	}
	judged := func(p Piece) bool {
		return slices.ContainsFunc(p.Credits, func(c Credit) bool { return done(c.Action) })
	}
	if slices.ContainsFunc(b.pieces, judged) {
		return nil
	}
	return wrong("episode", episode, "is no turn that the robot remembers; allowed is the trace of one, the id of a reply or of a chat completion, "+
		"or nothing, for what was done last")
}

// piece checks what was given, and says what it is worth.
func (b *Book) piece(g Given) (Piece, error) {
	p := Piece{At: b.o.Now(), Session: g.Session, Text: g.Text, Verdict: g.Verdict, Rating: g.Rating, Reason: []string{}, Meant: []string{}}
	worth, known := Verdicts[g.Verdict]
	switch {
	case g.Verdict != "" && !known:
		return p, wrong("verdict", g.Verdict, "is none; allowed are great, good, bad and stop")
	case g.Rating < 0 || g.Rating > 5:
		return p, wrong("rating", g.Rating, "is out of range 1…5")
	case len(g.Text) > maxText:
		return p, wrong("text", g.Text, fmt.Sprintf("has %d bytes; at most %d are allowed", len(g.Text), maxText))
	case reward.Plain(g.Text) == "" && g.Verdict == "" && g.Rating == 0:
		return p, wrong("text", nil, "says nothing; words, a verdict or a rating: one must be given")
	}
	if g.Text != "" {
		s := b.judge.Score(g.Session, g.Text)
		p.Reward, p.Uncertainty, p.Reason, p.Meant = s.Reward, s.Uncertainty, s.Reason, s.Meant
	}
	if g.Rating > 0 {
		p.Reward, p.Uncertainty = float64(g.Rating-3)/2, 0
	}
	if known {
		p.Reward, p.Uncertainty = worth, 0
	}
	return p, nil
}

// credit says which actions feedback is about. b.mu is held.
func (b *Book) credit(g Given) []Credit {
	var of []Credit
	now := b.o.Now()
	for i := len(b.actions) - 1; i >= 0; i-- {
		a := b.actions[i]
		switch {
		case g.Episode != "" && a.Episode == g.Episode:
			of = append(of, Credit{a, 1})
		case g.Episode == "" && now.Sub(a.At) < maxAge:
			of = append(of, Credit{a, math.Pow(trailing, float64(len(of))) * math.Exp(-now.Sub(a.At).Seconds()/patience)})
		}
	}
	if g.Episode != "" && len(of) == 0 {
		return []Credit{{Action{Episode: g.Episode, At: now}, 1}}
	}
	if g.Episode == "" {
		of = b.spoke.beside(of, g.Session, now)
	}
	byWords(g.Text, of)
	sum := 0.0
	for _, c := range of {
		sum += c.Share
	}
	for i := range of {
		of[i].Share = math.Round(1000*of[i].Share/sum) / 1000
	}
	return slices.DeleteFunc(of, func(c Credit) bool { return c.Share < leastShare })
}

// leastShare is the smallest part that is credited.
const leastShare = 0.02

// List returns the latest pieces, the newest first, at most limit.
func (b *Book) List(limit int) []Piece {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := append([]Piece{}, b.pieces[max(0, len(b.pieces)-limit):]...) // a list in JSON, also when it is empty
	slices.Reverse(all)
	return all
}

// Correct says what a piece is worth; the latest one of the session when id is empty. The robot learns anew from all pieces, and
// takes the same words as that from now on.
func (b *Book) Correct(id, session string, worth float64) (Piece, error) {
	if math.IsNaN(worth) || math.Abs(worth) > 1 {
		return Piece{}, wrong("reward", worth, "is out of range −1…1")
	}
	b.mu.Lock()
	i := b.find(id, session)
	if i < 0 {
		b.mu.Unlock()
		return Piece{}, unknown("feedback", id)
	}
	p := b.pieces[i]
	p.Reward, p.Uncertainty, p.Corrected = worth, 0, true
	if err := b.o.Store.Put(p); err != nil {
		b.mu.Unlock()
		return Piece{}, err
	}
	b.pieces[i] = p
	b.learnWords(&p)
	b.relearn()
	b.mu.Unlock()
	b.o.Told(p, false)
	return p, nil
}

// find returns the index of a piece, or of the latest one of a session when id is empty; −1 when there is none. b.mu is held.
func (b *Book) find(id, session string) int {
	for i := len(b.pieces) - 1; i >= 0; i-- {
		if b.pieces[i].ID == id || id == "" && (session == "" || b.pieces[i].Session == session) {
			return i
		}
	}
	return -1
}

// Delete removes a piece, and what was learned from it.
func (b *Book) Delete(id string) (Piece, error) {
	b.mu.Lock()
	i := b.find(id, "")
	if i < 0 || id == "" {
		b.mu.Unlock()
		return Piece{}, unknown("feedback", id)
	}
	p := b.pieces[i]
	if err := b.o.Store.Delete(p.ID); err != nil {
		b.mu.Unlock()
		return Piece{}, err
	}
	b.pieces = slices.Delete(b.pieces, i, i+1)
	b.judge.Forget()
	for i := range b.pieces {
		b.learnWords(&b.pieces[i])
	}
	b.relearn()
	b.mu.Unlock()
	b.o.Told(p, true)
	return p, nil
}
