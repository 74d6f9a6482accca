"""Learns what words are worth: train.py --smollm FILE… --minilm FILE --words PROGRAM --out FOLDER [--hold WRITER,…] [--seconds N] SENTENCES…

Three steps. Teachers are a small language model (SmolLM2-135M, or the one of --judge) and MiniLM, trained further on the writers'
sentences. SmolLM2 also learns to write such sentences, unless --made names files of some that were written before; the teachers say
what those are worth. Students learn from both: low-rank changes of MiniLM, and the small network that the program holds. With --hold
the sentences of some writers are shown to nobody; they are judged afterwards, which says how well strangers are understood.
"""

import argparse
import collections
import json
import lzma
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from models import MEANINGS, NEUTRAL, OUTS, STRENGTHS, VALUES, MiniLM, Net, load_minilm

begun = time.time()
device = "cuda" if torch.cuda.is_available() else "cpu"
CLASSES = ["blame", "neutral", "praise"]
RANK = 16


def say(*what):
    print("%6.1f" % (time.time() - begun), *what, flush=True)


def class_of(r):
    return 2 if r > 0.15 else 0 if r < -0.15 else 1


def wanted(e):
    """The probabilities of VALUES, with a little for the neighbours of the same class, and what was meant."""
    out = np.zeros(OUTS, "f4")
    c = class_of(e["reward"])
    if c == 1:
        out[NEUTRAL] = 1
    else:
        values = np.array(VALUES)
        share = np.exp(-(((values - e["reward"]) / 0.1) ** 2) / 2) * (np.sign(values) == np.sign(e["reward"]))
        out[: len(VALUES)] = share / share.sum()
    for m in e.get("meant", []):
        out[len(VALUES) + MEANINGS.index(m)] = 1
    return out


def loss_of(logits, target, weight=None):
    n = len(VALUES)
    logits = logits.float()
    by = -(target[:, :n] * logits[:, :n].log_softmax(-1)).sum(-1)
    # the classes by themselves, too: they are what counts
    by = by + classes(target[:, :n]).mul(-classes(logits[:, :n].softmax(-1)).clamp(min=1e-6).log()).sum(-1)
    meant = F.binary_cross_entropy_with_logits(logits[:, n:], target[:, n:], reduction="none", pos_weight=logits.new_full((), 2.0))
    by = by + 0.5 * meant.sum(-1)
    return (by * weight).sum() / weight.sum() if weight is not None else by.mean()


def classes(p):
    return torch.stack([p[:, :NEUTRAL].sum(-1), p[:, NEUTRAL], p[:, NEUTRAL + 1 : len(VALUES)].sum(-1)], -1)


def probabilities(logits):
    n = len(VALUES)
    logits = logits.float()
    return torch.cat([logits[:, :n].softmax(-1), logits[:, n:].sigmoid()], -1)


def outcome(p):
    """The class, and the reward of that class with the least expected error."""
    n = len(VALUES)
    c = np.stack([p[:, :NEUTRAL].sum(1), p[:, NEUTRAL], p[:, NEUTRAL + 1 : n].sum(1)], 1)
    best = c.argmax(1)
    middle = np.array(VALUES)[(p[:, :n].cumsum(1) >= 0.5 * p[:, :n].sum(1, keepdims=True)).argmax(1)]
    r = np.where(best == 1, 0, np.where(best == 2, np.maximum(middle, 0.2), np.minimum(middle, -0.2)))
    return best, r


def judged(name, p, held):
    best, r = outcome(p)
    truth = np.array([e["reward"] for e in held])
    is_ = np.array([class_of(x) for x in truth])
    named = p[:, len(VALUES) :] > 0.5
    meant = np.array([[m in e.get("meant", []) for m in MEANINGS] for e in held])
    both = (named & meant).sum()
    say("HELD %-22s %.1f %% error %.3f opposite %d meant %.0f %% found %.0f %% right" % (
        name, 100 * (best == is_).mean(), np.abs(truth - r).mean(), (np.abs(best - is_) == 2).sum(),
        100 * both / max(1, meant.sum()), 100 * both / max(1, named.sum())))


class Learner:
    """Takes steps of AdamW; on a GPU the step is recorded once and played again."""

    def __init__(self, model, groups, loss, begin, recorded):
        self.model, self.loss, self.begin = model, loss, begin
        self.cuda = device == "cuda"
        self.groups = [dict(params=[p for p in g["params"] if p.requires_grad], lr=torch.tensor(g["lr"], device=device) if self.cuda else g["lr"],
                            weight_decay=g.get("weight_decay", 0.01)) for g in groups]
        self.rates = [g["lr"] for g in groups]
        self.all = [p for g in self.groups for p in g["params"]]
        self.optimizer = torch.optim.AdamW(self.groups, fused=self.cuda, capturable=self.cuda, betas=(0.9, 0.98))
        self.graph, self.static = None if recorded else False, None

    def once(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=self.cuda, cache_enabled=False):
            loss = self.loss(self.model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.all, 1.0)
        self.optimizer.step()
        return loss.detach()

    def step(self, batch, at):
        """One step; at says how much of all is done, 0 … 1."""
        scale = min(1, (at + 1e-3) / self.begin) * (0.02 + 0.98 * (1 - at))
        for g, rate in zip(self.optimizer.param_groups, self.rates):
            if self.cuda:
                g["lr"].fill_(rate * scale)
            else:
                g["lr"] = rate * scale
        if not self.cuda:
            return self.once(batch)
        if self.graph is False:
            return self.once(batch)
        if self.static is None:
            self.static = [b.clone() for b in batch]
            self.taken = 0
        for to, of in zip(self.static, batch):
            to.copy_(of, non_blocking=True)
        self.taken += 1
        if self.graph is None and self.taken == 4:
            try:
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                    self.last = self.once(self.static)
                self.graph = graph
            except Exception as e:  # noqa: BLE001 — slower is better than nothing
                say("  not recorded:", repr(e)[:300])
                self.graph = False
        if self.graph:
            self.graph.replay()
            return self.last
        stream = torch.cuda.Stream()  # recording wants the steps before it on another stream
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self.once(self.static)
        torch.cuda.current_stream().wait_stream(stream)
        return loss


def train(model, groups, loss, draw, batch, of, passes, seconds, begin=0.1, recorded=True):
    """Trains a model on batches of indices; draw makes a batch of tensors of them."""
    model.train()
    learner = Learner(model, groups, loss, begin, recorded)
    order, at = torch.randperm(of), 0
    total = max(1, math.ceil(of * passes / batch))
    start, sums, k = time.time(), 0.0, 0
    while k < total:
        if at + batch > of:
            order, at = torch.randperm(of), 0
        index = order[at : at + batch]
        if len(index) < batch:
            index = torch.cat([index, torch.randint(of, (batch - len(index),))])
        at += batch
        value = learner.step(draw(index), k / total)
        k += 1
        if k == 12:
            if device == "cuda":
                torch.cuda.synchronize()
            warm = time.time()
        if k in (30, 60) and total > k:
            if device == "cuda":
                torch.cuda.synchronize()
            one = (time.time() - warm) / (k - 12)
            left = seconds - (time.time() - start)
            total = min(total, k + max(1, int(left / one)))
            say(f"  a step is {1000 * one:.1f} ms, {total} steps")
    say(f"  loss {float(value):.3f} after {k} steps, {time.time() - start:.1f} s")
    model.eval()
    for p in model.parameters():
        p.grad = None


# ---- the language model: judge and writer

LONG = 44


def framed(e, after):
    return (f"The robot {e['after'].strip()}. They say: " if after and e.get("after") else "They say: ") + e["text"].strip()


def padded(rows, long, fill=0):
    out = torch.full((len(rows), long), fill, dtype=torch.long)
    size = torch.zeros(len(rows), dtype=torch.long)
    for i, r in enumerate(rows):
        r = r[-long:]
        out[i, : len(r)] = torch.tensor(r)
        size[i] = len(r)
    return out, size


class Judge(nn.Module):
    def __init__(self, llama):
        super().__init__()
        self.llama, self.head = llama, nn.Linear(2 * llama.last.shape[0], OUTS)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids, size):
        states = self.llama(ids, None).float()
        last = states.gather(1, (size - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2]))[:, 0]
        real = (torch.arange(ids.shape[1], device=ids.device)[None] < size[:, None])[:, :, None]
        mean = (states * real).sum(1) / size[:, None]
        return self.head(F.dropout(torch.cat([last, mean], -1), 0.1, self.training))


def teach_llama(llama, tok, rows, seconds, seed, passes, rate, batch=48):
    torch.manual_seed(seed)
    model = Judge(llama).to(device)
    with_, alone = (padded([tok.encode(framed(e, a)).ids for e in rows], LONG) for a in (True, False))
    ids = torch.stack([with_[0], alone[0]]).to(device)
    size = torch.stack([with_[1], alone[1]]).to(device)
    target = torch.tensor(np.stack([wanted(e) for e in rows])).to(device)

    def draw(index):
        index = index.to(device)
        form = torch.randint(2, (len(index),), device=device)
        return ids[form, index], size[form, index], target[index]

    say(f"judge {seed}: {len(rows)} sentences")
    train(model, [dict(params=list(llama.parameters()), lr=rate), dict(params=list(model.head.parameters()), lr=1e-3)],
          lambda m, b: loss_of(m(b[0], b[1]), b[2]), draw, min(batch, len(rows)), len(rows), passes, seconds)
    return model


@torch.no_grad()
def ask(model, rows_of_ids, forward, batch=512):
    """The probabilities for rows, the short ones together."""
    order = sorted(range(len(rows_of_ids)), key=lambda i: len(rows_of_ids[i]))
    out = torch.zeros(len(order), OUTS)
    for k in range(0, len(order), batch):
        part = order[k : k + batch]
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            out[part] = probabilities(forward(model, [rows_of_ids[i] for i in part])).cpu()
    return out.numpy()


def by_llama(model, rows):
    ids, size = padded(rows, min(LONG, max(map(len, rows))))
    return model(ids.to(device), size.to(device))


def line(e):
    return f"{CLASSES[class_of(e['reward'])]} {e['reward']:+.1f} {e.get('persona') or 'person'}: {framed(e, True)}"


def teach_writer(llama, tok, rows, seconds, passes):
    end = 0
    ids, size = padded([tok.encode(line(e)).ids + [end] for e in rows], LONG + 16, end)
    ids, size = ids.to(device), size.to(device)

    def draw(index):
        index = index.to(device)
        return ids[index], size[index]

    def loss(m, b):
        logits = m.score(m(b[0][:, :-1], None)).float()
        real = torch.arange(b[0].shape[1] - 1, device=device)[None] < (b[1] - 1)[:, None]
        each = F.cross_entropy(logits.flatten(0, 1), b[0][:, 1:].flatten(), reduction="none").view_as(real)
        return (each * real).sum() / real.sum()

    say(f"writer: {len(rows)} sentences")
    llama.to(device)
    train(llama, [dict(params=list(llama.parameters()), lr=1e-4)], loss, draw, min(32, len(rows)), len(rows), passes, seconds)


def write(llama, tok, rows, many, seconds, personas, batch):
    """New sentences, as dictionaries."""
    known = {e["text"].lower().strip() for e in rows}
    own = sorted({e.get("persona") or "person" for e in rows})
    did = sorted({e["after"].strip() for e in rows if e.get("after")})
    start, out, none = time.time(), [], 0
    llama.to(torch.bfloat16 if device == "cuda" else torch.float32)
    while len(out) < many and time.time() - start < seconds:
        prompts = []
        for _ in range(batch):
            c = random.choices([0, 1, 2], [0.38, 0.28, 0.34])[0]
            r = random.choice(rows)["reward"]
            while class_of(r) != c:
                r = random.choice(rows)["reward"]
            who = random.choice(personas if random.random() < 0.5 else own)
            begin = f"{CLASSES[c]} {r:+.1f} {who}: The robot"
            if random.random() < 0.4:
                begin += " " + random.choice(did) + ". They say:"
            prompts.append(tok.encode(begin).ids)
        texts, _, ended = llama.write(prompts, 48, 0, hot=random.choice([0.9, 1.0, 1.1]), least=0.01)
        for p, t, e in zip(prompts, texts, ended):
            whole = tok.decode(p + t)
            found = re.match(r"(\w+) ([-+]\d\.\d) ([^:]*): (?:The robot (.*?)\. )?They say: (.+)$", whole, re.S)
            if not e or not found:
                none += 1
                continue
            text = found[5].strip()
            if not text or "\n" in text or "\ufffd" in text or text.lower() in known:
                none += 1
                continue
            known.add(text.lower())
            out.append(dict(text=text, after=(found[4] or "").strip(), reward=float(found[2]), persona=found[3], meant=[]))
    say(f"  {len(out)} sentences written, {none} dropped, {time.time() - start:.1f} s")
    return out


# ---- MiniLM

class Pieces:
    """Cuts text as reachyd's tokenizer does, short of odd letters."""

    def __init__(self, vocabulary):
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

        ids = {w: i for i, w in enumerate(vocabulary)}
        self.tok = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
        self.tok.normalizer = normalizers.BertNormalizer(lowercase=True)
        self.tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self.cls, self.sep = ids["[CLS]"], ids["[SEP]"]

    def many(self, texts):
        return [e.ids for e in self.tok.encode_batch(texts)]


def minilm_rows(pieces, rows, after):
    texts, did = pieces.many([e["text"] for e in rows]), pieces.many([e.get("after") or "" for e in rows])
    return [[pieces.cls, *t[:44], pieces.sep] + ([-d for d in d_[:16]] + [-pieces.sep] if after and d_ else []) for t, d_ in zip(texts, did)]


def minilm_tensors(rows, long=None):
    ids, size = padded(rows, long or min(64, max(map(len, rows))))
    kinds = (ids < 0).long()
    return ids.abs(), kinds, torch.arange(ids.shape[1])[None] < size[:, None]


def by_minilm(model, rows):
    return model(*(x.to(device) for x in minilm_tensors(rows)))


def teach_minilm(tensors, rank, forms, target, weight, seconds, seed, passes, batch, rate):
    """forms are the same rows with and without what the robot did."""
    torch.manual_seed(seed)
    model = MiniLM(tensors, rank).to(device)
    sets = [minilm_tensors(f, 64) for f in forms]
    ids, kinds, real = (torch.stack([s[k] for s in sets]).to(device) for k in range(3))
    target, weight = torch.tensor(target).to(device), torch.tensor(weight).to(device)

    def draw(index):
        index = index.to(device)
        form = torch.randint(len(forms), (len(index),), device=device)
        return ids[form, index], kinds[form, index], real[form, index], target[index], weight[index]

    head = list(model.head.parameters())
    own = {id(p) for p in head}
    train(model, [dict(params=[p for p in model.parameters() if id(p) not in own], lr=rate), dict(params=head, lr=2e-3 if rank else 1e-3)],
          lambda m, b: loss_of(m(*b[:3]), b[3], b[4]), draw, batch, len(forms[0]), passes, seconds)
    return model


# ---- the small network

def read_words(program, texts):
    out = subprocess.run([program], input="\n".join(t.replace("\n", " ") for t in texts) + "\n", capture_output=True, text=True, check=True).stdout
    return [json.loads(l) for l in out.splitlines()]


def hashed(word, pieces):
    """The parts of a word of three to five letters, as numbers from 1 on."""
    text, out = f"<{word}>".encode(), []
    for n in (3, 4, 5):
        for k in range(len(text) - n + 1):
            x = 2166136261
            for c in text[k : k + n]:
                x = ((x ^ c) * 16777619) & 0xFFFFFFFF
            out.append(1 + (x ^ x >> 15) % (pieces - 1))
    return out


class Read:
    """Sentences as tensors of the small network."""

    def __init__(self, read, ids, pieces, roles, long=40, parts=16):
        n = len(read)
        names, table = {}, [[0] * parts]
        grid = {name: np.zeros((n, long), kind) for name, kind in (("words", "i4"), ("level", "i4"), ("real", "?"), ("roles", "i8"), ("names", "i4"))}
        for i, (w, r, l) in enumerate(read):
            w = w[:long]
            for word in w:
                if word not in names:
                    names[word] = len(table)
                    h = hashed(word, pieces)[:parts]
                    table.append(h + [0] * (parts - len(h)))
            k = len(w)
            grid["words"][i, :k] = [ids.get(word, 0) for word in w]
            grid["names"][i, :k] = [names[word] for word in w]
            grid["level"][i, :k], grid["roles"][i, :k], grid["real"][i, :k] = l[:k], r[:k], True
        grid["real"][:, 0] = True
        for name, x in grid.items():
            setattr(self, name, torch.from_numpy(x))
        self.table = torch.tensor(table)
        self.bits = torch.arange(roles)
        for name in ("words", "level", "real", "roles", "names", "table", "bits"):
            setattr(self, name, getattr(self, name).to(device))

    def __getitem__(self, index):
        roles = (self.roles[index][:, :, None] >> self.bits & 1).float()
        return self.words[index].long(), self.table[self.names[index].long()], roles, self.level[index].long(), self.real[index]


def teach_net(read, ids, roles, target, weight, seconds, seed, passes, batch, rate=3e-3):
    torch.manual_seed(seed)
    model = Net(len(ids) + 1, roles).to(device)
    target, weight = torch.tensor(target).to(device), torch.tensor(weight).to(device)

    def draw(index):
        index = index.to(device)
        return (*read[index], target[index], weight[index])

    train(model, [dict(params=list(model.parameters()), lr=rate)], lambda m, b: loss_of(m(*b[:5]), b[5], b[6]), draw, batch, len(target), passes, seconds, 0.05, False)
    return model


@torch.no_grad()
def by_net(model, read, n):
    out = [probabilities(model(*read[torch.arange(k, min(n, k + 512), device=device)])).cpu() for k in range(0, n, 512)]
    return torch.cat(out).numpy()


def vocabulary(read, least, most):
    count = collections.Counter(w for words, _, _ in read for w in words)
    words = [w for w, n in count.most_common(most) if n >= least]
    return words, {w: i + 1 for i, w in enumerate(words)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("sentences", nargs="+")
    p.add_argument("--smollm", nargs="*", default=[])
    p.add_argument("--judge", nargs="*", default=[])
    p.add_argument("--rate", type=float, default=8e-5)
    p.add_argument("--made", nargs="*", default=[])
    p.add_argument("--minilm", required=True)
    p.add_argument("--words", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--hold", default="")
    p.add_argument("--seconds", type=float, default=3600)
    p.add_argument("--judges", type=int, default=3)
    p.add_argument("--many", type=int, default=50000)
    p.add_argument("--few", type=int, default=0)
    p.add_argument("--batch", type=int, default=2048)
    p.add_argument("--passes", type=float, default=3)
    p.add_argument("--personas", default=str(pathlib.Path(__file__).parent / "personas.txt"))
    a = p.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    out = pathlib.Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    name = a.hold or "all"
    left = lambda share: max(4.0, (a.seconds - (time.time() - begun)) * share)

    rows, held = [], []
    for f in a.sentences:
        all_ = [json.loads(l) for l in open(f) if l.strip()]
        if a.few:
            all_ = random.sample(all_, min(a.few, len(all_)))
        if pathlib.Path(f).stem in a.hold.split(","):
            held += all_
        else:
            rows += all_
    say(f"{name}: {len(rows)} sentences to learn from, {len(held)} held out, on {device}")
    tensors, pieces = load_minilm(a.minilm)
    pieces = Pieces(pieces)
    target = np.stack([wanted(e) for e in rows])
    found = {}

    def keep(what, p_):
        if held:
            judged(what, p_, held)
            found[what] = p_.astype("f2")
            np.savez(out / f"{name}.found.npz", **found)

    # -- teachers
    teach = []
    one = np.ones(len(rows), "f4")
    if a.smollm or a.judge:
        sys.path.insert(0, os.environ.get("SMOLLM", str(pathlib.Path(__file__).parent)))
        from smollm import open_model

        llama, tok = open_model(a.judge or a.smollm)
        import copy

        share = 0.40 / max(1, a.judges)
        total = a.seconds - (time.time() - begun)
        for seed in range(a.judges):
            m = teach_llama(copy.deepcopy(llama).to(device), tok, rows, min(total * share, left(0.5)), seed, a.passes, a.rate)
            teach.append(("llama", m))
            if held:
                for form in (False, True):
                    keep(f"llama-{seed}" + "-after" * form, ask(m, [tok.encode(framed(e, form)).ids for e in held], by_llama))
    forms = [minilm_rows(pieces, rows, f) for f in (False, True)]
    for seed in range(2 if teach else 1):
        say("minilm, all of it")
        m = teach_minilm(tensors, 0, forms, target, one, left(0.05), seed, 5, 32, 1e-4)
        teach.append(("minilm", m))
        if held:
            for form in (False, True):
                keep(f"minilm-{seed}" + "-after" * form, ask(m, minilm_rows(pieces, held, form), by_minilm))
    shares = {"llama": 0.7 / max(1, a.judges), "minilm": 0.15 if teach[0][0] == "llama" else 1.0}

    def mixed(form, of):
        """What the teachers say together."""
        sum_ = 0
        for kind, m in teach:
            if kind == "llama":
                rows_ = tok.encode_batch([framed(e, form) for e in of])
                sum_ = sum_ + shares[kind] * ask(m, [r.ids for r in rows_], by_llama, 1024)
            else:
                sum_ = sum_ + shares[kind] * ask(m, minilm_rows(pieces, of, form), by_minilm, 1024)
        return sum_

    if held:
        keep("teachers", mixed(False, held))
        keep("teachers-after", mixed(True, held))

    # -- sentences
    made, soft = [], np.zeros((0, OUTS), "f4")
    for f in a.made:
        made += [dict(zip(("text", "after"), json.loads(l))) for l in lzma.open(f, "rt")]
    if a.smollm and not made:
        writer, own_tok = open_model(a.smollm)
        teach_writer(writer, own_tok, rows, left(0.12), a.passes)
        personas = [l.strip() for l in open(a.personas) if l.strip()]
        made = write(writer, own_tok, rows, a.many, left(0.25), personas, a.batch)
        del writer
    if made:
        start = time.time()
        soft = 0.5 * (mixed(False, made) + mixed(True, made))
        say(f"  {len(made)} labelled in {time.time() - start:.1f} s; classes {np.bincount(outcome(soft)[0], minlength=3)}")
        with lzma.open(out / f"{name}.made.xz", "wt") as f:
            for e, s in zip(made, np.round(soft * 31).astype(int)):
                f.write(json.dumps([e["text"], e["after"], *(int(x) for k in np.flatnonzero(s) for x in (k, s[k]))], ensure_ascii=False) + "\n")
    teach.clear()
    if device == "cuda":
        torch.cuda.empty_cache()

    # -- students
    every = rows + made
    goal = np.concatenate([target, soft.astype("f4")])
    weight = np.concatenate([2 * one, np.ones(len(made), "f4")])
    times = max(1, round(len(made) / len(rows) / 6))  # what people wrote is seen more often
    index = np.concatenate([np.tile(np.arange(len(rows)), times), np.arange(len(rows), len(every))])
    read = read_words(a.words, [e["text"] for e in every] + [e["text"] for e in held])
    words, ids = vocabulary(read[: len(every)], 3 if made else 2, 6000)
    roles = 42
    known, strange = Read(read[: len(every)], ids, 4096, roles), Read(read[len(every) :], ids, 4096, roles) if held else None
    say("the small network", len(words), "words")
    m = teach_net(_Of(known, index), ids, roles, goal[index], weight[index], left(0.4), 0, 8 if made else 20, 256 if made else 64)
    if held:
        alone = by_net(m, strange, len(held))
        keep("network", alone)
    else:
        torch.save(dict(words=words, state={k: v.half().cpu() for k, v in m.state_dict().items()}), out / "network.pt")
    say("minilm, changes of rank", RANK)
    rows_ = minilm_rows(pieces, every, False)
    forms = [[rows_[i] for i in index]]
    m = teach_minilm(tensors, RANK, forms, goal[index], weight[index], left(0.9), 0, 5, 128 if made else 32, 1e-3)
    if held:
        layer = ask(m, minilm_rows(pieces, held, False), by_minilm)
        keep("layer", layer)
        keep("network and layer", 0.5 * alone + 0.5 * layer)
    else:
        torch.save({k: v.half().cpu() for k, v in m.state_dict().items() if k.startswith("head") or k.endswith((".a", ".b"))}, out / "layer.pt")
    say("done")


class _Of:
    """A part of what was read, in another order."""

    def __init__(self, read, index):
        self.read, self.index = read, torch.tensor(index, device=device)

    def __getitem__(self, index):
        return self.read[self.index[index]]


if __name__ == "__main__":
    main()
