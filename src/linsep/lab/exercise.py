"""An exercise: data, allowed rules and questions, as one file for students; their answers are theirs to export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..atomic import replace_file
from .recording import Recording
from .schema import MOST_BYTES

FORMAT, VERSION = "linsep exercise", 1
DECIDED = {("MarginCertificate", each) for each in ("separated", "eps-optimal", "optimal", "not separable")}
QUESTIONS = ("next update", "separate by hand", "separable")


class Exercise:
    """Questions about recordings of one data set.

    Parameters
    ----------
    recordings : list of Recording
        One for each rule that the student may look at, all of the same data.
    questions : list of str or dict
        "next update": click the point of the next update; as {"kind": "next update", "after": 2} from that update on.
        "separate by hand": drag w until every point is on its side. "separable": guess before the proof is shown. A
        dictionary may have a "text" of your own.
    title : str, default=""
        What stands above.

    Examples
    --------
    >>> from linsep.lab import PRESETS, Exercise, record
    >>> exercise = Exercise([record("perceptron", **PRESETS["XOR"])], ["separable"], title="Can a line do it?")
    >>> [question["kind"] for question in exercise.content["questions"]]
    ['separable']
    """

    def __init__(self, recordings: Sequence[Recording], questions: Sequence[str | dict[str, Any]], title: str = ""):
        if not recordings or any(not isinstance(each, Recording) for each in recordings):
            raise ValueError("recordings: expected one Recording or more.")
        if any(each.content["data"] != recordings[0].content["data"] for each in recordings):
            raise ValueError("recordings: expected all of the same data.")
        asked = [_question(each, recordings[0]) for each in questions]
        if not asked:
            raise ValueError("questions: expected one or more.")
        self.recordings = list(recordings)
        self.content: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "title": str(title),
            "questions": asked,
            "recordings": [each.content for each in recordings],
        }

    def to_json(self) -> str:
        """The exercise as JSON."""
        return json.dumps(self.content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        with replace_file(path) as file:
            file.write(self.to_json().encode())

    @classmethod
    def load(cls, path: str | Path) -> Exercise:
        """Read a file that `save` wrote; all of it is checked."""
        with open(path, "rb") as file:
            said = file.read(MOST_BYTES + 1)
        if len(said) > MOST_BYTES:
            raise ValueError(f"exercise: expected at most {MOST_BYTES} bytes.")
        try:
            content = json.loads(said)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"exercise: expected JSON: {str(error)[:200]}") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
            raise ValueError(f"exercise: expected JSON with the format {FORMAT!r}, version {VERSION}.")
        recordings, questions = content.get("recordings"), content.get("questions")
        if not isinstance(recordings, list) or not isinstance(questions, list):
            raise ValueError("exercise: expected recordings and questions.")
        return cls([Recording(each) for each in recordings], questions, str(content.get("title", ""))[:200])

    def to_html(self, path: str | Path | None = None) -> str:
        """One page that asks the questions offline, without Python; also written to ``path``, if there is one."""
        from .page import make_page

        codes = [each.code() for each in self.recordings]
        page = make_page({"exercise": self.content, "codes": codes}, title=self.content["title"])
        if path is not None:
            with replace_file(path) as file:
                file.write(page.encode())
        return page


def _question(asked: Any, recording: Recording) -> dict[str, Any]:
    """A question with all of its fields."""
    given = {"kind": asked} if isinstance(asked, str) else asked
    if not isinstance(given, dict) or given.get("kind") not in QUESTIONS:
        raise ValueError(f"questions: expected one of {', '.join(QUESTIONS)}, got {str(asked)[:60]!r}.")
    found: dict[str, Any] = {"kind": given["kind"], "text": str(given.get("text", ""))[:2000]}
    if set(given) - {"kind", "text", "after"}:
        raise ValueError(f"questions: expected kind, text and after, got {sorted(map(str, given))}.")
    kind, certificate = recording.content["decides"]["kind"], recording.content["certificates"][0]
    if found["kind"] == "separable" and (certificate.get("kind"), certificate["status"]) not in DECIDED:
        raise ValueError(f"questions: 'separable' needs a rule that decides it, got {certificate['status']!r}.")
    if found["kind"] != "separable" and (kind != "sign" or "lift" in recording.content):
        raise ValueError(f"questions: {found['kind']!r} is for two classes and rules that are not lifted.")
    if found["kind"] == "next update":
        rows, after = recording.content["updates"]["row"], given.get("after", 0)
        if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < len(rows) or rows[after] < 0:
            raise ValueError(
                f"questions: after: expected an update from 0 to {len(rows) - 1} of a single row, got {after!r}."
            )
        found["after"] = after
    return found
