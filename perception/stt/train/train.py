"""Trains the command model for a given time; stopped at any moment, it goes on from its last checkpoint.

train.py --data DIR --out DIR --minutes 90
"""

import argparse
import ctypes
import os
import signal
import time

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

import data
import model


def die_with_parent():
    """Linux: a child that waits for a queue does not outlive a parent that was killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def feed(queue, folder, filters, seed, strength, whole):
    """Fills the queue for ever."""
    die_with_parent()
    torch.set_num_threads(1)
    stream = data.Stream(folder, filters, seed)
    looked = time.time()
    while True:
        if time.time() - looked > 60:  # speak.py may still be writing
            stream.reload()
            looked = time.time()
        for b in stream.batches(strength.value, whole.value):
            queue.put({k: v.numpy() for k, v in b.items()})


@torch.no_grad()
def greedy(m, mel, most=9):
    """What the decoder writes, and the geometric mean of the probabilities of its words (stt.Result.Confidence)."""
    sound = m.encode(mel, 0)
    t = torch.tensor([[data.START, data.PLAIN]] * len(mel))
    done = torch.zeros(len(mel), dtype=torch.bool)
    total, count = torch.zeros(len(mel)), torch.zeros(len(mel))
    for _ in range(most):
        p, n = m.decode(t, sound, 0)[:, -1].softmax(-1).max(-1)
        n = torch.where(done, torch.tensor(data.END), n)
        word = n < data.END
        total, count = total + torch.where(word, p.log(), torch.tensor(0.0)), count + word
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
    out, rows = {}, []
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
        said, sure = greedy(m, data.pack(heard, [t for _, t, _ in part], filters, model.WINDOW)["mel"])
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


class Shared:
    """What the processes tell each other: how far the training is, and how strong the noise."""

    def __init__(self, ctx, used, step, strength):
        self.used, self.step = ctx.Value("d", used), ctx.Value("l", step)
        self.strength, self.whole, self.rate = ctx.Value("d", strength), ctx.Value("d", 0.04), ctx.Value("d", 0.0)


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
    loss = F.cross_entropy(words[valid], target[valid], label_smoothing=0.05)
    heard = m.phones(sound).log_softmax(-1)
    ctc = F.ctc_loss(heard.transpose(0, 1), b["phones"], torch.full((len(sound),), sound.shape[1]), b["phone_lengths"], zero_infinity=True)
    # CTC alone takes long to notice that there is something to hear: an even layout of the sounds shows it the way.
    even = F.nll_loss(heard.flatten(0, 1), b["when"].flatten())
    whole = F.cross_entropy(m.classify(sound), b["classes"], label_smoothing=0.05)
    return loss, ctc, even, whole


def learn(m, opt, queue, shared, minutes, device, after):
    """Takes batches until the time is used up; after(losses) is called after every step."""
    m.train()
    while (done := shared.used.value / (minutes * 60)) < 1:
        for g in opt.param_groups:
            g["lr"] = shared.rate.value
        b = {k: torch.from_numpy(v).to(device) for k, v in queue.get().items()}
        loss, ctc, even, whole = losses(m, b)
        opt.zero_grad()
        (loss + 0.5 * ctc + float(np.clip(1.5 - done * 10, 0.05, 1)) * even + 0.3 * whole).backward()
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)):
            opt.step()
        with shared.step.get_lock():
            shared.step.value += 1
        after(loss.item(), ctc.item(), even.item(), whole.item())


def helper(m, state, queue, shared, minutes):
    """A second process on the same weights, which lie in shared memory: both change them, neither waits for the other."""
    die_with_parent()
    os.setsid()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    opt = optimiser(m)
    if state:
        opt.load_state_dict(state)
    learn(m, opt, queue, shared, minutes, "cpu", lambda *_: None)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--minutes", type=float, default=90, help="of training, the time before an interruption counted in")
    a.add_argument("--rate", type=float, default=1.5e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--helpers", type=int, default=1, help="further processes that train, without a GPU")
    a.add_argument("--check", type=float, default=10, help="minutes between looks at the validation voices")
    o = a.parse_args()

    torch.manual_seed(o.seed)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    filters = model.mel_filters()
    os.makedirs(o.out, exist_ok=True)
    path = o.out + "/checkpoint.pt"
    m = model.Model(len(data.WORDS), len(data.PHONES) + 2, len(data.CLASSES)).to(device)
    mean = {k: v.clone() for k, v in m.state_dict().items()}
    step, used, level, state = 0, 0.0, 0.0, None
    if os.path.exists(path):
        c = torch.load(path, map_location=device)
        m.load_state_dict(c["model"])
        mean, step, used, level, state = c["mean"], c["step"], c["used"], c["strength"], c["optimiser"]

    ctx = mp.get_context("fork")
    queue, shared = ctx.Queue(24), Shared(ctx, used, step, level)
    others = [ctx.Process(target=feed, args=(queue, o.data + "/train", filters, o.seed * 1000 + step, shared.strength, shared.whole), daemon=True)]
    if device == "cpu":
        m.share_memory()
        others += [ctx.Process(target=helper, args=(m, state, queue, shared, o.minutes), daemon=True) for _ in range(o.helpers)]
    else:
        others += [ctx.Process(target=feed, args=(queue, o.data + "/train", filters, o.seed * 1000 + step + i, shared.strength, shared.whole), daemon=True) for i in range(1, os.cpu_count())]

    def schedule():
        done = shared.used.value / (o.minutes * 60)
        fall = 1 if done < 0.35 else 0.5 * (1 + np.cos(np.pi * min(1, (done - 0.35) / 0.65)))
        shared.rate.value = o.rate * min(1, (shared.step.value + 1) / 400) * (0.01 + 0.99 * fall)
        shared.whole.value = 0.04 if done < 0.8 else 0.5

    schedule()
    for p in others:
        p.start()
    opt = optimiser(m)
    if state:
        opt.load_state_dict(state)

    def save():
        torch.save(dict(model=m.state_dict(), optimiser=opt.state_dict(), mean=mean, step=shared.step.value, used=shared.used.value,
                        strength=shared.strength.value, config=m.config, words=data.WORDS), path + ".new")
        os.replace(path + ".new", path)

    def check():
        e = model.Model(**m.config)
        e.load_state_dict(mean)
        validation, _ = data.load(o.data + "/validation")
        for noise in (None, 10):
            r, _ = judge(e, validation, filters, noise)
            print("CHECK", f"{shared.used.value / 60:.0f} min, step {shared.step.value}", "clean" if noise is None else f"{noise} dB", f"{score(r):.3f}",
                  {k: f"{x}/{y}" for k, (x, y) in sorted(r.items())}, flush=True)

    times = dict(last=time.time(), saved=time.time(), checked=time.time(), own=0)
    sums = np.zeros(5)

    def after(*four):
        nonlocal sums
        times["own"] += 1
        keep = min(0.997, shared.step.value / (shared.step.value + 10))
        with torch.no_grad():
            for k, v in m.state_dict().items():
                mean[k].lerp_(v, 1 - keep) if v.is_floating_point() else mean[k].copy_(v)
        sums += [*four, 1]
        now = time.time()
        shared.used.value += now - times["last"]
        times["last"] = now
        schedule()
        if times["own"] % 100 == 0:
            words, ctc, even, whole = sums[:4] / sums[4]
            sums = np.zeros(5)
            print(f"step {shared.step.value} {shared.used.value / 60:.1f} min cpu {time.process_time():.0f} s strength {shared.strength.value:.2f} rate {shared.rate.value:.1e} "
                  f"words {words:.3f} sounds {ctc:.3f} even {even:.3f} whole {whole:.3f} waiting {queue.qsize()}", flush=True)
            # Noise and rooms come in as it learns to hear at all; before that they only keep it from starting.
            if ctc < 2.5:
                shared.strength.value = min(1, shared.strength.value + 0.07)
        if now - times["saved"] > 120:
            save()
            times["saved"] = now
        if now - times["checked"] > o.check * 60:
            check()
            times["checked"] = times["last"] = time.time()

    learn(m, opt, queue, shared, o.minutes, device, after)
    save()
    check()


if __name__ == "__main__":
    main()
