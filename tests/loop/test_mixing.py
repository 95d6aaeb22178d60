"""Parts that learn by themselves, and whose w are mixed: against a few lines of NumPy, and the guarantee."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import AveragedPerceptron, Kozinec, LinearMachine, Perceptron, Relaxation
from linsep.loop.batch import PackedWeights
from linsep.loop.mixing import Change, Learned, mix
from linsep.loop.sweep import Counters

da = pytest.importorskip("dask.array")

ROWS = (40, 7, 53)
N = sum(ROWS)


def table(separable=True, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X, W = rng.standard_normal((N, 4)), rng.standard_normal((classes, 5))
    scores = np.c_[X, np.ones(N)] @ W.T
    y = scores.argmax(axis=1)
    if separable:
        X = X + 0.3 * W[y, :4]
        y = (np.c_[X, np.ones(N)] @ W.T).argmax(axis=1)
    else:
        y = (scores + 2.0 * rng.standard_normal(scores.shape)).argmax(axis=1)
    return X, y


def as_dask(X, y, rows=ROWS):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def mixed_perceptron(A, rows, step, passes):
    """Iterative parameter mixing as the paper has it: the last w, the sum of w over all visits, and the updates."""
    w, seen, updates, shares = np.zeros(A.shape[1]), np.zeros(A.shape[1]), [], []
    for _ in range(passes):
        found, made = [], []
        for part in np.split(A, np.cumsum(rows)[:-1]):
            own, count = w.copy(), 0
            for a in part:
                if own @ a <= (1.0 if step is relax else 0.0):
                    own, count = own + step(own, a) * a, count + 1
                seen += own
            found.append(own)
            made.append(count)
        updates.append(made)
        if not sum(made):
            break
        shares.append([k / sum(made) for k in made])
        w = sum(share * own for share, own in zip(shares[-1], found, strict=True))
    return w, seen, updates, shares


def add(w, a):
    return 1.0


def relax(w, a):
    return 1.5 * (1.0 + 1e-9 - w @ a) / (a @ a)


@pytest.mark.parametrize("separable", [True, False])
@pytest.mark.parametrize(("rule", "step"), [(Perceptron, add), (Relaxation, relax)])
@pytest.mark.parametrize("keep", ["last", "average"])
def test_mixing_is_what_the_paper_says(separable, rule, step, keep):
    X, y = table(separable)
    A = np.c_[X, np.ones(N)] * np.where(y == 1, 1.0, -1.0)[:, None]
    w, seen, updates, _ = mixed_perceptron(A, ROWS, step, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rule(keep=keep, scaling=None, max_iter=8).fit(*as_dask(X, y))
    expected = w if keep == "last" else seen
    got = np.r_[found.coef_[0], found.intercept_]
    np.testing.assert_allclose(got / np.linalg.norm(got), expected / np.linalg.norm(expected), rtol=1e-9)
    claim = found.certificate_
    assert claim.updates == sum(map(sum, updates)) and claim.mixed == 3
    assert "in 3 parts by themselves, whose w were mixed after every pass" in str(claim)
    assert found.check(X, y) and found.check(*as_dask(X, y))
    assert [entry["mistakes"] for entry in found.history_] == [sum(made) for made in updates]


@pytest.mark.parametrize("seed", range(5))
def test_the_weighted_updates_are_within_novikoffs_bound(seed):
    """The sum of share * updates is the total weight in w, which a certificate knows as its dual weights."""
    X, y = table(seed=seed)
    A = np.c_[X, np.ones(N)] * np.where(y == 1, 1.0, -1.0)[:, None]
    _, _, updates, shares = mixed_perceptron(A, ROWS, add, 1000)
    assert not sum(updates[-1])
    found = Perceptron(keep="last", scaling=None, max_iter=1000).fit(*as_dask(X, y))
    claim = found.certificate_
    assert claim.separates and claim.w.shape == (5,)
    total = sum(share * k for own, made in zip(shares, updates) for share, k in zip(own, made))
    np.testing.assert_allclose(claim.weights.sum(), total, rtol=1e-9)
    assert found.n_iter_ - 1 <= total <= claim.novikoff_best


def test_one_part_learns_what_memory_learns():
    X, y = table(separable=False)
    for rule in (Perceptron(keep="last", max_iter=5), LinearMachine(keep="last", max_iter=5)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            here, there = rule.fit(X, y).coef_, rule.fit(*as_dask(X, y, (N,))).coef_
        assert here.tobytes() == there.tobytes()
        assert rule.certificate_.mixed == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda: Perceptron(max_iter=6, class_weight="balanced", rate="1/sqrt(k)"),
        lambda: Perceptron(max_iter=6, rate=lambda k: 1 / k, shuffle=True, random_state=0),
        lambda: LinearMachine("kozinec", max_iter=6),
        lambda: LinearMachine("relaxation", max_iter=6, shuffle=True, random_state=1),
        lambda: AveragedPerceptron(),
    ],
)
def test_all_sequential_rules_have_certificates_that_hold(make, classes, sparse):
    X, y = table(separable=False, classes=classes)
    given = as_dask(X, y)
    if sparse:
        X = sp.csr_array(X)
        given = given[0].map_blocks(sp.csr_array, dtype=float, meta=sp.csr_array((0, 0))), given[1]
    found = make().fit(*given)
    assert found.check(X, y)
    assert found.score(X, y) > 0.5
    again = make().fit(*given)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.certificate_.to_dict() == found.certificate_.to_dict()


def test_rows_that_have_weight_0_are_not_visited():
    X, y = table(separable=False)
    weight = np.random.default_rng(1).integers(0, 2, N).astype(float)
    kept = weight > 0
    rows = tuple(int(part.sum()) for part in np.split(kept, np.cumsum(ROWS)[:-1]))
    make = lambda: Perceptron(keep="last", scaling=None, max_iter=5)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        some = make().fit(*as_dask(X[kept], y[kept], rows))
        found = make().fit(*as_dask(X, y), da.from_array(weight, chunks=(ROWS,)))
    np.testing.assert_allclose(found.coef_, some.coef_, rtol=1e-12)
    assert found.certificate_.updates == some.certificate_.updates


def test_kozinec_says_what_it_learns_in_parts():
    X, y = table()
    with pytest.raises(ValueError, match="takes no dask collections"):
        Kozinec(bias="augmented").fit(*as_dask(X, y))


def test_a_part_without_updates_has_no_share():
    begin = Counters(updates=4, total=2.0)
    w = np.array([1.0, 1.0])
    moved = Learned(
        begin._replace(updates=6, total=4.0), 2, Change.of(np.array([3.0, 5.0]), w), 1.0,
        PackedWeights.of(np.ones(2)), Change.of(7 * w, 2 * w), None,
    )  # fmt: skip
    found = mix([3, moved], w, begin, average=True)
    assert (found.w == [3.0, 5.0]).all() and (found.seen == 10 * w).all()
    assert (found.before, found.total, found.updates) == (1.0, 4.0, 2)
    assert [(number, share) for number, share, _ in found.shares] == [(1, 1.0)]
