"""Keepers: the last w, the average of all, and the one with the fewest errors."""

import loop_cases as cases
import numpy as np
import pytest
import reference
from loop_cases import NAIVE, ORACLES, RULES, TARGETS

from linsep.loop.learn import learn
from linsep.loop.passes import trace
from linsep.loop.stop import Stop
from linsep.oracles import points
from linsep.rows.bias import place_bias
from linsep.rules import Increment, Nearest
from linsep.targets import Margin


@pytest.mark.parametrize("rule", ["increment", "nearest"])
@pytest.mark.parametrize("target", ["any", "relative"])
def test_average_is_the_mean_of_w_over_all_visits(rule, target):
    X, sign = cases.floats(15, apart=0.3)
    A, seen = reference.mirrored(X, sign), []
    loop = reference.kozinec if rule == "nearest" else reference.perceptron
    loop(A, NAIVE[target], passes=6, mean=seen)
    with cases.interpreted():
        result = learn([points(X, sign)], TARGETS[target], RULES[rule](), keep="average", stop=Stop(passes=6))
    np.testing.assert_allclose(result.w / len(seen), np.mean(seen, axis=0), rtol=1e-10, atol=1e-12)


def test_average_is_right_after_the_scale_was_multiplied_out():
    # a second vector nearer on the same ray: Kozinec jumps to it with alpha = 0, in the middle of a run
    A = np.array([[8.0, 0.0], [8.0, 4.0], [2.0, 0.0], [1.0, 0.25], [1.0, -2.0]])
    seen = []
    w, rows = reference.kozinec(A, NAIVE["relative"], passes=8, mean=seen)
    sign = np.ones(len(A), dtype=np.int8)
    with cases.interpreted():
        result = learn([points(A, sign, bias=0.0)], TARGETS["relative"], Nearest(), keep="average", stop=Stop(passes=8))
        jumps = [row for row, _ in trace([points(A, sign, bias=0.0)], TARGETS["relative"], Nearest()) if row == 2]
    assert result.state.counters.updates == len(rows) > 3
    np.testing.assert_allclose(result.state.weights[:-1], w, rtol=1e-12)
    np.testing.assert_allclose(result.w[:-1], np.sum(seen[: result.state.passes * len(A)], axis=0), rtol=1e-12)
    assert jumps  # the jump did happen


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_pocket_keeps_the_fewest_errors(batch):
    X, sign = cases.floats(17, n=60, d=2, apart=0.4)
    A, errors = reference.mirrored(X, sign), []
    with cases.interpreted():
        result = learn(
            [points(X, sign)], Margin(0.0), Increment(1.0), keep="pocket", batch=batch, stop=Stop(passes=25),
            watch=[lambda state: errors.append(int(np.sum(A @ state.weights <= 0)))],
        )  # fmt: skip
    assert min(errors) < max(errors)
    assert np.sum(A @ result.w <= 0) == min(errors) == result.certificate.violated


def test_pocket_counts_the_errors_of_the_hyperplane_that_is_returned():
    # with a free bias w alone is no hyperplane: its errors are those of w with its best bias
    X, sign = cases.floats(10, n=60, d=2, apart=0.35)
    X = X + 7.0
    errors = []

    def count_errors(state):
        w = place_bias([points(X, sign)], state.weights)
        errors.append(int(np.sum(reference.mirrored(X, sign) @ w <= 0)))

    parts, stop = ORACLES["differences"](X, sign), Stop(passes=30)
    with cases.interpreted():
        result = learn(parts, TARGETS["relative"], Nearest(), keep="pocket", stop=stop, watch=[count_errors])
    assert result.certificate.violated <= min(errors)


def test_auto_keeps_the_separating_w():
    X, sign = cases.floats(19, apart=1.5)
    done, last = (learn([points(X, sign)], Margin(0.0), Increment(1.0), keep=keep) for keep in ("auto", "last"))
    assert done.state.done
    assert np.array_equal(done.w, last.w)
