"""Noises, made new each time; rooms and microphones are made in ../tuning/clips.py."""

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
