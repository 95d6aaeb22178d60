"""A slice of the attack: fixed seeds, the same on every machine. ``script/attack`` goes on from there."""

import inspect
import re
from importlib import import_module

import pytest

from attack import exact, malformed, signals
from attack.malformed_entries import WITHOUT_ARRAYS
from attack.malformed_functions import ELSEWHERE
from attack.tally import Tally

SLICE = {
    "rows": range(1000, 1025),
    "forgeries": range(1000, 1025),
    "objectives": range(1000, 1025),
    "regression": range(1000, 1025),
    "gaussians": range(1000, 1060),
}


def show(tally):
    return "\n".join(f"{each['kind']} | {each['who']} | {each['detail']}" for each in tally.failures)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("part", ["first", pytest.param("rest", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SLICE)
def test_claims_are_true_and_forgeries_are_refused(name, part):
    tally, attack = Tally(), import_module(f"attack.{name}").attack
    seeds = SLICE[name][:8] if part == "first" else SLICE[name][8:]
    for seed in seeds:
        attack(seed, tally)
    assert not tally.failures, show(tally)
    assert sum((tally.problems + tally.forged).values()) >= len(seeds)


@pytest.mark.filterwarnings("default")
def test_small_structures_against_all_labellings():
    tally = Tally()
    for seed in range(1000, 1008):
        import_module("attack.structures").attack(seed, tally)
    assert not tally.failures, show(tally)


def test_malformed_arrays_get_one_sentence():
    tally = Tally()
    malformed.attack(0, tally, stride=61)
    assert not tally.failures, show(tally)
    assert sum(tally.problems.values()) > 100


@pytest.fixture(scope="module")
def entries():
    """What is attacked with malformed arrays, part by part."""
    return {part: {case.entry for case in malformed.all_cases(part)} for part in malformed.PARTS}


def test_every_public_name_is_attacked_with_malformed_arrays(entries):
    import linsep

    attacked = set(map(malformed.entry_name, set().union(*entries.values())))
    assert not attacked & set(WITHOUT_ARRAYS)
    assert set(linsep.__all__) - set(WITHOUT_ARRAYS) <= attacked


def test_every_public_name_of_the_modules_is_attacked_too(entries):
    attacked = {word for entry in set().union(*entries.values()) for word in re.split(r"[(,.]", entry)}
    for module, elsewhere in ELSEWHERE.items():
        public = set(import_module(f"linsep.{module}").__all__)
        assert elsewhere <= public, module
        assert public - elsewhere <= attacked, module


def test_every_method_of_rows_is_attacked(entries):
    composed = {"score", "fit_transform"}  # scikit-learn's: a method that is attacked, and arithmetic on its answer
    for name, rule in malformed.estimators().items():
        for method in (each for each in dir(type(rule)) if not each.startswith("_") and each not in composed):
            call = inspect.getattr_static(rule, method, None)
            if inspect.isfunction(call) and [*inspect.signature(call).parameters][1:2] == ["X"]:
                assert f"{name}.{method}" in entries["rows"]


@pytest.mark.long
def test_all_malformed_arrays_get_one_sentence():
    tally = Tally()
    malformed.attack(0, tally)
    assert not tally.failures, show(tally)


@pytest.mark.parametrize("name", ["Perceptron", "MaximumMargin(ascent)"])
def test_interruption_reaches_the_caller(name):
    """Whether it is seen and the work kept, not how soon: that depends on the load."""
    tally = Tally()
    signals.interrupt(name, tally)
    assert not [each for each in tally.failures if "was seen after" not in each["detail"]], show(tally)


@pytest.mark.long
def test_results_do_not_depend_on_what_was_fitted_before():
    tally = Tally()
    import_module("attack.same_bits").attack(0, tally)
    assert not tally.failures, show(tally)


def test_the_referee_finds_what_is_known():
    assert exact.best_margin([[0.0], [4.0]], [-1, 1], "free") == 4
    assert exact.best_margin([[0.0], [0.0]], [-1, 1], "free") == 0
    assert not exact.at_most(2.0, exact.Fraction(1), exact.Fraction(1))
