"""What cross/sdk-examples.sh gives the examples to hear, and what they must have seen and heard.

usage: sdk-examples.py tone FILE             an hour of a tone of 500 Hz
       sdk-examples.py run SECONDS LOG COMMAND...   COMMAND, for so long after LOG of reachyd says that it has come; 124 when it had to be ended
       sdk-examples.py judge EXAMPLE HEARD   in the directory where an example ran; HEARD is what the loudspeaker played
"""

import os
import signal
import subprocess
import sys
import time
import wave

import numpy as np

HEARD, PLAYED = 500, 440  # Hz
PATIENCE = 120  # s, until a program has begun or has ended


def write_tone(path: str) -> None:
    second = (8000 * np.sin(2 * np.pi * HEARD * np.arange(16000) / 16000)).astype("<i2").tobytes()
    with wave.open(path, "wb") as f:
        f.setparams((1, 2, 16000, 0, "NONE", ""))
        for _ in range(3600):
            f.writeframes(second)


def run(seconds: str, log: str, *command: str) -> None:
    def visits() -> int:
        with open(log, encoding="utf-8", errors="replace") as f:
            return f.read().count("a client of the SDK has come")

    before = visits()
    with subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and visits() == before and time.monotonic() < end:
            time.sleep(0.1)
        try:
            sys.exit(process.wait(float(seconds)))
        except subprocess.TimeoutExpired:
            window = any("position_gui" in part for part in command)  # tkinter swallows what interrupts
            process.send_signal(signal.SIGTERM if window else signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit("it does not end when it is asked to")
    sys.exit(124 if visits() > before else "it has not come to the robot")


def check_tone(path: str, hz: int) -> None:
    """Look at the last second of a WAV file, also of one that is still being written."""
    with open(path, "rb") as f:
        head = f.read(44)
        channels, rate = int.from_bytes(head[22:24], "little"), int.from_bytes(head[24:28], "little")
        f.seek(max(44, 44 + (os.path.getsize(path) - 44) // (2 * channels) * 2 * channels - 2 * channels * rate))
        samples = np.frombuffer(f.read(2 * channels * rate), "<i2")[::channels].astype(float)
    if len(samples) < rate // 4:
        sys.exit(f"{path} has {len(samples)} samples")
    found = np.abs(np.fft.rfft(samples)).argmax() * rate / len(samples)
    if abs(found - hz) > 10:
        sys.exit(f"{path}: the loudest tone is one of {found:.0f} Hz, wanted {hz}")


def judge(example: str, heard: str) -> None:
    if example == "take_picture.py":
        import cv2

        picture = cv2.imread("reachy_mini_picture.jpg")
        if picture is None or picture.shape != (720, 1280, 3) or picture.std() < 10:
            sys.exit("the picture shows nothing")
    elif example == "sound_record.py":
        check_tone("recorded_audio.wav", HEARD)
    elif example == "sound_play.py":
        check_tone(heard, PLAYED)


if __name__ == "__main__":
    {"tone": write_tone, "run": run, "judge": judge}[sys.argv[1]](*sys.argv[2:])
