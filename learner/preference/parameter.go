// Package preference learns how a person likes the robot to behave: how fast and how wide it moves, which gesture it greets with,
// how lively it is by itself, how loud, fast and long it speaks. It learns from rewards, as a contextual bandit: a Bayesian linear model (in its dual form, a Gaussian
// process over options, people and parameters), from which options are drawn by Thompson sampling.
//
// What it may choose from is a table: nothing that is learned leads beyond the options, which lie inside the robot's envelope.
package preference

import (
	"fmt"
	"slices"
)

// Option is one way to behave.
type Option struct {
	Name  string  `json:"name"`
	Value float64 `json:"value,omitempty"` // a factor, where the parameter is one
	Words string  `json:"words"`           // after "you like it when I"
}

// Parameter is something that people have opinions about.
type Parameter struct {
	Name    string
	About   string
	Options []Option
	Usual   int  // what the robot does before it has learned anything
	Ordered bool // options rise: what is said of one says something of its neighbours
	Speech  bool // it is about how the robot speaks, not about what it does
	// TooMuch and TooLittle are meanings of package reward which say that the option was too high or too low.
	TooMuch, TooLittle []string
}

// The parameters.
const (
	Speed    = "speed"
	Size     = "size"
	Greeting = "greeting"
	Idle     = "idle"
	Asking   = "asking"
	Volume   = "volume"
	Rate     = "rate"
	Length   = "length"
)

var parameters = []Parameter{
	{
		Name: Speed, About: "how fast it moves when nothing is said of it", Usual: 2, Ordered: true,
		TooMuch: []string{"too_fast"}, TooLittle: []string{"too_slow"},
		Options: []Option{
			{"very_slow", 0.5, "move very slowly"},
			{"slow", 0.7, "move slowly"},
			{"usual", 1, "move at my usual speed"},
			{"quick", 1.35, "move quickly"},
			{"very_quick", 1.8, "move very quickly"},
		},
	},
	{
		Name: Size, About: "how wide gestures and emotions are", Usual: 2, Ordered: true,
		TooMuch: []string{"too_far"}, TooLittle: []string{"not_far_enough"},
		Options: []Option{
			{"tiny", 0.4, "make very small gestures"},
			{"small", 0.7, "make small gestures"},
			{"usual", 1, "make gestures of the usual size"},
			{"wide", 1.2, "make wide gestures"},
			{"very_wide", 1.4, "make very wide gestures"},
		},
	},
	{
		Name: Greeting, About: "which gesture it greets with", Usual: 0,
		Options: []Option{
			{"none", 0, "greet with words only"},
			{"nod", 0, "nod when we greet"},
			{"bow", 0, "bow when we greet"},
			{"wiggle_antennas", 0, "wiggle my antennas when we greet"},
		},
	},
	{
		Name: Idle, About: "how lively it is by itself", Usual: 1, Ordered: true,
		TooMuch: []string{"too_often"},
		Options: []Option{
			{"still", 0.4, "look around seldom when nobody asks for anything"},
			{"usual", 1, "look around now and then"},
			{"lively", 1.8, "look around often"},
		},
	},
	{
		Name: Asking, About: "how often it asks what was meant", Usual: 1, Ordered: true,
		TooMuch: []string{"too_often"},
		Options: []Option{
			{"never", 0, "never ask what you meant"},
			{"seldom", 1, "ask seldom what you meant"},
		},
	},
	{
		Name: Volume, About: "how loud it speaks, as a part of the volume in the configuration", Usual: 2, Ordered: true, Speech: true,
		TooMuch: []string{"too_loud"}, TooLittle: []string{"too_quiet"},
		Options: []Option{
			{"very_quiet", 0.5, "speak very quietly"},
			{"quiet", 0.75, "speak quietly"},
			{"usual", 1, "speak at my usual volume"},
			{"loud", 1.25, "speak loudly"},
			{"very_loud", 1.5, "speak very loudly"},
		},
	},
	{
		Name: Rate, About: "how fast it speaks", Usual: 2, Ordered: true, Speech: true,
		TooMuch: []string{"too_fast"}, TooLittle: []string{"too_slow"},
		Options: []Option{
			{"very_slow", 0.7, "speak very slowly"},
			{"slow", 0.85, "speak slowly"},
			{"usual", 1, "speak at my usual rate"},
			{"quick", 1.2, "speak quickly"},
			{"very_quick", 1.4, "speak very quickly"},
		},
	},
	{
		Name: Length, About: "how long its answers in conversation are", Usual: 1, Ordered: true, Speech: true,
		TooMuch: []string{"too_long"}, TooLittle: []string{"too_short"},
		Options: []Option{
			{"short", -1, "answer in one short sentence"},
			{"usual", 0, "answer as briefly as I always do"},
			{"long", 1, "answer at length, in three or four sentences"},
		},
	},
}

// Parameters are all of them.
func Parameters() []Parameter { return slices.Clone(parameters) }

// Named returns the parameter of that name, and whether there is one.
func Named(name string) (Parameter, bool) {
	i := index(name)
	if i < 0 {
		return Parameter{}, false
	}
	return parameters[i], true
}

func all() (names []string) {
	for i := range parameters {
		names = append(names, parameters[i].Name)
	}
	return names
}

// Value is what the option that is believed best for a person stands for. What everybody would notice, such as another volume, is
// not tried out.
func (l *Learner) Value(person, parameter string) (value float64, option int) {
	option, _ = l.Best(person, parameter)
	if p, known := Named(parameter); known {
		value = p.Options[option].Value
	}
	return value, option
}

func index(name string) int {
	return slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
}

// Option returns the number of the option of that name; the error names what is allowed.
func (p Parameter) Option(name string) (int, error) {
	names := make([]string, len(p.Options))
	for i, o := range p.Options {
		if names[i] = o.Name; o.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: %q is not one of %v", p.Name, name, names)
}

// Fixed reads what the owner has fixed: parameters with the names of options. The error names what is allowed.
func Fixed(names map[string]string) (map[string]int, error) {
	fixed := make(map[string]int, len(names))
	for name, option := range names {
		p, known := Named(name)
		if !known {
			return nil, fmt.Errorf("learning.fixed: %q is none of %v", name, all())
		}
		o, err := p.Option(option)
		if err != nil {
			return nil, fmt.Errorf("learning.fixed: %w", err)
		}
		fixed[name] = o
	}
	return fixed, nil
}
