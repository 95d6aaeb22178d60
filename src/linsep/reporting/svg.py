"""A small plot in SVG: axes, lines, bars, bands. Colours are classes of the page, which has light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .markup import Markup, join, tag

WIDTH, HEIGHT = 440, 284
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 28, 42

Points = Sequence[Sequence[float]]


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from low to high, about ``count`` of them.

    >>> nice_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
    base = 10.0 ** math.floor(math.log10(raw))
    step = next((factor * base for factor in (1, 2, 5, 10) if factor * base >= raw * 0.999), 10 * base)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def say(value: float) -> str:
    """A number on an axis.

    >>> say(0.30000000000000004), say(1200000.0), say(-0.0)
    ('0.3', '1.2e+06', '0')
    """
    return f"{value + 0.0:.6g}" if abs(value) < 1e5 else f"{value:.3g}"


def _widened(span: tuple[float, float]) -> tuple[float, float]:
    """A range that can be divided: numbers that are equal but for rounding get room around them."""
    low, high = span
    size = max(abs(low), abs(high))
    if high - low > 1e-9 * size and high - low > 1e-200:
        return span
    pad = 0.05 * size if size > 1e-100 else 0.5
    return low - pad, high + pad


class Plot:
    """A frame with two axes; ``add`` draws in it, `svg` is the whole picture."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], *, width: int = WIDTH, log_x: bool = False):
        self.log_x, self.width, self.height = log_x, width, HEIGHT
        self.x, self.y = _widened(x), _widened(y)
        self.parts: list[Markup] = []

    def at_x(self, value: float) -> float:
        """The place of a number on the x axis."""
        low, high = self.x
        if self.log_x:
            low, high, value = (math.log10(max(each, 1e-300)) for each in (low, high, value))
        return round(LEFT + (value - low) / (high - low) * (self.width - LEFT - RIGHT), 1)

    def at_y(self, value: float) -> float:
        """The place of a number on the y axis."""
        low, high = self.y
        return round(self.height - BOTTOM - (value - low) / (high - low) * (self.height - TOP - BOTTOM), 1)

    def add(self, *parts: Markup) -> None:
        """Draw."""
        self.parts.extend(parts)

    def _path(self, points: Points) -> str:
        return " ".join(f"{self.at_x(x)},{self.at_y(y)}" for x, y, *_ in points)

    def line(self, points: Points, class_: str) -> None:
        """A line through points."""
        self.add(tag("polyline", points=self._path(points), class_=f"line {class_}"))

    def band(self, points: Points, class_: str) -> None:
        """An area."""
        self.add(tag("polygon", points=self._path(points), class_=f"band {class_}"))

    def dot(self, x: float, y: float, class_: str, said: str = "") -> None:
        """A point, with words that show when it is pointed at."""
        title = tag("title", said) if said else None
        self.add(
            Markup(f'<circle cx="{self.at_x(x)}" cy="{self.at_y(y)}" r="4" class="dot {class_}">{title or ""}</circle>')
        )

    def bar(self, x: tuple[float, float], y: tuple[float, float], class_: str) -> None:
        """A rectangle."""
        left, right, top, bottom = self.at_x(x[0]), self.at_x(x[1]), self.at_y(y[1]), self.at_y(y[0])
        self.add(
            tag(
                "rect",
                x=left,
                y=top,
                width=max(round(right - left, 1), 0.2),
                height=round(bottom - top, 1),
                class_=class_,
            )
        )

    def vertical(self, x: float, class_: str, said: str = "") -> None:
        """A line from bottom to top, with words beside it."""
        at = self.at_x(x)
        self.add(tag("line", x1=at, x2=at, y1=TOP, y2=self.height - BOTTOM, class_=class_))
        if said:
            near = at > self.width - 110
            self.text(at + (-5 if near else 5), TOP + 10, said, "end" if near else "start")

    def horizontal(self, y: float, class_: str) -> None:
        """A line from left to right."""
        at = self.at_y(y)
        self.add(tag("line", x1=LEFT, x2=self.width - RIGHT, y1=at, y2=at, class_=class_))

    def text(self, x: float, y: float, said: str, anchor: str = "start", class_: str = "label") -> None:
        """Words at a place of the picture."""
        self.add(tag("text", said, x=round(x, 1), y=round(y, 1), text_anchor=anchor, class_=class_))

    def _axes(self, x_label: str, y_label: str, percent: bool) -> Markup:
        parts = []
        bottom = self.height - BOTTOM
        for value in nice_ticks(*self.y, 5):
            at = self.at_y(value)
            parts.append(tag("line", x1=LEFT, x2=self.width - RIGHT, y1=at, y2=at, class_="grid"))
            said = f"{100 * value:g} %" if percent else say(value)
            parts.append(tag("text", said, x=LEFT - 7, y=at + 4, text_anchor="end", class_="tick"))
        if self.log_x:
            low, high = math.floor(math.log10(self.x[0])), math.ceil(math.log10(self.x[1]))
            ticks = [10.0**k for k in range(low, high + 1) if self.x[0] <= 10.0**k <= self.x[1]]
        else:
            ticks = nice_ticks(*self.x, 6)
        for value in ticks:
            at = self.at_x(value)
            parts.append(tag("line", x1=at, x2=at, y1=bottom, y2=bottom + 4, class_="axis"))
            parts.append(tag("text", say(value), x=at, y=bottom + 17, text_anchor="middle", class_="tick"))
        parts.append(tag("line", x1=LEFT, x2=self.width - RIGHT, y1=bottom, y2=bottom, class_="axis"))
        middle = (LEFT + self.width - RIGHT) / 2
        parts.append(tag("text", x_label, x=middle, y=self.height - 6, text_anchor="middle", class_="label"))
        parts.append(tag("text", y_label, x=4, y=TOP - 14, class_="label"))
        return join(parts)

    def svg(self, title: str, said: str, *, x: str, y: str, percent: bool = False) -> Markup:
        """The picture; ``said`` is its text alternative."""
        return picture(join(self._axes(x, y, percent), self.parts), title, said, self.height, self.width)


def picture(inside: Markup, title: str, said: str, height: float, width: float = WIDTH) -> Markup:
    """An SVG with a name and a description for those who don't see it."""
    return tag(
        "svg", tag("title", title), tag("desc", said), inside, viewBox=f"0 0 {width} {round(height, 1)}", role="img",
        aria_label=f"{title}. {said}", xmlns=None,
    )  # fmt: skip


def interval(low: float, high: float, title: str, said: str, names: tuple[str, str]) -> Markup:
    """Two bounds on a line; one number, if they are equal as far as it is written."""
    meet = f"{low:.9g}" == f"{high:.9g}"
    span = max(high - low, 0.02 * max(abs(low), abs(high)), 1e-300)
    plot = Plot((min(low, high) - 0.35 * span, max(low, high) + 0.35 * span), (0.0, 1.0))
    y = 46
    plot.add(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="axis"))
    plot.add(
        tag(
            "rect",
            x=plot.at_x(low),
            y=y - 7,
            width=max(plot.at_x(high) - plot.at_x(low), 2),
            height=14,
            class_="band gap",
        )
    )
    for value, name, class_, shift, anchor in (
        (low, names[0], "low", -24, "end"), (high, names[1], "high", 34, "start"),
    ):  # fmt: skip
        at = plot.at_x(value)
        plot.add(tag("circle", cx=at, cy=y, r=5, class_=f"dot {class_}"))
        if meet:
            plot.text(at, y - 16, f"both bounds: {value:.9g}", "middle")
            break
        inward = "start" if (anchor == "end" and at < 170) else "end" if (anchor == "start" and at > 270) else anchor
        plot.text(at, y + shift + (8 if shift < 0 else 0), f"{name} {value:.9g}", inward)
    return picture(join(plot.parts), title, said, 64 if meet else 100)
