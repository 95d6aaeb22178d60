"""Certificates: what they claim is true, and what is not true they do not get past the check."""

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import Certificate, GradientDescent, Kozinec, LeastSquares, Perceptron
from linsep import Relaxation as RelaxationRule
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import differences, points
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

SUCCESS = {"separated", "eps-optimal", "optimal"}
STATUSES = [*sorted(SUCCESS), "not separable", "budget spent", "not separated", "not decided within rounding"]


def clouds(seed, n, d, apart):
    """Two Gaussian clouds."""
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + apart * sign[:, None], sign


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


def refused(oracle, target, rule, form):
    """Combinations without a meaning; test_core holds that they are refused with a reason."""
    return (
        (form == "whole" and "differences" in oracle)
        or (rule == "relaxation" and target != "margin")
        or (rule == "nearest" and target == "margin")
    )


@cache
def true_margin(name, bias):
    return reference.largest_margin(*SETS[name], bias)


COMBINATIONS = [
    (oracle, target, rule, form)
    for oracle in ORACLES
    for target in TARGETS
    for rule in RULES
    for form in ("single", "whole")
    if not refused(oracle, target, rule, form)
]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("oracle", "target", "rule", "form"), COMBINATIONS)
def test_every_oracle_target_rule_and_form_is_proved(name, oracle, target, rule, form):
    X, sign = SETS[name]
    build, bias = ORACLES[oracle]
    result = learn(build(X, sign), TARGETS[target], RULES[rule], whole=form == "whole", stop=Stop(passes=300))
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


# --- adversaries -----------------------------------------------------------------------------------------------------


@cache
def honest(name):
    """An honest certificate of each kind, with its data."""
    apart, mixed, hard = clouds(3, 20, 3, 1.6), clouds(4, 30, 3, 0.2), hard_to_separate()
    rule, (X, sign) = {
        "separated": (Perceptron(), apart),
        "separated, no bias": (Perceptron(fit_intercept=False), clouds(6, 20, 3, 1.6)),
        "separated by squares": (LeastSquares(), apart),
        "eps-optimal": (Kozinec(eps=1e-3), apart),
        "eps-optimal, relative": (Kozinec(relative=1e-3, bias="augmented"), apart),
        "not separable": (Kozinec(), mixed),
        "not separable, augmented": (Kozinec(bias="augmented"), mixed),
        "not separable by Ho-Kashyap": (LeastSquares(method="ho-kashyap"), mixed),
        "budget spent": (Perceptron(max_passes=3, keep="last"), hard),
        "budget spent, free": (Kozinec(max_updates=4, keep="last"), hard),
        "not separated": (LeastSquares(), hard),
    }[name]
    labels = np.where(sign > 0, "up", "down")
    rule.fit(X, labels)
    assert rule.certificate_.status == name.split(" by ")[0].split(",")[0], rule.certificate_
    assert rule.certificate_.check(X, labels)
    return rule.certificate_, X, labels


def hard_to_separate():
    """Long clouds, away from the origin: separable, but not at a glance, and not by least squares."""
    X, sign = clouds(53, 24, 3, 1.2)
    return X * [1.0, 8.0, 3.0] + [5.0, 3.0, 2.0], sign


HONEST = [
    "separated", "separated, no bias", "separated by squares", "eps-optimal", "eps-optimal, relative", "not separable",
    "not separable, augmented", "not separable by Ho-Kashyap", "budget spent", "budget spent, free", "not separated",
]  # fmt: skip


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


@pytest.mark.parametrize("name", HONEST)
def test_a_certificate_survives_json_and_still_checks(name):
    claim, X, y = honest(name)
    again = Certificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.to_dict() == claim.to_dict()
    assert again.check(X, y)
    assert again.check(sp.csr_array(X), y)
    assert not replace(again, violated=again.violated + 1).check(X, y)


@pytest.mark.parametrize("name", HONEST)
def test_a_certificate_says_what_it_knows(name):
    claim, _, _ = honest(name)
    said = str(claim)
    assert said.lower().startswith(claim.status)
    assert said.endswith(".")
    assert f"{claim.updates} update" in said
    if claim.separates:
        assert f"{claim.lower:.6g}" in said
        assert f"{claim.upper:.6g}" in said
        assert f"{claim.novikoff:.4g}" in said
    else:
        assert f"{claim.violated} of {claim.size}" in said
    if claim.status == "budget spent":
        assert claim.reason in said
        assert f"{claim.upper:.6g}" in said
    if claim.status == "not separable":
        assert f"{np.count_nonzero(claim.weights)} training vectors" in said


def test_a_verdict_says_what_it_found():
    claim, X, y = honest("eps-optimal")
    verdict = claim.check(X, y)
    assert "holds" in str(verdict)
    assert verdict.margin == pytest.approx(claim.lower)
    assert verdict.bound == pytest.approx(claim.upper)
    wrong = replace(claim, upper=1.0, violated=3).check(X, y)
    assert "WRONG" in str(wrong)
    assert {failure.split(":")[0] for failure in wrong.failures} == {"upper", "violated"}


# --- rounding --------------------------------------------------------------------------------------------------------

LEARNERS = {
    "perceptron": Perceptron(max_passes=50),
    "last perceptron": Perceptron(max_passes=50, keep="last"),
    "batch perceptron": Perceptron(max_passes=50, batch=True),
    "relaxation": RelaxationRule(max_passes=50),
    "kozinec": Kozinec(max_passes=100),
    "exacting kozinec": Kozinec(max_passes=100, eps=1e-9),
    "augmented kozinec": Kozinec(max_passes=100, bias="augmented"),
    "squares": LeastSquares(),
    "ho-kashyap": LeastSquares(method="ho-kashyap", max_passes=50),
    "descent": GradientDescent(max_passes=50),
}
SCALES = [(1.0, 0.0), (1e-8, 0.0), (1e8, 0.0), (1.0, 1e8), (2.0**-20, 2.0**26), (1e-8, 1e8)]


def no_false_claim(rule, X, sign, truth):
    """Fit, and compare every claim with the truth; ``truth`` says whether some hyperplane separates."""
    rule.fit(X, sign)
    claim = rule.certificate_
    lowest = reference.exact_lowest(X, sign, [*rule.coef_[0], *rule.intercept_])
    if claim.status in SUCCESS:
        assert truth, f"{claim} of data that are not separable"
        assert lowest > 0, f"{claim}, but the least score is {float(lowest)}"
    if claim.status == "not separable":
        assert not truth, f"{claim} of separable data"
    verdict = claim.check(X, sign)
    assert verdict, f"{verdict}\n{claim!r}"
    return claim


@pytest.mark.parametrize("rule", LEARNERS)
@pytest.mark.parametrize(("scale", "offset"), SCALES)
def test_hulls_that_touch_are_never_called_separated(rule, scale, offset):
    for X, sign in (
        ([[0], [1], [1], [2]], [-1, -1, 1, 1]),  # a point in both classes
        ([[0, 0], [2, 0], [1, 0], [1, 3]], [-1, -1, 1, 1]),  # a point on an edge
        ([[0, 0], [2, 2], [0, 2], [2, 0]], [-1, -1, 1, 1]),  # xor: edges that cross
        ([[1, 1], [1, 1]], [-1, 1]),
        ([[0, 0], [0, 0], [1, 1], [1, 1]], [-1, 1, -1, 1]),
    ):
        X = np.array(X, dtype=float) * scale + offset
        claim = no_false_claim(LEARNERS[rule], X, np.array(sign), truth=False)
        assert claim.status not in SUCCESS


@pytest.mark.parametrize("rule", LEARNERS)
def test_a_margin_of_a_millionth_millionth_is_told_or_left_open(rule):
    gap = 2.0**-40  # 1e-12, and exact
    for X, sign, truth in (
        ([[0], [1], [1 + gap], [2]], [-1, -1, 1, 1], True),
        ([[0], [1 + gap], [1], [2]], [-1, -1, 1, 1], False),
        ([[0, 0], [2, 0], [1, gap], [1, 3]], [-1, -1, 1, 1], True),
        ([[0, 0], [2, 0], [1, -gap], [1, 3]], [-1, -1, 1, 1], False),
        ([[0, 0], [2, 2 - gap], [0, 2], [1, 1]], [-1, -1, 1, 1], True),
        ([[0, 0], [2, 2 + gap], [0, 2], [1, 1]], [-1, -1, 1, 1], False),
    ):
        no_false_claim(LEARNERS[rule], np.array(X), np.array(sign), truth)


@st.composite
def small_whole_sets(draw):
    """Few points with small whole coordinates and labels of both classes: every degeneracy there is."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    sign = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    return X, sign


@given(small_whole_sets(), st.sampled_from(list(LEARNERS)), st.sampled_from(SCALES))
@example((np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]), np.array([-1, 1])), "perceptron", (1e-8, 0.0))
def test_no_status_contradicts_the_linear_program(problem, rule, place):
    X, sign = problem
    truth = reference.separable(reference.mirrored(X, sign))
    scale, offset = place
    if offset and scale < 1e-6:  # added to 1e8 these would not be the same points any more
        offset = 0.0
    no_false_claim(LEARNERS[rule], X * scale + offset, sign, truth)


@given(small_whole_sets(), st.sampled_from(["increment", "nearest"]))
@example((np.array([[0.0], [1.0]]), np.array([-1, 1])), "increment")
@example((np.array([[0.0], [0.0], [1.0]]), np.array([-1, 1, -1])), "increment")
def test_no_status_contradicts_the_linear_program_without_bias(problem, rule):
    X, sign = problem
    truth = reference.separable(reference.mirrored(X, sign, 0.0)[:, :-1])
    target = EpsOptimal(0.0, 0.01) if rule == "nearest" else Margin(0.0)
    claim = learn([points(X, sign, bias=0.0)], target, RULES[rule], stop=Stop(passes=200)).certificate
    assert truth or claim.status not in SUCCESS
    assert not truth or claim.status != "not separable"
    assert claim.check(X, sign)


@given(small_whole_sets())
def test_bounds_hold_the_true_margin(problem):
    X, sign = problem
    for bias in ("free", "augmented"):
        true = reference.largest_margin(X, sign, bias)
        claim = Kozinec(bias=bias, relative=0.05, max_passes=300).fit(X, sign).certificate_
        assert claim.lower <= true + 1e-9
        assert claim.upper >= true - 1e-9
        if claim.status == "eps-optimal":
            assert true - claim.lower <= 0.05 * claim.upper + 1e-9


@pytest.mark.parametrize(("scale", "offset"), [*SCALES[:5], (1000.0, 1e8), (1.0, 3e6), (1.0, 1e5)])
@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_eps_optimal_means_within_eps_wherever_the_data_lie(scale, offset, bias):
    # Whole numbers, far away: every coordinate is exact, only the scalar products round.
    rng = np.random.default_rng(8)
    sign = np.where(np.arange(40) % 2, 1, -1)
    X = rng.integers(-6, 7, (40, 3)) + 8.0 * sign[:, None]
    true = scale * reference.largest_margin(X, sign, "free")
    X = X * scale + offset
    for eps in (1e-1, 1e-4, 1e-7, 1e-10):
        rule = Kozinec(eps=eps * true, bias=bias, max_passes=2000).fit(X, sign)
        claim = rule.certificate_
        assert claim.check(X, sign), f"{claim!r}"
        exact = float(reference.exact_lowest(X, sign, claim.w)) / float(
            np.linalg.norm(claim.w[:-1] if bias == "free" else claim.w)
        )
        assert claim.lower <= exact + 1e-15 * abs(exact) + 1e-300
        if claim.status == "eps-optimal":  # the numbers written in it must say so, too
            assert claim.upper - claim.lower <= eps * true * (1 + 1e-9), f"wanted {eps * true:g}: {claim}"
        if claim.status == "eps-optimal" and bias == "free":
            assert true - exact <= eps * true * (1 + 1e-9)
            assert claim.upper >= true * (1 - 1e-12)


def test_a_false_eps_is_caught_far_from_the_origin():
    rng = np.random.default_rng(20)
    sign = np.where(np.arange(60) % 2, 1, -1)
    near = 1000.0 * (rng.integers(-6, 7, (60, 3)) + 6.0 * sign[:, None])
    true = reference.largest_margin(near, sign, "free")
    X = near + 1e8
    claim = Kozinec(relative=0.3).fit(X, sign).certificate_
    exact = float(reference.exact_lowest(X, sign, claim.w)) / float(np.linalg.norm(claim.w[:-1]))
    assert true - exact > 0.2 * true  # so the following is a lie
    verdict = replace(claim, status="eps-optimal", relative=0.0, eps=1e-3 * true).check(X, sign)
    assert not verdict
    assert "status" in str(verdict)


# --- proofs of inseparability ----------------------------------------------------------------------------------------


def xor():
    return np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])


@pytest.mark.parametrize(
    "rule", [Kozinec(), Kozinec(bias="augmented"), Perceptron(), LeastSquares(method="ho-kashyap")]
)
def test_overlapping_clouds_are_proved_not_separable(rule):
    for X, sign in (xor(), *(clouds(seed, 40, d, 0.1) for seed, d in ((10, 1), (11, 2), (12, 4), (13, 7)))):
        assert not reference.separable(reference.mirrored(X, sign))
        claim = rule.fit(X, sign).certificate_
        assert claim.status == "not separable"
        assert claim.check(X, sign)
        assert claim.check(sp.csr_array(X), sign)
        A = reference.mirrored(X, sign)[claim.rows]
        share = claim.weights / claim.weights.sum()
        assert np.linalg.norm(share @ A) <= 1e-6 * np.linalg.norm(A, axis=1).max()


def test_one_hot_columns_beside_a_number_are_proved_not_separable():
    # one-hot groups and the bias depend on each other: the proof has to leave a column out, and so has its check
    rng = np.random.default_rng(14)
    colour, sign = rng.integers(0, 3, 60), np.where(np.arange(60) % 2, 1, -1)
    for number in (rng.integers(0, 5, 60), rng.normal(size=60)):
        X = np.column_stack([np.eye(3)[colour], number])
        for rule in (Kozinec(), Perceptron()):
            claim = rule.fit(X, sign).certificate_
            assert claim.status == "not separable"
            assert claim.check(X, sign), claim.check(X, sign)


@pytest.mark.parametrize("d", [3, 70, 200])
def test_an_honest_certificate_of_wide_data_is_accepted(d):
    # one point in both classes; the search for proofs is given up at 64 columns, the check must know that
    rng = np.random.default_rng(15)
    X, sign = rng.integers(-2, 3, (6, d)).astype(float), np.array([-1, 1, -1, 1, -1, 1])
    X[1] = X[0]
    for rule in (
        Perceptron(max_passes=50, keep="last"),
        Kozinec(max_passes=50),
        Kozinec(max_passes=50, bias="augmented"),
    ):
        claim = rule.fit(X, sign).certificate_
        assert claim.status in ("not separable", "budget spent")
        verdict = claim.check(X, sign)
        assert verdict, f"{rule}: {verdict}"


def test_a_point_in_both_classes_leaves_solver_and_check_agreed():
    # columns that are fractions of each other: which of them is left out must not matter
    for point in ([-1, -3, -4, -2], [4, 2, 1], [6, 4, 9], [0, 0, 5], [0.5, 0.25, 3]):
        X, sign = np.array([point, point], dtype=float), np.array([-1, 1])
        for rule in (LeastSquares(), LeastSquares(fit_intercept=False), Perceptron(), Kozinec()):
            claim = rule.fit(X, sign).certificate_
            assert claim.check(X, sign), f"{rule} {point}: {claim.check(X, sign)}"
            if not isinstance(rule, LeastSquares):  # its weights sum to zero only up to rounding
                assert claim.status == "not separable"


def test_columns_of_very_different_size_leave_solver_and_check_agreed():
    # found by random search: the check could prove from the weights what the solver had not claimed
    x1 = [10, -20, -10, 20, -20, 20, 0, -20, 0, -10, -10]
    x2 = [0, 0, 0, -2e-6, -1e-6, 0, 0, 2e-6, -1e-6, -1e-6, -1e-6]
    x3 = [2e5, 2e5, 2e5, 0, -2e5, 2e5, -2e5, 0, 1e5, 2e5, 0]
    X = np.column_stack([x1, x2, x3, np.full(11, -1.0)])
    y = np.array([0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1])
    for passes in range(1, 60):
        for keep in ("last", "pocket"):
            claim = Kozinec(eps=1e-6, keep=keep, max_passes=passes).fit(X, y).certificate_
            assert claim.check(X, y), f"{passes} passes: {claim.check(X, y)}"


def test_novikoffs_bound_of_a_margin_near_rounding_is_accepted():
    # whole numbers near 10,000,000: the sure margin is a part of the true one, its square a small part of the square
    near = [
        [-1, -1, -1, 1, -1], [0, -1, 0, -2, -1], [2, 2, 1, -2, 1], [0, 0, 1, 1, 2], [-2, 2, 1, -2, 0],
        [-1, -2, -2, 0, -1], [-2, 1, 1, -1, 0], [2, 2, 2, -1, 0], [2, 2, 2, 1, -1], [2, 0, 1, -2, -2],
    ]  # fmt: skip
    X, y = 1e7 + np.array(near), np.array([0, 1, 1, 0, 0, 0, 0, 1, 0, 1])
    for passes in range(1, 40):
        claim = Kozinec(eps=1e-6, keep="pocket", max_passes=passes).fit(X, y).certificate_
        assert claim.check(X, y), f"{passes} passes: {claim.check(X, y)}"


def test_a_false_proof_of_inseparability_is_caught():
    X, sign = clouds(16, 30, 2, 1.6)
    claim = Kozinec().fit(X, sign).certificate_
    assert claim.status == "eps-optimal"
    rows = np.arange(30)
    for weights in (np.ones(30), np.random.default_rng(0).random(30)):
        for w in (-claim.w, claim.w):
            false = replace(claim, status="not separable", rows=rows, weights=weights, w=w, upper=0.0)
            verdict = false.check(X, sign)
            assert not verdict
            assert "status" in str(verdict)


# --- Novikoff --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_novikoff_bounds_the_updates(seed):
    X, sign = clouds(20 + seed, 40, 2 + seed, 1.3)
    X = X[(X * sign[:, None]).sum(axis=1) > 0.5]
    sign = sign[(clouds(20 + seed, 40, 2 + seed, 1.3)[0] * sign[:, None]).sum(axis=1) > 0.5]
    A = reference.mirrored(X, sign)
    true = reference.largest_margin(X, sign, "augmented")
    longest = np.linalg.norm(A, axis=1).max()
    for shuffle in (None, 0):
        result = learn([points(X, sign)], Margin(0.0), Increment(1.0), seed=shuffle, stop=Stop(passes=10**5))
        claim = result.certificate
        assert result.state.done
        assert claim.updates <= longest**2 / true**2
        assert claim.updates <= claim.novikoff
        assert claim.novikoff >= longest**2 / true**2 * (1 - 1e-9)  # a smaller margin allows more
        assert claim.longest == pytest.approx(longest)


def test_novikoff_speaks_of_the_augmented_vectors_whatever_the_bias():
    X, sign = clouds(30, 30, 3, 1.6)
    updates = learn([points(X, sign)], Margin(0.0), Increment(1.0)).certificate.updates
    for bias in ("free", "augmented"):
        assert updates <= Kozinec(bias=bias).fit(X, sign).certificate_.novikoff


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@pytest.mark.parametrize("tiny", [1e-160, 1e-180, 1e-300])
def test_rows_of_very_different_length_still_get_a_certificate(order, tiny):
    # (D / m)^2 is beyond the largest number, |w|^2 and |a|^2 below the smallest
    X, sign = np.array([[1.0, 0.0], [-tiny, 0.0]])[order], np.array([1, -1])[order]
    for rule in (Perceptron(fit_intercept=False), Perceptron(), Kozinec(), LeastSquares(), RelaxationRule()):
        claim = rule.fit(X, sign).certificate_
        assert claim.status != "not separable"
        assert claim.check(X, sign), f"{rule}: {claim.check(X, sign)}"
        if claim.bias == "none":  # on a line the best margin is the shortest vector
            assert claim.lower <= tiny <= claim.upper


@pytest.mark.parametrize("huge", [1e150, 1e160, 1e300])
def test_no_false_claim_where_squares_overflow(huge):
    X, sign = huge * np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])
    with np.errstate(over="ignore", invalid="ignore"):
        for rule in (Perceptron(), Kozinec(), Kozinec(bias="augmented")):
            assert rule.fit(X, sign).certificate_.status not in SUCCESS


# --- the true optima of optimum.json ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
@pytest.mark.parametrize("bias", ["free", "augmented"])
@pytest.mark.parametrize("wanted", [{"eps": 1e-3}, {"relative": 0.01}], ids=["eps", "relative"])
def test_kozinec_reaches_the_true_margin(name, bias, wanted, shared, optimum):
    X, y = shared(name)
    true = optimum[name]["margin_free_bias" if bias == "free" else "margin_augmented"]
    rule = Kozinec(bias=bias, **wanted).fit(X, y)
    claim = rule.certificate_
    assert claim.status == "eps-optimal"
    assert claim.lower <= true * (1 + 1e-9)
    assert claim.upper >= true * (1 - 1e-9)
    assert true - claim.lower <= wanted.get("eps", 0.0) + wanted.get("relative", 0.0) * claim.upper
    assert claim.check(X, y)
    assert (rule.predict(X) == y).all()


@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
def test_the_perceptron_keeps_novikoffs_bound_on_real_data(name, shared, optimum):
    X, y = shared(name)
    claim = Perceptron(max_passes=10_000).fit(X, y).certificate_
    assert claim.status == "separated"
    assert claim.updates <= optimum[name]["novikoff"] <= claim.novikoff * (1 + 1e-9)
    assert claim.longest == pytest.approx(optimum[name]["D"])


@pytest.mark.parametrize("name", ["riply_trn", "vltava"])
@pytest.mark.parametrize(
    "rule",
    [Kozinec(bias=bias, **wanted) for bias in ("free", "augmented") for wanted in ({"eps": 1e-3}, {"relative": 0.01})]
    + [Perceptron(), RelaxationRule(max_passes=500), LeastSquares(method="ho-kashyap")],
    ids=str,
)
def test_data_that_are_not_separable_never_end_in_success(name, rule, shared):
    X, y = shared(name)
    claim = rule.fit(X, y).certificate_
    assert claim.status in ("not separable", "budget spent")
    assert claim.check(X, y)
