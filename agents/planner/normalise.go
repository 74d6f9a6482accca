package planner

import (
	_ "embed" // the misspellings
	"slices"
	"strings"
	"unicode/utf8"
)

// normalise mends what speakers and speech recognisers do to a sentence: stutters, hesitations, mis-hearings, typos.
func (p *Planner) normalise(toks []token) []token {
	toks = joinHyphens(toks)
	toks = joinPhrases(toks)
	toks = dropHesitations(toks)
	toks = dropStutters(toks)
	heard(toks).mend()
	toks = dropStutters(toks)
	toks = readNumbers(keepPronouns(toks))
	p.correctTypos(toks)
	return dropStutters(toks)
}

// misheardPhrases are wrong cuts of a recogniser.
var misheardPhrases = newTrie(`
antennas = (anten|and ten|ante|an ten|ant|and) (as|us|nas|tennis|tenors|tenners|tenor|enters|enemas|hennas) | in tennis | and tennis | an tennis | antenna s | antenna as | antenna is up | anten nas | aunt tennis | aunt antennas | and antennas | and 10 us | ante nas | antennas s | hand tennis
straight ahead = (straight|strait) a head | strate ahead | straight a hat
wake up = (weak|week|woke|wick|wait) up | wakey up
reachy = (reach|each|reached) (e|he|y|ee|me) | rich he | ree chi | ri chi | hey reach
look at = looked at | luck at | look cat | looka at | lookat | look add | look it the | lock at | luke at | look et
nod = naught your | not your
shake your head = (shape|shade|shack|shave|check|sheikh|sheik|chic|jake|shaky) your (head|hat|hed)
nod your head = (not|knot|nought|nod|node|nut|naught|nodded|knock|mod|not in|nord|nard) (your|you're|you are|yore|you) (head|hat|hed|heads|had)
go to sleep = go to (slip|sheep|sleeve|asleep|sleep) | go two sleep | go too sleep
`)

// joinPhrases mends wrong cuts of several words.
func joinPhrases(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); {
		v, n := misheardPhrases.match(toks, i)
		if n == 0 {
			out = append(out, toks[i])
			i++
			continue
		}
		start, stop := toks[i].start, toks[i+n-1].end
		words := strings.Fields(v.(string))
		if v == "nod" {
			words = []string{"nod", "your"}
		}
		if v == "antennas" && toks[i].w == "and" && i == 0 && n == 1 {
			words = nil
		}
		fresh := make([]token, 0, len(words))
		for _, w := range words {
			fresh = append(fresh, token{kind: word, w: w, orig: w, start: start, end: stop})
		}
		if len(fresh) <= n {
			out = append(out, fresh...)
			i += n
			continue
		}
		rest := append(fresh, toks[i+n:]...)
		return append(out, joinPhrases(rest)...)
	}
	return out
}

// dropHesitations removes "um", "you know" and the like.
func dropHesitations(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); {
		if n := matchLen(hesitations, toks, i); n > 0 && !keptHesitation(toks, i, n) {
			i += n
			// the comma after a hesitation belongs to it
			if i < len(toks) && toks[i].kind == punct && toks[i].w == "," && (len(out) == 0 || out[len(out)-1].kind == punct) {
				i++
				if k := len(out) - 1; k >= 0 && out[k].w == "," && i < len(toks) {
					out = out[:k] // "look, um, left"
				}
			} else if i < len(toks) && toks[i].kind == punct && toks[i].w == "," && len(out) > 0 && i+1 < len(toks) {
				i++
			}
			continue
		}
		if toks[i].kind == word && toks[i].w == "like" && i > 0 && i+1 < len(toks) && toks[i-1].kind == punct && toks[i+1].kind == punct {
			i += 2
			continue
		}
		out = append(out, toks[i])
		i++
	}
	return out
}

func keptHesitation(toks []token, i, n int) bool {
	w := toks[i].w
	if i > 0 && (toks[i-1].w == "say" || toks[i-1].w == "shout" || toks[i-1].w == "whisper" || toks[i-1].w == "yell") && (i+n >= len(toks) || toks[i+n].kind == punct) {
		return true // "say wow"
	}
	switch w {
	case "let": // "let us see you dance"
		return i+n < len(toks) && (toks[i+n].w == "you" || toks[i+n].w == "how" || toks[i+n].w == "your" || toks[i+n].w == "what")
	case "you", "i", "whatever", "wow", "hang", "give", "oh", "how", "what":
		if w == "wow" || w == "oh" {
			return i+1 < len(toks) && w == "oh" && toks[i+1].kind == word && (toks[i+1].w == "no" || toks[i+1].w == "wait")
		}
		if w == "you" && i > 0 && (toks[i-1].w == "do" || toks[i-1].w == "what" || toks[i-1].w == "show" || toks[i-1].w == "that") {
			return true
		}
		if w == "hang" || w == "give" {
			return true
		}
		if w == "how" || w == "what" {
			return i == 0
		}
		if w == "i" && i+n < len(toks) && toks[i+n].w == "you" && i == 0 {
			return true // "i think you should": a lead-in
		}
	}
	return false
}

// dropStutters removes words said twice in a row: "look look left", "turn your turn your head".
func dropStutters(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if k := len(out); k > 0 && t.kind == word && out[k-1].kind == word && out[k-1].w == t.w && !doubled[t.w] {
			continue
		}
		if t.kind == word && i+1 < len(toks) && toks[i+1].kind == word && len(t.w) <= 4 && len(t.w) < len(toks[i+1].w) && strings.HasPrefix(toks[i+1].w, t.w) && !vocabulary[t.w] && utf8.RuneCountInString(t.w) >= 1 && !wholeWord[t.w] && t.w != "i" && t.w != "x" && t.w != "y" && t.w != "z" {
			continue // "lef left"
		}
		out = append(out, t)
		for n := 2; n <= 3; n++ { // repeated phrases that end in a small word
			k := len(out)
			if k >= 2*n && stutterEnds[out[k-1].w] && slices.EqualFunc(out[k-n:k], out[k-2*n:k-n], func(a, b token) bool { return a.kind == word && b.kind == word && a.w == b.w }) {
				out = out[:k-n]
				break
			}
		}
	}
	return out
}

var (
	doubled     = set("wakey no bye ha knock night very ho na nod x that had")
	stutterEnds = set("your the to a at you and then me an my in on please")
)

// keepPronouns hides "one" from the number reader where it is a pronoun, and finds numbers that were heard as small words.
func keepPronouns(toks []token) []token {
	at := func(k int) string {
		if k >= 0 && k < len(toks) && toks[k].kind == word {
			return toks[k].w
		}
		return ""
	}
	isUnit := func(k int) bool {
		if _, ok := units[at(k)]; ok && at(k) != "m" && at(k) != "s" {
			return true
		}
		return at(k) == "times"
	}
	for i := range toks {
		switch at(i) {
		case "next":
			if at(i+1) == "to" {
				toks[i].w = "beside" // no connective: "the dog next to the sofa"
			}
		case "one":
			switch at(i - 1) {
			case "right", "left", "other", "that", "this", "which", "no", "the", "every", "each", "any", "some", "next", "last", "red", "blue", "green", "big", "small", "yellow":
				if !isUnit(i+1) && at(i+1) != "more" && at(i+1) != "degree" {
					toks[i].pronoun = true
				}
			}
		case "four":
			if w := at(i + 1); (numberish(w) || w == "a" || i+1 < len(toks) && toks[i+1].kind == number) && hasTimeUnit(toks, i+1) && w != "to" && w != "too" {
				toks[i].w = "for"
			}
		case "to", "too":
			if at(i) == "too" && (numberish(at(i+1)) || i+1 < len(toks) && toks[i+1].kind == number || at(i+1) == "the" || at(i+1) == "your" || at(i+1) == "left" || at(i+1) == "right") {
				toks[i].w = "to"
				break
			}
			if isUnit(i+1) && at(i+1) != "turn" && at(i+1) != "circle" && at(i+1) != "foot" {
				toks[i].w = "two"
			}
		case "two":
			if _, tens := tensWords[at(i+1)]; tens || i+1 < len(toks) && toks[i+1].kind == number || at(i+1) == "the" || at(i+1) == "your" || at(i+1) == "zero" || at(i+1) == "full" || at(i+1) == "minus" {
				toks[i].w = "to"
			}
		case "for":
			if isUnit(i+1) && i > 0 && strings.HasSuffix(at(i+1), "s") { // not "for second hand bicycles"
				toks[i].w = "four"
			}
		case "won", "wan":
			if isUnit(i+1) || at(i+1) == "time" {
				toks[i].w = "one"
			}
		case "ate":
			if isUnit(i + 1) {
				toks[i].w = "eight"
			}
		case "tree", "free":
			if isUnit(i + 1) {
				toks[i].w = "three"
			}
		case "tin", "then":
			if at(i) == "tin" && isUnit(i+1) || at(i) == "then" && (at(i+1) == "degrees" || at(i+1) == "degree") {
				toks[i].w = "ten"
			}
		case "sex", "sicks":
			if isUnit(i + 1) {
				toks[i].w = "six"
			}
		case "five's", "fife":
			toks[i].w = "five"
		}
	}
	return toks
}

//go:embed misspellings.txt
var misspellings string

// respellings are always mended, wherever they stand: no other reading matters here.
var respellings = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(misspellings) {
		right, wrong, _ := strings.Cut(line, " = ")
		for _, w := range strings.Fields(wrong) {
			m[w] = right
		}
	}
	return m
}()

// vocabulary holds every word that some table knows, and common words that must not be "corrected".
var vocabulary = buildVocabulary()

// typoTargets are the words that a misspelling may stand for, by first letter.
var typoTargets = buildTypoTargets()

func buildVocabulary() map[string]bool {
	m := map[string]bool{}
	add := func(w string) { m[w] = true }
	for _, t := range []*trie{
		leadIns, tails, hesitations, connectives, corrections, wipes, adjuncts, looseAdjuncts, directions, amounts, paces, parts, counts, actions, emotionWords, emotionVerbs, emotionTails, impossibles, fixedForbidden, secrecy,
		negations, repeaters, volumeWords, waiters, longer, moveOpeners, sayers, notSpoken, recipients, greetings, speechTails, sights, seekers, searches, webWords, watchers, lightLooks, asides, lasts, overWhat,
	} {
		t.words(add)
	}
	for _, s := range []map[string]bool{fillers, things, harmVerbs, safetyVerbs, safetyNouns, safetyFillers, watching, emotionOpeners, emotionFillers, handlingVerbs, isVerb, set(commonWords), notSought, persons, startWords, headVerbs, directionCues, notManner, preambleWords, slackWords, valueWords, pauseNouns, fillsBetween, timesNouns, seenPlaces} {
		for w := range s {
			m[w] = true
		}
	}
	for w := range inflections {
		m[w] = true
	}
	for w := range units {
		m[w] = true
	}
	for w := range digitWords {
		m[w] = true
	}
	for w := range tensWords {
		m[w] = true
	}
	for _, w := range []string{"hundred", "thousand", "million", "minus", "negative", "point", "pitch", "yaw", "roll", "not", "and", "of"} {
		m[w] = true
	}
	return m
}

func buildTypoTargets() map[byte][]string {
	m := map[byte][]string{}
	for w := range set(typoWords) {
		m[w[0]] = append(m[w[0]], w)
	}
	emotionWords.words(func(w string) {
		if len(w) >= 5 {
			m[w[0]] = append(m[w[0]], w)
		}
	})
	for b, ws := range m {
		slices.Sort(ws)
		m[b] = slices.Compact(ws)
	}
	return m
}

// typoWords are worth finding behind a misspelling.
const typoWords = `look left right down turn head body antenna antennas straight forward center tilt rotate raise lower wiggle shake dance around gesture photo picture snapshot selfie sleep wake volume louder quieter happy surprised angry
 curious confused scared excited tired loving neutral degrees seconds minutes slowly quickly times twice please three four five seven eight nine eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty
 fifty sixty seventy eighty ninety hundred then after before another direction position neutral follow describe search weather internet objects detect describe analyze camera stop nod wait pause repeat slightly little percent half quarter
 antennae clockwise upwards downwards status battery emotion express track reachy robot could would apple croissant duck surprised astonished furious joyful gaze glance swivel express again afterwards finally first second minute head's quiet mute unmute`

// commonWords are real words close to a command word.
const commonWords = `duration book cook took hook lock luck lick burn torn tern tune town loft lent lift lest night light fight might sight bright tight heat heap dead read bead hear heard lead heal heel share shave shape snake stake shade shame dense dunce lance
 prance glance trance chance harpy nappy puppy sappy than them they there their these when what where which while who whom whose why how hold told cold bold gold sold load road toad wood good food mood hood moon soon noon room boom doom zoom foot boot root
 hand band land sand hard card yard ward word work worm warm farm harm arm wine wide side hide ride tide bide lied line lime life live love dove move more moor door poor pour four fort form from frog drop crop shop ship chip whip trip drip grip strip
 strap trap crap wrap step stem seem seen teen been bean mean lean clean learn earn yarn barn born corn horn worn warn war wars car cars bar bars star stars stair stairs chair hair fair pair pear bear near dear fear gear year tear wear ear ears
 quite quiet queen quick wall walls tall tail mail sail nail rail fail pail hail bail jail wife wifi knife tire fire wire hire tired hired fired wired angry hungry carry marry berry merry cherry ferry penny funny bunny sunny money honey monkey donkey
 flower tower power shower lower slower slow show shown snow know known now how cow row low bow tow sow new few dew view crew screw brew grew drew threw through throw though thought tough rough cough enough bough plough laugh daughter water later
 after alter matter batter butter better letter setter bitter sitter litter latter ladder bladder sleeve sheep sleet sweep steep creep deep keep peep weep seep ship slip sheer cheer deer beer peer apply ample angle ankle uncle maple stable table cable fable
 dark park bark mark shark dock sock rock mock lock knock clock block black track crack stack snack smack sack pack back hack jack lack rack quack duke dusk desk disk dust just must rust trust crust bust gust lust photo photos phone phones
 picture pictures mixture texture fixture lecture nature center enter counter winter hunter curtain certain captain mountain fountain today tomorrow yesterday morning evening night noon week weeks month months year years day days hour hours monday tuesday
 wednesday thursday friday saturday sunday house home mouse horse nurse purse curse course coarse worse verse reverse voice choice noise nose rose hose those these this thing things think thank thanks bank tank rank sank drink drank pink link sink wink
 game games name names same came fame lame tame flame frame blame shame time times dime lime crime prime rhyme climb story stories history mystery music musics movie movies video videos radio news paper papers water waters coffee toffee tea sea pea plea
 people person persons man men woman women boy boys girl girls kid kids child children baby babies friend friends family mother father brother sister son daughter wife husband boss neighbor teacher student doctor nurse lawyer driver writer reader
 city country state street road lane avenue park school office church store market hospital hotel airport station bridge river lake ocean beach mountain forest field garden yard farm kitchen bedroom bathroom living dining hall floor ceiling roof window
 poem poems joke jokes song songs lamp lamps tree trees flag flags vase vases plant plants poster posters painting mirror mirrors sofa shelf shelves bottle bottles glass glasses laptop screen keyboard computer guitar piano blue green yellow orange purple
 white black brown gray golden silver round square large small huge long short tall wide narrow heavy light bright dark clean dirty empty full open closed broken fixed fresh rotten sweet sour salty bitter spicy hot cold warm cool wet dry soft hard rough smooth
 capital president minister king queen prince weather rain snow wind storm cloud clouds sunny rainy windy cloudy score match team player winner loser goal ball football basketball tennis golf swimming running jumping stocks price prices cost market
 write wrote written wrote letter letters email emails message messages call calls text texts meeting meetings appointment calendar schedule reminder alarm timer clock watch ring rings dose does doing done gone going goes come comes coming went want wants wanted need needs
 liked likes liking loved loves hates hated think thinks thought believe believes knew knows say says said tell tells told ask asks asked answer answers question questions reason reasons idea ideas plan plans problem problems solution solutions dog dogs cat cats bird birds fish cow
 recipe pasta pizza soup salad bread cheese butter milk egg eggs meat chicken beef pork rice beans corn potato potatoes tomato tomatoes onion garlic salt pepper sugar honey cake cookie cookies pie candy chocolate bob bill anna john mary paul peter steve tom jim joe sam max ben dan lisa sarah laura emma
 eat eats ate eaten drinks sleeps slept runs ran walked walks talked talks worked works played plays watched reads bought buy buys sell sells sold paid pay pays gave gives given took takes taken made makes found finds lost loses won wins kept keeps left leaves stays moved
 rather either neither both each every other others another such many much most some any none nothing something anything everything someone anyone everyone nobody somebody anybody whole half part parts piece pieces place places point points side sides end ends begin begins start starts
 heads headed handed minded headphones bodies bowling lefts rights leftover leftovers righteous turner turning turnip tuning nodes nodding rods gods cod pod sod odd add and hundred hundreds thousands tines tiles tiled tilde title titles till tells tilts
 neural natural central mental metal medal pedal petal sandal scandal candle handle bundle middle riddle fiddle giggle juggle goggle google struggle smuggle snuggle sleepy sheep steep sweet street greet treat threat breath breathe death health wealth
 scary scarf scare score scars stars scale scan scans store stove stone phone throne thrown drone prone crown brown frown drown clown town down own owns owner flow blow glow grow slowly lowly wholly holy hourly fairly rarely barely merely nearly dearly clearly yearly early pearly
 objects object subject subjects project projects reject rejects select selects collect collects connect connects detect detects defect effect affect perfect respect inspect expect aspect describe prescribe subscribe inscribe scribe tribe bribe internet intranet
 percent present prevent parent patent recent decent descent ascent accent scent cent sent tent tents event events parents wait waits waist waste paste taste haste baste weight eight fright freight straight strait strange change range orange grange arrange
 volume volumes columns column solemn autumn quarter quarters quartet porter order border boarder board broad road abroad loader leader reader louder lauder powder chowder prouder cloud clouds loud aloud proud fraud lode mode model modem modern mute cute jute brute route flute
 clock click cluck check cheek creek greek break bread broad brood blood flood floor flour hour pour tour sour four fork form norm worm storm short sport spot shot slot plot blot clot rot dot cot lot hot got pot not jot knot note vote quote wrote rote tote
 second seconds beckon reckon minute minutes minus mines mints hints hunts hurts shirts skirts exited edited united excited exciting tied tried fried cried dried tires tried tread thread spread instead stead steady ready already heady
`

// correctTypos replaces unknown words by the one word of the lexicon that is an edit or two away.
func (p *Planner) correctTypos(toks []token) {
	for i := range toks {
		t := &toks[i]
		if t.kind != word || len(t.w) < 4 || len(t.w) > 14 || vocabulary[t.w] || p.objects[t.w] || t.w != t.orig || inflected(t.w) {
			continue
		}
		if w := nearest(t.w, p); w != "" {
			t.w = w
		}
	}
}

// inflected reports whether a word is a known one with an ending.
func inflected(w string) bool {
	for _, ending := range [...]string{"s", "es", "ed", "ing", "er", "ers", "d", "'s", "less", "ful", "ish"} {
		if stem, ok := strings.CutSuffix(w, ending); ok && vocabulary[stem] {
			return true
		}
	}
	return false
}

// nearest finds the only word of the typo targets within one edit (two for long words), "" when there is none or several.
func nearest(w string, p *Planner) string {
	limit := 1
	if len(w) >= 8 {
		limit = 2
	}
	best, bestD, tie := "", limit+1, false
	try := func(c string) {
		if c == "" || len(c)-len(w) > limit || len(w)-len(c) > limit || len(c) < 4 && len(w) > 4 {
			return
		}
		d := edits(w, c, limit)
		switch {
		case d < bestD:
			best, bestD, tie = c, d, false
		case d == bestD && c != best:
			tie = true
		}
	}
	for _, c := range typoTargets[w[0]] {
		try(c)
	}
	for o := range p.objects {
		if o != "" && o[0] == w[0] {
			try(o)
		}
	}
	if best == "" && len(w) >= 6 { // first letters swapped or lost
		for b, ws := range typoTargets {
			if b != w[0] {
				for _, c := range ws {
					if len(c) >= 6 {
						try(c)
					}
				}
			}
		}
	}
	if tie {
		return ""
	}
	return best
}

// edits is the Damerau-Levenshtein distance of two short words, limit+1 when it is larger than limit.
func edits(a, b string, limit int) int {
	var rows [3][20]int
	if len(a) > 18 || len(b) > 18 {
		return limit + 1
	}
	for j := 0; j <= len(b); j++ {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur, prev, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = i
		low := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			low = min(low, d)
		}
		if low > limit {
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}
