"""The ways in which the persona's files say each kind: its examples, and sentences of its templates put together by chance."""

import pathlib
import random
import re

HEADER = re.compile(r"([a-z]+(?:-[a-z0-9]+)*):$")
TOKEN = re.compile(r"\{[^}]*\}|<[^>]*>|\[|\]|\(|\)|\||:[a-z]+(?=[\s|)\]]|$)|[^\s|()\[\]{}<>]+")
WORDS = "the it that this really please now here today my your a some".split()
TEXTS = ["the red apple", "Anna", "football", "pizza", "elephant", "the weather", "house", "music"]


def kinds(folder):
    """name → (templates, examples, replies' mark is left out), and the lists of all files."""
    out, lists = {}, {}
    for file in sorted(pathlib.Path(folder).glob("*.txt")):
        now, last = None, None
        for line in file.read_text().splitlines():
            body = line.strip()
            if not body or body[0] == "#":
                continue
            if line.startswith("    "):
                if last is not None:
                    last[0][last[1]] += " " + body
                continue
            if line[0] == "<":
                name, text = body.split("=", 1)
                lists[name.strip()] = text.strip()
                last = (lists, name.strip())
                continue
            if line[0] != " ":
                m = HEADER.match(body)
                now = out.setdefault(m[1], ([], [])) if m else None
                last = None
                continue
            last = None
            if now is not None and body[:2] in ("? ", "> "):
                to = now["?>".index(body[0])]
                to.append(body[2:])
                last = (to, len(to) - 1)
    return out, lists


class Template:
    """One way, from which sentences are drawn."""

    def __init__(self, text, lists):
        self.parts, self.at, self.lists = TOKEN.findall(text), 0, lists
        self.tree = self.alternatives()

    def alternatives(self):
        all_, seq = [], []
        while self.at < len(self.parts):
            p = self.parts[self.at]
            if p in ")]":
                break
            self.at += 1
            if p == "|":
                all_.append(seq)
                seq = []
            elif p in "([":
                inner = self.alternatives()
                self.at += 1
                seq.append((p, inner))
            elif p in "^$" or p[0] == ":":
                continue
            else:
                seq.append(p)
        return all_ + [seq]

    def draw(self, rng, tree=None):
        out = []
        for p in rng.choice(tree or self.tree):
            if isinstance(p, tuple):
                if p[0] == "(" or rng.random() < 0.5:
                    out += self.draw(rng, p[1])
            elif p[0] == "<":
                if p in self.lists:
                    out += Template(self.lists[p], self.lists).draw(rng)
            elif p[0] == "{":
                out += self.slot(p[1:-1].split(":")[0], rng)
            else:
                out.append(p.split(":")[0])
        return out

    def slot(self, slot, rng):
        what, _, many = slot.partition(" ")
        if what == "number":
            return [str(rng.choice([rng.randint(1, 12), rng.randint(2, 300)]))]
        if what == "text":
            return [rng.choice(TEXTS)]
        if what == "word":
            low, _, high = (many or "1").partition("-")
            return [rng.choice(WORDS) for _ in range(rng.choice([int(low), int(low), rng.randint(int(low), int(high or low))]))]
        return []


def drawn(folder, many, seed=1):
    """(kind, sentence): the examples, and up to many sentences of the templates of each kind."""
    rng, out = random.Random(seed), []
    all_, lists = kinds(folder)
    for name, (ways, examples) in all_.items():
        out += [(name, e) for e in examples]
        templates = [Template(w, lists) for w in ways]
        alternatives = [(t, [[seq]]) for t in templates for seq in t.tree]
        seen = set()
        for _ in range(many * 2):
            if not templates or len(seen) >= many:
                break
            t, tree = rng.choice(alternatives)
            seen.add(" ".join(t.draw(rng, tree[0])))
        out += [(name, s) for s in sorted(seen)]
    return out


if __name__ == "__main__":
    import sys

    for kind, text in drawn(sys.argv[1], int(sys.argv[2])):
        print(kind + "\t" + text)
