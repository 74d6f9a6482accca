package planner

import "strings"

// sights are questions and commands that look at the scene; what follows them belongs to the question.
var sights = newTrie(`
analyze = what (do|can|are|could) you (see|seeing|looking at|observe|observing|notice|spot|perceive|watching|able to see) | tell (me|us) what (you|) (see|can see|are seeing|are looking at|you can see|is in front of you|you notice|is on the|is there|is going on|is happening|the room|i am) | (describe|report|explain|show|summarize|narrate) (me|us|to me|to us|) what (you|is|i|he|she|they|the) | describe (to me|for me|for us|us|me|) (the|this|your|that|my|our|a|) (scene|view|surroundings|surrounding|room|environment|people|person|table|situation|things|objects|object|face|man|woman|desk|area|place|background|thing|apple|duck|croissant|wall|clothes|outfit|kitchen|lighting|setting|location) | describe (everything|anything) you | describe (him|her|them|me) | what is (in front of you|on the (table|desk|floor|wall|shelf|screen|left|right|ground|chair|sofa|plate)|going on|happening|around you|in the (room|scene|view|background|box|foreground|kitchen)|in my hand|in view|to your (left|right)|on your (left|right)|behind me|there in|in your (view|field)|next to|under the table|over there|before you|near you|beside|visible|that (thing|object|in|on|over)|this (thing|object|in my|on|i am)|out there|out the window|the (person|man|woman|boy|girl) (doing|wearing|holding)|he (doing|wearing|holding)|she (doing|wearing|holding)) | what is (this|that) | what are (they|these|those) | who is (there|here|in front of you|in the (room|picture|scene|house)|that|this|in (view|here|there)|standing|sitting|at the door|looking at you|next to|behind|with me|around) | who (do|can) you see | who am i with | what (color|colour|shape|size|kind of) (is|are|of|object|shirt) | what (colors|colours) | what (am|are) (i|we) (holding|doing|wearing|looking at|pointing at|showing) | analyze (the|this|your|my|) (scene|view|room|surroundings|environment|situation|table|area|what you see|what is) | analyze what | (look and|take a look and|have a look and) (tell|describe|say) (me|us|to me|) | read (the|this|that|what is|what it says on) (sign|label|text|page|note|board|screen|writing|letter|book|poster|on) | what does (the|this|that|it) (sign|label|text|page|note|board|screen|room|scene|table|look|say) | is it (dark|bright|light|day|night|daytime|sunny|raining) (in here|here|outside|in the room|) | how does (the room|it|the scene|the table|my) look | is (the|that|this) (door|window|light|person|man|woman|lamp|box|cup|tv|fridge|drawer) (open|closed|on|off|empty|full|smiling|standing|sitting|wearing) | how many fingers | can you (describe|tell me) what you (see|can see|are seeing|are looking at) | tell me (its|the|his|her|their|my|this) (color|colour|shape|size|material|expression|mood|brand) | tell me how many (fingers|people|objects|things) | tell me about (the scene|the room|your surroundings|what you see|the view|the table|what is) | give me a (description|summary|picture) of (the|what|your) | analyze scene | scene (description|analysis) | look at the (scene|room|table) and (tell|describe) (me|) | what is there (in|on|to see) | what else (do|can) you see | what does it look like | am i (smiling|wearing|holding|sitting|standing|alone|looking) | do i look | how do i look | is (there|) (something|anything) (on|in|behind|under|in front) | (look|check|inspect|see) (at|) what is (on|in|around|happening|there|going) | is the room | examine the scene | observe the scene | what objects are around | use your (eyes|camera) (and|to) | what might (you|be) (see|in)
detectall = (what|which) (objects|things|items|object) (do|can|are|could) (you|there|on|in|visible) (see|detect|recognize|find|identify|spot|make out|) | (what|which) (objects|things|items) are | (list|name|identify|detect|recognize|count|find|locate|tell me|show me|show|spot|enumerate) (me|) (the|all|all the|all of the|any|every|) (objects|things|items|object) | object detection | detect everything | detect | what can you (detect|recognize|identify) | (run|do|start|perform) (an|) object detection | how many (objects|things|items) | which object is
image = (describe|analyze|explain|caption|interpret|inspect|summarize|examine|look at|check|review) (to me|for me|me|) (the|this|that|my|your|our|) (last|latest|most recent|previous|new|first|second|) (photo|picture|image|pic|snapshot|photograph|selfie|shot) | (describe|analyze|explain|caption) it | (tell me|say|describe|explain) what is (in|on) it | what is (in|on) it | tell me what it shows | what (is|was|do you see|can you see|does it show|are|) (in|on|shown in|visible in) (the|this|that|my|your|) (last|latest|most recent|previous|first|) (photo|picture|image|pic|snapshot|photograph|selfie) | what does (the|this|that) (last|latest|) (photo|picture|image|pic|snapshot|selfie) (show|look like|contain|depict) | who is (in|on) (the|this|that) (last|latest|) (photo|picture|image|pic|selfie) | tell me (about|what is in|what is on|what you see in) (the|this|that) (last|latest|) (photo|picture|image|pic|snapshot|selfie) | (describe|caption) (photo|image|picture)
`)

// seekers are questions and commands for one kind of object; its name follows.
var seekers = newTrie(`
where = where (is|are|did you see|do you see|can you see) | find (me|) | locate | detect | spot | (look|search|watch|scan) (around|) for | (do|can|could|did) you (see|find|spot|detect|notice|locate|recognize|recognise|make out|identify) | is there | are there | have you (seen|spotted|found) | how many | count (all|up|) | (point out|identify|recognize) | (check|see|look|tell me|tell us|find out|check out) (if|whether) (there is|there are|you can see|you see|you can find|you can spot) | tell me where | show me where | tell me how many | any sign of | are you able to see | try to find | see if you can (find|see|spot) | search (around|the room|the table|the scene|the area) for | scan the (room|table|scene|area) for | look around for | keep an eye out for | what is the position of | where can i find | is anybody | is anyone | is someone | is somebody | anyone | anybody | have a look for | can anyone | help me find | is
`)

// notSought are things that no camera finds.
var notSought = set(`bathroom toilet kitchen office station airport capital nearest pharmacy exit love money time way reason problem difference meeting party chance god life happiness world country city restaurant hotel point sense meaning anything
 everything nothing something out information news weather website article recipe recipes flights tickets directions jobs hotels help peace answer hospital bank supermarket school train bus job house restaurant point what how why when truth
 song music movie film album plans results score stairs elevator heaven home paris london germany france europe america china times days hours minutes weeks years months people's planets countries continents states seconds more other legs
 doubt trouble question questions idea ideas room problems need it that this them sheep way's today tomorrow`)

// persons are seen as "person".
var persons = set("me us anyone anybody someone somebody people persons person human humans everyone everybody")

// visionClause parses what the camera has to answer.
func (ps *parser) visionClause() bool {
	from := ps.i
	if v, n := sights.match(ps.toks, ps.i); n > 0 && (n > 1 || v != "detectall" || ps.boundary(ps.i+1)) {
		ps.i += n
		f := frame{class: action, args: map[string]any{}}
		ps.restOfQuestion()
		prompt := strings.TrimRight(ps.source(from, ps.i), ".!?")
		switch v {
		case "analyze":
			if ps.aboutOthers(from) {
				return false
			}
			f.tool = "analyze_scene"
			f.args["prompt"] = prompt
		case "detectall":
			f.tool = "detect_objects"
		case "image":
			f.tool = "describe_image"
			if (ps.word(from+n-1) == "it" || ps.word(from+1) == "it") && !ps.photoBefore() {
				return false
			}
			f.args["photo"], f.args["prompt"] = ps.photoName(from), prompt
		}
		ps.put(f)
		return true
	}
	v, n := seekers.match(ps.toks, ps.i)
	if n == 0 || v == nil {
		return false
	}
	head := ps.word(ps.i)
	many := head == "how" || head == "count" || ps.word(ps.i+n-1) == "many"
	asksForPerson := (head == "is" || head == "anyone" || head == "anybody") && persons[ps.word(ps.i+n-1)]
	ps.i += n
	f := frame{class: finding, tool: "detect_objects"}
	if asksForPerson {
		switch ps.word(ps.i) {
		case "there", "here", "in", "around", "at", "home", "near", "next", "behind", "out":
		default:
			return false
		}
		f.word = "person"
		ps.restOfQuestion()
		ps.put(f)
		return true
	}
	if n == 1 && head == "is" { // "is the apple on the table", "is the duck there"
		if ps.word(ps.i) != "the" && ps.word(ps.i) != "my" && ps.word(ps.i) != "a" {
			return false
		}
		name, m := ps.nounPhrase(ps.i, true)
		if m == 0 {
			return false
		}
		switch ps.word(ps.i + m) {
		case "on", "in", "there", "here", "visible", "near", "next", "under", "behind", "around", "still":
		default:
			return false
		}
		f.word = name
		ps.i += m
		ps.restOfQuestion()
		if notSought[lastWord(name)] {
			return false
		}
		ps.put(f)
		return true
	}
	if head == "where" && (ps.word(ps.i) == "your" || ps.word(ps.i) == "you") {
		return false // about the robot, not the scene
	}
	det := fillers[ps.word(ps.i)] || ps.word(ps.i) == "any" || ps.word(ps.i) == "some" || ps.word(ps.i) == "if" || ps.tok(ps.i).kind == number
	if w := ps.word(ps.i); persons[w] && (w != "people" || head != "find") {
		if head == "how" {
			if next := ps.word(ps.i + 1); !ps.boundary(ps.i+1) && !countGoesOn[next] && !tails.has(ps.toks, ps.i+1) {
				return false // "how many people live in Germany"
			}
			ps.i++
			seen := ps.inView()
			ps.i--
			if !seen {
				return false
			}
		}
		if w == "me" || w == "us" {
			if head == "look" || head == "search" || !ps.boundary(ps.i+1) && !tails.has(ps.toks, ps.i+1) {
				return false
			}
		}
		f.word = "person"
		ps.i++
		ps.restOfQuestion()
		ps.put(f)
		return true
	}
	if ps.word(ps.i) == "what" || ps.word(ps.i) == "how" {
		return false
	}
	if ps.word(ps.i) == "my" && ps.word(ps.i+1) == "face" || ps.word(ps.i) == "a" && ps.word(ps.i+1) == "face" {
		det = true
	}
	name, m := ps.nounPhrase(ps.i, true)
	if m == 0 || name == "" {
		return false
	}
	last := lastWord(name)
	if head == "did" && (last == "night" || last == "yesterday" || last == "today" || strings.Contains(name, " last ")) {
		return false // "did you see the game last night"
	}
	if notSought[last] || notSought[name] || notSought[strings.SplitN(name, " ", 2)[0]] {
		return false
	}
	if head == "where" || head == "have" || head == "is" || head == "search" {
		if !det && !ps.p.objects[name] {
			return false
		}
	}
	if !det && !many && head != "detect" && head != "are" && head != "locate" && head != "spot" && head != "find" && !ps.p.objects[singular(last)] && head != "look" && head != "identify" && head != "recognize" && head != "do" && head != "can" && head != "count" {
		return false
	}
	ps.i += m
	if head == "can" || head == "do" || head == "did" {
		if w := ps.word(ps.i); w == "that" || w == "what" || w == "why" {
			return false
		}
	}
	if many || strings.HasPrefix(head, "are") || ps.word(ps.i-m) == "any" || strings.HasPrefix(head, "count") {
		name = singularPhrase(name)
	}
	if persons[name] {
		name = "person"
	}
	f.word = name
	if many {
		switch w := ps.word(ps.i); {
		case ps.boundary(ps.i), w == "are", w == "do", w == "can", w == "on", w == "in", w == "you", w == "there", tails.has(ps.toks, ps.i):
		default:
			return false
		}
		if head == "how" && !ps.inView() {
			return false
		}
		if w := ps.word(ps.i); w == "are" || w == "do" || w == "can" {
			if w2 := ps.word(ps.i + 1); w2 != "there" && w2 != "you" && w2 != "visible" && w2 != "on" && w2 != "in" {
				return false
			}
			if ps.word(ps.i+1) == "you" || ps.word(ps.i+1) == "there" && ps.word(ps.i+2) == "in" && ps.word(ps.i+3) == "a" {
				switch ps.word(ps.i + 2) {
				case "see", "find", "spot", "detect", "count", "recognize", "notice", "identify":
				default:
					return false
				}
			}
		}
	}
	if many && (ps.word(ps.i) == "can" || ps.word(ps.i) == "could") {
		ps.restOfQuestion() // "how many cups can you see", where "can you" is no tail
	} else if !ps.finish(&f, true) {
		switch ps.word(ps.i) {
		case "in", "on", "at", "to", "with", "from", "for", "right", "that", "is", "are", "there", "here", "around", "nearby", "still", "you", "do", "can", "visible", "somewhere", "anywhere", "near", "next", "behind", "under", "located", "standing", "sitting", "lying", "hiding", "beside", "below", "above", "left":
			ps.restOfQuestion()
		default:
			return false
		}
	}
	ps.put(f)
	return true
}

// seenPlaces are places that a camera may look at.
var seenPlaces = set("table desk room front view shelf floor picture image photo scene box kitchen sofa couch bed chair wall window hand hands bowl basket plate tray cupboard corner background foreground counter sight bag ground drawer frame line row cup fridge office me you lap camera")

// countGoesOn are the words that go on with a question of number about what is in view.
var countGoesOn = set("are do can could in on you there here is at around near sitting standing visible")

// inView reports whether the place in a question of number, if it names one, can be seen: "on the table", not "in a circle".
func (ps *parser) inView() bool {
	for k := ps.i; k < len(ps.toks) && !ps.isMark(k); k++ {
		switch ps.word(k) {
		case "in", "on", "inside", "under", "behind":
			for m := k + 1; m < len(ps.toks) && m < k+5; m++ {
				if seenPlaces[ps.word(m)] || ps.word(m) == "my" || ps.word(m) == "your" {
					return true
				}
			}
			return false
		}
	}
	return true
}

// aboutOthers reports whether a question only sounds like one about the scene: "what is this song called".
func (ps *parser) aboutOthers(from int) bool {
	for k := from; k < ps.i; k++ {
		switch ps.word(k) {
		case "called", "song", "tomorrow", "yesterday", "mean", "means", "future", "movie", "news", "politics", "world", "theory", "history", "universe", "internet":
			return true
		}
	}
	if ps.word(from) == "what" && ps.word(from+1) == "is" && (ps.word(from+2) == "that" || ps.word(from+2) == "this" || ps.word(from+2) == "happening") {
		switch ps.word(from + 3) {
		case "supposed", "all", "about", "for", "good", "got", "to":
			return true
		}
	}
	if ps.word(from) == "who" && (ps.word(from+2) == "that" || ps.word(from+2) == "this") {
		if w := ps.word(from + 3); w != "" && w != "in" && w != "over" && w != "there" && w != "person" && w != "man" && w != "woman" && w != "standing" && w != "sitting" && w != "guy" {
			return true
		}
	}
	if w := ps.word(from + 1); ps.word(from) == "what" && (w == "color" || w == "colour") && (ps.word(from+2) == "is" || ps.word(from+2) == "are") {
		switch ps.word(from + 3) {
		case "your", "love", "happiness", "the":
			return ps.word(from+3) != "the" || ps.word(from+4) == "sky" || ps.word(from+4) == "sun"
		case "are":
			return true
		}
	}
	return false
}

// restOfQuestion moves to the end of the question, or to the next command.
func (ps *parser) restOfQuestion() {
	for !ps.done() {
		if ps.isMark(ps.i) {
			if m := ps.afterJoint(ps.i); ps.toks[ps.i].w != "," || m >= len(ps.toks) || ps.couldBegin(m) {
				return
			}
		} else if _, n := connectives.match(ps.toks, ps.i); n > 0 && ps.couldBegin(ps.i+n) {
			return
		} else if tails.has(ps.toks, ps.i) {
			_, n := tails.match(ps.toks, ps.i)
			w := ps.word(ps.i)
			if ps.i+n >= len(ps.toks) && (w == "please" || w == "for" || w == "reachy" || w == "robot") || ps.isMark(ps.i+n) && w == "please" {
				return
			}
		}
		ps.i++
	}
}

var photoWords = set("photo photos picture pictures image snapshot selfie pic photograph shot")

// photoBefore reports whether a photo is named earlier in the sentence.
func (ps *parser) photoBefore() bool {
	for k := range ps.i {
		if photoWords[ps.word(k)] {
			return true
		}
	}
	return false
}

// photoName returns which photo is meant: its number, "first", or "last".
func (ps *parser) photoName(from int) string {
	for k := from; k < ps.i; k++ {
		switch ps.word(k) {
		case "photo", "picture", "image", "pic":
			if t := ps.tok(k + 1); t.kind == number {
				return t.w
			}
			if ps.word(k+1) == "number" && ps.tok(k+2).kind == number {
				return ps.tok(k + 2).w
			}
			if t := ps.tok(k + 1); t.kind == quote {
				return t.w
			}
		case "first", "previous", "second":
			return ps.word(k)
		}
	}
	return "last"
}

// nounPhrase reads the name of a thing at k without its articles. Sought things end before "on the table".
func (ps *parser) nounPhrase(k int, sought bool) (name string, n int) {
	from := k
	article := false
	for {
		switch ps.word(k) {
		case "the", "a", "an", "that", "this", "these", "those", "my", "your", "our", "his", "her", "their", "any", "some", "all", "one", "another", "both":
			article = true
			k++
			if ps.word(k) == "of" {
				k++
			}
			continue
		}
		break
	}
	if ps.tok(k).kind == number && article || ps.tok(k).kind == number && sought {
		k++
	}
	if ps.tok(k).kind == quote {
		return strings.ToLower(ps.tok(k).w), k + 1 - from
	}
	var b strings.Builder
	words := 0
	for ; k < len(ps.toks); k++ {
		t := ps.tok(k)
		if t.kind == punct || t.kind == quote {
			break
		}
		if words > 0 && (connectives.has(ps.toks, k) || ps.correctionAt(k) > 0 || ps.word(k) == "or") {
			break
		}
		if words > 0 && ps.nounEnds(k, sought) {
			break
		}
		if words == 0 && (t.kind == word && (adverbsOfPlace[t.w] && !article || t.w == "to" || t.w == "and" || t.w == "for" || t.w == "is" || t.w == "of" || t.w == "you" || t.w == "i")) {
			return "", 0
		}
		if words >= 12 {
			break
		}
		w := t.w
		if t.kind == word && t.orig != t.w && !ps.p.objects[t.w] {
			w = t.orig
		}
		if !article && words == 0 || b.Len() > 0 && !article {
			if raw := ps.text[t.start:t.end]; k > 0 && properName(raw) && strings.EqualFold(raw, w) && strings.ContainsFunc(ps.text[:t.start], func(r rune) bool { return r >= 'a' && r <= 'z' }) {
				w = raw
			}
		}
		if b.Len() > 0 {
			if t.glued {
				b.WriteByte('-')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
		words++
	}
	if words == 0 {
		return "", 0
	}
	return b.String(), k - from
}

var adverbsOfPlace = set("here there out around back forward up down left right over away ahead straight")

// properName reports whether a word is written like a name: one capital, then small letters.
func properName(s string) bool {
	return len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z'
}

// nounEnds reports whether the name of a thing ends before token k.
func (ps *parser) nounEnds(k int, sought bool) bool {
	var scratch frame
	save := ps.i
	ps.i = k
	w := ps.word(k)
	is := false
	if w != "with" && w != "in" || ps.tok(k+1).kind == number || ps.word(k+1) == "a" && units[ps.word(k+2)].dim == span {
		is = ps.modifier(&scratch)
	}
	ps.i = save
	if is {
		return true
	}
	if _, n := tails.match(ps.toks, k); n > 0 && w != "there" && w != "good" && w != "like" {
		if ps.boundary(k+n) || tails.has(ps.toks, k+n) {
			return true
		}
	}
	if adjuncts.has(ps.toks, k) && w != "to" && w != "like" {
		return true
	}
	if sought {
		switch w {
		case "is", "are", "on", "in", "there", "here", "around", "near", "nearby", "next", "still", "do", "can", "you", "under", "behind", "anywhere", "somewhere", "for", "at", "from", "visible", "right", "that", "please", "i", "beside", "below", "above", "between", "standing", "sitting", "lying", "with":
			return true
		}
	}
	if w == "with" && (ps.word(k+1) == "your" || ps.word(k+1) == "both" || ps.word(k+1) == "only") {
		return true
	}
	if ps.manner(k) {
		return true
	}
	if ps.verbAt(k) && ps.trial == 0 && ps.word(k-1) != "the" && ps.word(k-1) != "a" && ps.word(k-1) != "my" && ps.couldBegin(k) {
		return true
	}
	return false
}

func lastWord(s string) string {
	return s[strings.LastIndexByte(s, ' ')+1:]
}

// singular makes a plural noun singular by the usual endings.
func singular(w string) string {
	switch {
	case w == "people":
		return "person"
	case w == "men":
		return "man"
	case w == "women":
		return "woman"
	case w == "children":
		return "child"
	case w == "glasses" || w == "scissors" || w == "keys" || w == "shoes" && false:
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3:
		return w[:len(w)-1]
	}
	return w
}

func singularPhrase(s string) string {
	l := lastWord(s)
	return strings.TrimSuffix(s, l) + singular(l)
}

// searches begin a question for the web; what follows is the query.
var searches = newTrie(`
query = google (for|about|) | search (the|) (web|internet|net) (for|about|on|) | (search|look|check|go) (online|on the (web|internet|net)) (for|about|and find|and search for|and look up|to find|) | (do|run|make|perform) (a|an|) (web|google|internet|online) search (for|on|about|of|) | web search (for|) | search google (for|) | look up (information|info|facts|details|something|) (on|about|) | find (out|) (information|info|something|facts|details) (about|on|for) | (find|search) (me|) (some|) (information|info|facts|news|articles|recipes|pictures) (about|on|for|of) | search (for|up|) | (query|ask) (the|) (web|internet|google) (for|about|) | browse (the|) (web|internet) for | (use|ask) (the internet|google) (to (find|search for|look up)|for) | find out (about|what|who|how|when|where|why|if|whether) | research | look for (information|info) (about|on) | search wikipedia for | look on wikipedia for | (check|get|find|show|tell|read|give) (me|us|) the (latest|current|today's|) (news|headlines|weather|forecast|weather forecast|stock price|score) | what is the (current|latest|) (weather|news|forecast|weather forecast|stock price|exchange rate|temperature outside|latest news|price of|headlines) | what is in the news | what are the (latest|) (news|headlines) | (what|how) (will|is) the weather | how is the weather | (will|is) it (going to|) (rain|raining|snow|snowing|sunny) | what is the temperature (in|outside) | what is new in
`)

// keptQueries keep their opening words in the query.
var keptQueries = set("what how will is who when where why check get find show tell read give")

var webWords = newTrie(`
x = on (the|) (web|internet|net|google|wikipedia|world wide web|line) | online | in google | on line | with google | via google | using (google|the (web|internet)) | from the (web|internet)
`)

var asksOnline = set("look search find check what who how when where why")

// searchClause parses what the web has to answer.
func (ps *parser) searchClause() bool {
	from := ps.i
	_, n := searches.match(ps.toks, ps.i)
	online := 0
	if n == 0 || ps.word(from) == "look" && ps.word(from+1) != "up" || ps.word(from) == "find" && n == 1 {
		for k := from; k < len(ps.toks) && !ps.isMark(k); k++ {
			if m := matchLen(webWords, ps.toks, k); m > 0 {
				online = k
				break
			}
		}
	}
	w := ps.word(from)
	if n == 0 {
		if online == 0 || !asksOnline[w] {
			return false
		}
		n = 1
		if w == "look" { // "look the weather up online"
			for k := from; k < online; k++ {
				if ps.word(k) == "up" && k+1 == online {
					ps.i = online
					f := frame{class: action, tool: "search_web", args: map[string]any{"query": ps.source(from+1, k)}}
					if k == from+1 || !ps.finishSearch(&f) {
						return false
					}
					ps.put(f)
					return true
				}
			}
			return false
		}
		if keptQueries[w] && w != "check" && w != "find" {
			n = 0
		}
	}
	start := from + n
	if keptQueries[w] {
		start = from
		if w == "find" || w == "check" && n <= 2 {
			start = from + n
		}
		if w == "find" && ps.word(from+1) == "out" && n == 3 && ps.word(from+2) != "about" {
			start = from + 2
		}
		if (w == "check" || w == "get" || w == "find" || w == "show" || w == "tell" || w == "read" || w == "give") && n > 2 && start == from {
			start = from + 1
			for ps.word(start) == "me" || ps.word(start) == "us" || ps.word(start) == "the" {
				start++
			}
		}
		ps.i = max(start, from+n)
	} else {
		ps.i = start
	}
	if w == "look" && ps.word(from+1) == "up" && n == 2 { // "look up" with something to look up
		switch t := ps.tok(start); {
		case t.kind == quote:
		case t.kind != word:
			return false
		case t.w == "the" || t.w == "how" || t.w == "what" || t.w == "who" || t.w == "where" || t.w == "when" || t.w == "why":
			if l := ps.clauseLast(start); l == "ceiling" || l == "sky" {
				return false
			}
		case online > 0:
		case ps.boundary(start), directions.has(ps.toks, start), amounts.has(ps.toks, start), tails.has(ps.toks, start), leadIns.has(ps.toks, start), adjuncts.has(ps.toks, start), paces.has(ps.toks, start), counts.has(ps.toks, start),
			t.w == "you", t.w == "i", t.w == "we", t.w == "at", t.w == "to", t.w == "by", t.w == "for", t.w == "a", t.w == "in", t.w == "over", t.w == "into", t.w == "toward", t.w == "towards", t.w == "with", t.w == "your", t.w == "from", t.w == "about", t.w == "around", ps.verbAt(start), ps.manner(start), inflections[t.w].form != 0:
			return false
		}
	}
	if w == "search" && n <= 2 && ps.word(from+1) != "up" { // "search for the apple" is for the camera
		k := start
		if start >= len(ps.toks) || ps.boundary(start) {
			return false
		}
		name, _ := ps.nounPhrase(k, true)
		if l := singular(lastWord(name)); ps.p.objects[name] || ps.p.objects[l] || things[l] || persons[name] || ps.word(k) == "my" || ps.word(k) == "your" || l == "face" || (n == 1 && ps.word(k) == "the") {
			return false
		}
	}
	if w == "research" && ps.boundary(start) {
		return false
	}
	f := frame{class: action, tool: "search_web", args: map[string]any{}}
	if t := ps.tok(start); t.kind == quote {
		f.args["query"] = t.w
		ps.i = start + 1
		if !ps.finishSearch(&f) {
			return false
		}
		ps.put(f)
		return true
	}
	if ps.i < start {
		ps.i = start
	}
	last := -1
	for !ps.done() {
		if m := matchLen(webWords, ps.toks, ps.i); m > 0 && ps.i > start && (ps.boundary(ps.i+m) || tails.has(ps.toks, ps.i+m)) {
			last = ps.i
			ps.i += m
			if !ps.finishSearch(&f) {
				return false
			}
			break
		}
		if ps.isMark(ps.i) {
			if m := ps.afterJoint(ps.i); ps.toks[ps.i].w != "," || m >= len(ps.toks) || ps.couldBegin(m) {
				break
			}
		} else if _, c := connectives.match(ps.toks, ps.i); c > 0 && ps.i > start && (ps.couldBegin(ps.i+c) || ps.word(ps.i) == "and" && ps.word(ps.i+c) == "tell") {
			if ps.word(ps.i+c) == "tell" && !ps.couldBegin(ps.i+c) { // "and tell me what you find"
				last = ps.i
				for !ps.done() && !ps.isMark(ps.i) {
					ps.i++
				}
			}
			break
		} else if tm := matchLen(tails, ps.toks, ps.i); tm > 0 && ps.i > start && (ps.word(ps.i) == "please" || ps.word(ps.i) == "for" || ps.word(ps.i) == "thanks") && ps.boundary(ps.i+tm) {
			last = ps.i
			ps.i += tm
			break
		}
		ps.i++
	}
	if last < 0 {
		last = ps.i
	}
	q := strings.TrimRight(ps.source(start, last), ".!?")
	if q == "" {
		return false
	}
	f.args["query"] = q
	ps.put(f)
	return true
}

func (ps *parser) finishSearch(f *frame) bool {
	for ps.accept(webWords) {
		continue
	}
	return ps.finish(f, true)
}

// clauseLast returns the last word before the next mark or connective.
func (ps *parser) clauseLast(k int) string {
	last := ""
	for ; k < len(ps.toks) && !ps.isMark(k) && !connectives.has(ps.toks, k) && !tails.has(ps.toks, k); k++ {
		last = ps.word(k)
	}
	return last
}

func matchLen(t *trie, toks []token, k int) int {
	_, n := t.match(toks, k)
	return n
}
