"""HTML and SVG written by functions: what is not markup already is escaped, so that a table's cells can't be code."""

from __future__ import annotations

import html
import re
from typing import Any

VOID = frozenset({"meta", "br", "hr", "path", "line", "rect", "circle", "polyline", "polygon"})
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: Any) -> Markup:
    """Any value as text of a page; characters that no page may hold, or that turn its direction, are replaced.

    >>> escape("<b> & \\x00")
    '&lt;b&gt; &amp; \\ufffd'
    """
    return text if isinstance(text, Markup) else Markup(html.escape(UNPRINTABLE.sub("\ufffd", str(text))))


def join(*children: Any) -> Markup:
    """Children one after the other; lists are opened, None and False are nothing."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, list | tuple):
            parts.append(join(*child))
        elif child is not None and child is not False:
            parts.append(escape(child))
    return Markup("".join(parts))


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element; ``class_`` is class, ``aria_label`` is aria-label; attributes that are None or False are left out.

    >>> tag("td", "<script>", class_="cell")
    '<td class="cell">&lt;script&gt;</td>'
    """
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{join(*children)}</{name}>")
