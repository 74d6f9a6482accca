"""Listens to voices that had no part in training: judge.py CHECKPOINT DATA [RECORDINGS]

First the validation voices choose the least confidence; then the judging voices are counted with it. With RECORDINGS the judging
voices are also written there (40 of each that Go cannot make) as WAV files with an index.tsv, for the Go benchmark (COMMAND_MODEL_RECORDINGS).
"""

import collections
import os
import sys
import wave

import torch

import data
import model
import train

CONDITIONS = [("clean", None), ("10 dB", 10)]


def accepted(rows, least):
    """(commands right, commands, others accepted, others) when only what is at least so sure counts."""
    right = commands = passed = others = 0
    for _, text, said, sure in rows:
        said = said if sure >= least and said in data.CLASS else data.phrases.UNKNOWN
        if data.label(text) == data.phrases.UNKNOWN:
            others += 1
            passed += said != data.phrases.UNKNOWN
        else:
            commands += 1
            right += said == text
    return right, commands, passed, others


def main():
    torch.set_num_threads(1)
    checkpoint, folder = sys.argv[1:3]
    c = torch.load(checkpoint, map_location="cpu")
    m = model.Model(**c["config"])
    m.load_state_dict(c["mean"])
    filters = model.mel_filters()

    clips, _ = data.load(folder + "/validation")
    rows = [r for _, noise in CONDITIONS for r in train.judge(m, clips, filters, noise)[1]]
    print("validation, clean and 10 dB: least confidence → commands right, others accepted")
    for i in range(6, 20):
        least = i * 0.05
        right, commands, passed, others = accepted(rows, least)
        print(f"  {least:.2f}  {100 * right / commands:.1f} %  {100 * passed / others:.1f} %")
    passing = [i * 0.05 for i in range(6, 20) if accepted(rows, i * 0.05)[2] <= 0.05 * accepted(rows, i * 0.05)[3]]
    least = min(passing, default=0.95)
    print(f"least confidence {least:.2f}")

    clips, _ = data.load(folder + "/judge")
    confused = collections.Counter()
    for name, noise in CONDITIONS:
        kinds = collections.defaultdict(list)
        for row in train.judge(m, clips, filters, noise)[1]:
            kinds[row[0]].append(row)
            if row[2] != data.label(row[1]):
                confused[f"{data.label(row[1])} → {row[2]}"] += 1
        for kind, rows in [*sorted(kinds.items()), ("all", sum(kinds.values(), []))]:
            right, commands, passed, others = accepted(rows, least)
            print(f"{name:6} {kind:16} commands {right}/{commands} = {100 * right / commands:.1f} %, others accepted {passed}/{others} = {100 * passed / others:.1f} %")
    print("most confused:", *(f"\n  {n} {k}" for k, n in confused.most_common(25)))

    if len(sys.argv) > 3:
        os.makedirs(sys.argv[3], exist_ok=True)
        with open(sys.argv[3] + "/index.tsv", "w") as index:
            few = collections.Counter()
            for i, (pcm, text, kind) in enumerate(clips):
                few[kind] += 1
                if few[kind] > 40 or kind.startswith(("espeak", "flite")):  # Go has those itself
                    continue
                with wave.open(f"{sys.argv[3]}/{i}.wav", "wb") as w:
                    w.setparams((1, 2, 16000, 0, "NONE", ""))
                    w.writeframes(pcm.tobytes())
                index.write(f"{i}.wav\t{kind}\t{text}\n")


if __name__ == "__main__":
    main()
