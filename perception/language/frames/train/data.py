"""Sentences of writers and what they ask, as they are learned: with what the robot did before, and numbers as places in the sentence."""

import collections
import pathlib

# Frames of which only the name is learned: what they are about is found by the rules.
SAID_ELSEWHERE = {"look-at", "find", "follow", "timer", "remind", "say", "volume", "wait", "count", "ask", "remember"}
MAX_OUT = 28
# How many lines back the last act is looked for, in files that do not say where a conversation ends.
REACH = 5
ASKED = "asked"

OPPOSITE = {"left": "right", "right": "left", "up": "down", "down": "up"}
OTHER = {"left-antenna": "right-antenna", "right-antenna": "left-antenna"}


def number(symbol):
    try:
        return float(symbol)
    except ValueError:
        return None


def target(frames, numbers):
    """The symbols of frames, numbers as #1, #2 … of the sentence; None where a number is not in it."""
    out, left = [], collections.Counter()
    for symbol in frames.replace(";", " ; ").split():
        value = number(symbol)
        if value is None:
            out.append(symbol)
            continue
        places = [i for i, n in enumerate(numbers) if abs(abs(n) - abs(value)) < 0.01]
        if not places:
            return None
        out.append("#%d" % (places[min(left[value], len(places) - 1)] + 1))
        left[value] += 1
    kept, skip = [], False
    for symbol in out:
        skip = skip and symbol != ";"
        if not skip:
            kept.append(symbol)
        skip = skip or symbol in SAID_ELSEWHERE
    return kept


def act(frames, before):
    """What the robot has done last, after these frames: "head left", "tilt", "gesture nod"; "" for nothing."""
    for frame in frames.split(";"):
        f = frame.split() + ["", "", ""]
        if f[0] == "instead":
            f = f[1:] + [""]
        part, way = (before.split() + ["", ""])[:2]
        moved = part in ("head", "tilt", "body", "antennas", "left-antenna", "right-antenna")
        if f[0] == "move":
            to = part if f[1] == "it" and moved else {"it": "body", "turn": "body"}.get(f[1], f[1])
            if to == "body" and f[2] in ("up", "down"):
                to = "head"
            before = f"{to} {way if f[2] == 'same' and moved and way else f[2]}"
        elif f[0] == "same" and moved and f[1]:
            before = f"{OTHER.get(part, part) if f[1] == 'other-antenna' else f[1]} {way}".strip()
        elif f[0] == "other-way" and moved:
            before = f"{part} {OPPOSITE.get(way, way)}".strip()
        elif f[0] in ("gesture", "emotion") and f[1]:
            before = f"{f[0]} {f[1]}"
        elif f[0] in ("reset", "undo-all"):
            before = "reset"
        elif f[0] in ("look-at", "follow", "find", "sleep", "wake", "photo"):
            before = f[0]
    return before.replace(" same", "").strip()


Row = collections.namedtuple("Row", "writer place text frames before")


def lines(folders):
    """The lines of the writers' files, each with what was done before it."""
    rows = []
    for folder in folders:
        for file in sorted(pathlib.Path(folder).glob("*.txt")):
            text = file.read_text()
            told = "\n\n" in text  # says where conversations end
            recent, asked, place = [], False, 0
            for line in text.splitlines():
                line = line.strip()
                if not line:
                    recent, place = [], place + 1
                elif line.startswith("#"):
                    asked = line.startswith("# robot:")
                elif " => " in line:
                    said, frames = (s.strip() for s in line.rsplit(" => ", 1))
                    before = ""
                    for f in recent if told else recent[-REACH:]:
                        before = act(f, before)
                    rows.append(Row(file.stem, place if told else len(recent) // 25, said, frames, ASKED if asked else before))
                    recent.append(frames)
                    asked = False
    return rows


def context(before):
    """The words that stand before a sentence for what was done."""
    return ["@" + w for w in before.split()]
