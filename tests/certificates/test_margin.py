"""Certificates of margins: what they claim is true, and what is not true is caught by the check."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from unittest import mock

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from honest_certificates import HONEST, SUCCESS, clouds, honest
from loop_cases import interpreted, is_refused

from linsep import Perceptron
from linsep.certificates.base import at_least, at_most
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import differences, points
from linsep.rows.matrix import combine
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

STATUSES = [*sorted(SUCCESS), "not separable", "budget spent", "not separated", "not decided within rounding"]

# --- every combination -----------------------------------------------------------------------------------------------

ORACLES = {  # how parts are made of X and sign, and whose margin is bounded
    "dense": (lambda X, sign: [points(X, sign)], "augmented"),
    "sparse": (lambda X, sign: [points(sp.csr_array(X), sign)], "augmented"),
    "no bias": (lambda X, sign: [points(X, sign, bias=0.0)], "none"),
    "differences": (lambda X, sign: differences([points(X, sign, bias=0.0)]), "free"),
    "sparse differences": (lambda X, sign: differences([points(sp.csr_array(X), sign, bias=0.0)]), "free"),
}
TARGETS = {"any": Margin(0.0), "margin": Margin(0.5), "absolute": EpsOptimal(0.05), "relative": EpsOptimal(0.0, 0.1)}
RULES = {
    "increment": Increment(1.0),
    "1/k": Increment(1.0, 1.0),
    "scheduled": Scheduled(lambda k: 1 / math.sqrt(k)),
    "relaxation": Relaxation(1.5),
    "nearest": Nearest(),
}
SETS = {"separable": clouds(1, 16, 3, 1.6), "not separable": clouds(2, 24, 3, 0.2)}


@cache
def true_margin(name, bias):
    return reference.largest_margin(*SETS[name], bias)


def combinations():
    """All oracles, targets, rules and forms that can be combined; of sparse rows some, the others take long."""
    for oracle in ORACLES:
        for target in TARGETS:
            for rule in RULES:
                for form in ("single", "batch"):
                    if not (is_refused(rule, target) or (form == "batch" and "differences" in oracle)):
                        quick = "sparse" not in oracle or (rule, target) == ("nearest", "relative")
                        yield pytest.param(oracle, target, rule, form, marks=() if quick else pytest.mark.long)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("oracle", "target", "rule", "form"), list(combinations()))
def test_every_oracle_target_rule_and_form_is_proved(name, oracle, target, rule, form):
    X, sign = SETS[name]
    build, bias = ORACLES[oracle]
    with interpreted():
        result = learn(build(X, sign), TARGETS[target], RULES[rule], batch=form == "batch", stop=Stop(passes=100))
    claim, true = result.certificate, true_margin(name, bias)
    verdict = claim.check(sp.csr_array(X) if "sparse" in oracle else X, sign)
    assert verdict, f"{verdict}\n{claim!r}"
    assert claim.lower <= true * (1 + 1e-9) + 1e-12
    assert claim.upper >= true * (1 - 1e-9) - 1e-12
    assert claim.separates <= (name == "separable")
    assert claim.bias == bias
    if result.state.done:
        assert claim.status == ("eps-optimal" if target in ("absolute", "relative") else "separated")
    if claim.status == "eps-optimal":
        eps, relative = TARGETS[target]
        assert true - claim.lower <= eps + relative * claim.upper + 1e-12
    if name == "not separable" and form == "single":
        assert claim.status == "not separable"


def test_the_sets_are_what_they_are_called():
    for bias, flat in (("augmented", 1.0), ("none", 0.0)):
        for name, (X, sign) in SETS.items():
            assert reference.separable(reference.mirrored(X, sign, flat)) == (name == "separable")
            assert (true_margin(name, bias) > 1e-6) == (name == "separable")
    assert true_margin("separable", "augmented") <= true_margin("separable", "free")


# --- what is not true ------------------------------------------------------------------------------------------------


def touched(array, at, value):
    array = array.copy()
    array[at] = value
    return array


def two_that_differ(weights):
    """Weights with the largest and the smallest one in each other's place."""
    weights = weights.copy()
    i, j = np.argmax(weights), np.argmin(weights)
    weights[[i, j]] = weights[[j, i]]
    return weights


W = ("lower", "violated", "novikoff", "status")  # what a wrong w is caught by
TAMPERED = {  # what is done to the certificate c of n rows, and which claims may be named for it
    **{
        f"w[{j}] by {part:g}": (lambda c, n, j=j, part=part: {"w": touched(c.w, j, c.w[j] * (1 + part))}, W)
        for j in (0, 1, -1)
        for part in (1e-6, -1e-6)
    },
    "w turned round": (lambda c, n: {"w": -c.w}, W),
    "w zero": (lambda c, n: {"w": 0 * c.w}, ("lower",)),
    "w not a number": (lambda c, n: {"w": touched(c.w, 0, math.nan)}, ("w ",)),
    "w too long": (lambda c, n: {"w": np.append(c.w, 1.0)}, ("shape",)),
    **{
        f"{name} {text}": (lambda c, n, name=name, change=change: {name: change(getattr(c, name))}, (name,))
        for name in ("lower", "upper")
        for text, change in {
            "up a millionth": lambda x: x + 1e-6 * abs(x),
            "down a millionth": lambda x: x - 1e-6 * abs(x),
            "up 1": lambda x: x + 1,
            "down 1": lambda x: x - 1,
            "0": lambda x: 0.0,
            "nan": lambda x: math.nan,
            "inf": lambda x: math.inf,
            "-inf": lambda x: -math.inf,
        }.items()
    },
    **{f"status {status}": (lambda c, n, status=status: {"status": status}, ("status",)) for status in STATUSES},
    "violated +1": (lambda c, n: {"violated": c.violated + 1}, ("violated",)),
    "violated -1": (lambda c, n: {"violated": c.violated - 1}, ("violated",)),
    "novikoff more": (lambda c, n: {"novikoff": c.novikoff * (1 + 1e-6) if c.lower > 0 else 1e6}, ("novikoff",)),
    "novikoff less": (lambda c, n: {"novikoff": c.novikoff * (1 - 1e-6) if c.lower > 0 else 0.0}, ("novikoff",)),
    "novikoff nan": (lambda c, n: {"novikoff": math.nan}, ("novikoff",)),
    "size +1": (lambda c, n: {"size": c.size + 1}, ("size",)),
    "size -1": (lambda c, n: {"size": c.size - 1}, ("size",)),
    "longest more": (lambda c, n: {"longest": c.longest * (1 + 1e-6)}, ("longest",)),
    "longest less": (lambda c, n: {"longest": c.longest * (1 - 1e-6)}, ("longest",)),
    "longest nan": (lambda c, n: {"longest": math.nan}, ("longest",)),
    "a row twice": (lambda c, n: {"rows": touched(c.rows, 0, c.rows[-1])}, ("proof",)),
    "a row that is not there": (lambda c, n: {"rows": touched(c.rows, -1, n)}, ("proof",)),
    "a negative row": (lambda c, n: {"rows": touched(c.rows, 0, -1)}, ("proof",)),
    "rows without weights": (lambda c, n: {"weights": c.weights[:-1]}, ("proof",)),
    "no rows": (lambda c, n: {"rows": c.rows[:0], "weights": c.weights[:0]}, ("proof",)),
    "a negative weight": (lambda c, n: {"weights": touched(c.weights, 0, -c.weights[0])}, ("proof",)),
    "a weight that is no number": (lambda c, n: {"weights": touched(c.weights, 0, math.nan)}, ("w or the weights",)),
    "no weight": (lambda c, n: {"weights": 0 * c.weights}, ("proof",)),
    "weights in other places": (lambda c, n: {"weights": two_that_differ(c.weights)}, ("upper", "status")),
    "another bias": (
        lambda c, n: {"bias": {"free": "augmented", "augmented": "none", "none": "free"}[c.bias]},
        ("lower", "upper", "proof", "violated", "longest"),
    ),
    "eps less": (lambda c, n: {"eps": c.eps / 1e3, "relative": c.relative / 1e3}, ("status",)),
    "eps where none was reached": (lambda c, n: {"eps": 1e6}, ("status",)),
    "eps nan": (lambda c, n: {"eps": math.nan}, ("status",)),
    "classes swapped": (lambda c, n: {"classes": c.classes[::-1]}, W),
    "other classes": (lambda c, n: {"classes": ("down", "sideways")}, ("labels",)),
}  # fmt: skip


def harmless(name, tamper, claim, changed):
    """Why a change may pass: what is claimed is still true, or can't be known from the data. Else None."""
    if all(np.array_equal(getattr(claim, key), value) for key, value in changed.items()):
        return "nothing was changed"
    ended = {"budget spent", "not separated"}
    if tamper.startswith("status") and {claim.status, changed["status"]} <= ended:
        return "whether a run was out of budget or over is not written in the data"
    if tamper.startswith("eps") and claim.status not in SUCCESS:
        return "eps is what was asked for; nothing is claimed of it where w does not separate"
    if tamper == "eps where none was reached" and claim.status == "eps-optimal":
        return "who comes within 0.001 of the best comes within more"
    if tamper == "eps nan" and claim.status == "separated":
        return "no eps was asked for, none is claimed"
    if claim.status == "not separable" and tamper in ("upper up a millionth", "upper down a millionth", "upper 0"):
        return "the bound is 0 up to rounding, and the truth is 0: a millionth of the rounding is nothing"
    if tamper == "weights in other places" and np.ptp(claim.weights) <= 1e-6 * claim.weights.max():
        return "equal weights may change places"
    return None


@pytest.mark.parametrize("tamper", TAMPERED)
@pytest.mark.parametrize("name", HONEST)
def test_a_tampered_certificate_is_caught_and_the_culprit_named(name, tamper):
    claim, X, y = honest(name)
    change, culprits = TAMPERED[tamper]
    changed = change(claim, len(X))
    if harmless(name, tamper, claim, changed):
        return
    verdict = replace(claim, **changed).check(X, y)
    assert not verdict
    assert any(culprit in str(verdict) for culprit in culprits), verdict


@pytest.mark.parametrize("name", HONEST)
def test_a_rescaled_certificate_is_still_true(name):
    claim, X, y = honest(name)  # a hyperplane is a direction, and weights of a proof count by their shares
    assert replace(claim, w=4 * claim.w, weights=0.5 * claim.weights).check(X, y)
    order = np.random.default_rng(0).permutation(claim.rows.size)
    assert replace(claim, rows=claim.rows[order], weights=claim.weights[order]).check(X, y)


@pytest.mark.parametrize("name", HONEST)
def test_a_certificate_of_other_data_is_caught(name):
    claim, X, y = honest(name)
    other = clouds(7, len(X), X.shape[1], 1.0)[0]
    flipped = touched(y, 1, "up" if y[1] == "down" else "down")
    moved = touched(X, int(np.argmax(np.linalg.norm(X, axis=1))), 2.0 * X.max(axis=0))
    for data in ((other, y), (X, flipped), (moved, y), (X, y[::-1]), (X[:-1], y[:-1]), (X[:, :-1], y), (X, y[:-1])):
        assert not claim.check(*data)
    assert not claim.check(X, y, sample_weight=np.arange(len(X)) % 2)
    assert not claim.check(X, np.full(len(y), "elsewhere", dtype=y.dtype.str.replace("4", "9")))


@pytest.mark.parametrize("name", HONEST)
def test_every_flipped_label_is_caught(name):
    claim, X, y = honest(name)
    for i in range(len(y)):
        flipped = touched(y, i, "up" if y[i] == "down" else "down")
        assert not claim.check(X, flipped), i


@pytest.mark.parametrize("upper", [0.0, -1.0])
def test_a_forged_bound_is_said_and_rejected(upper):
    name = next(each for each in HONEST if honest(each)[0].separates)
    claim, X, y = honest(name)
    forged = replace(claim, upper=upper)
    assert "no " in str(forged) and "short of the best" not in str(forged)
    assert not forged.check(X, y)


@pytest.mark.parametrize("name", HONEST)
def test_a_certificate_says_what_it_knows(name):
    claim, _, _ = honest(name)
    said = str(claim)
    assert said.lower().startswith(claim.status)
    assert said.endswith(".")
    assert f"{claim.updates} update" in said
    if claim.separates:
        assert at_least(claim.lower) in said
        assert at_most(claim.upper) in said
        assert at_most(claim.novikoff, 4) in said
    else:
        assert f"{claim.violated} of {claim.size}" in said
    if claim.status == "budget spent":
        assert claim.reason in said
        assert at_most(claim.upper) in said
    if claim.status == "not separable":
        assert f"{np.count_nonzero(claim.weights)} training vectors" in said


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("turn", [1.0, -1e7])
def test_the_last_bit_of_a_margin_is_decided_exactly(name, turn):
    """The largest float that is no more than the margin of w is accepted as ``lower``; the next one is refused."""
    claim, X, y = honest(name)
    w, constant = claim.w.copy(), int(claim.bias != "none")
    w[-1] *= turn  # a w whose bias is far off has a large negative margin
    numbers, sign = [Fraction(x) for x in w.tolist()], np.where(y == claim.classes[1], 1, -1)
    rows = [[*map(Fraction, row), Fraction(constant)] for row in X.tolist()]
    scores = [int(side) * sum(a * b for a, b in zip(numbers, row)) for side, row in zip(sign, rows)]
    square, low = sum(x * x for x in (numbers[:-1] if claim.bias == "free" else numbers)), min(scores)

    def holds(lower):
        gap = low * abs(low) - Fraction(lower) * abs(Fraction(lower)) * square
        return gap >= 0

    lower = float(low) / math.sqrt(square)
    while not holds(lower):
        lower = math.nextafter(lower, -math.inf)
    while holds(math.nextafter(lower, math.inf)):
        lower = math.nextafter(lower, math.inf)
    for number, true in ((lower, True), (math.nextafter(lower, math.inf), False)):
        verdict = replace(claim, w=w, lower=number).check(X, y)
        assert any("lower" in said for said in verdict.failures) != true, (number, verdict)


def test_a_verdict_says_what_it_found():
    claim, X, y = honest("eps-optimal")
    verdict = claim.check(X, y)
    assert "holds" in str(verdict)
    assert verdict.lower == pytest.approx(claim.lower)
    assert verdict.upper == pytest.approx(claim.upper)
    wrong = replace(claim, upper=1.0, violated=3).check(X, y)
    assert "WRONG" in str(wrong)
    assert {failure.split(":")[0] for failure in wrong.failures} == {"upper", "violated"}


# --- what learning has computed already ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_sum_of_a_long_run_is_its_own_w(form, monkeypatch):
    rng = np.random.default_rng(5)
    X, sign = rng.normal(size=(60, 4)), rng.choice([-1, 1], 60)
    part = points(form(X), sign)
    run = partial(learn, [part], Margin(0.0), stop=Stop(passes=3))
    with interpreted():
        plain = run(Increment(1.0)).certificate
        monkeypatch.setattr("linsep.certificates.prove.margin.BLOCK", 8)
        monkeypatch.setattr("linsep.certificates.prove.margin.prove_inseparable", lambda *_: None)
        summed = mock.Mock(side_effect=combine)
        monkeypatch.setattr("linsep.certificates.prove.margin.combine", summed)
        result = run(Increment(1.0))
        found = result.certificate
        assert not summed.called and found.rounding > plain.rounding
        assert found.check(X, sign), str(found.check(X, sign))
        for rule, start in ((Increment(1.0), np.zeros(5)), (Relaxation(1.5), None), (Nearest(), None)):
            target = Margin(1.0) if isinstance(rule, Relaxation) else Margin(0.0)
            other = learn([part], target, rule, stop=Stop(passes=3), start=start).certificate
            assert summed.called, "w of a start, or with weights that were rounded, is no proof"
            assert other.check(X, sign)
            summed.reset_mock()
    weights = result.state.dual_weights
    true = np.linalg.norm(weights @ (np.column_stack([X, np.ones(60)]) * sign[:, None])) / weights.sum()
    assert true <= found.upper <= true + 2 * found.rounding


def test_a_part_of_a_run_is_not_its_own_proof(monkeypatch):
    monkeypatch.setattr("linsep.certificates.prove.margin.BLOCK", 2)
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    rule = Perceptron()
    for half in (slice(0, 40), slice(40, 80)):
        rule.partial_fit(X[half], y[half], [0, 1])
        assert rule.check(X[half], y[half]), str(rule.check(X[half], y[half]))
