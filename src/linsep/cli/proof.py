"""``linsep fit --proof``: the certificate as a file that ``verify.py`` verifies without linsep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .output import Output, Problem, keep_inputs, refuse
from .schemas import feature_names
from .tables import Sample


def check_proof(path: str | None, verifier: bool, *read: str | None) -> None:
    """Say before learning that a proof can't be written."""
    if path is None:
        if verifier:
            refuse("--with-verifier: copies verify.py beside a proof; give --proof FILE too.")
        return
    if not path.endswith(".json"):
        refuse(f"--proof: expected a name that ends with .json, got {path}.")
    if not Path(path).absolute().parent.is_dir():
        raise Problem(f"--proof {path}: its folder does not exist.")
    for ending in (".json", ".csv", ".svm"):
        keep_inputs("--proof", str(Path(path).with_suffix(ending)), *read)


def write_proof(path: str, rule: Any, sample: Sample, schema: Any, verifier: bool, out: Output) -> None:
    """Write the proof, and beside it the rows as the rule saw them: numbers, made from the columns of the table."""
    from ..proof_file import CLAIMS, save_proof, without_others

    certificate: Any = getattr(rule, "certificate_", None)
    if type(certificate) not in CLAIMS:
        raise Problem(
            f"--proof: there is no proof format for the claims of {type(rule).__name__}; linsep check checks them. "
            "Rules with one are perceptron, kozinec, maximum-margin, relaxation, linear-machine and least-squares."
        )
    present = sample.present()
    if present.size < sample.y.size:  # rows that were held out are not in the file
        certificate = without_others(certificate, present)
        sample = sample.take(present)
    X, y, weight = sample
    names = list(feature_names(schema))
    if hasattr(rule, "lift_"):
        X, names = rule.lift_.transform(X), [f"f{k}" for k in range(rule.lift_.transform(X[:1]).shape[1])]
    data = Path(path).with_suffix(".csv" if isinstance(X, np.ndarray) else ".svm")
    target, weights = _new_name("label", names), _new_name("weight", names)
    alike = weight is None or bool((weight == 1).all())
    save_proof(
        path, certificate, X, y, None if alike else weight, features=names, target=target, weight=weights, data=data,
        verifier=verifier,
    )  # fmt: skip
    out.answer(proof=path, proof_data=str(data))
    out.say(f"wrote {path} and {data}, the numbers that it is about: python verify.py {path} {data}")


def _new_name(name: str, names: list[str]) -> str:
    """A name for a column that no feature has."""
    while name in names:
        name += "_"
    return name
