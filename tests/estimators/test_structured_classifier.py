"""StructuredClassifier: any phi and labels, by the user's own functions (E1, E4, E5)."""

import numpy as np
import pytest
from chain_structures import best_rival, contradicting, phi, sequences, words

from linsep import StructuredClassifier
from linsep.targets import EpsOptimal


def test_a_larger_loss_asks_for_a_larger_margin():
    X, y = sequences(1)
    rule = StructuredClassifier(phi, labels=words, loss="hamming", loss_scale=2.0, max_iter=5000).fit(X, y)
    for x, truth in zip(X, y, strict=True):
        for other in words(x):
            differ = np.mean(np.array(other) != np.array(truth))
            assert rule.coef_ @ (phi(x, truth) - phi(x, other)) > 2.0 * differ or other == truth
    assert rule.check(X, y)


def test_the_loss_is_counted_in_the_risk():
    X, y = sequences(2)
    rule = StructuredClassifier(phi, labels=words, loss="hamming", max_iter=1, keep="last").fit(X[:1], y[:1])
    by_hand = [np.mean(np.array(t) != np.array(p)) for t, p in zip(y, rule.predict(X), strict=True)]
    assert rule.risk(X, y) == pytest.approx(np.mean(by_hand))
    own = StructuredClassifier(phi, labels=words, loss=lambda d, t: 7.0 * (d != t)).fit(X[:1], y[:1])
    assert own.risk(X, y) == pytest.approx(7.0 * (1.0 - own.score(X, y)))


@pytest.mark.parametrize("rule", ["perceptron", "relaxation", "kozinec", "maximum margin"])
@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_every_rule_by_its_name_learns_and_is_checked(rule, batch):
    if batch and rule == "maximum margin":
        pytest.skip("the largest margin itself has one form")
    X, y = sequences(3)
    learned = StructuredClassifier(phi, labels=words, rule=rule, batch=batch, max_iter=5000).fit(X, y)
    assert learned.certificate_.separates and learned.score(X, y) == 1.0
    verdict = learned.check(X, y)
    assert verdict, str(verdict)
    assert not learned.check(X, [best_rival(learned.coef_, x, truth) for x, truth in zip(X, y, strict=True)])
    scores = learned.decision_function(X, y)
    assert scores == pytest.approx([learned.coef_ @ phi(x, truth) for x, truth in zip(X, y, strict=True)])


def test_the_largest_margin_to_a_tolerance_of_ones_own():
    X, y = sequences(3)
    rule = StructuredClassifier(phi, labels=words, rule="maximum margin", target=EpsOptimal(0.0, 0.01)).fit(X, y)
    assert rule.certificate_.relative == 0.01 and rule.certificate_.relative_gap <= 0.01
    with pytest.raises(ValueError, match=r"expected target=None \(1e-9\) or EpsOptimal"):
        rule.set_params(target=1.0).fit(X, y)
    with pytest.raises(ValueError, match="expected loss_scale=0, got 1"):
        rule.set_params(target=None, loss_scale=1.0).fit(X, y)


def test_contradicting_labels_are_proved_not_separable():
    X, y = contradicting(0)
    rule = StructuredClassifier(phi, labels=words, rule="maximum margin").fit(X, y)
    assert rule.certificate_.status == "not separable" and rule.check(X, y)


def test_argmax_alone_learns_but_proves_no_margin():
    X, y = sequences(4)

    def argmax(w, x):
        return max(words(x), key=lambda other: w @ phi(x, other))

    rule = StructuredClassifier(phi, argmax).fit(X, y)
    assert rule.score(X, y) == 1.0
    assert rule.certificate_.status == "not proved" and not rule.certificate_.separates
    assert "may miss a better one" in str(rule.certificate_)
    for more in ({"target": 1.0}, {"loss_scale": 1.0}, {"rule": "kozinec"}):
        with pytest.raises(ValueError, match="give labels, or rival"):
            StructuredClassifier(phi, argmax, **more).fit(X, y)
    with pytest.raises(ValueError, match="check: all labellings are tried, so labels are needed"):
        rule.check(X, y)


def test_a_rival_of_the_users_is_as_good_as_a_list():
    X, y = sequences(5)
    listed = StructuredClassifier(phi, labels=words, rule="maximum margin").fit(X, y)
    asked = StructuredClassifier(phi, labels=words, rival=best_rival, rule="maximum margin").fit(X, y)
    assert asked.certificate_.lower == pytest.approx(listed.certificate_.lower, rel=1e-9)
    assert np.allclose(asked.coef_, listed.coef_, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match=r"rival: expected the best labelling other than the truth .*, got the truth"):
        StructuredClassifier(phi, labels=words, rival=lambda w, x, truth: truth).fit(X, y)


def test_partial_fit_goes_on():
    X, y = sequences(6, n=12)
    rule = StructuredClassifier(phi, labels=words, keep="last")
    for at in range(0, 12, 4):
        rule.partial_fit(X[at : at + 4], y[at : at + 4])
    once = StructuredClassifier(phi, labels=words, keep="last", max_iter=1).fit(X, y)
    assert np.array_equal(rule.coef_, once.coef_)
    assert rule.n_iter_ == 3
    assert rule.check(X[8:], y[8:])  # about the examples of the last call


def test_weight_zero_is_absence():
    X, y = sequences(8)
    weight = np.array([1, 1, 0, 1, 1, 0, 1, 1], dtype=float)
    some = [i for i in range(8) if weight[i]]
    weighted = StructuredClassifier(phi, labels=words).fit(X, y, weight)
    absent = StructuredClassifier(phi, labels=words).fit([X[i] for i in some], [y[i] for i in some])
    assert np.array_equal(weighted.coef_, absent.coef_)
    assert weighted.check(X, y, weight)
    assert not weighted.check(X, y)


X, Y = sequences(9)
LISTED = {"labels": words}


@pytest.mark.parametrize(
    ("make", "data", "said"),
    [
        ((phi, LISTED), (X, Y[:-1]), "y: expected 8 labellings, one per example, got 7"),
        ((phi, LISTED), (X, [*Y[:2], (5, 5), *Y[3:]]), r"y\[2\] = \(5, 5\) is not among the labels"),
        ((phi, LISTED), ([], []), "X is empty"),
        ((phi, {}), (X, Y), "argmax, labels: one of them is needed"),
        (
            (lambda x, k: np.array([np.nan]), {"labels": [0, 1]}),
            ([1], [0]),
            "phi: number 0: expected a finite number, got nan",
        ),
        ((lambda x, k: np.ones(k + 1), {"labels": [0, 1]}), ([1], [0]), "phi: expected 1 numbers as before, got 2"),
        ((phi, LISTED), (X, Y, np.zeros(8)), "non-zero"),
        (
            (lambda x, k: np.ones(1), {"labels": ["a", "bc"], "loss": "hamming", "loss_scale": 1}),
            ([1], ["a"]),
            "loss: 'bc' and 'a' have different lengths",
        ),
    ],
)
def test_errors_name_the_culprit(make, data, said):
    rule = StructuredClassifier(make[0], **make[1])
    with pytest.raises(ValueError, match=said):
        rule.fit(*data)
    assert not hasattr(rule, "coef_")


def test_errors_of_parts_and_of_types():
    with pytest.raises(ValueError, match="partial_fit: rule='maximum margin' needs all examples at once"):
        StructuredClassifier(phi, labels=words, rule="maximum margin").partial_fit(X, Y)
    rule = StructuredClassifier(lambda x, k: np.eye(int(x))[k], labels=[0, 1]).partial_fit([2.0], [0])
    with pytest.raises(ValueError, match="expected 2 numbers as in the first call, got 3"):
        rule.partial_fit([3.0], [0])
    with pytest.raises(TypeError, match="X: expected a list of examples, got str"):
        rule.fit("abc", [0, 1, 0])
