"""Whether a recording that comes from a file is true: its updates, its answer and its certificates, computed again."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain import plain
from .proof import proof_points
from .recording import Recording

CLOSE = 1e-9  # of the size of w: rounding in w = alpha w + beta a
ADVICE = "Record it anew."


def verify(recording: Recording) -> None:
    """Refuse a recording of which something is not true, with one sentence.

    >>> from linsep.lab import PRESETS, record
    >>> recording = record("perceptron", **PRESETS["S1, nine points"])
    >>> verify(recording)
    >>> recording.content["updates"]["w"][2][0] = 7.0
    >>> verify(recording)
    Traceback (most recent call last):
    ...
    ValueError: recording: update 3: expected w = alpha w + beta a, got another w. Record it anew.
    """
    check_updates(recording)
    try:
        verdicts, certificates = recording.check(), recording.certificates
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, ArithmeticError) as error:
        raise ValueError(f"recording: its certificate can't be checked: {error} {ADVICE}") from None
    for number, (verdict, certificate) in enumerate(zip(verdicts, certificates, strict=True), start=1):
        said = recording.content["certificates"][number - 1]
        if not verdict or said["sentence"] != str(certificate):
            raise ValueError(f"recording: certificate {number} is not true of its data. {ADVICE}")
    proved = np.concatenate([np.atleast_2d(each.w) for each in certificates]).ravel()
    answer = np.array(recording.content["answer"], dtype=np.float64)
    if proved.shape != answer.shape or not _is_close(proved, answer):
        raise ValueError(f"recording: the answer is not the w of its certificate. {ADVICE}")
    if recording.content["decides"]["kind"] in ("sign", "machine") and "gaussians" not in recording.content:
        _check_points(recording)


def check_updates(recording: Recording) -> None:
    """Refuse updates that are not w = alpha w + beta a; of a committee the part of one member changes."""
    updates, (members, width) = recording.content["updates"], recording.content["shape"]
    before = np.array(recording.content["start"], dtype=np.float64)
    for k, (now, a) in enumerate(zip(updates["w"], updates["a"], strict=True)):
        factors: list[Any] = [updates[name][k] if name in updates else None for name in ("alpha", "beta")]
        member = updates["member"][k] if "member" in updates else 0
        if not all(isinstance(each, int | float) for each in [*factors, *a]) or not 0 <= member < members:
            raise ValueError(f"recording: update {k + 1}: expected numbers as alpha, beta and a. {ADVICE}")
        if len(a) not in (width, members * width):
            raise ValueError(f"recording: update {k + 1}: expected {width} numbers as a, got {len(a)}. {ADVICE}")
        part = slice(member * width, (member + 1) * width) if len(a) == width else slice(None)
        expected = before.copy()
        kept, added = factors[0] * before[part], factors[1] * np.array(a, dtype=np.float64)
        expected[part] = kept + added
        before = np.array(now, dtype=np.float64)
        if not _is_close(expected, before, kept, added):
            raise ValueError(f"recording: update {k + 1}: expected w = alpha w + beta a, got another w. {ADVICE}")


def _check_points(recording: Recording) -> None:
    """Refuse other points of the hulls than those of the certificate."""
    content = recording.content
    Z = np.array(content["lift"]["Z"]) if "lift" in content else recording.X
    rows, said = np.arange(len(Z)), content["certificates"][0]
    drawn: dict[str, Any] = plain(proof_points(recording.certificates[0], Z, recording.y, rows))
    same = all(said.get(name) == drawn.get(name) for name in ("proof_rows", "meet"))
    points = [np.array(each.get("proof_points", []), dtype=np.float64) for each in (said, drawn)]
    if not same or points[0].shape != points[1].shape or not _is_close(*points):
        raise ValueError(f"recording: the points of the proof are not those of the certificate. {ADVICE}")


def _is_close(one: np.ndarray, other: np.ndarray, *terms: np.ndarray) -> bool:
    """Whether two vectors are the same but for rounding of numbers as large as theirs, and as those of the terms."""
    size = max(float(np.max(np.abs(each), initial=0.0)) for each in (one, other, *terms))
    return bool(np.max(np.abs(one - other), initial=0.0) <= CLOSE * size)
