"""Text → the sounds that the encoder learns beside the words."""

import functools
import subprocess

# The sounds of en-us as espeak-ng writes them; what is not in the list (stress, length) is left out. 0 is CTC's blank, 1 a word's end.
PHONES = "a b d e f h i j k l m n o p s t u v w x z æ ð ŋ ɐ ɑ ɒ ɔ ə ɚ ɛ ɜ ɡ ɪ ɹ ɾ ʃ ʊ ʌ ʒ θ ᵻ ʔ".split()
PHONE = {p: i + 2 for i, p in enumerate(PHONES)}


@functools.lru_cache(None)
def word_phones(word):
    s = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-us", word], capture_output=True, text=True).stdout
    return [PHONE[c] for c in s if c in PHONE]


def phones(text):
    out = []
    for w in text.split():
        out += word_phones(w) + [1]
    return out[:-1]
