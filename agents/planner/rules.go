package planner

// step is what a rule made of the tokens at hand.
type step uint8

const (
	pass  step = iota // nothing: the next rule is asked
	taken             // it read them
	stop              // they are not what is being read: no other rule is asked
)

// when is taken for true, else pass.
func when(yes bool) step {
	if yes {
		return taken
	}
	return pass
}

// rule is one way to read the tokens at hand. What a clause may hold is a table of rules, asked in order.
type rule[S any] struct {
	name    string // of its own in the whole planner
	example string // a sentence that the rule takes or stops; a test says it
	read    func(S) step
}

// reached is told which rule did not pass; nil but in tests.
var reached func(name string)

// first asks the rules in order until one does not pass.
func first[S any](rules []rule[S], s S) step {
	for i := range rules {
		if st := rules[i].read(s); st != pass {
			if reached != nil {
				reached(rules[i].name)
			}
			return st
		}
	}
	return pass
}

// rulebook holds the tables of rules. They are functions of each other, so they are made by New and not package variables.
type rulebook struct {
	commandRules
	slots    []rule[*slotReader]
	fragment []rule[*fragmentReader]
	finish   []rule[*finishReader]
	joint    []rule[*jointReader]
}

func newRulebook() *rulebook {
	return &rulebook{
		commandRules: newCommandRules(),
		slots:        slotRules(),
		fragment:     fragmentRules(),
		finish:       finishRules(),
		joint:        jointRules(),
	}
}

// examples calls f for every rule.
func (b *rulebook) examples(f func(name, example string)) {
	b.commandRules.examples(f)
	examplesOf(b.slots, f)
	examplesOf(b.fragment, f)
	examplesOf(b.finish, f)
	examplesOf(b.joint, f)
}

func examplesOf[S any](rules []rule[S], f func(name, example string)) {
	for i := range rules {
		f(rules[i].name, rules[i].example)
	}
}
