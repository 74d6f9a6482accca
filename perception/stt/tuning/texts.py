"""What is said in the recordings, and how Whisper writes it down: texts.py prints how many there are and some of them."""

import glob
import os
import re
import zlib
from collections import Counter, defaultdict

import evaluate
import phrases

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = os.path.join(HERE, "../../language/frames/sentences")
PROSE = os.path.join(HERE, "prose")
FORTUNES = os.environ.get("FORTUNES", "/usr/share/games/fortunes")  # of Debian's package fortunes; without them there is less prose
NO_PROSE = {"ascii-art", "debian", "knghtbrd", "linuxcookie", "zippy", "perl", "songs-poems", "tao", "translate-me"}

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
VALUE = {w: i for i, w in enumerate(ONES)} | {w: 20 + 10 * i for i, w in enumerate(TENS)}
DIGIT, TEEN, TEN = "|".join(ONES[1:10]), "|".join(ONES[10:]), "|".join(TENS)
BELOW = rf"(?:(?:{TEN})(?:[- ](?:{DIGIT}))?|{TEEN}|{DIGIT})"
NUMBER = re.compile(rf"\b(?:(a|{DIGIT}) hundred and )?({BELOW})\b", re.I)
YEAR = re.compile(rf"\b(seventeen|eighteen|nineteen|twenty) ((?:{TEN})(?:[- ](?:{DIGIT}))?|{TEEN})\b", re.I)
# Numbers for which there is more than one way to write them.
UNCLEAR = re.compile(rf"\b(?:{TEN})[- ](?:first|second|third|\w+th)\b|\b(?:thousand|million|billion|point|oh)\b"
                     rf"|\b(?:{TEEN}|{TEN}|{DIGIT})[- ](?:{TEEN}|{TEN})\b|\b(?:{DIGIT}|{TEEN}) (?:{DIGIT})\b|\bhundred (?:{BELOW})\b", re.I)
ASKING = re.compile(r"(what|where|who|when|why|how|which|whose|can|could|would|will|do|does|did|is|are|was|were|have|has|should|may|shall|isn't|aren't"
                    r"|don't you)\b", re.I)
LONGEST = 18  # words: about five seconds


def value(words):
    return sum(VALUE[w] for w in re.split(r"[- ]", words.lower()))


def words_for(n):
    """0…199 in words."""
    if n >= 100:
        return "a hundred" + (" and " + words_for(n % 100) if n % 100 else "")
    return ONES[n] if n < 20 else TENS[n // 10 - 2] + ("-" + ONES[n % 10] if n % 10 else "")


def figures(text):
    """Numbers from ten on in figures."""
    def number(m):
        hundreds = 0 if not m[1] else 1 if m[1].lower() == "a" else VALUE[m[1].lower()]
        n = 100 * hundreds + value(m[2])
        return str(n) if n >= 10 else m[0]

    text = YEAR.sub(lambda m: f"{VALUE[m[1].lower()]}{value(m[2])}", text)
    return re.sub(r"\b(\d+) per ?cent\b", r"\1%", NUMBER.sub(number, text))


def spoken(text):
    """Figures in words; None where it is not plain how the text is said."""
    text = text.replace("’", "'").replace("—", ", ").replace("–", ", ").replace("%", " percent").replace("°", " degrees")
    if any(int(n) > 199 for n in re.findall(r"\d+", text)):
        return None
    text = " ".join(re.sub(r"\d+", lambda m: words_for(int(m[0])), text).split())
    if not re.fullmatch(r"[A-Za-z][A-Za-z',.?! -]*", text) or not 1 <= len(text.split()) <= LONGEST:
        return None
    return None if UNCLEAR.search(YEAR.sub("", text)) else text


def written(said):
    """As Whisper writes it."""
    text = figures(re.sub(r"\bi\b", "I", said)).rstrip(" ,.-")
    if text[-1] not in "?!":
        text += "?" if ASKING.match(text) else "."
    return text[0].upper() + text[1:]


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def same(text):
    """What two writings of one sentence share."""
    return " ".join(words(text.replace("-", " ")))


def judged():
    """Sentences that the evaluations say: never trained on. Those of STOPS are words that must be heard, and stay."""
    texts = evaluate.sentences("judge", 10 ** 6) + evaluate.sentences("exam", 10 ** 6) + evaluate.sentences("calibrate", 100) + evaluate.OTHERS + evaluate.ASIDES + evaluate.NO_STOPS
    return {same(t) for t in texts}


def frames():
    """(to the robot, other talk) of the writers of perception/language/frames, of words that two writers use."""
    lines, writers, inside = [], defaultdict(set), Counter()
    for path in sorted(glob.glob(FRAMES + "/writer-*.txt")):
        for line in open(path):
            text, _, meaning = line.strip().partition(" => ")
            lines.append((text, meaning))
            for w in words(text):
                writers[w].add(path)
            inside.update(re.findall(r"(?<=[a-z] )[A-Za-z']+", text))
    names = {w.lower(): w for w in inside if w[0].isupper() and inside[w] > 2 * inside[w.lower()] and inside[w] > 1}
    robot, other = [], []
    for text, meaning in lines:
        said = spoken(text)
        if said and all(len(writers[w]) > 1 for w in words(text)):
            said = re.sub(r"\b[a-z][a-z']*", lambda m: names.get(m[0], m[0]), said)
            (other if meaning.split()[0] in ("talk", "chat") else robot).append(said)
    return robot, other


def prose():
    return [s for p in sorted(glob.glob(PROSE + "/*.txt")) for line in open(p) if (s := spoken(line.strip()))]


def fortunes():
    """Sentences of people's sayings and of literature."""
    out = []
    for path in sorted(glob.glob(FORTUNES + "/*")):
        if "." in os.path.basename(path) or os.path.basename(path) in NO_PROSE or not os.path.isfile(path):
            continue
        for saying in open(path, errors="replace").read().split("\n%\n"):
            saying = " ".join(re.sub(r"\n\s*-- .*", "", saying, flags=re.S).split())
            for s in re.split(r"(?<=[.?!])[\"']? +", saying):
                s = s.strip('" ')
                if re.fullmatch(r"[A-Z][A-Za-z',.?! -]*[.?!]", s) and len(s.split()) > 2 and not re.search(r"[A-Z]{2}|\.\.|--", s) and (s := spoken(s)):
                    out.append(s)
    return out


def held(text):
    """One text of twenty is for validation."""
    return zlib.crc32(same(text).encode()) % 20 == 0


class Texts:
    """Draws of (kind, what is said); kind is open or robot."""

    def __init__(self, which):
        kept = judged()

        def choose(texts):
            return sorted({t for t in texts if same(t) not in kept and held(t) == (which == "validation")})

        robot, other = frames()
        self.robot, self.other, self.prose = choose(robot), choose(other + phrases.ASIDES), choose(prose() + fortunes())
        self.commands = choose(phrases.COMMANDS)
        self.corpus = choose([s for t in evaluate.sentences("tune", 10 ** 6) if (s := spoken(t))])

    def draw(self, rng):
        k = rng.random()
        if k < 0.45:
            return "open", rng.choice(self.prose if self.prose and k < 0.25 else self.other)
        if k < 0.8:
            return "robot", rng.choice(self.robot)
        if k < 0.88:
            return "robot", rng.choice(self.corpus)
        for _ in range(100):  # templates by weight; the frequent ones are in no list
            t = phrases.command(rng)
            if t in self.commands:
                return "robot", t
        return "robot", rng.choice(self.commands)


if __name__ == "__main__":
    import random
    for which in ("train", "validation"):
        t = Texts(which)
        print(which, len(t.robot), "to the robot,", len(t.commands), "commands,", len(t.corpus), "of the planner's corpus,", len(t.other), "talk,", len(t.prose), "prose")
    rng = random.Random(1)
    for _ in range(30):
        kind, said = t.draw(rng)
        print(kind, "|", said, "|", written(said))
