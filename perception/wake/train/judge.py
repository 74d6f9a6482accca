"""What is found of calls in recordings that were kept: judge.py NET.pt FOLDER OUT.npz

For "hey reachy" (as it is read) and names that training never had, in four conditions: the best score of every recording, its worst sound's, and whether it begins with the phrase."""

import re
import sys

import numpy as np
import torch

import calls
import spotter
import train

CONDITIONS = ["clean", "heard"]


def load(path, device):
    c = torch.load(path, map_location=device)
    net = spotter.Net(c["width"], c["hidden"]).to(device)
    net.load_state_dict(c["net"])
    return net.eval()


def begins(text, phrase):
    return re.sub(r"[^a-z ]", "", text.lower()).startswith(phrase)


@torch.no_grad()
def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = load(sys.argv[1], device)
    store = train.Store(sys.argv[2], 3, device)
    import speak
    held = [n for i, n in enumerate(calls.NAMES) if i % 8 == 0]
    phrases = ["hey reechy", "okay reechy"] + ["hey " + n for n in held[:24]]
    keys = {p: spotter.numbers(speak.sounds(p)) for p in phrases}
    out = {}
    for heard in (False, True):
        kept, hours = {p: [] for p in phrases}, 0
        for rows, _, b in store.held(200, heard):
            logp = net(b["mel"]).cpu().numpy()
            hours += sum(store.size[r[0]] for r in rows) / spotter.RATE / 3600
            for p, k in keys.items():
                score, _, worst = spotter.search(logp, k)
                best = score.argmax(1)
                for i, r in enumerate(rows):
                    kept[p].append((r[0], begins(store.texts[r[0]], p), score[i, best[i]] / len(k), worst[i, best[i]]))
        for p, k in keys.items():
            a = np.array(kept[p], dtype=float)
            out[f"{heard} {p}"] = a
            yes, no = a[a[:, 1] == 1, 2], np.sort(a[a[:, 1] == 0, 2])[::-1]
            if len(yes):
                told = [f"{100 * (yes > no[int(f * hours)]).mean():.1f} % at {f:g}/h ({no[int(f * hours)]:.2f})" for f in (0, 1, 3, 10) if f * hours < len(no)]
                print("heard" if heard else "clean", p, len(k), "sounds,", len(yes), "calls,", round(hours, 2), "h of others:", ", ".join(told), flush=True)
    np.savez_compressed(sys.argv[3], texts=np.array(store.texts), names=np.array(store.names), size=store.size, **out)


if __name__ == "__main__":
    main()
