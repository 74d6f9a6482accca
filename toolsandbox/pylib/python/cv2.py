"""The part of OpenCV that tools need; the host does the work. See SUPPORTED; everything else raises NotImplementedError.

Files are those of the call's own scratch folder. Pictures are numpy arrays of uint8, blue first.
"""
import binascii as _binascii

import numpy as _np
from _pictures import Handle as _Handle, Picture as _Picture, RobotError as error, Unsupported as _Unsupported, download as _download
from _pictures import derive as _derive, error_of as _error_of, frame as _frame, handle_of as _handle_of, image as _image, picture as _picture
from reachy import HostError as _HostError

__version__ = "4.0+subset"

IMREAD_UNCHANGED, IMREAD_GRAYSCALE, IMREAD_COLOR = -1, 0, 1
IMWRITE_JPEG_QUALITY, IMWRITE_PNG_COMPRESSION = 1, 16
INTER_NEAREST, INTER_LINEAR, INTER_CUBIC, INTER_AREA, INTER_LANCZOS4 = 0, 1, 2, 3, 4
COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
COLOR_BGR2RGBA, COLOR_RGBA2BGR = 2, 3
COLOR_BGR2RGB = COLOR_RGB2BGR = 4
COLOR_BGR2GRAY, COLOR_RGB2GRAY = 6, 7
COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
COLOR_BGRA2GRAY, COLOR_RGBA2GRAY = 10, 11
COLOR_BGR2HSV, COLOR_RGB2HSV, COLOR_HSV2BGR, COLOR_HSV2RGB = 40, 41, 54, 55
THRESH_BINARY, THRESH_BINARY_INV, THRESH_TRUNC, THRESH_TOZERO, THRESH_TOZERO_INV = range(5)
ROTATE_90_CLOCKWISE, ROTATE_180, ROTATE_90_COUNTERCLOCKWISE = range(3)
FONT_HERSHEY_SIMPLEX = FONT_HERSHEY_PLAIN = FONT_HERSHEY_DUPLEX = FONT_HERSHEY_COMPLEX = 0
LINE_4, LINE_8, LINE_AA, FILLED = 4, 8, 16, -1
CAP_PROP_FRAME_WIDTH, CAP_PROP_FRAME_HEIGHT, CAP_PROP_FPS = 3, 4, 5
CAP_ANY = CAP_V4L2 = 0

# code: (operation, order of bytes, source is HSV), a code that means two steps is a list
_CONVERSIONS = {
    0: ("rgba", "bgr", ""), 1: ("rgb", "bgr", ""), 4: ("swap", "bgr", ""), 6: ("gray", "bgr", ""), 7: ("gray", "rgb", ""), 8: ("rgb", "bgr", ""),
    10: ("gray", "bgr", ""), 11: ("gray", "rgb", ""), 40: ("hsv", "bgr", ""), 41: ("hsv", "rgb", ""), 54: ("rgb", "bgr", "hsv"), 55: ("rgb", "rgb", "hsv"),
}


def imread(filename, flags=IMREAD_COLOR):
    """None when there is no such file, or it is not a picture."""
    channels = {IMREAD_UNCHANGED: 0, IMREAD_GRAYSCALE: 1, IMREAD_COLOR: 3}.get(flags)
    if channels is None:
        raise NotImplementedError(f"imread flags {flags}; supported are IMREAD_COLOR, IMREAD_GRAYSCALE and IMREAD_UNCHANGED")
    try:
        return _picture(_Handle(_image("decode", path=str(filename), order="bgr", c=channels)))
    except (FileNotFoundError, ValueError):
        return None


def _quality(params):
    params = list(params or ())
    return next((int(v) for k, v in zip(params[::2], params[1::2]) if k == IMWRITE_JPEG_QUALITY), 0)


def imwrite(filename, img, params=None):
    """Writes .jpg, .jpeg and .png into the scratch folder."""
    _image("encode", id=_handle_of(img, "img"), path=str(filename), order="bgr", quality=_quality(params))
    return True


def imencode(ext, img, params=None):
    answer = _image("encode", id=_handle_of(img, "img"), format=ext.lstrip("."), order="bgr", quality=_quality(params))
    return True, _np.frombuffer(_binascii.a2b_base64(answer["data"]), dtype=_np.uint8)


def imdecode(buf, flags=IMREAD_COLOR):
    data = _binascii.b2a_base64(buf.tobytes() if isinstance(buf, _np.ndarray) else bytes(buf), newline=False).decode()
    try:
        return _picture(_Handle(_image("decode", data=data, order="bgr", c={-1: 0, 0: 1}.get(flags, 3))))
    except ValueError:
        return None


def resize(src, dsize=None, dst=None, fx=0, fy=0, interpolation=INTER_LINEAR):
    handle = _handle_of(src, "src")
    h, w, _ = handle.shape
    if dsize:
        w, h = int(dsize[0]), int(dsize[1])
    elif fx > 0 and fy > 0:
        w, h = round(w * fx), round(h * fy)
    else:
        raise error("resize: neither dsize nor fx and fy are given")
    kind = {INTER_NEAREST: "nearest", INTER_LINEAR: "linear", INTER_AREA: "area"}.get(interpolation, "cubic")
    return _picture(_derive("resize", handle, w=w, h=h, kind=kind))


def cvtColor(src, code, dst=None, dstCn=0):
    if code in (COLOR_BGR2RGBA, COLOR_RGBA2BGR):
        return cvtColor(cvtColor(src, COLOR_BGR2BGRA if code == COLOR_BGR2RGBA else COLOR_BGRA2BGR), COLOR_BGR2RGB)
    if code not in _CONVERSIONS:
        raise NotImplementedError(f"cvtColor code {code}; supported are conversions between BGR, RGB, BGRA, RGBA, GRAY and HSV")
    kind, order, source = _CONVERSIONS[code]
    return _picture(_derive("convert", _handle_of(src, "src"), kind=kind, order=order, text=source))


def _numbers(v, n):
    if isinstance(v, (int, float)):
        return [float(v)] * n
    return [float(x) for x in _np.ravel(v)]


def inRange(src, lowerb, upperb):
    handle = _handle_of(src, "src")
    return _picture(_derive("in_range", handle, low=_numbers(lowerb, handle.shape[2]), high=_numbers(upperb, handle.shape[2])))


def flip(src, flipCode):
    return _picture(_derive("flip", _handle_of(src, "src"), kind="vertical" if flipCode == 0 else "horizontal" if flipCode > 0 else "both"))


def rotate(src, rotateCode):
    return _picture(_derive("rotate", _handle_of(src, "src"), values=[{0: 3, 1: 2, 2: 1}[rotateCode]]))


def GaussianBlur(src, ksize, sigmaX, dst=None, sigmaY=0):
    w, h = ksize
    if not (w and h):
        w = h = 2 * round(3 * sigmaX) + 1
    return _picture(_derive("blur", _handle_of(src, "src"), w=w, h=h, values=[float(max(sigmaX, 0))]))


def absdiff(src1, src2):
    a, b = _handle_of(src1, "src1"), _handle_of(src2, "src2")
    return _picture(_derive("absdiff", a, other=b))


def threshold(src, thresh, maxval, type):
    kinds = ("binary", "binary_inv", "trunc", "to_zero", "to_zero_inv")
    if type not in range(5):
        raise NotImplementedError(f"threshold type {type}; supported are THRESH_BINARY, THRESH_BINARY_INV, THRESH_TRUNC, THRESH_TOZERO and THRESH_TOZERO_INV")
    return float(thresh), _picture(_derive("threshold", _handle_of(src, "src"), kind=kinds[type], values=[float(thresh), float(maxval)]))


def _bitwise(kind):
    def function(src1, src2=None, dst=None, mask=None):
        a = _handle_of(src1, "src1")
        b = a if src2 is None or src2 is src1 else _handle_of(src2, "src2")
        m = None if mask is None else _handle_of(mask, "mask")
        return _picture(_derive("bitwise", a, other=b, kind=kind, mask=m or 0))

    return function


bitwise_and, bitwise_or, bitwise_xor = _bitwise("and"), _bitwise("or"), _bitwise("xor")


def bitwise_not(src, mask=None):
    return _bitwise("not")(src, mask=mask)


def addWeighted(src1, alpha, src2, beta, gamma):
    a, b = _handle_of(src1, "src1"), _handle_of(src2, "src2")
    return _picture(_derive("blend", a, other=b, values=[float(alpha), float(beta), float(gamma)]))


def countNonZero(src):
    return _image("stat", id=_handle_of(src, "src"))["nonzero"]


def mean(src, mask=None):
    m = None if mask is None else _handle_of(mask, "mask")
    found = _image("stat", id=_handle_of(src, "src"), mask=m or 0)["mean"]
    return tuple(found + [0.0] * (4 - len(found)))


def _draw(img, **args):
    """Draws on the host, and makes the array see it."""
    handle = _handle_of(img, "img")
    _image("draw", id=handle, **args)
    if not isinstance(img, _Picture) or handle is not img._handle:
        img[...] = _np.frombuffer(_download(handle), dtype=_np.uint8).reshape(img.shape)
    elif img._memory is not None:  # in place, because views may look at it
        img._memory[:] = _download(handle)
        img._original = bytes(img._memory)
    return img


def _colour(color):
    return _numbers(color, 1)


def _points(*points):
    return [int(round(float(v))) for p in points for v in p]


def line(img, pt1, pt2, color, thickness=1, lineType=8):
    return _draw(img, kind="line", points=_points(pt1, pt2), colour=_colour(color), width=thickness)


def rectangle(img, pt1, pt2, color, thickness=1, lineType=8):
    return _draw(img, kind="rectangle", points=_points(pt1, pt2), colour=_colour(color), width=thickness)


def circle(img, center, radius, color, thickness=1, lineType=8):
    return _draw(img, kind="circle", points=_points(center), values=[float(radius)], colour=_colour(color), width=thickness)


def putText(img, text, org, fontFace, fontScale, color, thickness=1, lineType=8):
    return _draw(img, kind="text", points=_points(org), text=str(text), values=[float(fontScale)], colour=_colour(color), width=1)


def getTextSize(text, fontFace, fontScale, thickness):
    return (int(7 * 22 / 13 * fontScale * len(text)), int(11 * 22 / 13 * fontScale)), int(2 * 22 / 13 * fontScale)


class VideoCapture:
    """The robot's camera, whatever index is asked for."""

    def __init__(self, index=0, apiPreference=0):
        if isinstance(index, str):
            raise NotImplementedError("VideoCapture of a file or address; supported is the robot's camera, VideoCapture(0)")
        self._open, self._shape = True, None

    def isOpened(self):
        if self._open and self._shape is None:
            self.read()
        return self._open and self._shape is not None

    def read(self, image=None):
        if not self._open:
            return False, None
        try:
            handle = _frame("bgr")
        except _HostError as e:
            if e.code == "denied":
                raise _error_of(e) from None
            return False, None
        self._shape = handle.shape
        return True, _picture(handle)

    def get(self, prop):
        shape = self._shape or (0, 0)
        return {CAP_PROP_FRAME_WIDTH: float(shape[1]), CAP_PROP_FRAME_HEIGHT: float(shape[0]), CAP_PROP_FPS: 30.0}.get(prop, 0.0)

    def set(self, prop, value):
        return False

    def grab(self):
        return self._open

    def retrieve(self):
        return self.read()

    def release(self):
        self._open = False


def waitKey(delay=0):
    """There is no keyboard: waits for delay ms and says so."""
    import time
    time.sleep(max(delay, 0) / 1000)
    return -1


def imshow(winname, mat):
    """There is no screen."""


def destroyAllWindows():
    """There is no screen."""


SUPPORTED = sorted(n for n in globals() if not n.startswith("_") and n != "SUPPORTED")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise _Unsupported(f"cv2.{name} is not part of the sandbox's cv2; supported are: {', '.join(SUPPORTED)}")
