"""The official Python SDK's client over WebRTC, unmodified, with a real GStreamer; cross/sdk-webrtc.sh calls it.

usage: sdk-webrtc.py HEARD   HEARD is what the robot's loudspeaker plays. Prints a table: pass, or the reason.
"""

import sys
import time
import wave

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

PATIENCE = 60  # s
failed = 0


def row(name, wrong=None):
    global failed
    failed += wrong is not None
    print(f"{name:56} {'pass' if wrong is None else 'FAIL: ' + wrong}", flush=True)


def until(what):
    """What something returns, once it is neither nothing nor false; None when that does not come."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (got := what()) is not None and got is not False:
            return got
        time.sleep(0.02)
    return None


def pitch(samples, rate):
    found = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    found[: int(50 * len(samples) / rate)] = 0
    return found.argmax() * rate / len(samples)


def tail(path, seconds=0.5):
    """The last sound that the loudspeaker played."""
    with open(path, "rb") as f:
        data = f.read()
    channels, rate = int.from_bytes(data[22:24], "little"), int.from_bytes(data[24:28], "little")
    samples = np.frombuffer(data[44 : 44 + (len(data) - 44) // (2 * channels) * 2 * channels], "<i2")[::channels].astype(float)
    return samples[-int(seconds * rate) :], rate


def heard(path, hz):
    samples, rate = tail(path)
    return bool(len(samples) > rate // 4 and samples.std() > 100 and abs(pitch(samples, rate) - hz) < 15)


def see(mini):
    first = until(mini.media.get_frame)
    if first is None:
        row("get_frame", "no picture comes")
        return
    wrong = None if first.shape == (720, 1280, 3) and first.std() > 10 else f"a picture of {first.shape} whose values differ by {first.std():.0f}"
    row("get_frame", wrong)
    mini.goto_target(head=create_head_pose(yaw=25, degrees=True), duration=0.8)
    changed = until(lambda: (f := mini.media.get_frame()) is not None and bool(np.abs(f.astype(int) - first).mean() > 2))
    row("the picture changes when the head turns", None if changed else "it stays")
    # Pictures that differ: videorate of the client fills a slow stream up with copies.
    began, seen, last = time.monotonic(), 0, None
    mini.media.get_frame()
    while time.monotonic() - began < 4:
        frame = mini.media.get_frame()
        if frame is not None and (last is None or np.any(frame != last)):
            seen, last = seen + 1, frame
    print(f"{'':56} {seen / 4:.1f} pictures a second that differ")


def hear(mini):
    mini.media.start_recording()
    pieces, rate = [], mini.media.get_input_audio_samplerate()
    until(lambda: (p := mini.media.get_audio_sample()) is not None and (pieces.append(p) or sum(map(len, pieces)) > 3 * rate))
    if not pieces or sum(map(len, pieces)) < 2 * rate:
        row("get_audio_sample", f"{sum(map(len, pieces))} samples come")
        return
    sound = np.concatenate(pieces)[-rate:, 0]
    hz = pitch(sound, rate)
    row("get_audio_sample", None if abs(hz - 500) < 15 else f"a tone of {hz:.0f} Hz, the microphone hears 500")


def say(mini, path):
    rate = mini.media.get_output_audio_samplerate()
    mini.media.start_playing()
    t = np.arange(rate // 10) / rate
    began = time.monotonic()
    n = 0
    found = False
    while not found and time.monotonic() - began < PATIENCE / 2:
        mini.media.push_audio_sample((0.3 * np.sin(2 * np.pi * 440 * (t + n / 10))).astype(np.float32))
        n += 1
        time.sleep(max(0, began + n / 10 - time.monotonic()))
        found = heard(path, 440)
    mini.media.stop_playing()
    row("push_audio_sample", None if found else "the loudspeaker does not play it")
    with wave.open("tone880.wav", "wb") as f:
        f.setparams((1, 2, 16000, 0, "NONE", ""))
        f.writeframes((8000 * np.sin(2 * np.pi * 880 * np.arange(32000) / 16000)).astype("<i2").tobytes())
    time.sleep(4)  # what was said before has ended, and the loudspeaker is free
    mini.media.play_sound("tone880.wav")
    row("play_sound of a file of the client", None if until(lambda: heard(path, 880)) else "the loudspeaker does not play it")


with ReachyMini(media_backend="webrtc") as robot:
    robot.enable_motors()
    see(robot)
    hear(robot)
    say(robot, sys.argv[1])
row("it ends")
sys.exit(1 if failed else 0)
