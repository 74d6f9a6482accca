package smalltalk

import "github.com/reachyd/reachyd/perception/language"

// Words and forms of what people say: see perception/language/en/talk.txt.
var (
	ownName = language.Patterns("own-name")
	youAre  = language.Reword("your-for-you-are")
	leftOut = language.Reword("left-out-verb")
	first   = language.Words("first-person")
	second  = language.Words("second-person")

	negatives   = language.Words("talk-negatives")
	remarks     = language.Words("talk-remarks")
	tellers     = language.Words("talk-tellers")
	echoed      = language.Words("talk-echoed")
	wishes      = language.Words("talk-wishes")
	stateVerbs  = language.Words("talk-states")
	leads       = language.Words("talk-leads")
	askers      = language.Words("talk-askers")
	openings    = language.Words("talk-openings")
	turnedRound = language.Words("talk-turned")
	tagged      = language.Words("talk-tagged")
	noWish      = language.Words("talk-no-wish")
	wishing     = language.Words("talk-wish")
	irregular   = language.Map("irregular-forms")

	cries        = language.Map("animal-cries")
	singular     = language.Map("singulars")
	uncounted    = language.Map("uncounted-things")
	sizeWords    = language.Map("size-words")
	lessWords    = language.Words("size-words-less")
	comparatives = language.Map("size-comparatives")
)
