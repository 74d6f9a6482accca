"""Trains the low-rank changes for a given time; stopped at any moment, it goes on from its last checkpoint.

tune.py --base ggml-tiny.en.bin --data DIR --out DIR --minutes 90
"""

import argparse
import math
import os
import time

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

import clips
import net
from train import die_with_parent


def feed(queue, folder, file, seed, size, opened):
    """Fills the queue for ever."""
    die_with_parent()
    torch.set_num_threads(1)
    stream = clips.Stream(folder, file.filters, net.Tokens(file.words), seed, size)
    looked = time.time()
    while True:
        if time.time() - looked > 120:  # speak.py may still be writing
            stream.reload()
            looked = time.time()
        for b in stream.batches(opened.value):
            queue.put({k: v.numpy() for k, v in b.items()})


def losses(m, b):
    """(text, no speech): cross-entropies of what is said, and of whether anything is."""
    with torch.autocast("cpu", torch.bfloat16):
        x = m.decode(b["tokens"][:, :-1], m.encode(b["mel"]))
    target = b["tokens"][:, 2:]
    valid = torch.arange(target.shape[1])[None] < (b["lengths"] - 2)[:, None]
    with torch.autocast("cpu", torch.bfloat16):
        words, first = m.logits(x[:, 1:][valid]), m.logits(x[:, 0])
    silent = first.float().log_softmax(-1)[:, net.NO_SPEECH].clamp(max=-1e-6)
    spoken = torch.log1p(-silent.exp())
    return F.cross_entropy(words.float(), target[valid], reduction="sum") / max(1, int(valid.sum())), -torch.where(b["lengths"] > 2, spoken, silent).mean()


@torch.no_grad()
def check(m, batches):
    """Mean cross-entropy of a token, of clean and of degraded recordings of the validation voices."""
    means = []
    for part in batches:
        n = [int((b["lengths"] - 2).sum()) for b in part]
        means.append(sum(losses(m, b)[0].item() * k for b, k in zip(part, n)) / sum(n))
    return "clean {:.3f} degraded {:.3f}".format(*means)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--base", required=True)
    a.add_argument("--data", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--minutes", type=float, default=90, help="of training, the time before an interruption counted in")
    a.add_argument("--rate", type=float, default=3e-4)
    a.add_argument("--size", type=int, default=16, help="clips of a batch")
    a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()

    torch.manual_seed(o.seed)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    file = net.File(o.base)
    m = net.Whisper(file)
    opt = torch.optim.AdamW(m.parameters(), lr=o.rate, weight_decay=0, betas=(0.9, 0.98))
    path, step, used = o.out + "/checkpoint.pt", 0, 0.0
    os.makedirs(o.out, exist_ok=True)
    if os.path.exists(path):
        c = torch.load(path)
        m.load_state_dict(c["model"])
        opt.load_state_dict(c["optimiser"])
        step, used = c["step"], c["used"]
    validation = clips.held(o.data + "/validation", file.filters, net.Tokens(file.words), o.size)

    def save():
        torch.save(dict(model=m.state_dict(), optimiser=opt.state_dict(), step=step, used=used), path + ".new")
        os.replace(path + ".new", path)

    ctx = mp.get_context("fork")
    queue, opened = ctx.Queue(12), ctx.Value("d", 0.3)
    ctx.Process(target=feed, args=(queue, o.data + "/train", file, o.seed * 1000 + step, o.size, opened), daemon=True).start()
    print(f"step {step} held {check(m, validation)}", flush=True)
    last = saved = checked = time.time()
    sums = [0.0, 0.0]
    while (done := used / (o.minutes * 60)) < 1:
        # A rate of 2e-3 destroys what the base knows of people's voices.
        opt.param_groups[0]["lr"] = o.rate * min(1, (step + 1) / 50) * math.cos(math.pi / 2 * done)
        opened.value = 0.3 if done < 2 / 3 else 0.5
        text, silent = losses(m, {k: torch.from_numpy(v) for k, v in queue.get().items()})
        opt.zero_grad()
        (text + 0.2 * silent).backward()
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)):
            opt.step()
        step += 1
        sums = [s + v.item() for s, v in zip(sums, (text, silent))]
        now = time.time()
        used, last = used + now - last, now
        if step % 50 == 0:
            print(f"step {step} {used / 60:.1f} min rate {opt.param_groups[0]['lr']:.1e}",
                  f"text {sums[0] / 50:.3f} no speech {sums[1] / 50:.3f} waiting {queue.qsize()}", flush=True)
            sums = [0.0, 0.0]
        if now - saved > 300:
            save()
            saved = now
        if now - checked > 600:
            print(f"step {step} held {check(m, validation)}", flush=True)
            checked = last = time.time()
    save()
    print(f"step {step} held {check(m, validation)}", flush=True)


if __name__ == "__main__":
    main()
