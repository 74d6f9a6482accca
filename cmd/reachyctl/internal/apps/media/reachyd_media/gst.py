"""Gst: elements that pass on sound and pictures of the robot, as the SDK puts them together.

Sources push what they have into the elements that they are linked with, and these into the next. Data know what they are, so that
only who hands them out as bytes has to convert them.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum, IntEnum, IntFlag
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

from . import glib, robot
from .data import Data, Picture, Sound, pack, read_sound, unpack
from .missing import Missing, missing

SECOND, MSECOND = 1_000_000_000, 1_000_000
CLOCK_TIME_NONE = 2**64 - 1


class State(IntEnum):
    NULL, READY, PAUSED, PLAYING = 1, 2, 3, 4


class StateChangeReturn(IntEnum):
    FAILURE, SUCCESS, ASYNC = 0, 1, 2


class FlowReturn(IntEnum):
    OK, FLUSHING, ERROR = 0, -2, -5


class Format(Enum):
    BYTES, TIME = 2, 3


class BufferFlags(IntFlag):
    DISCONT = 64


class MessageType(IntFlag):
    EOS, ERROR, WARNING, INFO, STATE_CHANGED, LATENCY = 1, 2, 4, 8, 64, 1 << 19


def init(_: object = None) -> bool:
    return True


def filename_to_uri(path: str) -> str:
    return "file://" + path


class Caps(dict[str, str]):
    """What data are to be."""

    @classmethod
    def from_string(cls, text: str) -> "Caps":
        fields = (part.split("=", 1) for part in text.split(",")[1:])
        return cls({name.strip(): value.strip() for name, value in fields})


class Buffer:
    """Some bytes."""

    def __init__(self, data: bytes = b"") -> None:
        self.data, self.pts, self.dts, self.duration = data, CLOCK_TIME_NONE, CLOCK_TIME_NONE, CLOCK_TIME_NONE
        self.flags = BufferFlags(0)

    @classmethod
    def new_wrapped(cls, data: bytes) -> "Buffer":
        return cls(bytes(data))

    def set_flags(self, flags: BufferFlags) -> None:
        self.flags |= flags

    def get_size(self) -> int:
        return len(self.data)

    def extract_dup(self, offset: int, size: int) -> bytes:
        return self.data[offset : offset + size]


class Sample:
    """Bytes for the script."""

    def __init__(self, data: bytes) -> None:
        self._buffer = Buffer(data)

    def get_buffer(self) -> Buffer:
        return self._buffer


class Event(Enum):
    FLUSH_START, FLUSH_STOP = 1, 2

    @classmethod
    def new_flush_start(cls) -> "Event":
        return cls.FLUSH_START

    @classmethod
    def new_flush_stop(cls, reset_time: bool = True) -> "Event":
        return cls.FLUSH_STOP


class Query:
    @classmethod
    def new_latency(cls) -> "Query":
        return cls()

    def parse_latency(self) -> tuple[bool, int, int]:
        return True, 0, 0


class Message:
    def __init__(self, kind: MessageType, error: str = "") -> None:
        self.type, self._error = kind, error

    def parse_error(self) -> tuple[glib.Error, str]:
        return glib.Error(self._error), ""


class Bus:
    """What the elements of a pipeline tell."""

    def __init__(self) -> None:
        self._change, self._list = threading.Condition(), deque[Message]()
        self._watch: tuple[Callable[..., object], tuple[object, ...]] | None = None

    def post(self, message: Message) -> None:
        with self._change:
            if self._watch is not None:
                glib.idle_add(lambda watch: watch[0](self, message, *watch[1]) and False, self._watch)
            else:
                self._list.append(message)
            self._change.notify_all()

    def add_watch(self, _: int, call: Callable[..., object], *args: object) -> int:
        self._watch = (call, args)
        return 1

    def remove_watch(self) -> bool:
        self._watch = None
        return True

    def timed_pop_filtered(self, timeout: int, kinds: MessageType) -> Message | None:
        def find() -> Message | None:
            return next((m for m in self._list if m.type & kinds), None)

        with self._change:
            self._change.wait_for(lambda: find() is not None, timeout / SECOND)
            found = find()
            if found is not None:
                self._list.remove(found)
            return found


class Element:
    """One that passes on what it gets; those that do more are below."""

    def __init__(self, factory: str = "") -> None:
        self.factory, self.next, self.properties = factory, list[Element](), dict[str, object]()
        self.calls: dict[str, Callable[..., object]] = {}
        self.state, self.parent, self.bus = State.NULL, None, Bus()

    def set_property(self, name: str, value: object) -> None:
        self.properties[name] = value

    def get_property(self, name: str) -> object:
        return self.properties.get(name)

    def find_property(self, name: str) -> None:
        """Nothing is known of properties that it may have."""

    def get_static_pad(self, _: str) -> "Element":
        return self

    def link(self, other: "Element") -> bool:
        self.next.append(other)
        return True

    def connect(self, signal: str, call: Callable[..., object], *_: object) -> int:
        self.calls[signal] = call
        return 1

    def push(self, data: Data) -> None:
        for element in self.next:
            element.push(data)

    def flush(self) -> None:
        """Forget what is on its way."""
        for element in self.next:
            element.flush()

    def end(self) -> None:
        """There is no more."""
        for element in self.next:
            element.end()

    def start(self) -> None:
        """Begin to give what comes from elsewhere."""

    def stop(self) -> None:
        """End that."""

    def get_bus(self) -> Bus:
        return self.bus

    def query(self, _: Query) -> bool:
        return True

    def recalculate_latency(self) -> bool:
        return True

    def send_event(self, event: Event) -> bool:
        if event is Event.FLUSH_START:
            self.flush()
        return True

    def get_state(self, _: int) -> SimpleNamespace:
        return SimpleNamespace(state=self.state)

    def set_state(self, state: State) -> StateChangeReturn:
        before, self.state = self.state, state
        if state is State.PLAYING and before is not State.PLAYING:
            self.start()
        elif state is State.NULL and before is not State.NULL:
            self.stop()
            self.flush()
        return StateChangeReturn.SUCCESS

    @property
    def caps(self) -> Caps:
        caps = self.properties.get("caps")
        return caps if isinstance(caps, Caps) else Caps()


class Bin(Element):
    """Elements together; what is pushed into it goes to the one behind its pad."""

    def __init__(self, name: str = "") -> None:
        super().__init__("bin")
        self.elements = list[Element]()

    @classmethod
    def new(cls, name: str = "") -> "Bin":
        return cls(name)

    def add(self, *elements: Element) -> bool:
        self.elements += elements
        for element in elements:
            element.bus = self.bus
        return True

    def add_pad(self, pad: Element) -> bool:
        self.next.append(pad)
        return True

    def start(self) -> None:
        for element in self.elements:
            element.set_state(State.PLAYING)

    def stop(self) -> None:
        for element in self.elements:
            element.set_state(State.NULL)


class Pipeline(Bin):
    """A Bin that plays."""


class GhostPad:
    @classmethod
    def new(cls, _: str, target: Element) -> Element:
        return target


class Source(Element):
    """Gives what comes from the robot."""

    worker: robot.Worker | None = None

    def begin(self) -> robot.Worker:
        raise NotImplementedError

    def start(self) -> None:
        self.stop()
        self.worker = self.begin()

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.stop()
            self.worker = None


class Camera(Source):
    def begin(self) -> robot.Worker:
        return robot.camera(str(self.properties["socket-path"]), self.push)


class Microphone(Source):
    def begin(self) -> robot.Worker:
        return robot.microphone(self.push)


class Player(Source):
    """Plays a file into its property audio-sink."""

    def begin(self) -> robot.Worker:
        sink = self.properties.get("audio-sink")
        to = sink if isinstance(sink, Element) else Loudspeaker()
        self.next = [to]
        sound = read_sound(unquote(urlsplit(str(self.properties["uri"])).path))
        return robot.play(sound, to.push, lambda: self.bus.post(Message(MessageType.EOS)))

    def start(self) -> None:
        try:
            super().start()
        except (OSError, ValueError) as error:
            robot.log.warning("loudspeaker: %s", error)
            self.bus.post(Message(MessageType.ERROR, str(error)))


class Loudspeaker(Element):
    def push(self, data: Data) -> None:
        if isinstance(data, Sound):
            robot.speaker.write(data)

    def flush(self) -> None:
        robot.speaker.flush()


class JPEG(Element):
    def push(self, data: Data) -> None:
        try:
            super().push(robot.jpeg(data) if isinstance(data, Picture) else data)
        except OSError as error:
            robot.log.warning("camera: %s", error)


class File(Element):
    """Writes the sound that it got to a WAV file, at the end."""

    def __init__(self, factory: str) -> None:
        super().__init__(factory)
        self.sounds = list[Sound]()

    def push(self, data: Data) -> None:
        if isinstance(data, Sound):
            self.sounds.append(data)

    def end(self) -> None:
        import wave

        try:
            with wave.open(str(self.properties["location"]), "wb") as f:
                f.setparams((self.sounds[0].samples.shape[1], 2, self.sounds[0].rate, 0, "NONE", ""))
                for sound in self.sounds:
                    f.writeframes(sound.as_format("S16LE"))
        except (OSError, IndexError, wave.Error) as error:
            self.bus.post(Message(MessageType.ERROR, str(error)))
            return
        self.bus.post(Message(MessageType.EOS))


class AppSrc(Element):
    """Where the script puts something in."""

    def __init__(self, factory: str) -> None:
        super().__init__(factory)
        self.begun = time.monotonic()

    def start(self) -> None:
        self.begun = time.monotonic()

    def get_current_running_time(self) -> int:
        return int((time.monotonic() - self.begun) * SECOND)

    def push_buffer(self, buffer: Buffer) -> FlowReturn:
        if self.state is not State.PLAYING:
            return FlowReturn.FLUSHING
        self.push(unpack(buffer.data, self.caps))
        return FlowReturn.OK

    def emit(self, signal: str, *args: Buffer) -> FlowReturn:
        if signal == "push-buffer":
            return self.push_buffer(args[0])
        self.end()
        return FlowReturn.OK


class AppSink(Element):
    """Where the script takes something out."""

    def __init__(self, factory: str) -> None:
        super().__init__(factory)
        self._change, self._samples = threading.Condition(), deque[Sample]()
        self._due, self._timers = 0.0, set[int]()

    def push(self, data: Data) -> None:
        call = self.calls.get("new-sample")
        if call is not None and self.properties.get("sync") and isinstance(data, Sound):
            self._when_heard(data, call)
            return
        self._take(Sample(pack(data, self.caps)))
        if call is not None:
            call(self)

    def _take(self, sample: Sample) -> None:
        with self._change:
            most = self.properties.get("max-buffers")
            if isinstance(most, int) and most > 0:
                while len(self._samples) >= most:
                    self._samples.popleft()
            self._samples.append(sample)
            self._change.notify()

    def _when_heard(self, sound: Sound, call: Callable[..., object]) -> None:
        """Tell of sound when it is heard, not when it is made."""

        def tell(part: Sound) -> None:
            self._take(Sample(pack(part, self.caps)))
            call(self)

        now, step = time.monotonic(), max(1, sound.rate // 50)
        if self._due < now:
            self._due = now
            self._timers.clear()
        for i in range(0, len(sound.samples), step):
            part = Sound(sound.rate, sound.samples[i : i + step])
            self._timers.add(glib.timeout_add(1000 * (self._due - now), tell, part))
            self._due += len(part.samples) / sound.rate

    def flush(self) -> None:
        with self._change:
            self._samples.clear()
        for timer in self._timers:
            glib.source_remove(timer)
        self._timers.clear()
        self._due = 0.0

    def try_pull_sample(self, timeout: int) -> Sample | None:
        with self._change:
            self._change.wait_for(lambda: self._samples, timeout / SECOND)
            return self._samples.popleft() if self._samples else None

    def pull_sample(self) -> Sample | None:
        return self.try_pull_sample(10 * SECOND)

    def emit(self, signal: str, *args: int) -> Sample | None:
        return self.try_pull_sample(*args) if signal == "try-pull-sample" else self.pull_sample()


PASSING = (
    "queue", "tee", "capsfilter", "videoconvert", "audioconvert", "audioresample", "audiomixer", "audiotestsrc", "wavenc",
)  # fmt: skip
MAKERS: dict[str, Callable[[str], Element]] = {
    **dict.fromkeys(PASSING, Element),
    **dict.fromkeys(("autoaudiosrc", "pulsesrc", "alsasrc"), Microphone),
    **dict.fromkeys(("autoaudiosink", "pulsesink", "alsasink"), Loudspeaker),
    "unixfdsrc": Camera, "playbin": Player, "jpegenc": JPEG, "filesink": File, "appsrc": AppSrc, "appsink": AppSink,
}  # fmt: skip


class ElementFactory:
    @staticmethod
    def make(factory: str, name: str | None = None) -> Element | None:
        """Return a new element; None when there is no such."""
        maker = MAKERS.get(factory)
        return None if maker is None else maker(factory)

    @staticmethod
    def find(factory: str) -> str | None:
        """Return its name; None when there is no such."""
        return factory if factory in MAKERS else None


class DeviceMonitor:
    """Knows of no devices: reachyd has them."""

    def add_filter(self, *_: object) -> int:
        return 1

    def start(self) -> bool:
        return True

    def stop(self) -> None:
        pass

    def get_devices(self) -> list[object]:
        return []


def __getattr__(name: str) -> type[Missing]:
    return missing(name)
