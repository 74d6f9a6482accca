"""The robot's camera, microphone and loudspeaker, as reachyd serves them."""

import collections
import http.client
import json
import logging
import mmap
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable

import numpy as np

from . import ADDRESS
from .data import Picture, Sound

log = logging.getLogger("reachyd_media")

RETRY = 1.0  # s
PATIENCE = 10.0  # s
IDLE = 0.4  # s without sound, after which it is over
LONGEST = 300.0  # s of sound that wait


class Worker:
    """Something that goes on beside the script until it is stopped."""

    def __init__(self, work: Callable[["Worker"], None]) -> None:
        self.over = threading.Event()
        self._thread = threading.Thread(target=work, args=(self,), name="reachyd_media", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.over.set()
        if self._thread is not threading.current_thread():
            self._thread.join(2 * PATIENCE)


def receive(conn: socket.socket, size: int, worker: Worker) -> tuple[bytes, list[int]]:
    """Read so many bytes, and the files that come along."""
    data, files = b"", []
    try:
        while len(data) < size:
            try:
                more, came, _, _ = socket.recv_fds(conn, size - len(data), 8)
            except TimeoutError:
                if worker.over.is_set():
                    raise ConnectionError("it is over") from None
                continue
            files += came
            if not more:
                raise ConnectionError("the camera's socket was closed")
            data += more
    except BaseException:
        for file in files:
            os.close(file)
        raise
    return data, files


HEAD, BUFFER, MEMORY = struct.Struct("=II"), struct.Struct("=6QIBBH"), struct.Struct("=QQ")
NEW_BUFFER, RELEASE_BUFFER, CAPS = 0, 1, 2


def camera(path: str, take: Callable[[Picture], None]) -> Worker:
    """Take pictures from the socket of GStreamer's unixfdsink at a path."""

    def watch(worker: Worker) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as conn:
            conn.connect(path)
            conn.settimeout(0.1)
            size = (0, 0)
            while not worker.over.is_set():
                head, files = receive(conn, HEAD.size, worker)
                try:
                    kind, length = HEAD.unpack(head)
                    payload, more = receive(conn, length, worker)
                    files += more
                    if kind == CAPS:
                        size = size_of(payload.rstrip(b"\0").decode())
                    elif kind == NEW_BUFFER:
                        number, at = BUFFER.unpack_from(payload)[0], MEMORY.unpack_from(payload, BUFFER.size)
                        with mmap.mmap(files[0], 0, prot=mmap.PROT_READ) as memory:
                            pixels = np.frombuffer(memory[at[1] : at[1] + at[0]], np.uint8)
                        conn.sendall(HEAD.pack(RELEASE_BUFFER, 8) + struct.pack("=Q", number))
                        take(Picture(pixels.reshape(size[1], size[0], 3)))
                finally:
                    for file in files:
                        os.close(file)

    return Worker(lambda worker: keep(worker, "camera", watch))


def size_of(caps: str) -> tuple[int, int]:
    """Return width and height of pictures of BGR."""
    fields = dict(part.strip().split("=", 1) for part in caps.split(",")[1:])
    values = {name: value.rpartition(")")[2] for name, value in fields.items()}
    if values.get("format") != "BGR":
        raise ValueError(f"the camera gives {caps}; BGR is needed")
    return int(values["width"]), int(values["height"])


def keep(worker: Worker, what: str, work: Callable[[Worker], None]) -> None:
    """Do something again and again until it is to end, and say once why it does not work."""
    said = ""
    while not worker.over.is_set():
        try:
            work(worker)
        except (OSError, ValueError, http.client.HTTPException) as error:
            if not worker.over.is_set() and str(error) != said:
                said = str(error)
                log.warning("%s: %s", what, error)
        worker.over.wait(RETRY)


def refusal(answer: http.client.HTTPResponse) -> str:
    """Return why reachyd does not do something."""
    text = answer.read()
    try:
        return str(json.loads(text)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.status} {answer.reason}"


def microphone(take: Callable[[Sound], None]) -> Worker:
    """Take what the microphone hears."""

    def hear(worker: Worker) -> None:
        conn = http.client.HTTPConnection(*ADDRESS, timeout=PATIENCE)
        try:
            conn.request("GET", "/api/media/microphone")
            answer = conn.getresponse()
            if answer.status != http.HTTPStatus.OK:
                raise ConnectionError(refusal(answer))
            while not worker.over.is_set():
                data = answer.read(640)  # 20 ms
                if len(data) < 640:
                    raise ConnectionError("the microphone's sound has ended")
                take(Sound(16000, (np.frombuffer(data, "<i2") / 32768).astype(np.float32).reshape(-1, 1)))
        finally:
            conn.close()

    return Worker(lambda worker: keep(worker, "microphone", hear))


def jpeg(picture: Picture) -> bytes:
    """Return a picture as JPEG."""
    height, width = picture.pixels.shape[:2]
    conn = http.client.HTTPConnection(*ADDRESS, timeout=PATIENCE)
    try:
        conn.request("POST", f"/api/media/jpeg?width={width}&height={height}", picture.pixels.tobytes())
        answer = conn.getresponse()
        if answer.status != http.HTTPStatus.OK:
            raise ConnectionError(refusal(answer))
        return answer.read()
    finally:
        conn.close()


class Speaker:
    """The loudspeaker: what is written is heard at once, piece after piece."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._queue: collections.deque[tuple[int, bytes]] = collections.deque()
        self._waiting = 0.0  # s
        self._conn: http.client.HTTPConnection | None = None
        self._thread: threading.Thread | None = None

    def write(self, sound: Sound) -> None:
        """Queue sound; what is too much is left out."""
        data = sound.as_channels(1).as_format("S16LE")
        with self._change:
            if self._waiting > LONGEST:
                log.warning("loudspeaker: more than %.0f s of sound wait; the rest is left out", LONGEST)
                return
            self._queue.append((sound.rate, data))
            self._waiting += len(sound.samples) / sound.rate
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="reachyd_media", daemon=True)
                self._thread.start()
            self._change.notify()

    def flush(self) -> None:
        """Be silent at once."""
        with self._change:
            self._queue.clear()
            self._waiting = 0
            conn, self._conn = self._conn, None
        if conn is not None and conn.sock is not None:
            try:
                conn.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def busy(self) -> bool:
        """Report whether something is heard, or is to be."""
        with self._change:
            return self._conn is not None or bool(self._queue)

    def _next(self, rate: int | None, patience: float | None) -> tuple[int, bytes] | None:
        """Return the next piece, None when there is none within patience, or none of that rate."""
        with self._change:
            if not self._change.wait_for(lambda: self._queue, patience) or rate not in (None, self._queue[0][0]):
                return None
            piece = self._queue.popleft()
            self._waiting -= len(piece[1]) / 2 / piece[0]
            return piece

    def _run(self) -> None:
        while True:
            first = self._next(None, None)
            if first is None:
                continue
            conn = http.client.HTTPConnection(*ADDRESS, timeout=PATIENCE)
            with self._change:
                self._conn = conn
            try:
                self._play(conn, *first)
            except (OSError, http.client.HTTPException) as error:
                with self._change:
                    wanted = self._conn is conn
                if wanted:
                    log.warning("loudspeaker: %s", error)
                    self.flush()
            finally:
                conn.close()
                with self._change:
                    if self._conn is conn:
                        self._conn = None

    def _play(self, conn: http.client.HTTPConnection, rate: int, data: bytes) -> None:
        conn.putrequest("POST", f"/api/media/speaker?rate={rate}")
        conn.putheader("Transfer-Encoding", "chunked")
        conn.endheaders()
        piece: tuple[int, bytes] | None = (rate, data)
        while piece is not None and not select.select([conn.sock], [], [], 0)[0]:  # else it was answered before its end
            if piece[1]:
                conn.send(b"%x\r\n%s\r\n" % (len(piece[1]), piece[1]))
            piece = self._next(rate, IDLE)
        if piece is None:
            conn.send(b"0\r\n\r\n")
        conn.sock.settimeout(None)  # until it has been heard
        answer = conn.getresponse()
        if answer.status != http.HTTPStatus.OK:
            raise ConnectionError(refusal(answer))
        if json.loads(answer.read())["status"] != "finished":  # somebody has silenced the robot
            with self._change:
                self._queue.clear()
                self._waiting = 0


speaker = Speaker()


def play(sound: Sound, take: Callable[[Sound], None], done: Callable[[], None]) -> Worker:
    """Hand a sound on as fast as it is heard."""

    def work(worker: Worker) -> None:
        step = max(1, sound.rate // 50)
        begin = time.monotonic()
        for i in range(0, len(sound.samples), step):
            if worker.over.wait(max(0.0, begin + i / sound.rate - time.monotonic())):
                return
            take(Sound(sound.rate, sound.samples[i : i + step]))
        done()

    return Worker(work)
