"""The live lab in notebooks, as an anywidget: the page in a frame, and Python's answers through the kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .live import drawing_content, make_recordings, with_code
from .page import make_page
from .parameters import build, code, describe
from .recording import Recording
from .rules import RULES, make_rule


class LabWidget(anywidget.AnyWidget):
    """A recording on which points can be drawn, dragged and relabelled: Python records every change anew.

    ``recordings`` are those that are shown now; `observe` tells of changes.
    """

    _esm = Path(__file__).with_name("widget.js").read_text(encoding="utf-8")
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(760).tag(sync=True)
    recordings: Any = traitlets.List()

    def __init__(self, recordings: list[Recording], height: int):
        names = [_name(each) for each in recordings]
        self._own = {
            name: (build(each.content["rule"]), each.content["max_updates"])
            for name, each in zip(names, recordings, strict=True)
        }
        content = drawing_content()
        known = {each["name"] for each in content["live"]["rules"]}
        content["live"]["rules"][:0] = [
            {"name": name, "options": {}, "many": True, "data": _kind(each)}
            for name, each in dict(zip(names, recordings, strict=True)).items()
            if name not in known
        ]
        content["live"]["chosen"] = names
        shown = {"recordings": [each.content for each in recordings], "codes": [each.code() for each in recordings]}
        super().__init__(page=make_page({**content, **shown}), height=height, recordings=list(recordings))
        self.on_msg(self._answer)

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Record what the page asks for, and send it back."""
        if not isinstance(message, dict) or "asked" not in message:
            return
        try:
            found = make_recordings(message["asked"], self._own)
            answer = with_code(found)
            self.recordings = found
        except (ValueError, TypeError) as error:
            answer = json.dumps({"error": " ".join(str(error).split())[:500]})
        self.send({"id": message.get("id"), "answer": answer})


def _name(recording: Recording) -> str:
    """The rule's name in the catalogue, if it is the catalogue's; else its code."""
    rule = recording.content["rule"]
    name = rule["catalogue"]
    own = {key: rule[key] for key in ("name", "parameters")}
    return name if name in RULES and describe(make_rule(name)) == own else code(rule)


def _kind(recording: Recording) -> str:
    """What kind of data the rule learns from."""
    if recording.is_labelling:
        return "words"
    given = recording.content.get("gaussians", {})
    return "gaussians" if given.get("means") == recording.content["data"]["X"] else "points"
