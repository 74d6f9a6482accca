package planner

// commandRules are the tables of the clauses that are no motion: what is refused, done at once, said, seen, searched.
type commandRules struct {
	harmless    []rule[deed]
	safe        []rule[protection]
	possible    []rule[attempt]
	unfelt      []rule[*parser]
	notFeelings []rule[feelingAt]
	notActs     []rule[act]
	unsaid      []rule[said]
	unseen      []rule[unseen]
	unsought    []rule[sought]
	notSearched []rule[query]
}

func newCommandRules() commandRules {
	return commandRules{
		harmless:    harmlessRules(),
		safe:        safeRules(),
		possible:    possibleRules(),
		unfelt:      unfeltRules(),
		notFeelings: notFeelingRules(),
		notActs:     notActRules(),
		unsaid:      unsaidRules(),
		unseen:      unseenRules(),
		unsought:    unsoughtRules(),
		notSearched: notSearchedRules(),
	}
}

func (r *commandRules) examples(f func(name, example string)) {
	examplesOf(r.harmless, f)
	examplesOf(r.safe, f)
	examplesOf(r.possible, f)
	examplesOf(r.unfelt, f)
	examplesOf(r.notFeelings, f)
	examplesOf(r.notActs, f)
	examplesOf(r.unsaid, f)
	examplesOf(r.unseen, f)
	examplesOf(r.unsought, f)
	examplesOf(r.notSearched, f)
}
