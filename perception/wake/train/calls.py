"""What is said in the recordings: calls to somebody by his name, what sounds like the robot's, and open speech (the tuning's texts)."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("../../stt/train", "../../stt/tuning"):
    sys.path.append(os.path.join(HERE, folder))

import texts  # noqa: E402

# espeak-ng, and who asks it, reads "reachy" as "reeky".
PHRASES = ["hey reechy", "hi reechy", "hello reechy", "okay reechy"]

# Other names, so that any can be found by its sounds.
NAMES = """oskar pepper anna robbie max luna felix milo otto ruby jasper nova coco buddy sparky gizmo alfred marvin daisy leo mia emma ben tom lucy
jack sophie oliver charlie george harry arthur noah ella grace lily freya poppy ivy rosie evie jacob oscar archie henry theodore william james thomas alexander
joshua edward isaac lucas samuel daniel joseph david adam dylan logan matthew nathan benjamin michael elijah amelia isla ava olivia emily charlotte
jessica sienna matilda maya florence alice eleanor phoebe hannah violet scarlett penelope victoria clara julia laura martha nina paula rita sarah tina
wendy yvonne zoe bella carla diana elena fiona gina helga ingrid jana karin lena monica nadia petra sabine tanja ulrike vera amir boris carlos dmitri
enzo franco gustav hugo igor javier klaus lorenzo mario niko pablo ramon sergio tariq umberto viktor walter xavier yannick zachary robot computer machine
jarvis friday watson einstein newton galileo kepler tesla edison darwin bolt rusty tinker cookie peanut biscuit waffle muffin pickle ziggy bingo
mango kiwi olive basil ginger clover willow maple hazel amber jade pearl opal topaz indigo scout ranger pilot captain doctor professor mister pixel
gadget turbo rocket comet cosmo orion apollo atlas titan zeus hera athena hermes juno minerva vesta astro byte chip dash echo flux glitch""".split()

# What is close to "hey reachy" and is not it.
NEAR = """hey rachel|hey richard|hey ricky|hey randy|hey peachy|hey teacher|hey teach|hey beach boy|hey reach over|hey reach for it|hey reader|hey rita|hey regis|hey each of you
they reach it|they reach him|the reach is|a beach in italy|hey preacher|hey preach it|reach it|reach me the salt|reach in|reach under|teach me|teach it|each is|each evening|a peachy colour
that is preachy|a screechy voice|hey mickey|hey vicky|hey jeannie|hey lucy|hey pitchy|hey fishy|hey leachy|hey meaty|hey sheila|hey archie|hey rookie|hey russia|hey rebecca
he reached it|he reached me|okay richard|okay teacher|hello rachel|hello teacher|hi rachel|hi richard|hey robot|hey there|hey you|hey what|hey reason|hey really|hey ready|hey read it
say reach|play reach|may reach|lay each|way richer|hay reaches|the reachable ones|in reach again|out of reach|reaching|reaches|breach it|breach of it|bleach it|speech is|the speech he gave
a richer|the ridge he saw|rich he was|which he|reach him|reach his|reach her|reachable|unreachable|Richie rich|the witch he met|eight reaches|pay each|pay teachers""".replace("\n", "|").split("|")

BEFORE = ["", "", "", "so ", "and ", "um ", "well ", "oh ", "now "]


class Calls:
    """Draws of (kind, what is said): call, near or open."""

    def __init__(self, which):
        self.texts, self.held = texts.Texts(which), which != "train"

    def sentence(self, rng):
        return self.texts.draw(rng)[1]

    def name(self, rng):
        held = [n for i, n in enumerate(NAMES) if (i % 8 == 0) == self.held]
        return rng.choice(held)

    def draw(self, rng):
        kind, said = self.drawn(rng)
        return kind, re.sub(r"\breachy\b", "reechy", said, flags=re.I)

    def drawn(self, rng):
        k = rng.random()
        if k < 0.16:
            call = rng.choice(PHRASES[:1] * 4 + PHRASES[1:])
        elif k < 0.34:
            call = rng.choice(["hey", "hey", "hi", "hello", "okay"]) + " " + self.name(rng)
        elif k < 0.46:
            near = rng.choice(NEAR)
            return "near", near if rng.random() < 0.5 else rng.choice([near + " " + self.sentence(rng), rng.choice(BEFORE) + near])
        else:
            return "open", self.sentence(rng)
        if rng.random() < 0.35:
            return "call", call
        return "call", call + rng.choice([", ", " ", ". "]) + self.sentence(rng)
