import cv2
import numpy as np
from PIL import Image, ImageDraw


def raises(kind, f, *args):
    try:
        f(*args)
    except kind as e:
        return str(e)
    raise AssertionError(f"{f} did not raise {kind}")


def scene():
    img = np.zeros((40, 60, 3), dtype=np.uint8)
    img[10:20, 20:40] = (255, 0, 10)  # blue
    return img


def test_files():
    img = scene()
    assert cv2.imwrite("a.png", img) and cv2.imwrite("sub/b.jpg", img, [cv2.IMWRITE_JPEG_QUALITY, 95])
    back = cv2.imread("a.png")
    assert back.shape == (40, 60, 3) and back.dtype == np.uint8 and np.array_equal(back, img)
    near = cv2.imread("/tmp/sub/b.jpg")
    assert abs(int(near[15, 30, 0]) - 255) < 12, near[15, 30]
    assert cv2.imread("a.png", cv2.IMREAD_GRAYSCALE).shape == (40, 60)
    assert cv2.imread("nothing.png") is None
    ok, data = cv2.imencode(".png", img)
    assert ok and np.array_equal(cv2.imdecode(data, cv2.IMREAD_COLOR), img)
    raises(ValueError, cv2.imwrite, "../x.png", img)
    raises(ValueError, cv2.imwrite, "/etc/x.png", img)
    raises(ValueError, cv2.imwrite, "x.exe", img)


def test_operations():
    img = scene()
    assert cv2.resize(img, (30, 20)).shape == (20, 30, 3)
    assert cv2.resize(img, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)[25, 50].tolist() == [255, 0, 10]
    gray = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)
    assert gray.shape == (40, 60) and gray[15, 30] == round(0.114 * 255 + 0.299 * 10) and gray[0, 0] == 0
    assert cv2.cvtColor(img, cv2.COLOR_BGR2RGB)[15, 30].tolist() == [10, 0, 255]
    hsv = cv2.cvtColor(img, cv2.COLOR_BGR2HSV)
    assert hsv[15, 30].tolist() == [121, 255, 255], hsv[15, 30]
    again = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[15, 30].tolist()
    assert max(abs(a - b) for a, b in zip(again, [255, 0, 10])) <= 5, again
    mask = cv2.inRange(hsv, np.array([110, 50, 50]), np.array([130, 255, 255]))
    assert cv2.countNonZero(mask) == 200 and mask.sum() == 200 * 255
    assert cv2.flip(img, 1)[15, 59 - 30].tolist() == [255, 0, 10] and cv2.flip(img, 0)[39 - 15, 30, 0] == 255
    assert cv2.rotate(img, cv2.ROTATE_90_CLOCKWISE)[30, 39 - 15].tolist() == [255, 0, 10]
    blurred = cv2.GaussianBlur(gray, (5, 5), 0)
    assert 0 < blurred[10, 20] < gray[10, 20] and blurred[15, 30] == gray[15, 30]
    assert cv2.absdiff(img, np.zeros_like(img)).max() == 255 and cv2.absdiff(img, img).sum() == 0
    t, binary = cv2.threshold(gray, 20, 255, cv2.THRESH_BINARY)
    assert t == 20 and sorted(np.unique(binary).tolist()) == [0, 255]
    assert cv2.bitwise_and(img, img, mask=mask)[0, 0, 0] == 0 and cv2.bitwise_not(gray)[0, 0] == 255
    assert cv2.addWeighted(img, 0.5, img, 0.0, 1)[15, 30].tolist() == [129, 1, 6]
    assert cv2.mean(img, mask=mask)[:3] == (255.0, 0.0, 10.0)
    assert "supported are" in raises(NotImplementedError, lambda: cv2.Canny(gray, 1, 2))
    raises(NotImplementedError, cv2.resize, np.zeros((4, 4)), (2, 2))
    raises(NotImplementedError, cv2.cvtColor, img, 99)
    raises(TypeError, cv2.resize, [[1]], (2, 2))
    raises(ValueError, cv2.absdiff, img, gray)


def test_drawing():
    img = scene()
    part = img[0:5]
    cv2.rectangle(img, (0, 0), (4, 4), (0, 255, 0), -1)
    assert img[2, 2].tolist() == [0, 255, 0] and part[2, 2].tolist() == [0, 255, 0] and img[5, 5].tolist() == [0, 0, 0]
    cv2.rectangle(img, (20, 25), (30, 35), (0, 0, 255), 1)
    assert img[25, 25].tolist() == [0, 0, 255] and img[30, 25].tolist() == [0, 0, 0]
    cv2.line(img, (0, 39), (59, 39), (9, 9, 9), 1)
    assert img[39, 30].tolist() == [9, 9, 9] and img[37, 30].tolist() == [0, 0, 0]
    cv2.circle(img, (50, 10), 5, (1, 2, 3), cv2.FILLED)
    assert img[10, 50].tolist() == [1, 2, 3] and img[10, 57].tolist() == [0, 0, 0]
    before = img.sum()
    cv2.putText(img, "Hi", (5, 35), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
    assert img.sum() > before
    host = cv2.resize(scene(), (60, 40))  # a picture that lies on the host
    cv2.circle(host, (5, 5), 2, 255, -1)
    assert host[5, 5].tolist() == [255, 0, 0]
    host[0, 0] = 7
    cv2.line(host, (0, 39), (5, 39), (9, 9, 9))
    assert host[0, 0].tolist() == [7, 7, 7] and host[39, 3].tolist() == [9, 9, 9]
    a = host.copy()
    a[0, 0] = 0
    assert host[0, 0, 0] == 7


def test_camera():
    cap = cv2.VideoCapture(0)
    one = cap.read()[1]
    quick = [np.mean(one), one.min(), one.max()]  # the host knows
    one[0, 0] = one[0, 0]  # now the pixels are here
    assert np.allclose(quick, [np.mean(one), one.min(), one.max()]) and one.dtype == quick[1].dtype, quick
    assert cap.isOpened()
    ok, frame = cap.read()
    assert ok and frame.shape == (480, 640, 3)
    assert cap.get(cv2.CAP_PROP_FRAME_WIDTH) == 640
    hsv = cv2.cvtColor(frame, cv2.COLOR_BGR2HSV)
    red = cv2.inRange(hsv, np.array([170, 120, 70]), np.array([180, 255, 255]))
    n = cv2.countNonZero(red)
    assert 3000 < n < 4000, n
    ys, xs = np.nonzero(red)
    assert abs(xs.mean() - 440) < 3 and abs(ys.mean() - 240) < 3, (xs.mean(), ys.mean())
    cap.release()
    assert cap.read() == (False, None)


def test_pil():
    im = Image.new("RGB", (30, 20), "red")
    assert im.size == (30, 20) and im.mode == "RGB" and im.getpixel((3, 3)) == (255, 0, 0)
    im.putpixel((1, 2), (9, 8, 7))
    assert im.getpixel((1, 2)) == (9, 8, 7) and im.tobytes()[(2 * 30 + 1) * 3:][:3] == bytes([9, 8, 7])
    im.save("x.png")
    back = Image.open("x.png")
    assert back == im and back.format == "PNG"
    assert im.resize((15, 10)).size == (15, 10) and im.crop((0, 0, 5, 6)).size == (5, 6)
    assert im.rotate(90, expand=True).size == (20, 30) and im.rotate(180).getpixel((28, 17)) == (9, 8, 7)
    assert im.rotate(90, expand=True).getpixel((2, 28)) == (9, 8, 7)
    assert im.transpose(Image.FLIP_LEFT_RIGHT).getpixel((28, 2)) == (9, 8, 7)
    gray = im.convert("L")
    assert gray.mode == "L" and gray.getpixel((0, 0)) == 76
    assert im.convert("RGBA").getpixel((0, 0)) == (255, 0, 0, 255)
    small = im.copy()
    small.thumbnail((10, 10))
    assert small.size == (10, 7), small.size
    assert Image.frombytes("L", (2, 2), b"\x01\x02\x03\x04").getpixel((1, 1)) == 4
    a = np.array(im)
    assert a.shape == (20, 30, 3) and a[2, 1].tolist() == [9, 8, 7]
    assert Image.fromarray(a).getpixel((1, 2)) == (9, 8, 7)
    ImageDraw.Draw(im).rectangle([0, 0, 3, 3], fill="blue")
    assert im.getpixel((2, 2)) == (0, 0, 255)
    raises(FileNotFoundError, Image.open, "none.png")
    raises(IndexError, im.getpixel, (99, 0))


def test_many_pictures():
    """Handles are let go of, so that the number of pictures held stays small."""
    img = scene()
    for _ in range(150):
        img = cv2.flip(img, 1)
    assert img[15, 30].tolist() == [255, 0, 10]


def test_subset_too_many_pictures():
    raises(MemoryError, lambda: [cv2.flip(scene(), 1) for _ in range(100)])


def test_subset_pil():
    raises(NotImplementedError, Image.new("RGB", (3, 2)).rotate, 45)
    raises(NotImplementedError, Image.new("RGB", (3, 2)).convert, "CMYK")
    raises(NotImplementedError, lambda: Image.merge)
