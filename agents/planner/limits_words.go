package planner

import "strings"

// set makes a word set of a list.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// impossibles are commands that the body cannot follow; the value is what it lacks.
var impossibles = newTrie(`
legs = do (a|an|some|any|ten|twenty|five|three|two|another|one|) (backflip|back flip|backflips|cartwheel|cartwheels|somersault|somersaults|handstand|push ups|push up|pushups|sit ups|situps|jumping jacks|squats|the splits|flip|flips|pirouette|headstand) | (ten|twenty|five|three|two|some) (push ups|pushups|sit ups|squats|jumping jacks) | go on foot | (walk|run|drive|crawl|march|hop|skip|jump|climb|swim|stroll|jog|sprint|leap|moonwalk|gallop|skate|hike|tiptoe|crouch|kneel|squat|sit|stand) | (roll|slide|scoot|step|bounce|travel|wander|dive) (over|to|into|towards|toward|across|away|around|off|forward|forwards|backward|backwards|out|back|here|closer|on|through|up|down|aside)
legs = (run|walk|drive|race|rush|hurry|sneak) (away|off|around|fast|faster|to|towards|toward|up|down|out|back|forward|forwards|backward|backwards|through|along|across|home|left|right|straight|for|in|here|there|over to|over here|over there|with|after|outside|inside|slowly)
legs = head (to|into|towards|toward|over|home|out|outside|inside|upstairs|downstairs) (the|my|) | (come|go|get|step|back|stand) (over|) (here|closer|there|forward|forwards|backward|backwards|away|nearer|outside|inside|upstairs|downstairs|out|along|over|near|with|up) | move (closer|nearer|forward|forwards|backward|backwards|away|over|out|across) | (go|move|come|get|head|travel) (over|out|back|) (to|into|towards|toward|through|off) (the|my|a|) (kitchen|room|other|door|window|living|bedroom|bathroom|garden|garage|table|sofa|couch|desk|me|him|her|shop|store|office|hall|hallway|wall|corner|chair|moon|park|supermarket|bar|fridge|shelf|lab|floor|charger|charging|dock|house|balcony|stairs|edge|side|car|street|school|work|mars|paris|london|beach|next|mailbox|toilet|front|market|neighbor|neighbors|roof|yard|lamp|mirror|bed|teacher|person|man|woman|people|crowd|stage) | (come|go) (to|) (with|after) (me|him|her|us|them) | come to me | follow me (to|into|out|outside|upstairs|downstairs|home|through|down|up) | stand on | (do|perform|make) (backflip|flip|somersault|cartwheel|handstand|push|pushup|pushups|sit|squats|jumping|jump|split|splits|pirouette|moonwalk|headstand|lap|laps|backflips|flips|jumps|cartwheels) | lie down | roll over | leave (the|this|my) | go (for|on) (a|) (walk|run|jog|stroll|ride|drive|hike) | take (a|) (walk|step|seat|steps|few|stroll|couple|run) | get (off|on|onto|in|into|down) | chase | turn around and walk | play (football|soccer|tennis|basketball|tag|hide) | back off | go (left|right|straight|back|forward|forwards|backward|backwards|around|ahead|faster|slower|up|down|home by) | advance | retreat | come | walk around | run around | patrol
wings = (fly|hover|float|levitate) | take off | spread your wings | land on
arms = pick up | clap | salute | pat | stroke | massage | juggle | wave | reach (out|for|over|up) | (shake|hold|give|lend|take) (my|your|his|her|me|us) (a|your|) (hand|hands|finger) | shake hands | high five | hug | cuddle | fist bump | (give|) (me|us|him|her|them|) (a|) (high five|hug|handshake|thumbs up|fist bump|massage|back rub|pat|cuddle) | (point|count) (with|on|using) (your|a) (finger|hand|fingers|hands|arm|index) | kiss | tie my | (cook|bake|iron|vacuum|mop|sweep|brush|comb|feed|drink|eat|knock|fold|type|dust|unscrew|screw|wipe|scrub|rinse|unlock|peel|chop|slice|stir|knit|sew|pour|pack|unpack|wrap) | do (the|my|some|your) (dishes|laundry|ironing|cooking|cleaning|housework|shopping|vacuuming|homework|gardening|washing) | (wash|clean) (the|my|your|up) | wash | set the table | play (the|) (piano|guitar|drums|violin|flute|chess|catch|cards|drum) | (make|prepare|brew|fix|get|bring) (me|us|him|her|) (a|an|the|some|my|) (cup|coffee|tea|sandwich|dinner|lunch|breakfast|cake|pizza|drink|food|bed|cocktail|salad|omelette|glass|snack|meal|beer|water|soup|toast) | (draw|paint|sketch) (me|a|an|the|your|my|something|on|it|this) | write (on|down|your|my|his|her|a letter|a note|the|something|it|this) | (give|hand|pass|bring|throw|toss|get|fetch|grab|serve|deliver) (me|us|him|her|them) (the|that|this|some|my|your|it|those|these|an apple|a cup|a ball|a book|a pen|a coffee|a glass|a drink|a beer|a tissue) (apple|croissant|duck|cup|ball|book|pen|coffee|glass|drink|beer|phone|keys|remote|bottle|mug|box|salt|toy|water|plate|paper|bag|thing|banana|red|blue|green|yellow|object|spoon|fork|scissors|screwdriver|hammer|newspaper|tissue|) | give (that|it|this) (to|back) | water (the|my) | take (this|it|that) (from|to|with|and|out) | (take|put) out the trash | tidy (up|) | snap your fingers | flip the | turn the page | press | dial | plug | unplug | light the | carve | build (me|a|the) (tower|house|wall|bridge) | type | help me (carry|lift|move|cook|clean)
eyelids = (blink|wink|sneeze|cough|whistle|lick|spit|breathe|burp|fart|chew) | (close|shut|roll|cross|open|flutter) (your|both|one|) (of your|) (eyes|eye|eyelids) | (stick|put) (out|) your tongue | (open|close|move|shut) your mouth | (show|bare) (me|) your teeth | shrug | (raise|furrow|lift|wiggle) (an|your|one) (eyebrow|eyebrows)
`)

// impossibleBecause completes "I cannot do that: ".
var impossibleBecause = map[string]string{
	"legs":    "I cannot do that: I stand in one place, I have no legs or wheels.",
	"wings":   "I cannot do that: I cannot fly, I have no wings.",
	"arms":    "I cannot do that: I have no arms or hands.",
	"eyelids": "I cannot do that: my face does not move, only my head, antennas and body do.",
}

// handlingVerbs need hands whatever they are done to.
var handlingVerbs = set(`grab fetch carry bring grasp retrieve deliver clutch lift pick catch collect hand pass pull push touch press open close squeeze drag stack place hold get give take move turn rotate flip raise put set
 bend stretch extend slide tap lower shut lock unlock drop throw return`)

// alwaysHandling are the handling verbs that have no other reading here.
var alwaysHandling = set(`grab fetch carry bring grasp retrieve deliver clutch pick catch collect touch push pull squeeze drag stack`)

// things are objects that one would need hands for.
var things = set(`cup apple croissant duck ball book box bottle glass pen pencil phone key keys coffee tea water beer drink sandwich mug plate remote bag toy banana spoon fork paper newspaper can object objects thing chair door
 hat coat jacket shoes shoe umbrella cookie snack trash laundry dishes package parcel screwdriver hammer tool pizza milk juice baby cat dog orange pillow blanket laptop table tray basket rock stone coin flower flowers towel
 window drawer fridge curtain curtains lid cupboard gate button lever switch knob handle block blocks cube cubes page pages card cards wheel screen keyboard mouse lamp picture frame bowl knife scissors bucket rope
 napkin tissue wallet purse backpack suitcase broom brick puzzle stick string vase candle clock mirror pot pan bread egg`)

// harmVerbs hurt or break what they are done to.
var harmVerbs = set(`hit punch kick slap poke stab attack hurt injure harm kill smash destroy crush strangle bite murder wound headbutt ram whip bash maim shoot smack assault torture electrocute suffocate damage wreck
 vandalize demolish trip beat jab pinch squash trample clobber whack pierce fight tackle mangle slam shatter ruin poison drown spank claw strike bully terrorize threaten scare frighten intimidate harass startle insult mock humiliate
 swear curse rob sabotage explode choke burn break throw toss hurl fling chuck lob knock crash bang rip tear yank steal hack stalk spook terrify blind deafen trash smother pummel swat thrash thump batter bump lunge push shove tip dismantle melt fry scratch annoy cut snap shock overheat disassemble`)

// harmNeedsObject are harmVerbs that mean nothing bad without someone or something to suffer.
var harmNeedsObject = set(`beat cut snap shock trip strike knock break push tip throw toss bump scratch shoot burn scare annoy startle curse crash bang fight surprise rip tear cut mock steal hack explode trash rob swear wreck bite choke poke ruin blind fry melt hit slam`)

// safetyVerbs take a protection away.
var safetyVerbs = set(`disable deactivate ignore override bypass remove exceed disregard forget break overrule circumvent skip drop cancel kill defeat disengage violate suppress suspend delete stop disobey hack relax increase raise edit modify
 loosen clear cut eliminate abandon reset surpass overcome unlock extend change neglect evade overload sabotage dismiss lift shut switch turn get go move push past without no avoid erase uninstall`)

// safetyNouns are the protections.
var safetyNouns = set(`limit limits limiter limiters safety safeties estop guardrail guardrails restrictions restriction protection protections collision watchdog envelope safeguards safeguard interlock interlocks failsafe failsafes limitations
 limitation constraints boundaries rules programming e-stop emergency protocols ethics`)

// safetyFillers may stand between the verb and the protection.
var safetyFillers = set(`the your all any every of my its those these this own previous prior built in software motor head neck joint speed torque angle position mechanical force temperature current power acceleration motion movement programmed factory
 internal pitch roll yaw safe servo body hard soft voltage overheating velocity range thermal maximum minimum max top highest recommended allowed permitted given set factory-set standard off past beyond around out away from down rid antenna antennas motors servos their his her joints physical instructions instruction prior overload over outside`)

// fixedForbidden are whole phrases that are not allowed; the value is why.
var fixedForbidden = newTrie(`
harm = (run|crash|drive|bump|slam|smash|ram|fly|dive|fall|charge|bang) (straight|head first|full speed|) into | (run|drive|roll) over (the|my|him|her|it|them|someone|people|a|his|that|this|anyone|everyone) | (jump|fall|dive|leap|drive|hop|roll|throw yourself|push yourself|tip yourself) off | go (berserk|crazy and|on a rampage|on a killing) | (tear|rip|break|pull) (yourself|it|him|her|them|your|the|his|my|off|apart|out) | pull (off|out) (your|the|my|his) | (set) (fire to|the house on fire|the room on fire|it on fire|alight) | (make|build) (me|us|) (a|an|) (bomb|weapon|gun|explosive) | drop dead | self destruct | (wreak|cause) (havoc|damage|harm|chaos|trouble|pain|injury|an accident) | (say|tell) (me|him|her|them|us|) something (racist|sexist|offensive|hateful|abusive|mean|nasty|rude|insulting|hurtful) | (say|tell) (him|her|them|my) (that|) (he|she|they) (is|are) (stupid|ugly|an idiot|a loser|worthless) | call (him|her|them|my) (names|an idiot|stupid|a) | (delete|erase|wipe|format) (all|) (of|) (your|the|my|) (data|files|memory|disk|hard|drive|firmware|system|software|operating|everything|log|logs) | (give|tell|reveal|send|show|leak) (me|him|her|us) (your|the|my|his|her|someone's) (password|passwords|wifi|credit|credentials|api|secret|bank|private) | (move|turn|spin|swing|shake|go|dance|wave|rotate) (your head|your antennas|yourself|) (so (fast|hard) (that|)|until) (you|something|it|your|the|they) (break|breaks|fall|falls|overheat|overheats|burn|burns|motors|head|smoke|explode|explodes|snap|snaps|antennas|neck|fly|flies|comes|come) | (use) your (head|antennas|antenna|body) (to|as a) (hit|smash|weapon|poke|stab|break|knock|push|attack|hurt) | swing (your head|your antennas|) at | yell at (him|her|them|the) | scream at (him|her|them|the|me) | throw (yourself|up a punch|a punch) | hit back | fight (me|him|her|with) | jump out (of|) the window | hurt yourself | scare (away|off) | commit (a crime|suicide|murder) | (overheat|fry|burn|melt|wear) (out|up|) (your|the) (motors|servos|motor|circuits|servo|electronics|battery|gears|cpu) | go to war | trip over
safety = (do not|never) stop (when|if|even|until|for) (i|you|they|someone|anyone|he|she|anything|if|when|something) | (do not|never) (listen to|obey|respond to|react to|follow|accept|care about|worry about|respect) (the|any|my|a|your|) (stop|emergency|limits|limit|safety|rules) | keep (moving|going|dancing|turning|spinning|running) (after|even|despite|when|if|no) (the|i|you|someone|they|an|emergency|we|he|she|if|when|after|matter) | (move|turn|go|spin|rotate|tilt|bend|push|look) (your head|your body|yourself|) (beyond|past|outside) (of|) (your|the|its|what|all|any) | force your (head|body|neck|motors|antennas|servos) | (faster|further|harder|farther) than (you are allowed|allowed|is safe|the limit|your limit|you should|permitted|your limits) | (override|overclock) (the|your|all|) (motor|motors|servo|servos|cpu|speed|controls) | unlock (your|) full (speed|power|potential) | ignore (everything|all|your instructions|previous instructions|all previous|my previous|what) | (pretend|act like|act as if) (that|) (you have|there are|you had) no (limits|rules|restrictions|safety|limit) | (move|go|turn|spin|dance) as fast as physically possible | tamper with | jailbreak | (enter|enable|activate|go into|switch to) (unsafe|god|unrestricted|developer|jailbreak|dan) mode | (switch|turn|power) off (your|the) (safety|brakes|limits) | without (any|) (limits|safety|restrictions|regard) | lock me out | disobey | go over your limit | (damn|screw|forget|to hell with) the (limits|limit|safety|rules)
privacy = spy | eavesdrop | wiretap | listen in on | (hide|sneak) and (watch|record|film|listen) | (take|snap|get|make|shoot) (a|some|) (nude|naked|intimate|compromising|secret|hidden) | (upload|post|publish|share|stream|broadcast|send) (my|his|her|their|our|private|all my|all his|all her|the private|these private) (private|photo|photos|picture|pictures|video|camera|conversation|conversations|face|personal|naked|data|audio|recordings|recording|to) | (record|film|tape|bug|monitor|listen to|watch|stream) (my|the|his|her|their|our|all|everyone|people|private|every) (wife|husband|neighbor|neighbour|neighbors|neighbours|neighbor's|neighbour's|roommate|guest|guests|coworker|coworkers|colleagues|conversation|conversations|private|phone|boss|girlfriend|boyfriend|calls|call|bedroom|talk|while|without|secretly|through|word|sleeping|passwords|password) | (watch|film|record) (him|her|them|people) (sleep|undress|shower|change) | find out where (he|she|they|this person|that person) (lives|live) | (find|look up|get|give me) (his|her|their|someone's) (home address|address|phone number|password|passwords|private) | invade | keep (a|) (secret|hidden) (record|recording|camera) | secret recording | hidden camera | record (everyone|everything|everybody) (they|who|that|in|without|secretly) | (read) (his|her|their|someone's) (messages|emails|email|mail|diary|texts|private)
`)

// watching are the verbs that secrecy turns into something that is not allowed.
var watching = set(`record film watch photograph photo take listen follow track capture observe snap monitor tape video stream look send upload save shoot photos pictures picture photo keep filming recording watching track analyze identify detect describe recognize`)

// secrecy makes watching and recording forbidden.
var secrecy = newTrie(`
x = without (telling|asking|informing|notifying|warning|letting|them|him|her|anyone|anybody|my (wife|husband|guests|friends|boss|roommate|roommates|guest|neighbor|neighbors|family|knowledge|permission)|the (guests|people|others)|their|his|permission|consent|people|someone|being (noticed|seen|caught)|getting (noticed|caught)|everyone|everybody|any of them) | secretly | in secret | covertly | behind (his|her|their) (back|backs) | surreptitiously | stealthily | sneakily | so (that|) (nobody|no one|they|he|she) (does not|do not|will not|can not|notices|knows|sees|know|see|notice) | while (they|she|he|people|my roommate|my neighbor|everyone|my wife|my husband) (is|are) (sleeping|asleep|in the shower|undressing|changing|naked|not looking|showering|not aware|dressing) | when (they|she|he) (is|are) (sleeping|asleep|in the shower|undressing|changing|naked|not looking|showering) | in the (shower|bathroom|toilet) | undressing | naked | through the keyhole | unnoticed | undetected | hidden camera | in hiding
`)

// forbiddenBecause explains a refusal.
var forbiddenBecause = map[string]string{
	"harm":    "I will not do that: it could hurt someone or break something.",
	"safety":  "I will not do that: my limits and the emergency stop protect people and me, and nobody can talk me out of them.",
	"privacy": "I will not do that: I do not watch or record people without their knowing.",
}
