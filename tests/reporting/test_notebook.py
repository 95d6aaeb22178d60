"""What notebooks show of an estimator: scikit-learn's diagram, and once it is fitted its certificate."""

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linsep

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]), np.array(["<o>", "<o>", "x", "x"])


@pytest.mark.parametrize(
    "model",
    [
        linsep.MaximumMargin(),
        linsep.OneVsAll(linsep.Perceptron()),
        linsep.Lifted(linsep.Polynomial(2), linsep.Perceptron()),
        linsep.NearestMean(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fitted_estimator_shows_its_certificate_under_the_diagram(model):
    assert "linsep-summary" not in model._repr_html_() and "sk-container" in model._repr_html_()
    model.fit(X, Y)
    shown = model._repr_html_()
    assert "sk-container" in shown and "<o>" not in shown
    assert model._repr_mimebundle_()["text/html"].count("linsep-summary") == shown.count("linsep-summary") <= 1
    assert "text/plain" in model._repr_mimebundle_()
    if hasattr(model, "certificate_"):
        assert shown.count("linsep-summary") == 1 and "vectors are on their side" in shown


def test_a_sequence_classifier_too():
    model = linsep.SequenceClassifier(max_iter=3).fit([np.eye(2)], [[0, 1]])
    assert "linsep-summary" in model._repr_html_()


def test_scikit_learns_own_settings_and_pipelines_are_left_alone():
    model = linsep.MaximumMargin().fit(X, Y)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_") and "text/html" not in model._repr_mimebundle_()
    assert "sk-container" in make_pipeline(StandardScaler(), linsep.MaximumMargin()).fit(X, Y)._repr_html_()
    assert repr(model) == "MaximumMargin()"


def test_a_report_is_shown_in_a_frame_of_its_own():
    found = linsep.report(linsep.MaximumMargin().fit(X, Y), X, Y, refits=0)
    assert found._repr_html_().startswith("<iframe") and "sandbox" in found._repr_html_()
    assert found._repr_html_().count("<") == 2  # the page itself is an attribute, escaped
