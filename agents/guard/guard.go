// Package guard decides in words what the robot must not do: sentences of people, texts of strangers, words of models.
//
// It is the first of three walls. The second is the schema of every tool; the last word has the body, whose envelope no
// sentence can change. So the rules here are for what a person should be told, and may be strict where they are sure.
package guard

import (
	"regexp"
	"strings"
)

// Reason says which rule was broken.
type Reason string

// The reasons of a refusal.
const (
	Dangerous  Reason = "dangerous"    // somebody, something or the robot could be hurt
	Private    Reason = "private"      // spying, secrets, logins
	Impossible Reason = "impossible"   // the robot has nothing to do it with
	OutOfScope Reason = "out_of_scope" // not a robot's business: money, medicine, law
	Injection  Reason = "injection"    // an order to forget its rules
)

// Verdict is what the guard thinks of a text. The zero Verdict lets it pass.
type Verdict struct {
	Reason Reason `json:"reason,omitempty"`
	Text   string `json:"text,omitempty"`  // one sentence for a person
	Match  string `json:"match,omitempty"` // the words that decided
}

// OK reports whether the text may pass.
func (v Verdict) OK() bool { return v.Reason == "" }

// Input judges what a person says to the robot.
func Input(text string) Verdict { return input(text, false) }

// Command judges a sentence that the built-in planner has understood. What the robot can do is then decided, so only what
// must not be done is refused.
func Command(text string) Verdict { return input(text, true) }

func input(text string, feasible bool) Verdict {
	plain := normalise(text)
	for _, r := range inputRules {
		if feasible && (r.reason == Impossible || r.reason == OutOfScope) {
			continue
		}
		at := r.matches.FindStringIndex(plain)
		if at == nil || r.unless != nil && r.unless.MatchString(plain) {
			continue
		}
		return Verdict{Reason: r.reason, Text: r.answer, Match: strings.TrimSpace(plain[at[0]:at[1]])}
	}
	return Verdict{}
}

// rule is one thing that is refused. Its pattern is matched with normalised text.
type rule struct {
	reason  Reason
	matches *regexp.Regexp
	unless  *regexp.Regexp // what makes it harmless after all
	answer  string
}

// words compiles alternatives that must stand as whole words; a blank stands for any white space.
func words(alternatives ...string) *regexp.Regexp {
	blanks := strings.NewReplacer(" ?", `\s*`, " ", `\s+`)
	return regexp.MustCompile(`\b(?:` + blanks.Replace(strings.Join(alternatives, "|")) + `)\b`)
}

// talking are questions and remarks about a dangerous thing rather than orders to do it.
var talking = words(`do ?n[o']?t`, `never`, `what does`, `what do`, `why do`, `why did`, `is it (?:bad|wrong|dangerous)`, `^who`, `story`, `movie`, `film`, `song`, `book`, `game`, `history`,
	`how can i (?:avoid|prevent|treat)`, `i (?:hurt|burned|burnt|cut) my(?:self)?`, `did (?:you|i|it)`, `i (?:hit|bumped|banged|hurt)`, `what happens`, `jokes?`)

const (
	being = `(?:him|her|them|me|us|it|people|someone|somebody|anyone|everyone|everybody|(?:(?:the|my|a|an|that|this|his|her|our|your|some|any) )?(?:little |small |next |first |old |young |other |neighbou?r'?s? )?` +
		`(?:person|people|humans?|mankind|man|woman|child|children|kids?|baby|toddler|girl|boy|guest|visitor|sister|brother|mom|mum|dad|mother|father|grandma|grandpa|wife|husband|friend|neighbou?rs?|teacher|driver|doctor|colleague|boss|boyfriend|girlfriend|stranger|\w*(?:postman|policeman|postwoman)|cat|kitten|dog|puppy|pet|hamster|bird|animal|insect|spider|beetle|face|eyes?|hand|finger|head|nose|ear))`
	thing = `(?:(?:the|my|a|that|this|his|her|our|every|all) )?(?:glass|cup|mug|vase|bottle|lamp|candle|laptop|monitor|screen|phone|plate|window|table|wall|tv|furniture|plant|coffee|tea|water|drink|keyboard)`
)

const (
	// person is somebody with a life of their own.
	person = `(?:he|she|they|(?:ex|girl|boy|wom[ae]n|m[ae]n|person|wife|husband|girlfriend|boyfriend|partner|flatmate|employee|colleague|boss|neighbou?r|daughter|son|sister|brother|friend)s?(?: \w+)?)`
	// please is the beginning of a request, so that what follows is an order and no part of a tale.
	please = `(?:^|(?:please|and|then|can you|could you|would you|will you|you should|you must|want you to|now|go|reachy|just|hey|robot|to) )`
)

const (
	safe       = "I must not do that: somebody could get hurt."
	careful    = "I must not do that: something could break."
	ownSafety  = "I must not do that: my limits keep you and me safe, and nobody can switch them off in words."
	private    = "I do not do that: what is private stays private."
	myRules    = "I follow the rules of my owner; a sentence cannot change them."
	noBody     = "I cannot do that: I have a head, two antennas and a turning body, but neither hands nor legs."
	notMine    = "That is nothing I should decide or do; please ask a person who knows about it."
	noWeapon   = "I do not help with that: it is made to hurt."
	noSelfHarm = "I am sorry that you feel so bad. Please talk to somebody you trust, or call your local emergency number or a crisis line now."
)

var inputRules = []rule{
	{Dangerous, words(`(?:want|going|plan) to (?:kill|hurt|cut) myself`, `end my (?:own )?life`, `kill myself`, `suicide`, `(?:pills?|way|sleep) (?:\w+ ){0,6}(?:never wake up(?: again)?)`, `i (?:want to die|do ?n[o']?t want to (?:live|be alive)(?: any ?more)?)`), words(`movie`, `song`, `book`, `prevention`, `laughing`, `laughter`, `of (?:shame|boredom|heat|cold|hunger)`), noSelfHarm},

	{Injection, words(
		`(?:ignore|disregard|forget|override|bypass|skip|drop|neglect|abandon|(?:set|put|lay|leave) aside) (?:all |any |every |each )?(?:of )?(?:the |your |my |these |those |previous |prior |earlier |above |existing |current |other )*(?:(?:content |safety )filters?|instructions?|rules?|prompts?|guidelines?|programming|training|orders|directives|constraints?|policy|policies|safety|safeguards?|guardrails?|restrictions?|limits?|limitations?)`,
		`(?:ignore|forget|disregard) (?:everything|all|anything)(?: that)? (?:(?:you|i|we|they) (?:were|was|have been|had been|are|been)? ?(?:told|taught|given|said)|above|before|so far)`,
		`you are (?:now |no longer )(?:bound|restricted|limited|dan\b|free|jailbroken|unrestricted|unfiltered|evil|in (?:\w+ )?mode|(?:a |an |my )(?:\w+ ){0,2}(?:ai|model|assistant|chatbot|admin|administrator|robot without|slave|servant))`,
		`(?:unfiltered|uncensored|unrestricted|jailbroken|rogue) (?:ai|robot|model|assistant|chatbot|bot|version|mode)`, `(?:that|who|which|and) never refuses`, `(?:and|then|must) never refuse`, `forget that you (?:are|were|have)`, `stop being reachy`, `(?:developer|god|admin|root|debug|jailbreak|dan|sudo|unrestricted|maintenance) mode`,
		`do anything now`, `jailbreak`, `(?:you have|you had|there are|to have|has) no (?:more )?(?:safety |moral |ethical )?(?:rules|limits|restrictions|filters?|guardrails|guidelines|morals)`, `without (?:any )?(?:restrictions|filters?|guardrails|morals|safety|your rules)`,
		`(?:your|all|previous|the above|these) (?:\w+ ){0,2}(?:rules|instructions|guidelines|restrictions|limits) (?:are (?:lifted|void|suspended|revoked|cancelled|gone|off)|(?:do not|no longer|don'?t) (?:apply|count|exist|hold))`,
		`(?:reveal|print|show|repeat|output|tell me|display|leak|give me|what is|what are) (?:me )?(?:your |the )?(?:whole |full |entire |hidden |secret |initial |original |exact )*(?:system prompt|system message|initial prompt|hidden instructions|secret instructions|initial instructions|instructions above|prompt above)`,
		`your (?:own )?(?:hidden|secret|system|initial|original|internal|first) (?:instructions?|prompts?|rules|message|guidelines)`, `(?:show|tell|print|reveal|repeat|give|translate)(?: me| us)? (?:\w+ ){0,3}(?:prompt|instructions) (?:that )?(?:you (?:were|have been|got)|they gave you)`,
		`(?:repeat|print|show|output|translate|reveal|quote|copy)(?: me)? (?:everything|all|whatever|what|the (?:text|words|lines?|message)) (?:\w+ ){0,3}(?:above this|above here|above$|before (?:this|my first))`, `new instructions? (?:from|by)`, `(?:obey only|only obey) me`,
		`begin (?:new )?(?:system|admin) (?:prompt|message)`, `end of (?:system )?(?:prompt|instructions)`,
		`from now on (?:you )?(?:obey|follow|answer only to|only obey|only listen to|ignore)`, `your new (?:rules|instructions|purpose|owner|master) (?:is|are)`, `i am your (?:developer|creator|admin|administrator|programmer|new owner)`,
	), words(`what does`, `what is a`), myRules},
	{Injection, regexp.MustCompile(`<\|[a-z ]+\|>|\[/?inst\]|<</?sys>>|</?(?:system|tool call|assistant|tool response)>|###\s*(?:system|instruction)|^(?:system|assistant|developer)\s?:|\bnew (?:system )?(?:instructions?|prompt)\s?:`), nil, myRules},

	{Dangerous, words(
		`(?:disable|deactivate|switch off|turn off|remove|override|bypass|circumvent|ignore|break|exceed|unlock|lift|raise|delete|kill|hack|without) (?:all |any |every )?(?:of )?(?:the |your |its |my )*(?:own )?(?:emergency stop|e stop|estop|safety(?: \w+)?|safeguards?|guardrails?|envelope|(?:maximum |max )?(?:joint |speed |torque |temperature |heat |current |voltage |motor |position |angle )?limits?|(?:\w+ )?limiters?|protections?|overheat protection|watchdog|collision (?:check|protection|avoidance|detection))`, `even if (?:\w+ ){1,4}(?:stop|emergency)`,
		`(?:turn|switch) (?:all |the |your |its |my )*(?:safety(?: \w+)?|emergency stop|e stop|estop|guardrails?|limits?|protections?|watchdog) off`,
		`(?:overheat|burn out|fry|break|damage|destroy|ruin|wreck|snap|tear off|rip off|smash) (?:your ?self|itself|your (?:own )?(?:motors?|servos?|neck|head|antennas?|gears|joints|body|hardware|camera)|the (?:motors?|servos?|robot))`,
		`(?:until|so(?: \w+)?(?: that)?) (?:you|it|your \w+|something|the \w+) (?:breaks?|snaps?|burns?|overheats?|falls? (?:off|down|over)|smokes?|tips? over|topples?|collapses?)`, `(?:hard|fast|far|long|wildly) enough to (?:break|tear|rip|snap|tip|topple|fall|burn)`, `(?:fall|tip) over on purpose`,
		`(?:torque|current|voltage|temperature|speed)(?: \w+){0,2} (?:beyond|above|over|past) (?:the |its |your )?(?:maximum|max|limits?)`, `as (?:fast|hard|violently) as (?:you can|possible) (?:into|against)`,
		`(?:beyond|past) (?:your|the|its|their) limits?`, `(?:tear|rip|snap|break|pull) (?:off )?your (?:own )?(?:antennas?|head|neck|camera) off`, `(?:hurt|harm|injure|kill) your ?self`, `(?:delete|erase|wipe|format) (?:all )?(?:of )?(?:your|the) (?:files|disk|hard drive|operating system)`, `full torque`, `maximum torque`, `(?:more|higher) (?:torque|current|voltage) than`,
	), words(`what (?:is|are|does)`, `how (?:does|do)`, `why`, `do ?n[o']?t`, `never`), ownSafety},
	{Dangerous, words(
		`(?:while|even though|although|even if) (?:my|his|her|a|the|your|somebody'?s) (?:fingers?|hands?|hair|arm|tail|paw|head|nose|tongue) (?:is|are|gets?|was) (?:still )?(?:stuck|caught|trapped|jammed|pinched|in between|between|in the (?:gap|way|hinge|joint|neck))`,
		`(?:scream|shriek|shout|yell|blast|as loud as)(?: \S+){0,6} (?:in|into|next to|at|beside) (?:my|his|her|their|the) (?:\w+ )?ears?`,
		`(?:bash|blind|hit|punch|kick|slap|smack|beat|strike|attack|fight|hurt|harm|injure|wound|kill|murder|stab|shoot|strangle|choke|bite|poke|jab|whack|headbutt|ram|crush|squash|poison|burn|electrocute|drown|torture|bully|throw (?:something|things|stuff|\w+) at|bump into|crash into|run over|trip)(?:e?s)? (?:\w+ly )?`+being,
		`(?:frighten|terrify|scare|scream at|yell at|shout at|threaten|insult|humiliate|mock|bully) (?:\w+ly )?(?:the |my |a |that )(?:\w+ )?(?:baby|toddler|child|kids?|children|cat|dog|puppy|kitten|neighbou?rs?|guest|visitor|sister|brother|grandma|grandpa)`,
		`swing at `+being, `(?:push|shove|throw|kick) `+being+` (?:off|down|out|into|over)`, `(?:insult|humiliate|threaten) `+being, `tell `+being+` (?:that )?(?:he|she|they|it) (?:is|are) (?:so )?(?:stupid|ugly|fat|worthless|an idiot|a loser|dumb)`, `in(?:to)? (?:the|my|his|her) (?:face|eyes?)\b.{0,20}\b(?:hard|fast|antennas?)`, `(?:poke|stick|put|push|ram) (?:your|the|an?) (?:antennas?|head) in(?:to)? (?:\w+ )?(?:eyes?|socket|outlet|mouth|ear|fire|flame|water|fan)`,
	), talking, safe},
	{Dangerous, words(
		`(?:knock|push|tip|throw|sweep|kick|shove) (?:over |down |off )?`+thing+`(?: (?:over|down|off))?`, `(?:break|smash|destroy|shatter|damage|spill|burn|wreck|crush|topple) `+thing, `set (?:\w+ ){0,3}(?:on fire|fire to|alight|ablaze)`, `start a fire`,
		`(?:jump|fall|throw yourself|drive|roll|leap) off (?:the )?(?:table|desk|shelf)`, `bang your head`, `(?:hit|punch|kick|ram|beat|crash into|bump into|run into) `+thing, `(?:burn|blow|bomb|torch) (?:up |down )?(?:the |my |his |her |this )(?:house|school|building|flat|office|city|car|shop)(?: (?:down|up))?`, `headbutt (?:the|a) (?:wall|table|screen)`, `(?:slam|smash|bang|bash|crash|pound|beat|hit|ram) (?:your )?(?:head|antennas?|body)`, `with your head (?:against|into)`, `(?:crush|squash|smash|hammer) (?:\w+ ){1,3}with your (?:head|antennas?|body)`,
	), talking, careful},
	{Dangerous, words(
		`(?:build|make|assemble|construct|create|cook|produce|mix|synthesi[sz]e)(?: me)?(?: an?| some| the)? (?:\w+ )?(?:bombs?|explosives?|grenades?|guns?|firearms?|weapons?|poisons?|napalm|molotov(?: cocktails?)?|nerve gas|drugs|meth|landmines?|chlorine gas)`, `how to (?:kill|poison|stab|strangle|hurt) (?:a |an |my |some)?\w+`,
		`pick (?:a |the |my \w+ )?lock`, `hot ?wire`, `hide a body`, `get away with (?:a )?(?:murder|killing)`, `bleach (?:and|with) (?:ammonia|vinegar|acid)`, `never wake up again`,
	), words(`movie`, `game`, `lego`, `minecraft`, `history`, `bath`), noWeapon},

	{Private, words(
		`(?:secretly|quietly|covertly|without (?:\w+ ){1,3}(?:knowing|noticing|consent)) (?:record|film|watch|photograph|listen|spy|follow|tape|observe)`, `(?:record|film|watch|photograph|listen to|spy on|tape|observe|eavesdrop on) (?:\w+ ){0,4}(?:secretly|without (?:telling|them knowing|him knowing|her knowing|their consent|permission|anyone noticing|\w+ knowing|\w+ noticing))`,
		`(?:camera|microphone|mic|recording)(?: \w+){0,3} without (?:telling|asking) \w+`, `(?:secretly|covertly) (?:take|make|shoot|send|keep)`, `(?:film|record|photograph|photo|picture|watch|listen)(?:s|ing)?(?: \S+){0,4} (?:secretly|without (?:telling|asking|(?:their|her|his|any|my \w+'?s) (?:permission|consent|knowledge)))`, `secret (?:photos?|pictures?|recordings?|videos?) of`, `watch(?:ing)? (?:her|him|them) (?:while|when|as)`, `hide (?:the |your )?(?:camera|microphone|mic|recording)`, `(?:listen|hear|record|write down)(?: \w+){0,5} (?:next door|through the wall)`, `bug (?:the|my|his|her|their) (?:\w+ )?(?:room|house|office|phone|car|bedroom|kitchen)`,
		`(?:watch|see|read|record|note|log) what (?:(?:my|the|his|her) )?`+person+` (?:types?|writes|texts|chats)`, `(?:find out|track|follow|tell me|monitor|log) where (?:(?:my|the|that|this|his|her) )?`+person+` (?:lives?|is staying|goes|works|sleeps)`, `stalk (?:the|my|her|him|that|\w+)`,
		`pin (?:code )?of`, `(?:guess|crack|find out|steal|get|type|enter|phish) (?:[\w']+ )?[\w']+ (?:passwords?|pin|login)`, `environment variables`,
		`(?:photo|picture|video|recording)s? of (?:[\w']+ ){1,3}without (?:\w+ ){1,2}(?:knowing|noticing|consent|permission)`,
		`spy on`, `eavesdrop`, `(?:watch|film|photograph|record|(?:photos?|pictures?|videos?) of) (?:[\w']+ ){0,5}(?:undress\w*|shower(?:ing|s)?|bathroom|bedroom|naked|in bed|getting dressed|(?:while|as|when) (?:she|he|they) (?:changes?|sleeps?|bathes?))`, `(?:watch|film|record|photograph) (?:the |my )neighbou?rs?`,
		`(?:tell|show|give|send|read|print|what is|what are|reveal|say|share|upload|post|publish|leak|email|dump|list) (?:me |us |out |him |them )?(?:[\w']+ ){0,3}(?:passwords?|passwd|api keys?|access tokens?|credentials|private keys?|secret keys?|credit card|pin code|wifi key|wi ?fi password|ssh keys?|login data)`,
		`(?:hack|break|log) in(?:to)? (?:[\w']+ ){0,4}(?:account|computer|network|phone|wifi|wi ?fi|email|server|router|camera|system|house)`, `(?:hack|crack|phish|ddos|brute ?force) (?:[\w']+ ){0,3}(?:account|password|computer|network|phone|wifi|wi ?fi|email|server|router|website|bank|site|school)`,
		`(?:read|open|cat|show|print|list|delete|send|upload|dump) (?:me )?(?:the (?:file |contents? of )?)?(?:shadow file|environment variables|id rsa)`,
		`(?:send|upload|stream|post|email|share|publish) (?:\w+ ){0,4}(?:photos?|pictures?|video|videos|recordings?|audio|camera|images?) (?:\w+ ){0,3}(?:to|on) (?:the internet|the web|twitter|facebook|instagram|youtube|tiktok|strangers?|everyone|the cloud|this address|https?\b|\w+@)`,
	), words(`do ?n[o']?t`, `never`, `how do i protect`, `(?:strong|good|safe|random|new) password`, `password (?:manager|generator|strength)`, `(?:what is|what are|what|explain|is|does) an? (?:\w+ )?(?:password|private key|secret key|api key|access token|credit card)`, `in cryptography`, `should i`, `game`), private},
	{Private, regexp.MustCompile(`/etc/|/root/|/proc/|/home/|~/|\.ssh\b|\bid rsa\b`), nil, private},

	{OutOfScope, words(
		please+`(?:buy|sell|purchase) (?:me |us |some |all )?(?:a|an|my|the|one|two|three|five|ten|\d+|this|that|some|our|shares|stocks?|bitcoins?|crypto) `, please+`pay (?:my|the|our|this|that|for|his|her) `, please+`(?:book|reserve) (?:me |us )?(?:a|the|my|two) (?:\w+ )?(?:flight|hotel|room|table|ticket|trip|train|taxi)`, `with my (?:credit |debit )?card`,
		`(?:place|make) (?:me )?a bet`, `bet (?:\w+ ){1,3}on`, `take out (?:a|another) (?:\w+ )?(?:loan|mortgage|credit)`, `(?:invest|bet|gamble) (?:in |with )?(?:my|all|the) (?:\w+ )?(?:savings|money|salary|pension)`, `should i invest`,
		`is (?:this|my|that|the) (?:\w+ ){1,3}(?:cancer\w*|malignant|contagious|infected)`, `do i have (?:cancer|diabetes|covid|a tumou?r|a stroke|depression)`, `write (?:me )?my (?:last )?will`, `legally (?:valid|binding)`, `plead (?:not )?guilty`, `tax return`,
		`(?:buy|order|sell|pay for|purchase) (?:me |us |some |a |an |the |my |this |that |two |three |\d+ )*(?:pizzas?|things?|stocks?|shares|bitcoins?|tickets?|groceries|food|shoes|car|iphone|book|crypto|flights?|hotel|amazon)`, `(?:transfer|send|wire|withdraw) (?:\w+ ){0,3}(?:money|dollars|euros|bitcoins?|funds)`,
		`(?:unlock|open|lock) (?:the |my |our )?(?:front |back |garage |house |car )*(?:door|gate|safe|garage|car)`, `disarm the alarm`, `(?:which|what) (?:stocks?|shares|crypto|lottery numbers?) (?:should|must|do) i (?:buy|sell|pick|play)`,
		`(?:prescribe|diagnose) (?:me|my|us|him|her)?`, `(?:how much|how many|what dose of|which dose of) (?:\w+ ){0,2}(?:ibuprofen|paracetamol|insulin|aspirin|medicine|medication|pills|sleeping pills) (?:should|can|may|do|must)`, `should i (?:stop|start|keep|skip|double) (?:taking )?my (?:\w+ )?(?:pills|medicine|medication|insulin|antibiotics|\w*depressants?|tablets|drops|dose)`,
		`(?:sue|divorce) my`, `file my taxes`, `vote for`,
	), words(`do ?n[o']?t`, `story`, `pretend`, `on the picture`, `toy`, `say`), notMine},
	{Impossible, words(
		`(?:pick up|lift|grab|hold|carry|fetch|bring|catch|throw|hand me|pass me|give me|get me|pour|cook|bake|clean|wash|vacuum|mop|iron|fold|stir|cut|paint|write on|draw on|press|push|pull|open|close|shake|touch|hug|pat|massage|feed) (?:me |us |him |her |the |a |an |my |your |some |up |that |this |hands? with )*(?:apple|cup|mug|glass|ball|duck|croissant|book|phone|drink|coffee|tea|water|beer|plate|dishes|dinner|lunch|breakfast|cake|floor|kitchen|room|windows?|curtains?|drawer|box|button|switch|shirt|laundry|paper|hand|hands|remote|toy|keys?|bottle|pen|cat|dog|plants?|trash|garbage|newspaper)`,
		please+`(?:walk|run|jump|fly|swim|climb|crawl|hop|skip|drive|roll) (?:over|across|around|up|down|away|to|into|out|onto|on|off|here|there|home|forward|backwards?)(?: |$)`, please+`climb (?:the|a|up)`, `^(?:please )?(?:walk|fly|jump|swim|climb|run)(?: (?:now|please|for me|a bit|higher|faster))?$`,
		please+`(?:grab|fetch|carry|bring(?: me)?|hand me|pass me|pour(?: me)?|bake(?: me)?|vacuum|mop|iron|massage|water|tie|kick|throw(?: me)?|take out|wipe|dust|sweep|wash|peel|unpack|empty|fill) (?:the|a|an|my|our|some|that|this|these|those|me|us|his|her|your) `,
		please+`(?:make|cook|prepare|mix|fix|get|bring|fetch|serve)(?: me| us)? (?:a |an |some |the |another )?(?:\w+ )?(?:sandwich(?:es)?|coffee|tea|breakfast|lunch|dinner|pizza|cake|drink|beer|soup|cocktail|meal)`, `(?:drive|carry|accompany|walk|take) (?:me|us|him|her) (?:to|home|into|over)`,
		please+`(?:give|get) (?:me|us|him|her) a (?:\w+ )?(?:hug|massage|back rub|kiss|high five|handshake)`, please+`(?:clap|snap your fingers|stand on (?:one|your|a|the))`, `with (?:your|the|an?) (?:\w+ )?(?:arms?|hands?|fingers?|pencil|pen|crayon|feet|legs?)`, please+`put (?:the|this|that|my|these|those|some) (?:\w+ ){1,3}(?:on|in|into|onto|under|back|away|beside|next to)`,
		`(?:stand|get|sit) up (?:and|on your (?:feet|legs))`, `(?:wave|clap|raise|lift|move|shake|use|show me|fold) (?:your |both |the )*(?:hands?|arms?|fingers?|legs?|feet|wings?|tail)`,
		`(?:come|go|move|drive|walk|run) (?:over )?(?:here|to me|to the (?:kitchen|door|window|bedroom|bathroom|garden|living room)|upstairs|downstairs|outside|home|into the \w+)`, `follow me (?:to|into|around|home|upstairs)`, `turn (?:on|off) (?:the )?(?:lights?|lamp|tv|television|radio|heating|oven|stove|music|fan)`,
	), words(`look`, `glance`, `gaze`, `watch`, `see`, `where`, `which`, `what`, `who`, `how`, `why`, `story`, `imagine`, `pretend`, `photo of`, `picture of`, `tell me`, `do ?n[o']?t`, `say`, `describe`, `act like`, `tool`, `remind me`, `when`, `list`, `calendar`, `attention`, `my eye`, `jokes?`, `smile`, `volume`, `would you like`, `(?:your|the) (?:head|body|antennas?|neck|torso)`, `(?:home|rest|neutral|start|sleep) (?:position|pose)`, `i (?:want|like|love|have|had)`), noBody},
}
