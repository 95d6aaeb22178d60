"""docs/proofs.md says enough: a reader that was written from it alone judges as verify.py does."""

import json
import math
import warnings

import numpy as np
import pytest
import second_reader

from linsep import Anderson, Kozinec, MaximumMargin, Perceptron
from linsep.proof_file import save_gaussian_proof
from linsep.verify import verify

RULES = {
    "margin": lambda: MaximumMargin(),
    "augmented": lambda: MaximumMargin(bias="augmented"),
    "kozinec": lambda: Kozinec(tol=0.01),
    "perceptron": lambda: Perceptron(max_iter=50),
    "no bias": lambda: Perceptron(max_iter=50, fit_intercept=False),
}


def changes(proof):
    """The proof, and others that claim more or prove it with something else."""
    yield {}
    for name, factor in (("lower", 1 + 1e-9), ("lower", 1.5), ("upper", 1 - 1e-9), ("upper", 0.5), ("upper", 1 + 1e-9)):
        if math.isfinite(float(proof[name])):
            yield {name: float(proof[name]) * factor}
    yield {"w": [-proof["w"][0] * 3 - 1, *proof["w"][1:]]}
    yield {"size": proof["size"] + 1}
    yield from ({"status": status} for status in ("separated", "optimal", "eps-optimal"))
    if len(proof["rows"]) > 1:
        yield {"weights": [proof["weights"][0] * 2 + 0.1, *proof["weights"][1:]]}
        yield {"rows": [*proof["rows"][1:], proof["rows"][0]]}
    if proof["integers"]:
        yield {"integers": [hex(int(proof["integers"][0], 16) + 1), *proof["integers"][1:]]}


def agree(path, data):
    """Both readers say the same of the proof and of each change; how often it held, and how often not."""
    proof, said = json.loads(path.read_text()), [0, 0]
    for change in changes(proof):
        path.write_text(json.dumps({**proof, **change}))
        ours = verify(str(path), str(data))[0]
        assert second_reader.holds(path, data) == ours, change
        said[ours] += 1
    return said


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("apart", [3.0, 0.5])
def test_margins_and_data_that_are_not_separable(name, apart, tmp_path):
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b"], 15)
    X = rng.normal(size=(30, 2)).round(2) + apart * np.where(y == "a", -1, 1)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule = RULES[name]().fit(X, y)
    path, data = tmp_path / "p.json", tmp_path / "d.csv"
    rule.save_proof(path, X, y, data=data)
    refused, held = agree(path, data)
    assert refused >= 3 and held >= 1


@pytest.mark.parametrize("options", [{}, {"error": 0.2}, {"error": 1e-4}])
@pytest.mark.parametrize("apart", [2.0, 0.0])
def test_gaussians(options, apart, tmp_path):
    rng = np.random.default_rng(1)
    means, labels = rng.normal(size=(4, 2)) * (apart > 0), ["o", "o", "x", "x"]
    means[2:] += apart
    roots = rng.normal(size=(4, 2, 2)).round(1)
    covariances = (roots @ roots.transpose(0, 2, 1) / 4).round(4) + 0.01 * np.eye(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule = Anderson(**options).fit_gaussians(means, covariances, labels)
    path, data = tmp_path / "p.json", tmp_path / "g.json"
    save_gaussian_proof(path, rule.certificate_, means, covariances, labels, data=data)
    refused, held = agree(path, data)
    assert refused >= 3 and held >= 1
