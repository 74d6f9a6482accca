"""What flows from element to element: sound, pictures, bytes; and how one becomes what the next wants."""

import wave
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FORMATS = {"F32LE": ("<f4", 1.0), "S16LE": ("<i2", 32768.0), "S32LE": ("<i4", 2147483648.0)}


@dataclass
class Sound:
    """Samples of −1 to 1, a row each, a column for each channel."""

    rate: int
    samples: npt.NDArray[np.float32]

    def as_rate(self, rate: int) -> "Sound":
        """Return it at another rate; between samples it is straight."""
        n = len(self.samples)
        if rate == self.rate or n == 0:
            return Sound(rate, self.samples)
        at = np.arange(n * rate // self.rate) * (self.rate / rate)
        columns = [np.interp(at, np.arange(n), column) for column in self.samples.T]
        return Sound(rate, np.stack(columns, axis=1).astype(np.float32))

    def as_channels(self, channels: int) -> "Sound":
        """Return it with so many channels: the mean of those that there are, in all of them."""
        if self.samples.shape[1] == channels:
            return self
        mean = self.samples.mean(axis=1, keepdims=True, dtype=np.float32)
        return Sound(self.rate, np.repeat(mean, channels, axis=1))

    def as_format(self, name: str) -> bytes:
        """Return the samples as bytes, in a format of GStreamer."""
        kind, full = FORMATS[name]
        if full == 1.0:
            return self.samples.astype(kind).tobytes()
        return np.clip(np.rint(self.samples * (full - 1)), -full, full - 1).astype(kind).tobytes()


@dataclass
class Picture:
    """Rows of pixels of blue, green and red."""

    pixels: npt.NDArray[np.uint8]

    def as_size(self, width: int, height: int) -> "Picture":
        """Return it in another size; each pixel is that of the nearest."""
        h, w = self.pixels.shape[:2]
        if (w, h) == (width, height):
            return self
        return Picture(self.pixels[np.arange(height)[:, None] * h // height, np.arange(width)[None, :] * w // width])


Data = Sound | Picture | bytes


def unpack(data: bytes, caps: Mapping[str, str]) -> Data:
    """Return what bytes are, by the caps of where they come from."""
    if "rate" in caps:
        kind, full = FORMATS[caps.get("format", "F32LE")]
        samples = (np.frombuffer(data, kind) / full).astype(np.float32)
        return Sound(int(caps["rate"]), samples.reshape(-1, int(caps.get("channels", 1))))
    if caps.get("format") == "BGR":
        return Picture(np.frombuffer(data, np.uint8).reshape(int(caps["height"]), int(caps["width"]), 3))
    return data


def pack(data: Data, caps: Mapping[str, str]) -> bytes:
    """Return something as the bytes that caps ask for."""
    if isinstance(data, Sound):
        data = data.as_rate(int(caps.get("rate", data.rate)))
        return data.as_channels(int(caps.get("channels", data.samples.shape[1]))).as_format(caps.get("format", "F32LE"))
    if isinstance(data, Picture):
        height, width = data.pixels.shape[:2]
        return data.as_size(int(caps.get("width", width)), int(caps.get("height", height))).pixels.tobytes()
    return data


def read_sound(path: str) -> Sound:
    """Read a sound file: WAV, and what the package soundfile reads where it is installed."""
    try:
        with wave.open(path, "rb") as f:
            kind = {1: "u1", 2: "<i2", 4: "<i4"}[f.getsampwidth()]
            raw = np.frombuffer(f.readframes(f.getnframes()), kind).astype(np.float32)
            raw = (raw - 128) / 128 if kind == "u1" else raw / FORMATS["S16LE" if kind == "<i2" else "S32LE"][1]
            return Sound(f.getframerate(), raw.reshape(-1, f.getnchannels()))
    except (wave.Error, KeyError, EOFError) as error:
        try:
            import soundfile
        except ImportError:
            raise ValueError(f"{path} is no WAV file ({error}); for others `pip install soundfile`") from error
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        return Sound(int(rate), samples)
