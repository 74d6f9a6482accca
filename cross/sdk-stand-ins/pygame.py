"""Stands in for a joystick: a hand moves it slowly to both sides. Of pygame it has what the official example asks for."""

import math
import time
from types import SimpleNamespace

JOYBUTTONDOWN = 1539


class Joystick:
    def __init__(self, number: int) -> None:
        self.began = time.monotonic()

    def get_name(self) -> str:
        return "stand-in for a joystick"

    def get_numaxes(self) -> int:
        return 4

    def get_axis(self, axis: int) -> float:
        return 0.8 * math.sin(2 * math.pi * 0.3 * (time.monotonic() - self.began)) * (0.5 if axis else 1)

    def get_button(self, button: int) -> bool:
        return False


def init() -> None: ...
def quit() -> None: ...


joystick = SimpleNamespace(init=init, get_count=lambda: 1, Joystick=Joystick)
event = SimpleNamespace(pump=init, get=list)
