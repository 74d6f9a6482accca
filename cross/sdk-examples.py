"""What cross/sdk-examples.sh gives the examples to hear, and what they must have seen and heard.

usage: sdk-examples.py tone FILE             an hour of a tone of 500 Hz
       sdk-examples.py run SECONDS LOG COMMAND...   COMMAND, for so long after LOG of reachyd says that it has come; 124 when it had to be ended
       sdk-examples.py judge EXAMPLE HEARD   in the directory where an example ran; HEARD is what the loudspeaker played
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import wave

import numpy as np

HEARD, PLAYED, SPOKEN = 500, 440, 660  # Hz; SPOKEN is what sdk-stand-ins/gradio_client.py makes
PATIENCE = 120  # s, until a program has begun or has ended
MOVES = {"goto_interpolation_playground.py", "joy_controller.py", "minimal_demo.py", "recorded_moves.py", "sequence.py", "sound_tts.py"}
MOVED = "moved.json"


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

    def look() -> None:
        with urllib.request.urlopen("http://127.0.0.1:8000/api/state/full", timeout=PATIENCE) as answer:
            head = json.load(answer)["head_pose"]
            seen.append([head[axis] for axis in ("roll", "pitch", "yaw")])

    before, seen = visits(), []
    with subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and visits() == before and time.monotonic() < end:
            time.sleep(0.1)
        end = time.monotonic() + float(seconds)
        while process.poll() is None and time.monotonic() < end:
            look()
            time.sleep(0.1)
        with open(MOVED, "w", encoding="ascii") as f:
            json.dump(np.degrees(np.ptp(seen, axis=0)).tolist() if seen else [], f)
        if process.returncode is not None:
            sys.exit(process.returncode)
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
    if example in MOVES:
        with open(MOVED, encoding="ascii") as f:
            if not max(json.load(f), default=0) > 2:  # degrees
                sys.exit("the head has not moved")
    if example == "take_picture.py":
        import cv2

        picture = cv2.imread("reachy_mini_picture.jpg")
        if picture is None or picture.shape != (720, 1280, 3) or picture.std() < 10:
            sys.exit("the picture shows nothing")
    elif example == "sound_record.py":
        check_tone("recorded_audio.wav", HEARD)
    elif example == "sound_play.py":
        check_tone(heard, PLAYED)
    elif example == "sound_tts.py":
        check_tone(heard, SPOKEN)


if __name__ == "__main__":
    {"tone": write_tone, "run": run, "judge": judge}[sys.argv[1]](*sys.argv[2:])
