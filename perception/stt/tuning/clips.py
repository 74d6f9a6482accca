"""Recordings on disk → batches as the robot's microphone may have them, made on the device that learns from them."""

import functools
import glob

import numpy as np
import torch

import augment
import data
import model
import net

# An engine's share of the clips, voices taken from people first; less while it has few recordings.
SHARE = {"kokoro": 0.42, "espeak": 0.3, "flite slt": 0.1, "flite rms": 0.1, "festival ked_diphone": 0.05, "festival cmu_us_slt_arctic_hts": 0.03}
LONGEST = 3 * net.WINDOW
RATE = augment.RATE
ECHO = int(0.9 * RATE)
BABBLERS = 8


def smooth(n):
    """A length at or above n whose FFT is quick."""
    return min(m for k in (1, 3, 5, 9, 15) if (m := k << max(0, (-(-n // k) - 1).bit_length())) >= n)


@functools.lru_cache(4)
def knots(bins, device):
    """Eight gains → a gain at every frequency, [bins, 8]."""
    at = np.linspace(0, 1, 8) ** 1.5
    return torch.tensor(np.stack([np.interp(np.linspace(0, 1, bins), at, row) for row in np.eye(8)], 1), dtype=torch.float32, device=device)


def bands_hz(bands):
    """The middle of every band of Whisper's spectrogram (Slaney's scale: even up to 1 kHz, then by a constant factor)."""
    mel = np.linspace(0, 15 + 27 * np.log(8) / np.log(6.4), bands + 2)[1:-1]
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp(np.log(6.4) / 27 * (mel - 15))).astype(np.float32)


def spoken(folder, seen):
    """(samples, text, sounds, kind) of the recordings in those files of a folder that are not in seen yet."""
    for f in sorted(glob.glob(folder + "/*.npz")):
        if f in seen or ".tmp." in f:
            continue
        seen.append(f)
        d = np.load(f)
        pcm, ends = d["pcm"], d["ends"]
        for a, b, text, sounds, kind in zip([0, *ends[:-1]], ends, d["texts"], d["sounds"], d["kinds"]):
            yield pcm[a:b], str(text), str(sounds), str(kind)


class Sound:
    """Rooms, microphones, babble and noise for a whole batch at once."""

    def __init__(self, seed, device, noises=60):
        self.device, self.random = device, torch.Generator(device).manual_seed(seed)
        rng = np.random.default_rng(seed)
        made = [f(rng, 8 * RATE) for f in (augment.hum, augment.servo, augment.music, augment.bursts) for _ in range(noises)]
        self.noises = torch.tensor(np.stack(made), dtype=torch.float16, device=device)
        self.pcm = torch.zeros(1, dtype=torch.int16, device=device)

    def take(self, clips):
        """The recordings, one behind the other."""
        if clips:
            self.pcm = torch.cat([self.pcm, torch.from_numpy(np.concatenate(clips)).to(self.device)])

    def uniform(self, low, high, *shape):
        return low + (high - low) * torch.rand(shape, generator=self.random, device=self.device)

    def normal(self, *shape):
        return torch.randn(shape, generator=self.random, device=self.device)

    def chance(self, p, n):
        return self.uniform(0, 1, n) < p

    def whole(self, low, high, *shape):
        """Whole numbers below high."""
        return self.uniform(low, high, *shape).long().clamp(max=high - 1)

    def gather(self, starts, lengths, speed, offset, n, wrap=False):
        """Recordings laid into rows of n samples from offset on, faster or slower as a tape is; again and again if they wrap."""
        at = (torch.arange(n, device=self.device) - offset[:, None]) * speed[:, None]
        if wrap:
            at = at % (lengths[:, None] - 1)
        inside = (at >= 0) & (at < lengths[:, None] - 1)
        at = at.clamp(min=0).minimum(lengths[:, None] - 1.5)
        k = at.long()
        part = at - k
        k += starts[:, None]
        return (self.pcm[k] * (1 - part) + self.pcm[k + 1] * part) * inside / 32768

    def rooms(self, n):
        """Impulse responses: short and live, as evaluate.py makes them with other decays, and farther from the speaker with early echoes."""
        t = torch.arange(ECHO, device=self.device)
        kind, h = self.whole(0, 3, n, 1), self.normal(n, ECHO)
        short, long = self.uniform(0.05, 0.35, n, 1) * RATE, self.uniform(0.15, 0.8, n, 1) * RATE
        near = h * torch.exp(-6.9 * t / short) * (t < short)
        far = h * 10 ** (-3 * t / long) * (t / 80).clamp(max=1) * (t < long)
        far /= far.square().sum(1, keepdim=True).sqrt()
        echoes = torch.zeros_like(h).scatter_(1, self.whole(80, 900, n, 6), self.uniform(-0.6, 0.6, n, 6))
        h = torch.where(kind == 0, near, torch.where(kind == 1, far, far + echoes))
        h[:, :1] = torch.where(kind == 0, h[:, :1] + self.uniform(2, 12, n, 1), torch.where(kind == 1, 1.0, self.uniform(0.4, 1.2, n, 1)))
        return h

    def microphones(self, n, bins):
        """Gains in dB at every frequency: coloured, a cheap microphone, or a telephone."""
        gain = self.uniform(-9, 6, n, 8) @ knots(bins, self.device).T
        f = torch.linspace(0, 1, bins, device=self.device)
        cheap = -20.0 * (f < self.uniform(0.01, 0.04, n, 1)) - 25.0 * (f > self.uniform(0.45, 0.9, n, 1))
        line = -40.0 * ((f < 300 / 8000) | (f > 3400 / 8000))
        which = self.uniform(0, 1, n, 1)
        return gain + torch.where(which < 0.2, cheap, torch.where(which < 0.35, line, torch.zeros_like(line)))

    def babble(self, n, samples, starts, lengths, loud):
        """Two to eight of the recordings at once, of unit loudness."""
        many, x = self.whole(2, BABBLERS + 1, n), torch.zeros(n, samples, device=self.device)
        for k in range(BABBLERS):
            i = self.whole(0, len(starts), n)
            y = self.gather(starts[i], lengths[i].float(), torch.ones(n, device=self.device), -self.uniform(0, 10 * RATE, n), samples, True)
            x += y * ((k < many) * self.uniform(0.5, 1, n) / loud[i])[:, None]
        return x / (x.std(1, keepdim=True) + 1e-6)

    def noise(self, n, samples):
        """White, coloured, or something that hums, moves, plays or knocks; of unit loudness."""
        m = smooth(samples)
        f = torch.arange(m // 2 + 1, device=self.device).clamp(min=1)
        slope = self.uniform(0.1, 1, n, 1) * (self.uniform(0, 1, n, 1) < 0.5)
        x = torch.fft.irfft(torch.fft.rfft(self.normal(n, m)) * f ** -slope, m)[:, :samples]
        i, a = self.whole(0, len(self.noises), n), self.whole(0, self.noises.shape[1], n)
        made = self.noises[i[:, None], (torch.arange(samples, device=self.device) + a[:, None]) % self.noises.shape[1]].float()
        made += 0.03 * self.normal(n, samples)
        x = torch.where(self.chance(0.6, n)[:, None], made, x)
        return x / (x.std(1, keepdim=True) + 1e-6)

    def hear(self, x, start, end, length, others, silent=None):
        """x [B, n] has speech from start to end, what is behind length stays empty. The rows of silent have none. others: clips for babble."""
        b, n = x.shape
        at = torch.arange(n, device=self.device)
        inside, speech = at < length[:, None], (at >= start[:, None]) & (at < end[:, None])
        m = smooth(n + ECHO)
        echo, colour = self.chance(0.45, b), self.chance(0.35, b)
        h = torch.where(echo[:, None], self.rooms(b), (torch.arange(ECHO, device=self.device) == 0).float())
        gain = torch.where(colour[:, None], self.microphones(b, m // 2 + 1), 0.0)
        x = torch.fft.irfft(torch.fft.rfft(x, m) * torch.fft.rfft(h, m) * 10 ** (gain / 20), m)[:, :n]
        loud = ((x.square() * speech).sum(1, keepdim=True) / speech.sum(1, keepdim=True)).sqrt() + 1e-6
        if silent is not None:
            x = torch.where(silent[:, None], 0.0, x)
        talk = self.chance(0.42, b)
        if silent is not None:
            talk &= ~silent
        rows = talk.nonzero()[:, 0]
        if len(rows):
            x = x.index_add(0, rows, self.babble(len(rows), n, *others) * loud[rows] * 10 ** (-self.uniform(0, 14, len(rows), 1) / 20))
        noisy = self.chance(0.45, b)
        if silent is not None:
            noisy |= silent & self.chance(0.85, b)
        rows = noisy.nonzero()[:, 0]
        if len(rows):
            x = x.index_add(0, rows, self.noise(len(rows), n) * loud[rows] * 10 ** (-self.uniform(0, 22, len(rows), 1) / 20))
        x = (x + self.normal(b, n) * loud * 10 ** (-self.uniform(35, 65, b, 1) / 20)) * inside
        x = x * 10 ** (self.uniform(-26, 0, b, 1) / 20) / x.abs().amax(1, keepdim=True)
        clipped = (x * self.uniform(1.5, 4, b, 1) / x.abs().amax(1, keepdim=True) * 0.5).clamp(-0.5, 0.5)
        return torch.where(self.chance(0.05, b)[:, None], clipped, x)

    def throats(self, mel):
        """Moves the bands of four of ten spectrograms up or down, as a shorter or longer throat does."""
        b, bands, _ = mel.shape
        hz = torch.from_numpy(bands_hz(bands)).to(mel)
        factor = torch.where(self.chance(0.4, b), self.uniform(-0.13, 0.13, b), 0.0).exp()
        at = (hz * factor[:, None]).clamp(max=float(hz[-1]))
        k = torch.searchsorted(hz, at, right=True).clamp(1, bands - 1) - 1
        part = ((at - hz[k]) / (hz[k + 1] - hz[k])).clamp(0, 1)[:, :, None]
        low = k[:, :, None].expand_as(mel)
        return mel.gather(1, low) * (1 - part) + mel.gather(1, low + 1) * part

    def cover(self, mel, length):
        """Hides stripes of time and of frequency in half of the spectrograms."""
        b, bands, frames = mel.shape
        t, f = torch.arange(frames, device=self.device), torch.arange(bands, device=self.device)
        hide = torch.zeros(b, bands, frames, dtype=torch.bool, device=self.device)
        for axis, at, most, room in ((1, t, 16, length.float()), (0, f, 11, torch.full((b,), float(bands), device=self.device))):
            for _ in range(2):
                width = self.whole(1, most, b) * self.chance(0.5, b)
                a = (self.uniform(0, 1, b) * (room - width).clamp(min=1)).long()
                stripe = (at >= a[:, None]) & (at < (a + width)[:, None])
                hide |= stripe[:, None, :] if axis else stripe[:, :, None]
        hide &= self.chance(0.5, b)[:, None, None] & (t < length[:, None])[:, None, :]
        inside = (t < length[:, None])[:, None, :]
        floor = (mel * inside).sum((1, 2), keepdim=True) / (bands * length.view(-1, 1, 1))
        return torch.where(hide, floor, mel)


class Store:
    """The recordings of a folder, and batches of them."""

    def __init__(self, folder, file, tokens, seed, device):
        self.folder, self.tokens, self.device = folder, tokens, device
        self.filters = file.filters.to(device)
        self.rng, self.sound = np.random.default_rng(seed), Sound(seed, device)
        self.kinds, self.files, self.written, self.people = {}, [], [], []
        self.starts, self.lengths, self.loud, self.end = [], [], [], 1
        self.reload()

    def reload(self):
        """Takes what has been spoken meanwhile."""
        new, files = data.load(self.folder, self.files)
        self.files += files
        for pcm, text, kind in new:
            opened, engine = kind.split(" ", 1)
            self.kinds.setdefault(engine, {}).setdefault(opened, []).append(len(self.starts))
            self.people.append(opened == "open" and not engine.startswith("espeak"))
            self.starts.append(self.end)
            self.lengths.append(len(pcm))
            self.loud.append(pcm[::7].astype(np.float32).std() / 32768 + 1e-4)
            self.written.append((text, [net.START, net.PLAIN, *self.tokens.encode(" " + text), net.END]))
            self.end += len(pcm)
        self.sound.take([pcm for pcm, _, _ in new])
        self.size = np.array(self.lengths)
        self.others = (torch.tensor(self.starts, device=self.device), torch.tensor(self.lengths, device=self.device), torch.tensor(self.loud, dtype=torch.float32, device=self.device))

    def draw(self, n, opened):
        """n recordings: an engine by its share, then one of its open speech or of what is said to the robot."""
        names = sorted(self.kinds)
        p = np.array([SHARE[k] * min(1, sum(map(len, self.kinds[k].values())) / 300) for k in names])
        out = []
        for k in self.rng.choice(len(names), n, p=p / p.sum()):
            kinds = self.kinds[names[k]]
            found = kinds.get("open" if self.rng.random() < opened else "robot") or next(iter(kinds.values()))
            out.append(found[self.rng.integers(len(found))])
        return np.array(out)

    def lay(self, rows, speed, before, pauses, after):
        """Rows of recordings with silence around them → (window, x, start, end, length)."""
        total, places = before.copy(), []
        for k in range(max(map(len, rows))):
            have = np.array([k < len(r) for r in rows])
            clip = np.array([r[k] if k < len(r) else 0 for r in rows])
            if k:
                total = total + have * pauses[:, k]
            places.append((have, clip, total.copy()))
            total = total + have * self.size[clip] / speed
        start, end = before, total
        length = total + after
        window = min(LONGEST, -(-int(length.max()) // (320 * net.WINDOW)) * net.WINDOW)
        n, there = window * 320, lambda a: torch.tensor(a, dtype=torch.float32, device=self.device)
        x = torch.zeros(len(rows), n, device=self.device)
        for have, clip, offset in places:
            at = torch.tensor(np.flatnonzero(have), device=self.device)
            i = torch.tensor(clip[have], device=self.device)
            x = x.index_add(0, at, self.sound.gather(self.others[0][i], self.others[1][i].float(), there(speed[have]), there(offset[have]), n))
        return window, x, there(start), there(end), there(np.minimum(length, n))

    def pack(self, x, window, texts, length=None):
        """Sound and tokens ("": no speech) → a batch."""
        longest = max(map(len, texts))
        tok = torch.tensor([t + [net.END] * (longest - len(t)) for t in texts], device=self.device)
        mel = model.log_mel(x, self.filters, 2 * window)
        if length is not None:
            mel = self.sound.cover(self.sound.throats(mel), (length / 160 + 1).long())
        return dict(mel=mel, tokens=tok, lengths=torch.tensor([len(t) for t in texts], device=self.device))

    def batch(self, rows, silent, teach):
        """teach: with the clean spectrogram of people's open speech for a window twice as long, and which rows those are."""
        n = len(rows)
        speed = np.where(self.rng.random(n) < 0.6, np.exp(self.rng.uniform(-0.15, 0.15, n)), 1.0)
        before, after = self.rng.uniform(0.05, 0.7, n) * RATE, self.rng.uniform(0.05, 0.7, n) * RATE
        window, x, start, end, length = self.lay(rows, speed, before, self.rng.uniform(0.1, 0.5, (n, 4)) * RATE, after)
        quiet = torch.tensor(silent, device=self.device)
        y = self.sound.hear(x, start, end, length, self.others, quiet)
        texts = [[net.START, net.PLAIN] if s else self.join(r) for r, s in zip(rows, silent)]
        b = self.pack(y, window, texts, length)
        # A clip that is cut off by the longest window is no example.
        open_ = [k for k in range(n) if teach and window <= net.WINDOW and not silent[k] and all(self.people[i] for i in rows[k])]
        if open_:
            b["open"] = torch.tensor(open_, device=self.device)
            clean = torch.nn.functional.pad(x[b["open"]], (0, window * 320))
            b["clean"] = model.log_mel(clean, self.filters, 4 * window)
        return b

    def join(self, row):
        if len(row) == 1:
            return self.written[row[0]][1]
        return [net.START, net.PLAIN, *self.tokens.encode(" " + " ".join(self.written[i][0] for i in row)), net.END]

    def batches(self, size, opened, teach=False):
        """Five batches: four of single recordings sorted by length, and one of half as many joined ones."""
        clips = self.draw(4 * size, opened)
        clips = clips[np.argsort(self.size[clips])]
        out = [([[i] for i in clips[k:k + size]], self.rng.random(size) < 0.05) for k in range(0, 4 * size, size)]
        joined = []
        for _ in range(size // 2):
            row, length = [], 0
            for i in self.draw(self.rng.integers(2, 5), opened):
                length += self.size[i] * 1.17 + 8000
                if row and length > LONGEST * 320 - 24000:
                    break
                row.append(i)
            joined.append(row)
        out.append((joined, np.zeros(len(joined), dtype=bool)))
        for k in self.rng.permutation(len(out)):
            yield self.batch(*out[k], teach)

    def held(self, size, heard):
        """All recordings once, clean or heard: the same ones each time."""
        order = np.argsort(self.size)
        out = []
        for k in range(0, len(order), size):
            rows = [[i] for i in order[k:k + size]]
            n = len(rows)
            window, x, start, end, length = self.lay(rows, np.ones(n), np.full(n, 4800.0), np.zeros((n, 1)), np.full(n, 4800.0))
            if heard:
                x = self.sound.hear(x, start, end, length, self.others)
            out.append(self.pack(x, window, [self.join(r) for r in rows]))
        return out
