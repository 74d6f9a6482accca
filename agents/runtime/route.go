package runtime

import (
	"context"
	"regexp"
	"strings"

	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
)

// Mode is a way of working.
type Mode string

// The modes.
const (
	Direct Mode = "direct" // one answer, no tools
	ReAct  Mode = "react"  // think, act, look at what came of it, again
	Plan   Mode = "plan"   // plan first, then act, plan anew when something fails
)

// Route says who answers a request, how, and why.
type Route struct {
	Agent string
	Mode  Mode
	Why   string
	Sure  bool // a rule decided; without it a model is asked, if there is one
	// signs counts for each specialist the words of the person that speak for it.
	signs map[string]int
}

// signs are words that speak for an agent.
type signs struct {
	agent string
	words *regexp.Regexp
	why   string
}

func wordsOf(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(strings.Join(alternatives, "|"), " ", `\s+`) + `)\b`)
}

// The order matters: what stands first wins where several speak for themselves equally often.
var allSigns = []signs{
	{Code, wordsOf(
		`(?:which|what) tools`, `i need (?:a|another) (?:\w+ )?(?:tool|function|program|script)`, `(?:tool|function|script|program|skill) (?:is|was|does|gives|fails?|failed|returned)`, `(?:write|some|the|your) code`, `teach yourself`, `learn (?:how )?to`, `a new (?:trick|skill|ability)`, `program(?:me)? (?:a|an|the|your|some)`,
		`(?:write|make|create|build|program|code|develop|generate|invent|give yourself|add|learn) (?:me |yourself |us )?(?:a |an |another |the |some )?(?:\w+ ){0,3}(?:tool|function|script|program|skill|command|routine|ability)s?`,
		`(?:fix|repair|improve|change|update|rewrite|debug|extend|upgrade|roll back|revert|delete|remove) (?:the |your |that |my )?(?:\w+ ){0,4}(?:tool|function|script|program|skill|version)`,
		`every (?:\w+ )?(?:second|minute|hour|day|morning|evening|night|monday|weekday)s?`, `(?:once|twice|\w+ times) (?:an?|per|every) (?:minute|hour|day)`, `whenever`, `each time`, `as soon as`,
		`(?:tell|warn|notify|alert|call|wake|remind) me (?:when|if|in|at|as soon|once|every|to)`, `remind me`, `set an? (?:alarm|timer)`, `keep (?:count|track|a log)`, `count how (?:many|often)`, `log (?:\w+ ){0,3}(?:to|in|every)`,
		`(?:calculate|compute|convert|multiply|divide|add up|subtract|sum|average|mean (?:of|value)|median|factorial|prime|fibonacci|square root|percent|percentage|sort|reverse|encrypt|decode|encode|count the (?:letters|words|vowels)|roman numerals?)`,
		`how (?:much|many) is`, `what is \d[\d., ]*(?:percent|%|plus|minus|times|divided|\+|-|\*|/|x)`, `\d+ ?(?:\+|\*|/|%) ?\d+`, `automate`, `schedule`, `(?:csv|excel|spreadsheet|pdf|json) file`, `the attached`,
	), "it needs a tool of its own"},
	{Web, wordsOf(
		`(?:search|look|google|check|browse|research) (?:\w+ ){0,3}(?:the web|the internet|online|wikipedia|the net)`, `search for`, `look up`, `google`, `find out`, `on the (?:web|internet)`, `online`, `wikipedia`, `(?:latest|current|recent|breaking|today'?s|tomorrow'?s) (?:\w+ )?(?:news|weather|price|prices|score|results?|events?|forecast|headlines|version|exchange rate)`,
		`news`, `weather`, `forecast`, `(?:will it|is it going to|does it) (?:rain|snow)`, `who won`, `stock price`, `exchange rate`, `how much does (?:\w+ ){1,4}cost`, `price of`, `opening hours`, `(?:when|what time) (?:does|is) (?:the )?(?:next )?(?:\w+ ){1,4}(?:open|close|leave|start|train|bus|flight|match|game|concert)`, `elections?`, `look it up`, `website`, `web ?page`, `https?://\S+`,
		`what happened (?:today|yesterday|in)`, `release date`, `traffic`, `(?:films?|movies?|shows?|concerts?) (?:are|is) (?:on|playing|showing)`, `newest (?:\w+ ){0,2}(?:version|release|model)`, `(?:storm|weather|traffic|flood) warnings?`, `\w+\.(?:com|org|net|de|io|eu|gov|edu)`, `who is the (?:current |new )?(?:president|chancellor|prime minister|mayor|king|queen|pope|ceo|champion)`, `(?:shares?|stocks?|dollar|euro) (?:\w+ ){0,4}(?:today|now|this week)`, `at the moment`, `population of`, `recipe for`,
	), "it has to be looked up"},
	{Vision, wordsOf(
		`(?:do|can|could) you (?:still )?see`, `what (?:do|can|did) you see`, `see (?:anything|something|anybody|somebody|anyone|someone|me|my|the|it)`, `in (?:view|front of (?:you|me|us))`, `on the (?:table|desk|shelf|floor|wall)`, `(?:photo|photograph|picture|pictures|photos|image|selfie|snapshot|camera)`, `(?:describe|recogni[sz]e|identify|detect|spot|inspect|observe|watch|examine)`,
		`what (?:colou?r|shape) (?:is|are|do|does)`, `which colou?r`, `how many (?:\w+ ){0,3}(?:are there|do you see|can you see|are on|are in front|lie|stand)`, `where (?:is|are) (?:the|my|a|an|that)`, `is there an?`, `are there any`, `is (?:somebody|someone|anybody|anyone|there)`, `(?:is|are) (?:the|my|your|his|her) (?:\w+ ){1,2}(?:on|off|open|opened|closed|shut|lit|empty|full|there|here|visible|clean|dirty|broken)`, `(?:is|are) (?:the|my|his|her|our) (?:\w+ ){1,2}(?:on|in|at|under|behind|beside|near) (?:the|my|a)`, `how many (?:\w+ ){1,3}(?:are|is) (?:here|in the|on the|there)`, `which of (?:the|these|those|them)`, `do(?:es)? (?:this|these|that) (?:\w+ ){1,2}(?:suit|fit|match|look)`, `keep (?:watching|an eye)`, `count the (?:\w+)`, `(?:what|who|whom|anything|if) you (?:see|find|spot|notice)`, `label`, `what colou?r`, `who is (?:there|here|that|in the room|in front|standing|sitting|at the)`, `(?:how do i|do i) look`, `what am i (?:holding|wearing|doing)`, `am i (?:smiling|wearing|holding|in)`, `read (?:the |this |that |what )?(?:sign|text|label|qr ?code|barcode|is written|it says)`, `what does (?:the|this|that) (?:\w+ )?(?:sign|label|note|page|screen|book|card) say`,
		`qr ?code`, `looks? like`, `what is (?:this|that|he|she|it) (?:thing|object|holding|wearing|doing)?`, `what is (?:this|that)`, `the scene`, `your eyes`, `follow (?:my|the|his|her) (?:face|eyes)`, `how far (?:away )?is (?:the|my|that|this|it|he|she) (?:\w+)`, `compare the`, `find (?:the|my|a)`, `look for`, `left of the`, `right of the`, `behind the`, `next to the`, `biggest|largest|smallest|closest|nearest`, `visible`,
	), "it is about what the camera sees"},
	{Robot, wordsOf(
		`(?:mov(?:e|ing)|turn(?:ing)?|rotate|tilt|nod|shake|bow|dance|wiggle|wave|raise|lower|lift|spin|swing|stretch|lean|twitch|bob|bend|roll|pan|dip|droop|perk up)`, `(?:your|the|both|left|right) (?:head|antennas?|body|neck|ears?)`, `show me that you are`, `(?:make|pull) an? (?:\w+ )?face`, `(?:stop|start|keep) moving`, `(?:back|return|go) to (?:the |your )?(?:middle|cent(?:re|er)|start|home|rest|neutral)`, `which (?:way|direction) (?:are|do) you`, `whisper`, `say (?:welcome|good|thank|congratulations|yes|no)`, `look (?:at|to|up|down|left|right|around|straight|away|ahead|back|over|towards?|here|there)`, `face (?:me|left|right|the)`,
		`(?:act|be|look|seem|show me|feel|pretend to be|play) (?:\w+ )?(?:happy|sad|angry|surprised|curious|confused|scared|excited|tired|loving|neutral|bored|proud|shy|sleepy|cheerful|grumpy)`, `(?:act|behave|move) like`, `show me how`, `celebrates?`, `(?:express|show) (?:\w+ )?(?:emotion|joy|anger|sadness|happiness|surprise|fear|love|curiosity)`, `(?:mime|imitate|mimic)`, `go to sleep`, `wake up`, `home position`, `rest position`,
		`say (?:hello|goodbye|hi) to`, `speak (?:up|louder|slower|faster|softly|more|to)`, `volume`, `louder`, `quieter`, `degrees?`, `stand still`, `hold still`, `pose`, `gesture`, `choreograph\w*`, `greet`, `motors?`, `battery`,
	), "it is about moving"},
}

// smallTalk are sentences that need neither tools nor a specialist.
var smallTalk = wordsOf(
	`hello`, `hi`, `hey`, `good (?:morning|evening|afternoon|night|day)`, `how are you`, `how do you (?:do|feel)`, `how is it going`, `what'?s up`, `thanks?`, `thank you`, `bye`, `goodbye`, `see you`, `nice to meet you`, `who are you`, `what are you`, `what is your name`, `your name`, `who (?:made|built|created) you`, `how old are you`,
	`tell me (?:a|an|another|something|about)`, `(?:joke|story|poem|riddle|fun fact|bedtime)`, `do you (?:like|love|dream|think|know|believe|feel|want|have feelings|remember)`, `are you (?:a |an )?(?:real|alive|robot|happy|sad|human|smart|there|ok|okay|bored|hungry|tired)`, `i (?:love|like|hate|feel|am|think|miss|wish|had|went|saw|was)`, `you are (?:so |very |really )?(?:cute|nice|funny|great|stupid|amazing|sweet|silly|smart)`,
	`what can you do`, `why (?:is|are|do|does|did)`, `what is (?:a|an|the (?:capital|meaning|difference|opposite|largest|tallest|longest|fastest))`, `what does \w+ mean`, `explain`, `who (?:was|wrote|invented|discovered|painted)`, `capital of`, `favou?rite`, `sing`, `your opinion`, `what do you think`, `sorry`, `congratulations`, `happy birthday`,
)

// joins are what puts several things to do into one request.
var joins = wordsOf(`and then`, `then`, `after that`, `afterwards`, `first`, `next`, `finally`, `before you`, `when you are done`, `followed by`, `otherwise`, `if (?:you (?:see|find|can|have|notice|hear)|there|somebody|someone|nobody|anybody|it)`, `when you (?:see|find|have|are)`, `(?:two|three|four|five|several|some) (?:photos?|pictures?)`, `for each`, `on the way`, `and (?:if|then|describe|tell|look|nod|take|turn|say|wiggle|move|count|find|search|compare|greet|bow|speak|wave|dance|shake|follow|turn)`)

// rule routes by words alone.
func rule(text string) Route {
	tally := map[string]int{}
	best, why, kinds := "", "", 0
	for _, s := range allSigns {
		n := len(s.words.FindAllStringIndex(text, -1))
		if n == 0 {
			continue
		}
		tally[s.agent] = n
		kinds++
		if n > tally[best] {
			best, why = s.agent, s.why
		}
	}
	// A tool that is to be written, or a page that is to be read, says so; what it is about comes second.
	switch {
	case tally[Code] > 0:
		best, why = Code, allSigns[0].why
	case tally[Web] > 0 && tally[Web] >= tally[Vision]:
		best, why = Web, allSigns[1].why
	}
	talk := len(smallTalk.FindAllStringIndex(text, -1))
	switch {
	case best == "" && talk > 0:
		return Route{Coordinator, Direct, "it is talk", true, tally}
	case best == "":
		return Route{Coordinator, Direct, "nothing in it asks for a specialist", false, tally}
	case best == Code:
		return Route{Code, ReAct, why, true, tally}
	case talk > tally[best] && kinds == 1:
		return Route{Coordinator, Direct, "it is talk", true, tally}
	case best != Web && tally[Vision]+tally[Robot] > 1 && joins.MatchString(text):
		return Route{Robot, Plan, "it asks for several things in order", true, tally}
	}
	return Route{best, ReAct, why, kinds == 1 || tally[best] > 1 || best == Web, tally}
}

// itsTools are words for what the robot has written itself.
var itsTools = wordsOf(`tools?`, `functions?`, `scripts?`, `programs?`, `skills?`)

// aboutTools says who answers a sentence to which the planner says no because of a word such as "roll", "run" or "walk",
// where it is about tools: "roll back the dice tool". Every other no of the planner stands.
func aboutTools(text string, p planner.Plan) (Route, bool) {
	if p.Outcome != planner.OutcomeError || !itsTools.MatchString(text) || !guard.Input(text).OK() {
		return Route{}, false
	}
	return Route{Code, ReAct, "it is about a tool", true, rule(text).signs}, true
}

// routeSchema is what a model answers that is asked for the route.
var routeSchema = tool.Object(map[string]tool.Schema{
	"who": tool.OneOf("who answers", "direct", Robot, Vision, Web, Code),
	"why": tool.Text("in a few words", 120),
}, "who")

// route chooses who answers; a model is asked where no rule is sure.
func (m *Runtime) route(ctx context.Context, text string) Route {
	r := rule(text)
	if r.Sure || m.o.Model == nil || m.o.Model.Ready(llm.RoleCall) != nil {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.RouteTime)
	defer cancel()
	ctx, span := trace.Start(ctx, trace.Model, "route", "")
	zero := 0.0
	var chosen struct{ Who, Why string }
	reply, err := llm.Structured(ctx, m.o.Model, llm.Request{
		Role: llm.RoleCall, System: m.fill(m.o.Instructions.Route), Messages: []llm.Message{{Who: llm.User, Text: text}},
		Schema: &routeSchema, MaxTokens: 80, Temperature: &zero,
	}, &chosen)
	span.Set("model", reply.Model)
	span.End(err)
	if err != nil {
		return r // the rule is a guess, and better than none
	}
	why := chosen.Why
	if why == "" {
		why = "a language model thinks so"
	}
	if chosen.Who == "direct" {
		return Route{Coordinator, Direct, why, true, r.signs}
	}
	return Route{chosen.Who, ReAct, why, true, r.signs}
}
