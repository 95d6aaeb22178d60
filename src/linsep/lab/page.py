"""The page of the player: style, modules and data in one file, which runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

FRONT = Path(__file__).with_name("front")
# in the order of their imports: each uses those before it
MODULES = (
    *("text", "geometry", "gif", "paint", "recording", "plane", "weights", "charts", "words", "table"),
    *("python", "look", "gaussians", "trellis", "ladder", "scene", "player", "exports"),
    *("editor", "exercise", "view", "main"),
)


@cache
def script() -> str:
    """All modules as one script: a file opened from disk may not import others.

    Names of different modules are different (a test looks), so that taking out ``import`` and ``export`` is enough.
    """
    parts = []
    for name in MODULES:
        code = (FRONT / f"{name}.js").read_text(encoding="utf-8")
        code = re.sub(r"^import\s[^;]*;\n", "", code, flags=re.M)
        parts.append(f"// {name}.js\n{re.sub(r'^export ', '', code, flags=re.M)}")
    return "\n".join(parts)


@cache
def style() -> str:
    """The style sheet."""
    return (FRONT / "style.css").read_text(encoding="utf-8")


def policy(connect: str = "'none'") -> str:
    """The content security policy: our script by its hash, our style, pictures made here, and no network."""
    digest = base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def embed(content: Any) -> str:
    """JSON that can stand inside of a script element: nothing in it can end the element or begin another.

    >>> embed({"a": "</script><!--"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    said = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        said = said.replace(letter, f"\\u{ord(letter):04x}")
    return said


def make_page(content: dict[str, Any], *, title: str = "", connect: str = "'none'") -> str:
    """The page with its content: recordings, an exercise, or the address of a live lab."""
    titles = [title, *(each.get("title", "") for each in content.get("recordings", ())), "linsep lab"]
    name = html.escape(next(filter(None, titles)))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy(connect)}">
<meta name="referrer" content="no-referrer">
<title>{name}</title>
<style>
{style()}</style>
</head>
<body>
<div id="lab"><noscript>The lab needs JavaScript.</noscript></div>
<script type="application/json" id="content">{embed(content)}</script>
<script type="module">{script()}</script>
</body>
</html>
"""
