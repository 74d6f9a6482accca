"""Trains the low-rank changes for a given time, on a GPU if there is one; stopped at any moment, it goes on from its last checkpoint.

tune.py --base ggml-tiny.en.bin --data DIR --out DIR --minutes 90
"""

import argparse
import contextlib
import math
import os
import time

import torch
import torch.nn.functional as F

import clips
import export
import net

CHECKED = (0.65, 0.75, 0.85, 1.0)  # strengths
CLIP_MEMORY = 120 << 20  # bytes of a GPU for each clip of a batch, at most


@contextlib.contextmanager
def strength(value):
    was, net.Linear.strength = net.Linear.strength, value
    try:
        yield
    finally:
        net.Linear.strength = was


def text_logits(m, b, rows=None, mel="mel"):
    """[said tokens, vocabulary] of what is said, and of the first token [B, vocabulary]."""
    tokens, lengths = (b["tokens"], b["lengths"]) if rows is None else (b["tokens"][rows], b["lengths"][rows])
    valid = torch.arange(tokens.shape[1] - 2, device=tokens.device)[None] < (lengths - 2)[:, None]
    with torch.autocast(tokens.device.type, torch.bfloat16):
        x = m.decode(tokens[:, :-1], m.encode(b[mel]))
        return m.logits(x[:, 1:][valid]), m.logits(x[:, 0]), tokens[:, 2:][valid], valid


def losses(m, b, teach=0.0):
    """(text, no speech): cross-entropies of what is said, and of whether anything is. teach is how much of what people's open speech is
    learned from is what the published model makes of the clean recording."""
    words, first, target, valid = text_logits(m, b)
    text = F.cross_entropy(words.float(), target, reduction="none")
    if teach and "open" in b:
        with torch.no_grad(), strength(0):
            soft = text_logits(m, b, b["open"], "clean")[0].float().log_softmax(-1)
        mine = torch.zeros(len(b["lengths"]), dtype=torch.bool, device=target.device)
        mine[b["open"]] = True
        mine = mine[:, None].expand_as(valid)[valid]
        kl = F.kl_div(words[mine].float().log_softmax(-1), soft, log_target=True, reduction="none").sum(-1)
        text = torch.cat([text[~mine], (1 - teach) * text[mine] + teach * kl])
    silent = first.float().log_softmax(-1)[:, net.NO_SPEECH].clamp(max=-1e-6)
    spoken = torch.log1p(-silent.exp())
    return text.sum() / max(1, len(text)), -torch.where(b["lengths"] > 2, spoken, silent).mean()


@torch.no_grad()
def check(m, batches):
    """Mean cross-entropy of a token, of clean and of degraded recordings of the validation voices."""
    means = []
    for part in batches:
        n = [int((b["lengths"] - 2).sum()) for b in part]
        means.append(sum(losses(m, b)[0].item() * k for b, k in zip(part, n)) / max(1, sum(n)))
    return "clean {:.3f} degraded {:.3f}".format(*means)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--base", required=True)
    a.add_argument("--data", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--start", help="an exported file of changes to go on from")
    a.add_argument("--minutes", type=float, default=90, help="of training, the time before an interruption counted in")
    a.add_argument("--rate", type=float, help="default 3e-4, for the larger batches of a GPU 5e-4")
    a.add_argument("--size", type=int, help="clips of a batch; default 16, on a GPU 512, less where its memory is short")
    a.add_argument("--teach", type=float, help="part of the published model's own words in what is learned from open speech; default 0.5 on a GPU, else 0: it costs time")
    a.add_argument("--save", type=float, default=300, help="seconds between checkpoints")
    a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    size, rate, teach = (v if v is not None else d for v, d in zip((o.size, o.rate, o.teach), (512, 5e-4, 0.5) if device == "cuda" else (16, 3e-4, 0.0)))
    torch.manual_seed(o.seed)
    if device == "cuda":  # others may be at work there
        size = min(size, max(16, torch.cuda.mem_get_info()[0] // CLIP_MEMORY // 16 * 16))
    else:
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    file = net.File(o.base)
    m = net.Whisper(file).to(device)
    if o.start:
        export.load(m, o.start)
    opt = torch.optim.AdamW(m.parameters(), lr=rate, weight_decay=0, betas=(0.9, 0.98))
    path, step, used = o.out + "/checkpoint.pt", 0, 0.0
    os.makedirs(o.out, exist_ok=True)
    if os.path.exists(path):
        c = torch.load(path, map_location=device)
        m.load_state_dict(c["model"])
        opt.load_state_dict(c["optimiser"])
        step, used = c["step"], c["used"]
    tokens = net.Tokens(file.words)
    held = clips.Store(o.data + "/validation", file, tokens, 3, device)
    validation = [held.held(size, heard) for heard in (False, True)]
    store = clips.Store(o.data + "/train", file, tokens, o.seed * 1000 + step, device)

    def save():
        torch.save(dict(model=m.state_dict(), optimiser=opt.state_dict(), step=step, used=used), path + ".new")
        os.replace(path + ".new", path)

    print(f"{device}, {len(store.size)} recordings, {store.size.sum() / 3600 / clips.RATE:.1f} hours, step {step} held {check(m, validation)}", flush=True)
    last = saved = checked = looked = time.time()
    sums = torch.zeros(2, device=device)
    while (done := used / (o.minutes * 60)) < 1:
        for b in store.batches(size, 0.3 if done < 2 / 3 else 0.5, teach > 0):
            # A rate of 2e-3 destroys what the base knows of people's voices.
            opt.param_groups[0]["lr"] = rate * min(1, (step + 1) / 50) * math.cos(math.pi / 2 * min(1, done))
            opt.zero_grad()
            try:
                text, silent = losses(m, b, teach)
                (text + 0.2 * silent).backward()
            except torch.OutOfMemoryError:  # somebody else takes it
                size, text, silent = max(16, size // 2), None, None
                torch.cuda.empty_cache()
                print(f"out of memory: batches of {size}", flush=True)
                break
            torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
            for p in m.parameters():
                p.grad.nan_to_num_(0)
            opt.step()
            step += 1
            sums += torch.stack([text.detach(), silent.detach()])
            if step % 50 == 0:
                print(f"step {step} {used / 60:.1f} min rate {opt.param_groups[0]['lr']:.1e} text {sums[0].item() / 50:.3f} no speech {sums[1].item() / 50:.3f}", flush=True)
                sums.zero_()
            now = time.time()
            used, last = used + now - last, now
            done = used / (o.minutes * 60)
        if now - saved > o.save:
            save()
            saved = now
        if now - looked > 20:  # speak.py may still be writing
            store.reload()
            looked = now
        if now - checked > o.save * 2:
            print(f"step {step} held {check(m, validation)}", flush=True)
            checked = last = time.time()
    save()
    for s in CHECKED:
        with strength(s):
            print(f"step {step} of {len(store.size)} recordings, strength {s} held {check(m, validation)}", flush=True)


if __name__ == "__main__":
    main()
