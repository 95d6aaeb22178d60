"""Proof files: a certificate in JSON, for `verify.py`, which needs nothing of linsep. docs/proofs.md is the format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .atomic import replace_file
from .certificates.base import Certificate
from .certificates.check.labelling import check_structure
from .certificates.check.vectors import difference, exact_sum
from .certificates.labelling import LabellingCertificate
from .certificates.margin import MarginCertificate
from .certificates.objective import ObjectiveCertificate
from .certificates.radius import RadiusCertificate
from .certificates.ridge import RidgeCertificate
from .oracles import points
from .solvers.exact_nearest_point import IntegerVectors, decide, decide_exactly
from .validation import as_rows

FORMAT, VERSION = "linsep proof", 1
CLAIMS = {
    MarginCertificate: "margin",
    LabellingCertificate: "margin",
    ObjectiveCertificate: "cost",
    RidgeCertificate: "ridge",
    RadiusCertificate: "radius",
}
COMMON = ("status", "lower", "upper", "size", "w", "classes")
OWN = {
    "margin": ("bias", "violated", "rows", "weights", "rivals", "integers", "eps", "relative"),
    "cost": ("bias", "violated", "rows", "weights", "rivals", "C", "loss", "tol"),
    "ridge": ("bias", "alpha", "margins", "weights", "tol"),
    "radius": ("rows", "weights", "u", "integers", "eps", "required"),
}
TARGET, WEIGHT = "label", "weight"  # columns of a data file that `write_data` makes


def as_proof(certificate: Certificate, **more: Any) -> dict[str, Any]:
    """The certificate as the JSON object of a proof file.

    >>> from linsep import Perceptron
    >>> X, y = [[0.0], [1.0]], ["o", "x"]
    >>> proof = as_proof(Perceptron().fit(X, y).certificate_, data={"features": ["x0"], "target": "y"})
    >>> proof["claim"], proof["status"], proof["rows"]
    ('margin', 'separated', [0, 1])
    """
    claim = next((name for kind, name in CLAIMS.items() if type(certificate) is kind), None)
    if claim is None:
        raise ValueError(f"proof: expected one of {[k.__name__ for k in CLAIMS]}, got {type(certificate).__name__}.")
    plain = certificate.to_dict()
    proof: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": claim,
        "says": str(certificate),
        "bias": "free",
    }
    proof |= {name: plain[name] for name in (*COMMON, *OWN[claim]) if plain[name] is not None} | more
    for name in ("lower", "upper"):
        if math.isinf(proof[name]):
            proof[name] = str(proof[name])  # JSON has no such number
    return proof


def save_proof(
    path: str | os.PathLike[str], certificate: Certificate, X: Any, y: Any, sample_weight: Any = None, *,
    features: Sequence[str] | None = None, target: str = TARGET, weight: str = WEIGHT,
    data: str | os.PathLike[str] | None = None, verifier: bool = False,
) -> None:  # fmt: skip
    """Write the certificate of rows as a proof file, which ``python verify.py PROOF DATA`` verifies without linsep.

    Parameters
    ----------
    path : str or path
        Where to write, for example ``proof.json``.
    certificate : MarginCertificate, ObjectiveCertificate or RidgeCertificate
        ``certificate_`` of a fitted estimator.
    X, y, sample_weight
        The data that the certificate is about; class weights multiplied into ``sample_weight``.
    features : list of str, default=None
        The names of the columns in the data file; x0, x1, ... by default.
    target, weight : str
        The names of the columns with labels and with weights, if there are any.
    data : str or path, default=None
        Where to write the data, too, as a CSV file (``.csv`` or ``.csv.gz``) or, without weights, as svmlight
        (``.svm``). By default the verifier is expected to be
        given a file of your own that has these columns.
    verifier : bool, default=False
        Whether to copy ``verify.py`` beside the proof.

    Examples
    --------
    >>> import tempfile
    >>> from linsep import Perceptron
    >>> from linsep.verify import verify
    >>> X, y, folder = [[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]], ["o", "o", "x"], tempfile.mkdtemp()
    >>> rule = Perceptron().fit(X, y)
    >>> save_proof(f"{folder}/proof.json", rule.certificate_, X, y, data=f"{folder}/data.csv")
    >>> holds, sentence = verify(f"{folder}/proof.json", f"{folder}/data.csv")
    >>> holds, sentence.partition(";")[0]
    (True, 'w separates the data')
    """
    rows, labels = as_rows(X, "X"), np.asarray(y)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    proof = as_proof(_to_be_saved(certificate, rows, labels, weights))
    about = _describe(rows.shape[1], features, target, weight if weights is not None else None)
    if data is not None:
        _write_rows(Path(data), rows, labels, weights, about)
    _write(Path(path), {**proof, "data": about}, verifier)


class Member(NamedTuple):
    """What a member of a committee was asked, and what it knows."""

    certificate: Certificate  # about its rows, 0 or 1 of which side they are
    rows: np.ndarray | slice  # of the data
    positive: np.ndarray  # which side each of these rows is on
    sides: tuple[list, list]  # the labels of the negative and of the positive side


def save_committee_proof(
    path: str | os.PathLike[str], members: Sequence[Member], X: Any, y: Any, sample_weight: Any = None, *,
    features: Sequence[str] | None = None, data: str | os.PathLike[str] | None = None, verifier: bool = False,
) -> None:  # fmt: skip
    """Write the certificates of all members as one proof file; parameters are those of `save_proof`."""
    rows, labels, proofs = as_rows(X, "X"), np.asarray(y), []
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    known = np.unique(labels).tolist()
    for certificate, some, positive, sides in members:
        own = None if weights is None else weights[some]
        certificate = _to_be_saved(certificate, rows[some], positive.astype(np.int64), own)
        certificate = _among_all(certificate, np.arange(len(labels))[some], len(labels))
        absent = [label for label in known if label not in sides[0] + sides[1]]
        proofs.append({**as_proof(certificate), "classes": sides, "absent": absent})
    about = _describe(rows.shape[1], features, TARGET, WEIGHT if weights is not None else None)
    if data is not None:
        _write_rows(Path(data), rows, labels, weights, about)
    whole = {"format": FORMAT, "version": VERSION, "claim": "committee", "members": proofs, "data": about}
    _write(Path(path), whole, verifier)


def without_others(certificate: Any, rows: np.ndarray) -> Any:
    """The certificate as one about these rows of its data alone; the others have no weight in it."""
    if isinstance(certificate, RidgeCertificate):
        margins = certificate.margins
        weights = certificate.weights[rows] if certificate.weights.size else certificate.weights
        return replace(certificate, margins=margins[rows] if margins.size > 1 else margins, weights=weights)
    return replace(certificate, rows=np.searchsorted(rows, certificate.rows))


def _among_all(certificate: Any, rows: np.ndarray, size: int) -> Any:
    """The certificate about some rows with the numbers that they have among all, which are so many."""
    if not isinstance(certificate, RidgeCertificate):
        return replace(certificate, rows=rows[certificate.rows])
    margins, weights = np.ones(size), np.zeros((size, *certificate.weights.shape[1:]))
    margins[rows] = certificate.margins
    if certificate.weights.size:
        weights[rows] = certificate.weights
    return replace(
        certificate, margins=margins if certificate.margins.size > 1 else certificate.margins,
        weights=weights if certificate.weights.size else certificate.weights,
    )  # fmt: skip


def _to_be_saved(certificate: Certificate, X: Any, y: np.ndarray, weights: np.ndarray | None) -> Any:
    """The certificate, checked, as a proof file has it."""
    verdict = certificate.check(X, y, weights)
    if not verdict:
        raise ValueError(f"proof: {verdict}")
    if isinstance(certificate, MarginCertificate) and certificate.zero_sum and not certificate.integers:
        return _in_whole_numbers(certificate, X, y)
    return certificate


def _describe(width: int, features: Sequence[str] | None, target: str, weight: str | None) -> dict[str, Any]:
    """What the columns of the data file are called."""
    names = [f"x{j}" for j in range(width)] if features is None else list(map(str, features))
    if len(set(names)) != width or {target, weight} & set(names):
        raise ValueError(f"features: expected {width} different names, and not {target!r} or {weight!r}.")
    return {"features": names, "target": target, "weight": weight}


def save_gaussian_proof(
    path: str | os.PathLike[str], certificate: RadiusCertificate, means: Any, covariances: Any, labels: Any, *,
    data: str | os.PathLike[str], verifier: bool = False,
) -> None:  # fmt: skip
    """Write the certificate of Gaussians as a proof file, and the Gaussians to ``data``, a JSON file."""
    verdict = certificate.check(means, covariances, labels)
    if not verdict:
        raise ValueError(f"proof: {verdict}")
    means, matrices = np.asarray(means, dtype=np.float64), np.asarray(covariances, dtype=np.float64)
    if matrices.shape != (*means.shape, means.shape[1]):
        raise ValueError(f"covariances: expected one matrix per mean, got an array of shape {matrices.shape}.")
    given = {"means": means.tolist(), "covariances": matrices.tolist(), "labels": np.asarray(labels).tolist()}
    with replace_file(data) as file:
        file.write(json.dumps(given).encode())
    _write(Path(path), as_proof(certificate), verifier)


def save_structure_proof(
    path: str | os.PathLike[str], certificate: LabellingCertificate, structure: Any, keep: np.ndarray | None = None, *,
    verifier: bool = False,
) -> None:  # fmt: skip
    """Write the certificate of labellings as a proof file that lists its vectors phi(x,y) - phi(x,y').

    The bound of all w holds for the data, if the vectors are theirs. The rest of the data, which may have more rivals
    than can be listed, is not in the file: what is said of w itself is said of the listed vectors only.
    """
    verdict = check_structure(certificate, structure, keep)
    if not verdict:
        raise ValueError(f"proof: {verdict}")
    if not certificate.rows.size:
        raise ValueError("proof: the certificate names no vectors, so there is no bound of all w to be proved.")
    vectors = [
        difference(structure.terms(i, structure.truth(i)), structure.terms(i, rival))
        for i, rival, _ in certificate.proof()
    ]
    if certificate.zero_sum and not certificate.integers:
        weights = [Fraction(float(weight)) for weight in certificate.weights]
        unit = math.lcm(*(weight.denominator for weight in weights))
        certificate = replace(certificate, integers=tuple(int(weight * unit) for weight in weights))
    proof = as_proof(certificate, vectors=[_as_pairs(vector) for vector in vectors])
    proof |= {"rows": list(range(len(vectors))), "size": len(vectors), "violated": 0, "rivals": [], "classes": [0, 1]}
    _write(Path(path), proof, verifier)


def _as_pairs(vector: dict[int, list[float]]) -> list[tuple[int, float]]:
    """A vector as pairs of places and numbers: one per place, or all its terms where their sum would be rounded."""
    pairs: list[tuple[int, float]] = []
    for place, terms in sorted(vector.items()):
        total = exact_sum(terms)
        pairs += [(place, float(total))] if Fraction(float(total)) == total else [(place, x) for x in terms]
    return [pair for pair in pairs if pair[1]]


def _write(path: Path, proof: dict[str, Any], verifier: bool) -> None:
    text = json.dumps(proof, indent=1, allow_nan=False, default=lambda label: label.item())
    with replace_file(path) as file:
        file.write(text.encode())
    if verifier:
        shutil.copyfile(Path(__file__).with_name("verify.py"), path.with_name("verify.py"))


def _write_svmlight(path: Path, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
    """The rows as svmlight, numbered from 1: sparse rows stay short."""
    words = [str(label) for label in y.tolist()]
    odd = next((word for word in words if word.split() != [word] or "#" in word), None)
    if odd is not None or weights is not None:
        what = "weights" if odd is None else f"the label {odd!r}"
        raise ValueError(f"{path}: an svmlight file can't hold {what}; write a CSV file.")
    X = sp.csr_matrix(X)
    X.sort_indices()
    with replace_file(path) as file:
        for i, word in enumerate(words):
            row = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[row].tolist(), X.data[row].astype(np.float64).tolist(), strict=True)
            file.write(" ".join([word, *(f"{j + 1}:{x!r}" for j, x in pairs)]).encode() + b"\n")


def _write_rows(path: Path, X: Any, y: np.ndarray, weights: np.ndarray | None, about: dict[str, Any]) -> None:
    """The rows as svmlight or CSV: floats in the shortest form that reads back the same."""
    if path.suffix == ".svm":
        _write_svmlight(path, X, y, weights)
        return
    with replace_file(path) as file:
        packed = gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if path.suffix == ".gz" else file
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        lines = csv.writer(text)
        lines.writerow([*about["features"], about["target"], *([about["weight"]] if weights is not None else ())])
        for i in range(X.shape[0]):
            row = (X[[i]].toarray()[0] if sp.issparse(X) else X[i]).astype(np.float64).tolist()
            lines.writerow([*row, y[i], *([float(weights[i])] if weights is not None else ())])
        text.flush()
        text.detach()
        if packed is not file:
            packed.close()


def _in_whole_numbers(certificate: MarginCertificate, X: Any, y: np.ndarray) -> MarginCertificate:
    """The same proof of zero sum with whole numbers, for rows that the proof names."""
    rows, some = certificate.rows, X[certificate.rows]
    if certificate.w.ndim == 2:
        numbers, base, size = _machine_vectors(certificate, some, y)
        found = decide(lambda deadline: IntegerVectors(numbers, base, size, deadline), certificate.weights)
    else:
        sign = np.where(y[rows] == certificate.classes[1], 1, -1)
        part = points(some, sign, bias=0.0 if certificate.bias == "none" else 1.0)
        found = decide_exactly([part], "none" if certificate.bias == "none" else "free", certificate.weights)
    if found.rows is None:
        raise ValueError(f"proof: the rows of the proof have no whole-number weights; {found.reason}.")
    rivals = certificate.rivals[found.rows] if certificate.w.ndim == 2 else certificate.rivals
    weights = np.array([number / sum(found.integers) for number in found.integers])
    return replace(certificate, rows=rows[found.rows], rivals=rivals, weights=weights, integers=found.integers)


def _machine_vectors(certificate: MarginCertificate, some: Any, y: np.ndarray) -> tuple[list[dict[int, int]], int, int]:
    """The vectors of a linear machine that the proof names, as whole numbers times 2^base, and the size of w."""
    dense = np.asarray(some.toarray() if sp.issparse(some) else some, dtype=np.float64)
    constant = 0.0 if certificate.bias == "none" else 1.0
    dense, width = np.column_stack([dense, np.full(len(dense), constant)]), certificate.w.shape[1]
    base = min((1 - float(x).as_integer_ratio()[1].bit_length() for x in dense.ravel()), default=0)
    own = [list(certificate.classes).index(label) for label in y[certificate.rows].tolist()]
    vectors = []
    for x, k, rival in zip(dense, own, certificate.rivals.tolist(), strict=True):
        places = {k * width: 1, rival * width: -1}
        numbers = [(int(j), int(Fraction(float(x[j])) / Fraction(2) ** base)) for j in np.flatnonzero(x)]
        vectors.append({start + j: sign * n for start, sign in places.items() for j, n in numbers})
    return vectors, base, certificate.w.size
