"""What all certificates share: statuses, bounds, plain data that JSON can hold, and a look for notebooks."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from functools import cache

import machine_cases
import numpy as np
import pytest
import scipy.sparse as sp
from honest_certificates import HONEST, clouds, honest

import linsep
from linsep import Anderson, Certificate, LeastSquares, LinearMachine, MaximumMargin, StructuredClassifier
from linsep.certificates.base import PROVED, Status, Verdict
from linsep.certificates.check.labelling import Listed
from linsep.estimators.separability import separability

WORDS = [(0, 1), (1, 0)]


def phi(x, y):
    return np.array([x[y[1]] - x[y[0]], x[y[0]] * x[y[1]]])


def point_in_a_triangle():
    """In many dimensions: only exact arithmetic proves it."""
    corners = 3.0 * (2**21 + 1) * np.random.default_rng(3).integers(-9, 10, (3, 600))
    return np.vstack([corners, corners.mean(axis=0)]), np.array([0, 0, 0, 1])


@cache
def known(name):
    """A certificate, and what its check takes."""
    X, sign = clouds(3, 20, 3, 1.6)
    if name == "machine":
        data = machine_cases.clouds(31, n=24, apart=2.0)
        return LinearMachine("kozinec").fit(*data).certificate_, data
    if name == "exact":
        return separability(*point_in_a_triangle()), point_in_a_triangle()
    if name == "labelling":
        data = [[1, 4], [7, 2]], WORDS
        rule = StructuredClassifier(phi, labels=WORDS).fit(*data)
        return rule.certificate_, (Listed(*data, phi, lambda x: WORDS),)
    if name == "ridge":
        return LeastSquares().fit(X, sign).certificate_, (X, sign)
    if name == "objective":
        return MaximumMargin(C=1.0).fit(X, sign).certificate_, (X, sign)
    gaussians = np.array([[0.0, 0], [4, 1]]), np.array([np.eye(2), 2 * np.eye(2)]), np.array(["a", "b"])
    rule = Anderson().fit_gaussians(*gaussians)
    return rule.certificate_, gaussians


KINDS = {
    "machine": "MarginCertificate",
    "exact": "MarginCertificate",
    "labelling": "LabellingCertificate",
    "objective": "ObjectiveCertificate",
    "radius": "RadiusCertificate",
    "ridge": "RidgeCertificate",
}


def test_every_status_has_its_words():
    assert {each.name: each.value for each in Status} == {
        "OPTIMAL": "optimal",
        "EPS_OPTIMAL": "eps-optimal",
        "SEPARATED": "separated",
        "REACHED": "reached",
        "NOT_SEPARABLE": "not separable",
        "IMPOSSIBLE": "impossible",
        "INFEASIBLE": "infeasible",
        "NOT_SEPARATED": "not separated",
        "NOT_PROVED": "not proved",
        "WITHIN_ROUNDING": "not decided within rounding",
        "BUDGET_SPENT": "budget spent",
        "INTERRUPTED": "interrupted",
    }
    assert Status.SEPARATED == "separated" and repr(Status.SEPARATED) == "'separated'"
    open_ = {Status.NOT_SEPARATED, Status.NOT_PROVED, Status.WITHIN_ROUNDING, Status.BUDGET_SPENT, Status.INTERRUPTED}
    assert set(Status) - PROVED == open_
    for status in Status:
        assert Certificate(status=status, lower=0.0, upper=1.0).proved == (status not in open_)


def test_a_verdict_is_true_if_nothing_was_found_wrong():
    assert Verdict(()) and not Verdict(("upper: too small",))
    assert "WRONG: upper: too small; lower: too large." in str(Verdict(("upper: too small", "lower: too large")))
    assert str(Verdict((), 1.0, 2.0)) == (
        "The certificate holds: recomputed from the data, lower bound 1, upper bound 2."
    )


def test_the_gap_is_that_of_the_bounds():
    found = Certificate(status=Status.SEPARATED, lower=1.0, upper=4.0)
    assert found.gap == 3.0 and found.relative_gap == 0.75
    nothing = replace(found, lower=0.0, upper=0.0)
    assert nothing.gap == nothing.relative_gap == 0.0
    assert replace(found, lower=-1.0, upper=0.0).relative_gap == math.inf
    with pytest.raises(TypeError, match="Certificate has no check"):
        found.check()
    with pytest.raises(TypeError, match="positional"):
        Certificate(Status.SEPARATED, 1.0, 4.0)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_certificate_survives_json(name):
    claim, data = known(name)
    assert type(claim).__name__ == KINDS[name] and claim.check(*data)
    plain = json.loads(json.dumps(claim.to_dict()))
    assert plain["kind"] == KINDS[name]
    for back in (Certificate.from_dict(plain), getattr(linsep, KINDS[name]).from_dict(plain)):
        assert type(back) is type(claim)  # by the kind that is written
        assert isinstance(back.status, Status)
        assert str(back) == str(claim) and repr(back) == repr(claim)
        assert json.dumps(back.to_dict()) == json.dumps(claim.to_dict())
        assert back.check(*data)


@pytest.mark.parametrize("name", HONEST)
def test_a_certificate_survives_json_and_still_checks(name):
    claim, X, y = honest(name)
    again = Certificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.to_dict() == claim.to_dict()
    assert again.check(X, y)
    assert again.check(sp.csr_array(X), y)
    assert not replace(again, violated=again.violated + 1).check(X, y)


def test_exact_integers_are_kept_as_they_are():
    claim, _ = known("exact")
    assert claim.exact and all(type(number) is int for number in claim.integers)
    assert Certificate.from_dict(claim.to_dict()).integers == claim.integers


def test_another_kind_is_refused():
    plain = known("objective")[0].to_dict()
    with pytest.raises(ValueError, match="kind: expected a MarginCertificate, got 'ObjectiveCertificate'"):
        linsep.MarginCertificate.from_dict(plain)
    with pytest.raises(ValueError, match="kind: expected a Certificate, got 'Promise'"):
        Certificate.from_dict({**plain, "kind": "Promise"})
    with pytest.raises(ValueError, match="'perhaps' is not a valid Status"):
        Certificate.from_dict({**plain, "status": "perhaps"})


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_says_in_one_sentence_what_it_knows(name):
    claim, _ = known(name)
    said = str(claim)
    assert said.lower().startswith(claim.status) and said.endswith(".")


@pytest.mark.parametrize("name", KINDS)
def test_a_notebook_shows_sentence_and_numbers(name):
    claim, _ = known(name)
    shown = claim._repr_html_()
    assert f"<b>{claim.status}</b>" in shown and "upper bound" in shown and f"{claim.upper:.9g}" in shown


def test_a_notebook_shows_a_reason_as_it_is_written():
    claim, _, _ = honest("budget spent")
    shown = replace(claim, reason="<script>alert('&')</script>")._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;" in shown


@pytest.mark.parametrize("name", ["machine", "exact"])
def test_a_new_process_reads_a_certificate(name):
    claim, _ = known(name)
    code = "import json, sys; from linsep import Certificate; print(Certificate.from_dict(json.load(sys.stdin)))"
    plain = json.dumps(claim.to_dict())
    done = subprocess.run([sys.executable, "-c", code], input=plain, capture_output=True, text=True)
    assert done.stdout.strip() == str(claim), done.stderr
