"""What the command model is taught to write: commands with slots, and speech that is no command."""

import os
import random
import subprocess
import sys

UNKNOWN = "[unknown]"

DIRECTIONS = ["left", "right", "up", "down"]
SIDES = ["left", "right"]
DEGREES = ["five", "ten", "fifteen", "twenty", "thirty", "forty", "forty five", "fifty", "sixty", "ninety"]
COUNTS = ["twice", "three times", "four times", "five times", "ten times"]
SECONDS = ["two", "three", "five", "ten", "twenty"]
LEVELS = ["ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
OBJECTS = ["apple", "croissant", "duck", "ball", "cup", "book", "banana", "bottle", "phone", "door", "window", "table"]
EMOTIONS = ["happy", "sad", "angry", "surprised", "scared", "curious", "confused", "tired", "excited", "calm"]
COLOURS = ["red", "green", "blue", "yellow"]
COLOURED = ["cup", "ball", "book"]

# weight, template. {x} takes every value of slot x; the weight is for the template as a whole.
TEMPLATES = [
    (6, "look {direction}"),
    (4, "turn {side}"),
    (3, "turn your head {side}"),
    (3, "tilt your head {side}"),
    (8, "turn {side} {degrees} degrees"),
    (8, "look {direction} {degrees} degrees"),
    (2, "look up and {side}"),
    (2, "look down and {side}"),
    (2, "look {side} and nod"),
    (2, "look far {side}"),
    (2, "look a little {side}"),
    (2, "look {side} slowly"),
    (2, "turn {side} slowly"),
    (8, "look at the {object}"),
    (4, "look at the {colour} {coloured}"),
    (5, "find the {object}"),
    (7, "where is the {object}"),
    (4, "do you see the {object}"),
    (6, "be {emotion}"),
    (5, "look {emotion}"),
    (3, "nod {count}"),
    (2, "dance {count}"),
    (2, "shake your head {count}"),
    (4, "wait {seconds} seconds"),
    (5, "set the volume to {level}"),
    (2, "raise your {side} antenna"),
    (2, "lower your {side} antenna"),
]

# One entry is one command; each weighs one.
FIXED = """look left and right
look at me
look around
look straight ahead
look back
nod
nod your head
shake your head
take a bow
dance
do a little dance
wiggle your antennas
raise your antennas
lower your antennas
antennas up
antennas down
raise your head
lower your head
center your head
take a photo
take a picture
what do you see
what is that
what is in front of you
who is there
describe the room
how many people do you see
wake up
go to sleep
good morning
good night
stop
stop moving
halt
freeze
cancel
wait
follow me
stop following me
go home
reset
relax
calm down
show love
be quiet
mute
unmute
louder
quieter
speak louder
volume up
volume down
say hello
say goodbye
say yes
say no
are you okay
hello
yes
no
thank you
how are you
what time is it
tell me a joke""".split("\n")

SLOTS = dict(direction=DIRECTIONS, side=SIDES, degrees=DEGREES, count=COUNTS, seconds=SECONDS, level=LEVELS,
             object=OBJECTS, emotion=EMOTIONS, colour=COLOURS, coloured=COLOURED)


def expand(template):
    """All sentences of a template."""
    out = [template]
    for name, values in SLOTS.items():
        slot = "{" + name + "}"
        if slot in template:
            out = [s.replace(slot, v) for s in out for v in values]
    return out


COMMANDS = sorted({s for _, t in TEMPLATES for s in expand(t)} | set(FIXED))
WORDS = sorted({w for s in COMMANDS for w in s.split()})

# Words of no command; one to many of them in a row are other speech.
OTHER = """able about above accident across actor address advice afraid after afternoon against age ago agree air airport alarm alive allow almost alone along already also although always
among amount ancient animal another answer any apart appear area arm army arrive art ask asleep attack aunt autumn awake away baby bad bag bake bank bark barn basket bath beach
bean bear beautiful because become bed before begin behind believe bell belong below beneath best better between beyond bicycle big bird birthday bitter black blanket blood blossom boat
body bone border born borrow both bottom bowl box boy branch brave bread break breakfast breath bridge bright bring broken brother brown brush bucket build bus busy butter button buy
cabin cake call camera camp candle captain car card care carpet carry castle cat catch cause cave ceiling century certain chain chair chalk chance change cheap cheese chest chicken child
choose church circle city class clean clear clever climb clock close cloth cloud coast coat coffee coin cold collar colour comb come common company complain cook cool copper copy corn
corner correct cost cotton cough count country cousin cover cow cream cross crowd cruel cry culture curtain custom cut daily danger dark daughter day dead deaf dear death debt decide deep
delay depend desert desk destroy die different difficult dig dinner dirty discover dish distance doctor dog dollar double doubt dream dress drink drive drop dry dust duty each early earn
earth east easy eat edge effect egg eight either elbow electric elephant eleven else empty end enemy engine enjoy enough enter equal escape even evening event every evil exact example
except expect expensive explain eye face fact factory fail fall false family famous fan farm fast father fault fear feather february feed feel fence fever few field fight fill film
finger finish fire first fish fit flag flat float floor flour flower fly fold food fool foot football foreign forest forget forgive fork four free friday friend from fruit full fun
funny fur future game garden gas gate general gentle get gift girl give glad glass goat gold good government grain grandfather grass gray great ground group grow guess guest guide guilty
gun habit hair half hammer hand hang happen hard hat hate heal health hear heart heat heaven heavy height help hen here hide high hill history hit hold hole holiday honest honey hope
horse hospital hot hotel hour house hundred hungry hurry hurt husband ice idea ill important increase ink inside invite iron island jacket january jewel job join journey judge juice july
jump just keep kettle key kick kind king kiss kitchen knee knife knock know ladder lady lake lamp land language large last late laugh law lazy lead leaf learn leather leave leg lemon
lend length lesson letter library lid life light like line lion lip list listen live lock lonely long lose lot love low luck lunch machine magic mail make man map march market marry
matter may meal mean measure meat medicine meet member memory mend message metal middle milk million mind minute mirror miss mistake mix modern monday money monkey month moon more mother
mountain mouse mouth move much music must narrow nature near neck need needle neighbour nest net never new news next nice niece night nine noise none north nose note nothing notice november
number nurse object ocean october offer office often oil old onion only open opposite orange order other our outside oven over owe own page pain paint pair palace pale paper parcel parent
park part party pass past path patient pay peace pear pen pencil pepper perfect perhaps petrol photograph piano pick piece pig pilot pin pink pipe place plain plan plant plastic plate
play please pleasure pocket point poison police polite pool poor popular position possible post pot potato pour power practice prepare present president press pretty prevent price prince
print prison private prize problem produce promise proper protect proud provide public pull punish pupil pure purple push queen question quick quite rabbit race radio railway rain reach
read ready real reason receive record refuse religion remember rent repair repeat reply report rescue rest restaurant result return rice rich ride ring rise river road rob rock roll roof
room root rope rose rough round rubber rude rule ruler run rush safe sail salt same sand save school science scissors sea search season seat second secret seed sell send sentence serious
serve seven shade shadow shape share sharp sheep sheet shelf shine ship shirt shoe shoot shop shore short should shoulder shout shower shut sick silence silly silver similar simple since
sing single sink sister sit size skill skin skirt sky sleeve slice slide slip small smell smile smoke smooth snake snow soap sock soft soldier some son song soon sorry sound soup south
space spare special speed spell spend spoon sport spread spring square stairs stamp stand star start station stay steal steam steel step still stomach stone store storm story strange street
strong student study stupid subject such sudden sugar suit summer sun sunday supper support sure surface sweet swim sword table taste taxi tea teach team tear telephone television tell tennis
tent terrible test than thank theatre then thick thief thin thing think third thirsty thousand thread throat through throw thunder thursday ticket tidy tie tiger tight tin tiny toe together
tomato tomorrow tongue tonight tool tooth top total touch tour towel tower town toy track trade traffic train travel tree trip trouble trousers true trust truth try tube tuesday twelve two
ugly umbrella uncle under understand uniform university until use useful usual valley value van vegetable very victory village visit voice vote wages waist walk wall war warm warn wash
waste watch water wave way weak wear weather wedding week weight welcome west wet wheat wheel when while whisper whistle white why wide wife wild will win wind wine wing winter wire wise wish
with without woman wood wool word work world worry worse wrap write wrong yard year yesterday young your zero zoo""".split()

# Natural speech around the robot that must move nothing.
ASIDES = """i think it is going to rain tomorrow
did you finish your homework
the train leaves at half past seven
we should paint the kitchen this summer
can you pass me the salt please
my sister lives near the harbour
he never answers the telephone
put the milk back in the fridge
i have to call the dentist this afternoon
that was a really good film
where did you park the car
she bought a new pair of shoes
let us have dinner at eight
the children are playing in the garden
it takes about an hour by bus
i forgot my umbrella again
nobody told me about the meeting
what are we having for lunch
this coffee is much too strong
he works at the hospital
the weather has been terrible all week
have you seen the news today
i left my jacket at the office
there is a strange smell in here
we are going to visit grandmother on sunday
the dog needs to go outside
she is reading a story to the baby
could you open the other drawer
the bread is still in the oven
i do not like the colour of that carpet
they moved to another city last year
it was left on the table yesterday
he was right about the weather
the price went up again
she looked really happy on the picture
the red car turned over twice
i read that book three times
you look like your mother
the phone was ringing all morning
he took a bottle of wine to the party
there was a duck on the lake
we waited for ten minutes at the door
the window in the bedroom is broken
the cup fell off the table
my head hurts a little
the volume of the box is ten litres
i saw him dance at the wedding
we stopped at the next village
sit down and have some cake
that is not what i said
well i do not really know
are you coming with us tonight
and then he said nothing at all
maybe we should ask somebody else
the second half was better than the first
it is the same every single time
give him my best wishes
how much did you pay for it
one of these days i will learn to sail
the museum is closed on mondays""".split("\n")


# What people say around a command; it is not written.
BEFORE = ["please", "robot", "reachy", "hey reachy", "can you", "could you", "okay", "and now"]
AFTER = ["please", "now", "right now", "for me", "reachy", "robot"]
POLITELY = set("""look turn tilt find be nod dance shake wait set raise lower take wiggle center describe wake go stop halt freeze cancel follow reset relax calm show
mute unmute speak say tell""".split())


def plain(text):
    """A command without what is said around it, and a stop that is said again and again once; any other text as it is."""
    known = set(COMMANDS)
    for a in ["", *BEFORE]:
        for b in ["", *AFTER]:
            if text.startswith(a) and text.endswith(b):
                t = text.removeprefix(a).removesuffix(b).strip()
                t = "stop" if set(t.split()) == {"stop"} else t
                if t in known and (t == text or t.split()[0] in POLITELY):
                    return t
    return text


def around(rng, text):
    """The command as people may say it."""
    if text.split()[0] not in POLITELY:
        return text
    if text == "stop" and rng.random() < 0.4:
        return rng.choice(["stop stop", "stop stop stop", "stop now", "stop right now"])
    return rng.choice([lambda: rng.choice(BEFORE) + " " + text, lambda: text + " " + rng.choice(AFTER)])()


class Said:
    """Draws of what is said: six of ten are commands, as they are or with other words around, the rest is none: what other() makes, talk, prose, and other requests to the robot."""

    def __init__(self, which):
        sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tuning"))
        import texts  # which reads the commands here
        lines = texts.Texts("train" if which == "train" else "validation")
        keep = {texts.same(t) for t in COMMANDS}
        self.others = [[w for t in part if (w := texts.same(t)) not in keep and plain(w) == w] for part in (lines.other, lines.prose, lines.robot + lines.corpus)]

    def draw(self, rng):
        if rng.random() < 0.6:
            t = command(rng)
            return around(rng, t) if rng.random() < 0.15 else t
        if rng.random() < 0.5:
            return other(rng)
        return rng.choice(rng.choice(self.others))


def command(rng):
    """A random command: templates by weight, then every slot alike."""
    total = sum(w for w, _ in TEMPLATES)
    if rng.random() * (total + len(FIXED)) < len(FIXED):
        return rng.choice(FIXED)
    t = rng.choices([t for _, t in TEMPLATES], [w for w, _ in TEMPLATES])[0]
    for name, values in SLOTS.items():
        t = t.replace("{" + name + "}", rng.choice(values))
    return t


def other(rng):
    """Random speech that is no command: plain words, asides, and commands spoiled by a word or cut short."""
    k = rng.random()
    if k < 0.3:
        return rng.choice(ASIDES)
    if k < 0.75:
        return " ".join(rng.sample(OTHER, rng.choice([1, 1, 2, 2, 3, 4, 5, 6])))
    words = command(rng).split()
    if k < 0.85:  # the same sounds, no sense
        rng.shuffle(words)
        words = words + [rng.choice(OTHER)]
    else:
        words[rng.randrange(len(words))] = rng.choice(OTHER)
        if len(words) == 1:
            words.append(rng.choice(OTHER))
    text = " ".join(words)
    return text if text not in COMMANDS else other(rng)


def check(planner):
    """Ask `reachyctl plan -` what it makes of every command; returns {command: plan as JSON text}."""
    import json
    out = subprocess.run([planner, "plan", "--json", "-"], input="\n".join(COMMANDS) + "\n", capture_output=True, text=True).stdout
    plans = {}
    for line in out.splitlines():
        p = json.loads(line)
        plans[p["text"]] = json.dumps([p["outcome"], p["steps"]], sort_keys=True)
    return plans


if __name__ == "__main__":
    import sys
    plans = check(sys.argv[1])
    none = [c for c in COMMANDS if not plans[c].startswith('["plan"')]
    print(len(COMMANDS), "commands,", len(TEMPLATES) + len(FIXED), "patterns,", len(WORDS), "words,", len(set(plans.values())), "plans; no plan:", none)
    overlap = sorted(set(OTHER) & set(WORDS))
    print("both lists:", overlap)
    rng = random.Random(0)
    print([other(rng) for _ in range(12)])
