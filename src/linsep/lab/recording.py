"""A recording: plain data of a run, its file, and what can be made of it. The schema is in docs/lab.md."""

from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import replace_file
from ..certificates.base import Certificate, Verdict
from .parameters import build, code, names_in
from .plain import number
from .schema import MOST_BYTES, WIDE, check

DRAWN = ("sentence", "proof_rows", "proof_points", "meet")  # what stands beside a certificate's own fields


class Recording:
    """How a rule learned, update by update, with its certificate: see `linsep.lab.record`.

    Parameters
    ----------
    content : dict
        The fields of docs/lab.md; checked, so that a damaged or forged file is refused with one sentence.
    """

    def __init__(self, content: dict[str, Any]):
        check(content)
        self.content = content

    def __repr__(self) -> str:
        return f"<Recording of {code(self.content['rule'])}: {len(self)} updates, {len(self.y)} rows>"

    def __len__(self) -> int:
        """How many updates there are."""
        return len(self.content["updates"]["w"])

    @property
    def is_labelling(self) -> bool:
        """Whether it is about words, which are lists, rather than rows."""
        return bool(self.content["decides"]["kind"] == "labelling")

    @property
    def X(self) -> Any:
        """The rows, or the words."""
        if self.is_labelling:
            return self.content["data"]["X"]
        return np.array(self.content["data"]["X"], dtype=np.float64)

    @property
    def y(self) -> Any:
        """Their labels."""
        if self.is_labelling:
            return [[self.content["data"]["classes"][k] for k in each] for each in self.content["data"]["y"]]
        return np.array(self.content["data"]["classes"])[self.content["data"]["y"]]

    @property
    def w(self) -> np.ndarray:
        """Every w after its update, of shape (updates, rows of w, columns + 1), the bias last."""
        return np.array(self.content["updates"]["w"], dtype=np.float64).reshape(len(self), *self.content["shape"])

    def step(self, k: int) -> dict[str, Any]:
        """Update k = 1, 2, ...: its numbers, with w before and after.

        >>> from linsep.lab import PRESETS, record
        >>> step = record("perceptron", **PRESETS["S1, nine points"]).step(2)
        >>> step["row"], step["wa"], step["before"], step["w"]
        (5, -6.25, [-0.5, -3.0, -1.0], [4.0, -2.0, 0.0])
        """
        updates = self.content["updates"]
        if not 1 <= k <= len(self):
            raise IndexError(f"step: expected a number from 1 to {len(self)}, got {k}.")
        before = self.content["start"] if k == 1 else updates["w"][k - 2]
        return {"number": k, "before": before, **{name: values[k - 1] for name, values in updates.items()}}

    @property
    def certificates(self) -> list[Certificate]:
        """What is proved of the answer; of a committee one of each member."""
        found = []
        for each in self.content["certificates"]:
            fields = {key: value for key, value in each.items() if key not in DRAWN}
            try:
                read = {key: _back(value) for key, value in fields.items()}
                if fields.get("required", 0) is None:  # None of its own, not an unknown number
                    read["required"] = None
                found.append(Certificate.from_dict(read))
            except (KeyError, TypeError, AttributeError, OverflowError) as error:
                raise ValueError(f"certificates: expected the fields of a certificate: {error}") from None
        return found

    def check(self) -> list[Verdict]:
        """Compute the claims of the certificates again from the recorded data, with code of the checks' own."""
        if self.is_labelling:  # the rule is fitted once more: its reader turns words into vectors
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one pass is enough for the reader
                fitted = build(self.content["rule"]).set_params(max_iter=1).fit(self.X, self.y)
            fitted.certificate_ = self.certificates[0]
            return [fitted.check(self.X, self.y)]
        if "gaussians" in self.content:
            found = self.content["gaussians"]
            labels = np.array(self.content["data"]["classes"])[found["y"]]
            return [each.check(found["means"], found["covariances"], labels) for each in self.certificates]
        Z = np.array(self.content["lift"]["Z"]) if "lift" in self.content else self.X
        label = np.array(self.content["data"]["y"])
        sides = self.content["decides"].get("sides")
        if sides is None:
            return [each.check(Z, self.y) for each in self.certificates]
        found = []
        for certificate, (low, high) in zip(self.certificates, sides, strict=True):
            rows = np.arange(len(label)) if low < 0 else np.flatnonzero((label == low) | (label == high))
            found.append(certificate.check(Z[rows], (label[rows] == high).astype(np.int64)))
        return found

    # --- files -------------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The recording as JSON; every float reads back bit for bit."""
        return json.dumps(self.content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, said: str | bytes) -> Recording:
        """The recording that `to_json` wrote."""
        if len(said) > MOST_BYTES:
            raise ValueError(f"recording: expected at most {MOST_BYTES} bytes, got {len(said)}.")
        try:
            content = json.loads(said, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"recording: expected JSON: {str(error)[:200]}") from None
        return cls(content)

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        with replace_file(path) as file:
            file.write(self.to_json().encode())

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a file that `save` wrote."""
        with open(path, "rb") as file:
            return cls.from_json(file.read(MOST_BYTES + 1))

    def to_csv(self) -> str:
        """The updates as a table: one line each, with the numbers of the formula, a and w; empty cells are unknown."""
        updates, wide = self.content["updates"], ("w", "a")
        single = [name for name in updates if name not in WIDE and not (self.is_labelling and name == "rival")]
        if not len(self):
            return ",".join(["number", *single]) + "\n"
        wides = [f"{name}{j + 1}" for name in wide for j in range(len(updates[name][0]))]
        written = io.StringIO()
        table = csv.writer(written, lineterminator="\n")
        table.writerow(["number", *single, *wides])
        for k in range(len(self)):
            cells = [updates[name][k] for name in single]
            table.writerow([k + 1, *cells, *updates["w"][k], *updates["a"][k]])
        return written.getvalue()

    def code(self) -> str:
        """Python code that makes the same updates and the same certificate."""
        data, rule = self.content["data"], self.content["rule"]
        y = self.y if self.is_labelling else [data["classes"][k] for k in data["y"]]
        given = self.content.get("gaussians", {})
        moments = given.get("means") == data["X"]
        lines = [
            f"from linsep import {', '.join(sorted(names_in(rule)))}",
            "from linsep.lab import record",
            "",
            f"X = {self.X if self.is_labelling else self.X.tolist()!r}",
            f"y = {y!r}",
            *([f"covariances = {given['covariances']!r}"] if moments else []),
            f"rule = {code(rule)}",
            f"recording = record(rule, X, y{', covariances=covariances' * moments}, "
            f"max_updates={self.content['max_updates']})",
            "for k in range(1, len(recording) + 1):",
            "    step = recording.step(k)",
            '    print(k, step["row"], step["w"])',
            'for each in recording.content["certificates"]:',
            '    print(each["sentence"])',
            "",
        ]
        return "\n".join(lines)

    def to_html(self, path: str | Path | None = None, beside: Recording | None = None) -> str:
        """One page that plays it offline, without Python; also written to ``path``, if there is one.

        Parameters
        ----------
        path : str or Path, default=None
            The file to write.
        beside : Recording, default=None
            Another rule on the same data, shown beside it.
        """
        from .page import make_page

        if beside is not None and beside.content["data"] != self.content["data"]:
            raise ValueError("beside: expected a recording of the same data.")
        shown = [each for each in (self, beside) if each is not None]
        page = make_page({"recordings": [each.content for each in shown], "codes": [each.code() for each in shown]})
        if path is not None:
            with replace_file(path) as file:
                file.write(page.encode())
        return page

    def _repr_html_(self) -> str:
        from .show import as_frame

        return as_frame(self)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _back(value: Any) -> Any:
    """A field of a certificate as it was before it was made plain; no field of words is "inf"."""
    if isinstance(value, list):
        return [_back(each) for each in value]
    return number(value) if value is None or value in ("inf", "-inf") else value
