"""Rooms, microphones and noises, made new for every clip that the network hears."""

import numpy as np

RATE = 16000


def fast(n):
    """A length at or above n whose FFT is quick."""
    return -(-n // 1024) * 1024


def unit(x):
    return x / (x.std() + 1e-9)


def white(rng, n):
    return rng.standard_normal(n, dtype=np.float32)


def coloured(rng, n, slope):
    s = np.fft.rfft(rng.standard_normal(fast(n)))
    s[1:] *= np.arange(1, len(s)) ** -slope
    s[0] = 0
    return unit(np.fft.irfft(s)[:n])


def hum(rng, n):
    """A motor or the mains: a saw of few harmonics."""
    t = np.arange(n) / RATE
    f = rng.uniform(45, 400)
    x = sum(np.sin(2 * np.pi * f * h * t + rng.uniform(0, 6)) / h for h in range(1, 7))
    return unit(x + 0.3 * rng.standard_normal(n))


def servo(rng, n):
    """Whining bursts that rise and fall in pitch, as a servo does."""
    x = 0.05 * rng.standard_normal(n)
    for _ in range(rng.integers(1, 5)):
        k = int(rng.uniform(0.1, 0.5) * RATE)
        a = rng.integers(0, max(1, n - k))
        k = min(k, n - a)
        t = np.arange(k) / RATE
        f = rng.uniform(200, 1500) + rng.uniform(-1500, 1500) * t
        w = np.sin(np.pi * np.arange(k) / k)
        x[a:a + k] += w * (np.sin(2 * np.pi * np.cumsum(f) / RATE) + 0.5 * np.sin(4 * np.pi * np.cumsum(f) / RATE))
    return unit(x)


def music(rng, n):
    """Chords that change."""
    x = np.zeros(n)
    a = 0
    while a < n:
        k = min(n - a, int(rng.uniform(0.15, 0.7) * RATE))
        t = np.arange(k) / RATE
        root = 110 * 2 ** rng.uniform(0, 2.5)
        for s in (0, rng.choice([3, 4]), 7, 12):
            f = root * 2 ** (s / 12)
            for h in range(1, 5):
                x[a:a + k] += np.exp(-t * rng.uniform(1, 6)) * np.sin(2 * np.pi * f * h * t + rng.uniform(0, 6)) / h
        a += k
    return unit(x)


def bursts(rng, n):
    """Coughs, knocks and clatter: short shaped noise."""
    x = np.zeros(n)
    for _ in range(rng.integers(1, 5)):
        k = min(n, int(rng.uniform(0.02, 0.35) * RATE))
        a = rng.integers(0, n - k + 1)
        x[a:a + k] += coloured(rng, k, rng.uniform(0, 1)) * np.exp(-np.arange(k) / k * rng.uniform(1, 8)) * rng.uniform(0.3, 1)
    return unit(x)


def babble(rng, n, clips):
    x = np.zeros(n)
    for _ in range(rng.integers(2, 7)):
        c = clips[rng.integers(len(clips))].astype(np.float32)
        x += np.roll(np.resize(c, n), rng.integers(n)) / (np.abs(c).max() + 1) * rng.uniform(0.4, 1)
    return unit(x)


def noise(rng, n, clips):
    k = rng.integers(7)
    if k == 0:
        return white(rng, n)
    if k == 1:
        return coloured(rng, n, rng.uniform(0.3, 1))
    if k == 2:
        return hum(rng, n)
    if k == 3:
        return servo(rng, n)
    if k == 4:
        return music(rng, n)
    return babble(rng, n, clips)


def faster(x, f):
    """Speed and pitch together, as a tape does: f > 1 is faster and higher."""
    n = int(len(x) / f)
    return np.interp(np.arange(n) * f, np.arange(len(x)), x)


def room(rng, x):
    n = int(rng.uniform(0.05, 0.35) * RATE)
    ir = rng.standard_normal(n) * np.exp(-6.9 * np.arange(n) / n)
    ir[0] += rng.uniform(2, 12)
    m = fast(len(x) + n)
    return np.fft.irfft(np.fft.rfft(x, m) * np.fft.rfft(ir, m), m)[:len(x) + n // 3]


def equalise(rng, x):
    m = fast(len(x))
    s = np.fft.rfft(x, m)
    gain = np.interp(np.linspace(0, 1, len(s)), np.linspace(0, 1, 8) ** 1.5, rng.uniform(-9, 6, 8))
    if rng.random() < 0.2:  # a telephone or a cheap microphone
        gain[: int(len(s) * rng.uniform(0.01, 0.04))] -= 20
        gain[int(len(s) * rng.uniform(0.45, 0.9)):] -= 25
    return np.fft.irfft(s * 10 ** (gain / 20), m)[:len(x)]


def hear(rng, pcm, clips, strength=1.0, longest=5.0):
    """One clip as it may arrive from the microphone: float32, at most longest seconds; and where the speech is, in samples."""
    x = pcm.astype(np.float32) / 32768
    if rng.random() < 0.7 * strength:
        x = faster(x, np.exp(rng.uniform(-0.17, 0.17)))
    spoken = len(x)
    if rng.random() < 0.5 * strength:
        x = equalise(rng, x)
    if rng.random() < 0.4 * strength:
        x = room(rng, x)
    x = x[: int((longest - 0.3) * RATE)]
    before, after = int(rng.uniform(0.03, 0.35) * RATE), int(rng.uniform(0.05, 0.4) * RATE)
    y = np.zeros(min(before + len(x) + after, int(longest * RATE)), dtype=np.float32)
    x = x[: len(y) - before]
    y[before:before + len(x)] = x
    loud = x.std() + 1e-6
    if rng.random() < 0.75 * strength:
        y += noise(rng, len(y), clips) * loud * 10 ** (-rng.uniform(3, 35) / 20)
    else:
        y += white(rng, len(y)) * loud * 10 ** (-rng.uniform(35, 60) / 20)
    y *= 10 ** (rng.uniform(-6 - 26 * strength, 0) / 20) / np.abs(y).max()
    if rng.random() < 0.05 * strength:
        y = np.clip(y * rng.uniform(1.5, 4), -0.5, 0.5)
    return y, (before, min(before + spoken, len(y)))


def nothing(rng, clips):
    """A clip without speech to understand."""
    n = int(rng.uniform(0.3, 4) * RATE)
    kind = rng.integers(9)
    x = bursts(rng, n) if kind == 0 else noise(rng, n, clips) if kind > 1 else white(rng, n) * 1e-3
    if rng.random() < 0.3:
        x = x + 0.3 * bursts(rng, n)
    return (x * 10 ** (rng.uniform(-40, 0) / 20) / (np.abs(x).max() + 1e-6)).astype(np.float32)


def cover(rng, mel):
    """Hides stripes of time and of frequency of one [80, frames] spectrogram, in place."""
    frames = mel.shape[1]
    floor = mel.mean()
    for _ in range(rng.integers(0, 3)):
        w = rng.integers(1, 16)
        a = rng.integers(0, max(1, frames - w))
        mel[:, a:a + w] = floor
    for _ in range(rng.integers(0, 3)):
        w = rng.integers(1, 11)
        a = rng.integers(0, 80 - w)
        mel[a:a + w] = floor
