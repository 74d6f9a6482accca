"""Trains the command model for a given time; stopped at any moment, it goes on from its last checkpoint.

train.py --data DIR --out DIR --minutes 90
"""

import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import data
import export
import model
import store


@torch.no_grad()
def greedy(m, mel, most=9):
    """What the decoder writes, and the geometric mean of the probabilities of its words (stt.Result.Confidence)."""
    sound = m.encode(mel, 0)
    t = torch.tensor([[data.START, data.PLAIN]] * len(mel), device=mel.device)
    done = torch.zeros(len(mel), dtype=torch.bool, device=mel.device)
    total, count = torch.zeros(len(mel), device=mel.device), torch.zeros(len(mel), device=mel.device)
    for _ in range(most):
        p, n = m.decode(t, sound, 0)[:, -1].softmax(-1).max(-1)
        n = n.masked_fill(done, data.END)
        word = n < data.END
        total, count = total + p.log().masked_fill(~word, 0), count + word
        done |= n == data.END
        t = torch.cat([t, n[:, None]], 1)
        if done.all():
            break
    return [" ".join(data.WORDS[k] for k in row[2:] if k < data.END) for row in t.tolist()], (total / count.clamp(min=1)).exp()


def judge(m, clips, filters, noise=None, seed=5):
    """{kind: [right, all]} over commands; 'other speech' counts what was rejected."""
    import augment
    m.eval()
    rng = np.random.default_rng(seed)
    out, rows, device = {}, [], next(m.parameters()).device
    babble = [c for c, _, _ in clips]
    for i in range(0, len(clips), 50):
        part = clips[i:i + 50]
        heard = []
        for pcm, _, _ in part:
            x = np.zeros(len(pcm) + 4800 + 4800, dtype=np.float32)
            x[4800:4800 + len(pcm)] = pcm / 32768
            if noise is not None:
                x += augment.noise(rng, len(x), babble) * (pcm / 32768).std() * 10 ** (-noise / 20)
            heard.append(x)
        said, sure = greedy(m, data.spectrograms(heard, filters, model.WINDOW).to(device))
        for (_, text, kind), s, p in zip(part, said, sure.tolist()):
            want = data.label(text)
            name = "other speech" if want == data.phrases.UNKNOWN else kind
            right = out.setdefault(name, [0, 0])
            right[0] += s == want
            right[1] += 1
            rows.append((kind, text, s, p))
    m.train()
    return out, rows


def score(result):
    right, count = map(sum, zip(*(v for k, v in result.items() if k != "other speech")))
    return right / count


def optimiser(m):
    decay = [p for p in m.parameters() if p.dim() > 1]
    rest = [p for p in m.parameters() if p.dim() <= 1]
    return torch.optim.AdamW([dict(params=decay, weight_decay=0.05), dict(params=rest, weight_decay=0)], betas=(0.9, 0.98), fused=True)


def losses(m, b):
    """(words, sounds, sounds laid out evenly, whole command) of a batch."""
    sound = m.encode(b["mel"], 0)
    words = m.decode(b["tokens"][:, :-1], sound, 0)[:, 1:]
    target = b["tokens"][:, 2:]
    valid = torch.arange(target.shape[1], device=target.device)[None] < (b["lengths"] - 2)[:, None]
    loss = F.cross_entropy(words[valid].float(), target[valid], label_smoothing=0.05)
    heard = m.phones(sound).float().log_softmax(-1)
    ctc = F.ctc_loss(heard.transpose(0, 1), b["phones"], torch.full((len(sound),), sound.shape[1]), b["phone_lengths"], zero_infinity=True)
    # CTC alone takes long to notice that there is something to hear: an even layout of the sounds shows it the way.
    even = F.nll_loss(heard.flatten(0, 1), b["when"].flatten()) if "when" in b else torch.zeros((), device=heard.device)
    whole = F.cross_entropy(m.classify(sound).float(), b["classes"], label_smoothing=0.05)
    return loss, ctc, even, whole


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--minutes", type=float, default=90, help="of training, the time before an interruption counted in")
    a.add_argument("--start", help="an exported file to go on from")
    a.add_argument("--rate", type=float, help="default 1.5e-3, for the larger batches of a GPU 2e-3")
    a.add_argument("--size", type=int, help="clips of a batch; default 24, on a GPU 512")
    a.add_argument("--encoder", type=int, default=6, help="blocks of the encoder")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--held", type=int, default=1000, help="recordings of the validation voices that are looked at")
    a.add_argument("--save", type=float, default=120, help="seconds between checkpoints")
    a.add_argument("--check", type=float, default=10, help="minutes between looks at the validation voices")
    o = a.parse_args()

    torch.manual_seed(o.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size, rate = (o.size or 512, o.rate or 2e-3) if device == "cuda" else (o.size or 24, o.rate or 1.5e-3)
    if device == "cpu":
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        store.clips.BABBLERS = 3  # each costs as much as all the rest
    os.makedirs(o.out, exist_ok=True)
    path = o.out + "/checkpoint.pt"
    if o.start:
        config, weights = export.load(o.start)
        m = model.Model(**config).to(device)
        m.load_state_dict(weights)
    else:
        m = model.Model(len(data.WORDS), len(data.PHONES) + 2, len(data.CLASSES), encoder=o.encoder).to(device)
    mean = {k: v.clone() for k, v in m.state_dict().items()}
    opt = optimiser(m)
    # Noise and rooms come in as it learns to hear at all; before that they only keep it from starting.
    step, used, strength = 0, 0.0, 1.0 if o.start else 0.0
    if os.path.exists(path):
        c = torch.load(path, map_location=device)
        m.load_state_dict(c["model"])
        opt.load_state_dict(c["optimiser"])
        mean, step, used, strength = c["mean"], c["step"], c["used"], c["strength"]
    clips = store.Store(o.data + "/train", o.seed * 1000 + step, device, size)
    print(f"{device}, {len(clips.starts)} recordings, {clips.long.sum() / 3600 / store.RATE:.1f} hours, {sum(p.numel() for p in m.parameters())} weights, step {step}", flush=True)

    def save():
        torch.save(dict(model=m.state_dict(), optimiser=opt.state_dict(), mean=mean, step=step, used=used, strength=strength, config=m.config, words=data.WORDS), path + ".new")
        os.replace(path + ".new", path)

    def check():
        e = model.Model(**m.config).to(device)
        e.load_state_dict(mean)
        validation = data.load(o.data + "/validation")[0][:o.held]
        for noise in (None, 10):
            r, _ = judge(e, validation, model.mel_filters(), noise)
            print("CHECK", f"{used / 60:.1f} min, step {step}", "clean" if noise is None else f"{noise} dB", f"{score(r):.3f}", {k: f"{x}/{y}" for k, (x, y) in sorted(r.items())}, flush=True)

    m.train()
    last = saved = checked = time.time()
    sums, own = torch.zeros(5, device=device), 0
    while (done := used / (o.minutes * 60)) < 1:
        for b in clips.batches(strength, 0.04 if done < 0.8 else 0.5, strength < 1 or own < 300):
            done = min(1, used / (o.minutes * 60))
            fall = 1 if done < 0.35 else 0.5 * (1 + math.cos(math.pi * (done - 0.35) / 0.65))
            for g in opt.param_groups:
                g["lr"] = rate * min(1, (step + 1) / 400) * (0.01 + 0.99 * fall)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                four = losses(m, b)
            opt.zero_grad()
            (four[0] + 0.5 * four[1] + float(np.clip(1.5 - done * 10, 0.05, 1)) * four[2] + 0.3 * four[3]).backward()
            if torch.isfinite(torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)):
                opt.step()
            step, own = step + 1, own + 1
            keep = min(0.997, step / (step + 10))
            with torch.no_grad():
                torch._foreach_lerp_(list(mean.values()), list(m.state_dict().values()), 1 - keep)
                sums += torch.stack([*(x.detach().float() for x in four), torch.ones((), device=device)])
            if own % 100 == 0:
                words, ctc, even, whole = (sums[:4] / sums[4]).tolist()
                sums.zero_()
                print(f"step {step} {used / 60:.1f} min strength {strength:.2f} rate {g['lr']:.1e} words {words:.3f} sounds {ctc:.3f} even {even:.3f} whole {whole:.3f}, {len(clips.starts)} recordings", flush=True)
                if ctc < 2.5:
                    strength = min(1, strength + 0.07)
            now = time.time()
            used, last = used + now - last, now
        if now - saved > o.save:
            clips.reload()  # speak.py may still be writing
            save()
            saved = now
        if now - checked > o.check * 60:
            check()
            checked = last = time.time()
    save()
    check()


if __name__ == "__main__":
    main()
