"""Certificates of the linear machine (D1): what is proved of it is true, and the check catches what is not."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from loop_cases import interpreted
from machine_cases import FORMATS, PAIRS, RULES, TARGETS, clouds
from stages import examples

from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import classes
from linsep.rules import Increment, Nearest, Relaxation
from linsep.targets import EpsOptimal, Margin

QUICK = {("dense", False, 1.0), ("csr32", True, 0.0)}
FORMS = [
    pytest.param(form, batch, bias, marks=() if (form, batch, bias) in QUICK else pytest.mark.long)
    for form in FORMATS
    for batch in (False, True)
    for bias in (0.0, 1.0)
]


@pytest.mark.parametrize(("form", "batch", "bias"), FORMS)
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_every_certificate_holds_the_true_margin(rule, target, apart, form, batch, bias):
    X, label = clouds(31, n=24, apart=apart)
    true = reference.nearest(np.vstack(reference.kesler(X, label, 4, bias)))
    part = classes(FORMATS[form](X), label, 4, bias=bias)
    with interpreted():
        found = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=100), batch=batch).certificate
    assert found.check(FORMATS[form](X), label), str(found.check(FORMATS[form](X), label))
    assert found.lower <= true + 1e-9 <= found.upper + 2e-9
    wrong = np.argmax(X @ found.w[:, :-1].T + bias * found.w[:, -1], axis=1) != label
    assert found.violated == wrong.sum()
    if found.separates:
        assert true > 0
    if found.status == "not separable":
        assert true < 1e-9


@examples(30)
@given(data=st.data())
@pytest.mark.parametrize("rule", ["increment", "nearest"])
def test_no_status_contradicts_the_linear_program(data, rule):
    n, d, count = data.draw(st.integers(3, 9)), data.draw(st.integers(1, 3)), 3
    X = data.draw(arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    label = np.concatenate([np.arange(3), data.draw(arrays(np.int64, n - 3, elements=st.integers(0, 2)))])
    truth = reference.separable(np.vstack(reference.kesler(X, label, count)))
    target = EpsOptimal(0.0, 0.3) if rule == "nearest" else Margin(0.0)
    stop = Stop(passes=150, when_inseparable=True)
    found = learn([classes(X, label, count)], target, RULES[rule][0](), stop=stop).certificate
    assert found.check(X, label)
    if found.separates:
        assert truth
    if found.status == "not separable":
        assert not truth


def test_three_points_on_a_line_are_proved_not_separable():
    """The middle class of three on a line is separable, the same twice over is not."""
    X, label = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 2, 0])
    found = learn([classes(X, label, 3)], EpsOptimal(0.0, 0.1), Nearest(), stop=Stop(when_inseparable=True)).certificate
    assert found.status == "not separable" and found.check(X, label)
    assert "no linear machine separates" in str(found)
    fine = learn([classes(X[:3], label[:3], 3)], Margin(0.0), Increment(1.0)).certificate
    assert fine.status == "separated" and fine.check(X[:3], label[:3])
    assert "all 3 rows" in str(fine)


def honest():
    X, label = clouds(31, n=24, apart=2.0)
    return X, label, learn([classes(X, label, 4)], EpsOptimal(0.0, 0.1), Nearest()).certificate


@pytest.mark.parametrize(
    ("tamper", "culprit"),
    [
        (lambda c: {"w": c.w * [[1], [1], [1], [1.5]]}, "lower"),
        (lambda c: {"lower": c.lower * 1.01}, "lower"),
        (lambda c: {"upper": c.upper * 0.99}, "upper"),
        (lambda c: {"violated": c.violated + 1}, "violated"),
        (lambda c: {"novikoff": c.novikoff / 2}, "novikoff"),
        (lambda c: {"longest": c.longest * 2}, "longest"),
        (lambda c: {"size": c.size + 1}, "size"),
        (lambda c: {"rivals": np.roll(c.rivals, 1)}, "proof|upper"),
        (lambda c: {"rivals": c.rivals[:-1]}, "proof"),
        (lambda c: {"rivals": c.rivals + 4}, "proof"),
        (lambda c: {"rows": c.rows * 0}, "proof"),
        (lambda c: {"weights": -c.weights}, "proof"),
        (lambda c: {"zero_sum": True, "status": "not separable"}, "proof"),
        (lambda c: {"zero_sum": True, "status": "not separable", "integers": (1,) * c.rows.size}, "proof"),
        (lambda c: {"integers": (1,) * c.w.size}, "proof"),
        (lambda c: {"status": "separated"}, "status"),
        (lambda c: {"bias": "none"}, "lower"),
        (lambda c: {"bias": "free"}, "bias"),
        (lambda c: {"w": c.w[:3]}, "shape"),
        (lambda c: {"classes": (0, 1, 2, 5)}, "labels"),
        (lambda c: {"classes": (1, 0, 2, 3)}, "lower"),
    ],
)
def test_a_tampered_certificate_is_caught_and_the_culprit_named(tamper, culprit):
    X, label, found = honest()
    assert found.check(X, label)
    verdict = replace(found, **tamper(found)).check(X, label)
    assert not verdict
    assert any(part in str(verdict) for part in culprit.split("|"))


@pytest.mark.parametrize("seed", range(6))
def test_novikoff_bounds_the_updates(seed):
    X, label = clouds(seed, apart=2.0)
    found = learn([classes(X, label, 4)], Margin(0.0), Increment(1.0), stop=Stop(passes=10_000)).certificate
    best = reference.nearest(np.vstack(reference.kesler(X, label, 4)))
    if best > 1e-6:
        assert found.status == "separated"
        assert found.updates <= (found.longest / best) ** 2 * (1 + 1e-9) <= found.novikoff * (1 + 1e-9)


# --- real data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        (Margin(0.0), Increment(1.0)),
        (EpsOptimal(0.0, 0.02), Nearest()),
        pytest.param(Margin(1.0), Relaxation(1.5), marks=pytest.mark.long),
        pytest.param(Margin(0.0), Nearest(), marks=pytest.mark.long),
    ],
)
def test_pentagon_is_separated_within_its_bounds(target, rule, shared, machines):
    X, y = shared("pentagon")
    label, true = np.unique(y, return_inverse=True)[1], machines["pentagon"]
    found = learn([classes(X, label, 5)], target, rule, stop=Stop(passes=20_000)).certificate
    assert found.status == ("eps-optimal" if any(target.tolerance) else "separated") and found.check(X, label)
    assert found.longest == pytest.approx(true["D"], rel=1e-12)
    assert found.lower <= true["margin_augmented"] <= found.upper
    if isinstance(rule, Increment):
        assert found.updates <= true["novikoff"]


def test_ocr_is_separated(shared):
    X, y = shared("ocr_trn")
    label = np.unique(y, return_inverse=True)[1]
    found = learn([classes(X, label, 10)], Margin(0.0), Increment(1.0), stop=Stop(passes=500)).certificate
    assert found.status == "separated" and found.check(X, label)
    assert found.updates <= found.novikoff
