"""The order of visits: every present row once per pass, shuffled by the seed, or the classes in turns."""

from functools import partial

import loop_cases as cases
import numpy as np
import pytest
from loop_cases import FORMATS

from linsep import Perceptron
from linsep.loop.learn import learn
from linsep.loop.order import VISITS, visits
from linsep.loop.stop import Stop
from linsep.oracles import classes, points
from linsep.rules import Increment
from linsep.targets import Margin


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize("n", [1, 10, 5000, VISITS + 10])
def test_every_row_whose_weight_is_not_0_is_visited_once_per_pass(form, n):
    X = FORMATS[form](np.ones((n, 12)))
    sign = np.ones(n)
    weight = (np.arange(n) % 5 != 2).astype(float)
    rng = np.random.default_rng(0)
    for given_weight, order in ((None, rng), (weight, rng), (None, None), (weight, None)):
        wanted = np.arange(n) if given_weight is None else np.flatnonzero(weight)
        orders = [np.concatenate(list(visits(points(X, sign, given_weight), order))) for _ in range(2)]
        assert all(np.array_equal(np.sort(rows), wanted) for rows in orders)
        if order is None:
            assert np.array_equal(orders[0], wanted)
        elif n > 100:
            assert not np.array_equal(*orders)


def test_the_seed_decides_the_order():
    X, sign = cases.floats(27, n=80, apart=0.2)
    run = partial(learn, [points(X, sign)], Margin(0.0), Increment(1.0), stop=Stop(passes=5))
    one, same, other = (run(rng=np.random.default_rng(seed)).w for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    shuffled = partial(Perceptron, shuffle=True, max_iter=5)
    one, same, other = (shuffled(random_state=seed).fit(X, sign).coef_ for seed in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_classes_take_turns_when_interleaved():
    label = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    order = np.concatenate(list(visits(classes(np.eye(9), label, 3), "interleaved")))
    assert label[order].tolist() == [0, 1, 2] * 3
    assert all(np.diff(order[label[order] == k]).min() > 0 for k in range(3))  # each class in its own order
    sign = np.array([-1, -1, -1, 1, 1, 1])
    assert sign[np.concatenate(list(visits(points(np.eye(6), sign), "interleaved")))].tolist() == [-1, 1] * 3
