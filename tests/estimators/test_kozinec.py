"""Plain Kozinec (C8) by its name."""

import numpy as np
import pytest
import reference
from loop_cases import floats

from linsep import Kozinec


def test_plain_kozinec_is_the_lectures_loop():
    X, sign = floats(1, apart=1.5)
    X += 2.0
    rule = Kozinec(method="plain", bias="augmented").fit(X, sign)
    w, rows = reference.kozinec(reference.mirrored(X, sign), reference.margin(0.0), passes=1000)
    assert rule.certificate_.updates == len(rows) > 1
    np.testing.assert_allclose([*rule.coef_[0], *rule.intercept_], w, rtol=1e-9)
    assert rule.certificate_.updates < Kozinec(bias="augmented").fit(X, sign).certificate_.updates


@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_its_sentence_does_not_speak_of_eps(bias):
    X, sign = floats(1, apart=1.5)
    rule = Kozinec(method="plain", bias=bias).fit(X, sign)
    assert rule.certificate_.status == "separated" and rule.check(X, sign)
    assert "eps" not in str(rule.certificate_) and "target" not in str(rule.certificate_)


def test_nor_does_its_warning():
    X, sign = floats(1, apart=1.5)
    with pytest.warns(UserWarning, match="Raise max_iter, or scale") as said:
        Kozinec(method="plain", bias="augmented", max_updates=2).fit(X + 20.0, sign)
    assert "eps" not in str(said[0].message)


@pytest.mark.parametrize("asked", [{"eps": 0.1}, {"tol": 0.1}])
def test_eps_and_tol_are_not_for_it(asked):
    with pytest.raises(ValueError, match="method='plain': expected eps=None and tol=None"):
        Kozinec(method="plain", **asked).fit([[0.0], [1.0]], [0, 1])
