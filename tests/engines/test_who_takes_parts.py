"""Every name of the package: an estimator takes dask collections in `fit`, or says what to do."""

import inspect

import numpy as np
import pytest

import linsep

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
MADE = {
    "Functions": lambda: linsep.Functions([np.sin]),
    "Kozinec": lambda: linsep.Kozinec(batch=True),
    "Lifted": lambda: linsep.Lifted(linsep.Polynomial(2), linsep.Perceptron()),
    "OneVsAll": lambda: linsep.OneVsAll(linsep.Perceptron(batch=True)),
    "OneVsOne": lambda: linsep.OneVsOne(linsep.Perceptron(batch=True)),
    "Perceptron": lambda: linsep.Perceptron(batch=True),
    "StructuredClassifier": lambda: linsep.StructuredClassifier(lambda x, k: x),
}
ESTIMATORS = [
    name for name in linsep.__all__ if inspect.isclass(kind := getattr(linsep, name)) and hasattr(kind, "fit")
]
WHOLE = {  # these need rows one by one, or all at once
    "Functions", "Lifted", "MaximumMarginCV", "NetworkClassifier", "OneVsOne", "Polynomial", "Quadratic",
    "SequenceClassifier", "StructuredClassifier",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_takes_parts_or_says_what_to_do(name):
    rule = MADE.get(name, getattr(linsep, name))()
    given = da.from_array(X, chunks=(20, 3)), da.from_array(Y, chunks=20)
    if name in WHOLE:
        with pytest.raises(ValueError, match=r"^X: .*takes no dask collection.*X\.compute\(\)") as found:
            rule.fit(*given)
        assert "\n" not in str(found.value)
        return
    rule.fit(*given)
    assert (rule.predict(given[0]).compute() == rule.predict(X)).all()


def test_the_list_is_that_of_the_package():
    assert set(ESTIMATORS) >= WHOLE | set(MADE) and len(ESTIMATORS) > len(WHOLE)
