"""The words that get vectors: words.py TOKENS. Those of the sentences (main.go tokens), and frequent ones that may stand in others."""

import json
import re
import sys

import wordfreq

FREQUENT = 4000

words = {w for w in wordfreq.top_n_list("en", FREQUENT) if len(w) > 1}
for line in open(sys.argv[1]):
    words.update(json.loads(line)["words"] or [])
print("\n".join(sorted(w for w in words if re.fullmatch(r"[a-z']+", w))))
