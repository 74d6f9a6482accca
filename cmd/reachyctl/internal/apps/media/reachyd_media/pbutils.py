"""GstPbutils: how long a sound file is."""

from enum import Enum
from urllib.parse import unquote, urlsplit

from . import glib
from .data import read_sound
from .missing import Missing, missing


class DiscovererResult(Enum):
    OK = 0


class DiscovererInfo:
    """What is known of a file."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def get_duration(self) -> int:
        return int(self._seconds * 1_000_000_000)

    def get_result(self) -> DiscovererResult:
        return DiscovererResult.OK

    def get_audio_streams(self) -> list["DiscovererInfo"]:
        return [self]


class Discoverer:
    """Reads files."""

    @classmethod
    def new(cls, timeout: int) -> "Discoverer":
        return cls()

    def discover_uri(self, uri: str) -> DiscovererInfo:
        try:
            sound = read_sound(unquote(urlsplit(uri).path))
        except (OSError, ValueError) as error:
            raise glib.Error(str(error)) from error
        return DiscovererInfo(len(sound.samples) / sound.rate)


def __getattr__(name: str) -> type[Missing]:
    return missing(name)
