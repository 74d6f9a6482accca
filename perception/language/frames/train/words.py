"""The words that get vectors: words.py TOKENS OUT. Those of the sentences (main.go tokens), and frequent ones that may stand in others.

Writes them to OUT/words.txt, and the frequent ones, which every network has, to OUT/frequent.txt.
"""

import json
import pathlib
import re
import sys

import wordfreq

FREQUENT, KNOWN = 5000, 16000

out = pathlib.Path(sys.argv[2])
top = [w for w in wordfreq.top_n_list("en", KNOWN) if len(w) > 1 and re.fullmatch(r"[a-z']+", w)]
words = set(top)
for line in open(sys.argv[1]):
    words.update(w for w in json.loads(line)["words"] or [] if re.fullmatch(r"[a-z']+", w))
(out / "words.txt").write_text("".join(w + "\n" for w in sorted(words)))
(out / "frequent.txt").write_text("".join(w + "\n" for w in top[:FREQUENT]))
