"""Lines, rectangles, circles and text on pictures."""
from PIL.Image import _colour
from _pictures import image as _image


class ImageDraw:
    def __init__(self, im, mode=None):
        self._im = im

    def _draw(self, color, **args):
        h = self._im._h
        _image("draw", id=h, colour=_colour(color, h.shape[2]), **args)

    @staticmethod
    def _points(xy):
        flat = [v for p in xy for v in (p if isinstance(p, (list, tuple)) else (p,))]
        return [int(round(v)) for v in flat]

    def line(self, xy, fill="white", width=1):
        p = self._points(xy)
        for i in range(0, len(p) - 2, 2):
            self._draw(fill, kind="line", points=p[i:i + 4], width=max(1, width))

    def rectangle(self, xy, fill=None, outline=None, width=1):
        if fill is not None:
            self._draw(fill, kind="rectangle", points=self._points(xy), width=-1)
        if outline is not None or fill is None:
            self._draw("white" if outline is None else outline, kind="rectangle", points=self._points(xy), width=max(1, width))

    def ellipse(self, xy, fill=None, outline=None, width=1):
        x0, y0, x1, y1 = self._points(xy)
        if abs((x1 - x0) - (y1 - y0)) > 1:
            raise NotImplementedError("an ellipse that is not a circle; supported are circles")
        centre, radius = [(x0 + x1) // 2, (y0 + y1) // 2], (x1 - x0) / 2
        if fill is not None:
            self._draw(fill, kind="circle", points=centre, values=[radius], width=-1)
        if outline is not None or fill is None:
            self._draw("white" if outline is None else outline, kind="circle", points=centre, values=[radius], width=max(1, width))

    def text(self, xy, text, fill="white", font=None):
        x, y = self._points(xy)
        self._draw(fill, kind="text", points=[x, y + 11], text=str(text), values=[13 / 22], width=1)


def Draw(im, mode=None):
    return ImageDraw(im, mode)
