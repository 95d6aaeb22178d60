"""Model files: every estimator comes back with the same bits; version 1 stays readable; functions are asked for."""

from __future__ import annotations

import inspect
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from saved_models import EXAMPLES, X
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

import linsep
from linsep import bayes
from linsep.model_file.kinds import KINDS, find_class, find_name

OLD = Path(__file__).parent / "version_1"
ALL = pytest.mark.parametrize("name", EXAMPLES)


def same(one, other) -> bool:
    """Whether two answers are equal to the bit."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "tocsr"):
        one, other = one.toarray(), other.toarray()
    if isinstance(one, np.ndarray) and one.dtype == object:
        return same(list(one), list(other))
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def answers(model, X) -> list:
    """What a model says about X."""
    if isinstance(model, linsep.SequenceClassifier | linsep.NetworkClassifier | linsep.StructuredClassifier):
        return [model.predict(X)]  # what else they have takes labels
    names = ("predict", "decision_function", "predict_proba", "score_samples", "transform")
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


def reload(model, tmp_path, functions):
    path = tmp_path / "model.linsep"
    model.save(path)
    return linsep.load(path, functions)


def test_every_public_estimator_has_an_example():
    public = {getattr(linsep, name) for name in linsep.__all__} | {getattr(bayes, name) for name in bayes.__all__}
    kinds = {each for each in public if inspect.isclass(each) and issubclass(each, BaseEstimator)}
    assert kinds == {example.kind for example in EXAMPLES.values()}
    assert all(find_name(kind) and hasattr(kind, "save") for kind in kinds)


@ALL
def test_what_comes_back_is_what_was_saved(name, tmp_path):
    example = EXAMPLES[name]
    model = example.fit()
    loaded = reload(model, tmp_path, example.functions)
    assert type(loaded) is type(model)
    assert same(answers(loaded, example.X), answers(model, example.X))
    assert list(vars(loaded)) == list(vars(model))
    before = (tmp_path / "model.linsep").read_bytes()
    loaded.save(tmp_path / "model.linsep")
    assert (tmp_path / "model.linsep").read_bytes() == before
    if hasattr(model, "check"):
        assert loaded.check(example.X, example.y) == model.check(example.X, example.y)
        assert loaded.check(example.X, example.y)


@ALL
def test_learning_goes_on_from_a_file(name, tmp_path):
    example = EXAMPLES[name]
    model = example.fit()
    if not hasattr(model, "partial_fit") or example.y is None:
        return
    loaded = reload(model, tmp_path, example.functions)
    for each in (model, loaded):
        each.partial_fit(example.X, example.y)
    assert same(answers(loaded, example.X), answers(model, example.X))
    assert getattr(loaded, "n_iter_", 0) == getattr(model, "n_iter_", 0)


@ALL
def test_an_estimator_that_is_not_fitted_is_saved_too(name, tmp_path):
    example = EXAMPLES[name]
    loaded = reload(example.make(), tmp_path, example.functions)
    assert loaded.get_params().keys() == example.make().get_params().keys()
    if example.y is not None:
        assert same(answers(loaded.fit(example.X, example.y), example.X), answers(example.fit(), example.X))


def test_names_of_columns_and_odd_labels_come_back(tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["größe", "b", "c"])
    model = linsep.Perceptron(class_weight={2**62 + 1: 1.0, -(2**60): 0.5}).fit(table, [2**62 + 1, -(2**60)] * 12)
    loaded = reload(model, tmp_path, None)
    assert loaded.feature_names_in_.tolist() == ["größe", "b", "c"] and loaded.classes_.tolist() == [
        -(2**60),
        2**62 + 1,
    ]
    assert loaded.predict(table).tolist() == model.predict(table).tolist()


def test_a_missing_function_is_asked_for_by_name(tmp_path):
    example = EXAMPLES["Lifted, functions"]
    with pytest.raises(ValueError, match=r"'lift.functions\[0\]', is not in the file"):
        reload(example.fit(), tmp_path, None)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linsep.OneVsAll(LogisticRegression()), r"save: estimator is of sklearn\..*LogisticRegression"),
        (linsep.LinearMachine(rule=object()), r"save: rule is of builtins.object"),
        (linsep.Perceptron(class_weight={"a": Path("b")}), r"save: class_weight\['a'\] is of pathlib"),
    ],
)
def test_what_a_file_cannot_hold_is_named_and_nothing_is_written(model, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        model.save(tmp_path / "model.linsep")
    assert not list(tmp_path.iterdir())


def test_a_value_within_itself_is_refused(tmp_path):
    rates: dict = {}
    rates["a"] = rates
    with pytest.raises(ValueError, match="values within values, or itself"):
        linsep.Perceptron(class_weight=rates).save(tmp_path / "model.linsep")


def test_a_file_that_is_there_stays_if_writing_fails(tmp_path):
    path = tmp_path / "model.linsep"
    linsep.Perceptron().save(path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        linsep.Perceptron(rate=object()).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        linsep.Perceptron().save(tmp_path / "no folder" / "model.linsep")


def test_every_class_that_files_may_name_is_found_under_its_name():
    assert all(find_name(find_class(name)) == name for name in KINDS)


def close(one, other) -> bool:
    """Whether nested lists are equal, numbers but for rounding."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other or (isinstance(one, float) and one == pytest.approx(other, rel=1e-9, abs=1e-12))


# --- files of older versions -----------------------------------------------------------------------------------------


def write_old_files() -> None:
    """Write a file of each kind that has none yet; those that exist are never written again."""
    for name, example in EXAMPLES.items():
        path = OLD / f"{name}.linsep"
        if not path.exists():
            example.fit().save(path)
            said = [np.asarray(each, dtype=object).tolist() for each in answers(example.fit(), example.X)[:1]]
            path.with_suffix(".json").write_text(json.dumps(said, default=lambda each: each.tolist()) + "\n")


@ALL
def test_version_1_stays_readable(name):
    """``LINSEP_WRITE_MODELS=1`` writes files of new estimators."""
    if os.environ.get("LINSEP_WRITE_MODELS"):
        write_old_files()
    example, path = EXAMPLES[name], OLD / f"{name}.linsep"
    with zipfile.ZipFile(path) as members:
        assert json.loads(members.read("model.json"))["version"] == 1
    loaded = linsep.load(path, example.functions)
    said = json.loads(path.with_suffix(".json").read_text())
    found = json.loads(json.dumps(answers(loaded, example.X)[:1], default=lambda each: each.tolist()))
    assert close(found, said)
    if hasattr(loaded, "check"):
        assert loaded.check(example.X, example.y)
    if hasattr(loaded, "partial_fit") and example.y is not None:
        loaded.partial_fit(example.X, example.y)
