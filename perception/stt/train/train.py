"""Trains the command model for a given time; stopped at any moment, it goes on from its last checkpoint.

train.py --data DIR --out DIR --minutes 90
"""

import argparse
import os
import time

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

import data
import model


def feed(queue, folder, filters, seed, strength, whole):
    torch.set_num_threads(1)
    parent = os.getppid()
    stream = data.Stream(folder, filters, seed)
    looked = time.time()
    while os.getppid() == parent:
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


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--minutes", type=float, default=90)
    a.add_argument("--rate", type=float, default=1.5e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--threads", type=int, default=1)
    a.add_argument("--check", type=float, default=10, help="minutes between looks at the validation voices")
    o = a.parse_args()

    torch.manual_seed(o.seed)
    torch.set_num_threads(o.threads)
    torch.set_flush_denormal(True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    filters = model.mel_filters()
    os.makedirs(o.out, exist_ok=True)
    path = o.out + "/checkpoint.pt"
    m = model.Model(len(data.WORDS), len(data.PHONES) + 2, len(data.CLASSES)).to(device)
    decay = [p for p in m.parameters() if p.dim() > 1]
    rest = [p for p in m.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW([dict(params=decay, weight_decay=0.05), dict(params=rest, weight_decay=0)], lr=o.rate, betas=(0.9, 0.98), fused=True)
    mean = {k: v.clone() for k, v in m.state_dict().items()}
    step, used = 0, 0.0
    if os.path.exists(path):
        c = torch.load(path, map_location=device)
        m.load_state_dict(c["model"]), opt.load_state_dict(c["optimiser"])
        mean, step, used = c["mean"], c["step"], c["used"]

    def save():
        torch.save(dict(model=m.state_dict(), optimiser=opt.state_dict(), mean=mean, step=step, used=used, config=m.config,
                        words=data.WORDS), path + ".new")
        os.replace(path + ".new", path)

    def check():
        e = model.Model(**m.config)
        e.load_state_dict(mean)
        validation, _ = data.load(o.data + "/validation")
        for noise in (None, 10):
            r, _ = judge(e, validation, filters, noise)
            print("CHECK", f"{used / 60:.0f} min, step {step}", "clean" if noise is None else f"{noise} dB", f"{score(r):.3f}", {k: f"{x}/{y}" for k, (x, y) in sorted(r.items())}, flush=True)

    ctx = mp.get_context("fork")
    queue, strength, whole = ctx.Queue(24), ctx.Value("d", 0.2), ctx.Value("d", 0.1)
    feeders = [ctx.Process(target=feed, args=(queue, o.data + "/train", filters, o.seed * 1000 + step + i, strength, whole), daemon=True) for i in range(1)]
    for f in feeders:
        f.start()

    last = saved = checked = time.time()
    sums = np.zeros(4)
    m.train()
    while used < o.minutes * 60:
        done = used / (o.minutes * 60)
        warm = min(1, (step + 1) / 400)
        fall = 1 if done < 0.3 else 0.5 * (1 + np.cos(np.pi * (done - 0.3) / 0.7))
        for g in opt.param_groups:
            g["lr"] = o.rate * warm * (0.01 + 0.99 * fall)
        strength.value = float(np.clip(0.2 + 0.8 * done / 0.25, 0.2, 1))
        whole.value = 0.12 if done < 0.75 else 0.5
        b = {k: torch.from_numpy(v).to(device) for k, v in queue.get().items()}

        sound = m.encode(b["mel"], 0)
        words = m.decode(b["tokens"][:, :-1], sound, 0)[:, 1:]
        target = b["tokens"][:, 2:]
        valid = torch.arange(target.shape[1], device=device)[None] < (b["lengths"] - 2)[:, None]
        loss = F.cross_entropy(words[valid], target[valid], label_smoothing=0.05)
        heard = m.phones(sound).log_softmax(-1)
        ctc = F.ctc_loss(heard.transpose(0, 1), b["phones"], torch.full((len(sound),), sound.shape[1]), b["phone_lengths"], zero_infinity=True)
        # CTC alone takes long to notice that there is something to hear: an even layout of the sounds shows it the way.
        flat = F.nll_loss(heard.flatten(0, 1), b["when"].flatten())
        whole_command = F.cross_entropy(m.classify(sound), b["classes"], label_smoothing=0.05)
        opt.zero_grad()
        show = float(np.clip(1.5 - done * 10, 0.05, 1))
        (loss + 0.5 * ctc + show * flat + 0.3 * whole_command).backward()
        size = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        step += 1
        if torch.isfinite(size):
            opt.step()
            keep = min(0.9985, step / (step + 10))
            with torch.no_grad():
                for k, v in m.state_dict().items():
                    mean[k].lerp_(v, 1 - keep) if v.is_floating_point() else mean[k].copy_(v)
        sums += [loss.item(), ctc.item(), whole_command.item(), flat.item()]
        now = time.time()
        used += now - last
        last = now
        if step % 100 == 0:
            print(f"step {step} {used / 60:.1f} min cpu {time.process_time():.0f} s rate {opt.param_groups[0]['lr']:.1e} words {sums[0] / 100:.3f} sounds {sums[1] / 100:.3f} whole {sums[2] / 100:.3f} even {sums[3] / 100:.3f} waiting {queue.qsize()}", flush=True)
            sums[:] = 0
        if now - saved > 120:
            save()
            saved = now
        if now - checked > o.check * 60:
            check()
            checked = last = time.time()
    save()
    check()


if __name__ == "__main__":
    main()
