"""GLib: a main loop, and functions that are called later, one after the other, in a thread of their own."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable

from .missing import Missing, missing

PRIORITY_DEFAULT = 0
SOURCE_CONTINUE, SOURCE_REMOVE = True, False


class Error(Exception):
    """What went wrong, as GLib says it."""


class MainLoop:
    """Runs until it is told to end; what is to be called is called by the thread of this module."""

    def __init__(self, *_: object) -> None:
        self._over = threading.Event()

    def run(self) -> None:
        self._over.clear()
        self._over.wait()

    def quit(self) -> None:
        self._over.set()

    def is_running(self) -> bool:
        return not self._over.is_set()


_ids = itertools.count(1)
_change = threading.Condition()
_waiting: list[tuple[float, int, float, Callable[..., object], tuple[object, ...]]] = []
_removed: set[int] = set()
_thread: threading.Thread | None = None


def _run() -> None:
    while True:
        with _change:
            while not _waiting or _waiting[0][0] > time.monotonic():
                _change.wait(_waiting[0][0] - time.monotonic() if _waiting else None)
            due, ident, period, call, args = heapq.heappop(_waiting)
            if ident in _removed:
                _removed.discard(ident)
                continue
        try:
            again = call(*args)
        except Exception:
            logging.getLogger(__name__).exception("a function that was to be called later failed")
            again = False
        if again:
            _add(ident, due + period, period, call, args)


def _add(ident: int, due: float, period: float, call: Callable[..., object], args: tuple[object, ...]) -> int:
    global _thread
    with _change:
        heapq.heappush(_waiting, (due, ident, period, call, args))
        if _thread is None:
            _thread = threading.Thread(target=_run, name="reachyd_media", daemon=True)
            _thread.start()
        _change.notify()
    return ident


def timeout_add(interval: float, call: Callable[..., object], *args: object) -> int:
    """Call something after so many milliseconds, and again as long as it returns something true."""
    return _add(next(_ids), time.monotonic() + interval / 1000, interval / 1000, call, args)


def timeout_add_seconds(interval: float, call: Callable[..., object], *args: object) -> int:
    """Call something after so many seconds, and again as long as it returns something true."""
    return timeout_add(1000 * interval, call, *args)


def idle_add(call: Callable[..., object], *args: object) -> int:
    """Call something soon."""
    return timeout_add(0, call, *args)


def source_remove(ident: int) -> bool:
    """Call it no more."""
    with _change:
        there = any(ident == entry[1] for entry in _waiting)
        if there:
            _removed.add(ident)
    return there


def __getattr__(name: str) -> type[Missing]:
    return missing(name)
