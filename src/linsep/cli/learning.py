"""Which estimator a rule's name means, and ``--rule auto``: separable or not, then the margin that suits."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from ..checkpoint import current
from ..data.dataset import Placed
from ..interrupt import INTERRUPT, interrupts, is_spent
from .output import Output, refuse, say_seconds
from .tables import Sample

FOLDS = 5
PRICES = tuple(10.0**k for k in range(-3, 3))  # values of C that are compared
SECONDS = 20.0  # for the question whether the data are separable, without a time limit
MOST_ROWS = 20_000  # for the comparison of C


class Learned(NamedTuple):
    """A fitted estimator, and why it is this one."""

    model: Any
    rule: str
    why: list[str]
    interrupted: bool = False
    out_of_time: bool = False


def make_estimator(
    rule: str,
    C: float | None,
    lift: int | None,
    seed: int,
    passes: int | None = None,
    batch: bool = False,
) -> Any:
    """The estimator of a rule's name; ``batch``: one that learns from rows in parts."""
    import linsep

    price = math.inf if C is None else C
    makers = {
        "perceptron": lambda: linsep.Perceptron(random_state=seed),
        "averaged-perceptron": lambda: linsep.AveragedPerceptron(random_state=seed),
        "kozinec": lambda: linsep.Kozinec(tol=1e-3, random_state=seed),
        "maximum-margin": lambda: linsep.MaximumMargin(price, random_state=seed),
        "relaxation": lambda: linsep.Relaxation(random_state=seed),
        "least-squares": lambda: linsep.LeastSquares(),
        "linear-machine": lambda: linsep.LinearMachine(random_state=seed),
    }
    if C is not None and rule != "maximum-margin":
        refuse(f"--C: the rule {rule} has no price of errors. Use --rule maximum-margin, or leave --C out.")
    estimator = makers[rule]()
    if batch and "batch" in estimator.get_params():
        estimator.set_params(batch=True)
    if passes is not None:
        estimator.set_params(max_iter=passes)
    return estimator if lift is None else linsep.Lifted(linsep.Polynomial(lift), estimator)


def learn(
    sample: Sample, out: Output, *, rule: str = "auto", C: float | str | None = None, lift: int | None = None,
    seed: int = 0, seconds: float | None = None, passes: int | None = None,
) -> Learned:  # fmt: skip
    """Fit what was asked for, within ``seconds``; after Ctrl-C the best so far.

    Inside of `checkpointing` the choice of a rule is remembered, and the seconds before a fit was cut short count.
    """
    if lift is not None and not isinstance(sample.X, np.ndarray):
        refuse("--lift: these rows are sparse, and centred products are not. Give them as a table, npy or dense npz.")
    checkpoint = current()
    left = seconds if seconds is None or checkpoint is None else seconds - checkpoint.seconds
    interrupted = out_of_time = undecided = False
    choice, model = None, None
    try:
        with interrupts(left), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the certificate says it

            def choose() -> dict[str, Any] | None:
                return _choose(sample, out, rule, C, lift, seed, seconds)

            choice = choose() if checkpoint is None else checkpoint.remember("choice", choose)
            undecided = choice is None
            if choice is not None:
                rule, C = choice["rule"], choice["C"]
                batch = isinstance(sample.X, Placed)
                model = make_estimator(rule, None if C is None else float(C), lift, seed, passes, batch)
                with out.progress(f"learning: {rule}", seconds):
                    model.fit(sample.X, sample.y, sample.weight)
                out_of_time = is_spent() and not all(each.proved for each in certificates_of(model))
    except KeyboardInterrupt:
        interrupted = True
        if undecided:
            return _learn_quickly(sample, lift, seed)
        if model is None or not (hasattr(model, "n_iter_") or hasattr(model, "classifier_")):
            raise
    assert choice is not None
    return Learned(model, rule, choice["why"], interrupted, out_of_time)


def _learn_quickly(sample: Sample, lift: int | None, seed: int) -> Learned:
    """What can be had at once, if Ctrl-C comes while the rule is being chosen; a second Ctrl-C ends this too."""
    rule = "averaged-perceptron"
    model = make_estimator(rule, None, lift, seed, 1)
    model.fit(sample.X, sample.y, sample.weight)
    return Learned(model, rule, ["Interrupted while the rule was chosen: an averaged perceptron of one pass."], True)


def _choose(
    sample: Sample, out: Output, rule: str, C: Any, lift: int | None, seed: int, seconds: float | None
) -> dict[str, Any] | None:
    """The rule and its C, and why; None: Ctrl-C was pressed meanwhile."""
    why: list[str] = []
    if rule == "auto":
        rule, C = _choose_rule(sample, out, C, lift, seconds, why)
    if C == "auto" and not INTERRUPT.pressed:
        C = _choose_price(sample, out, lift, seed, why)
    return None if INTERRUPT.pressed else {"rule": rule, "C": C, "why": why}


def _choose_rule(
    sample: Sample, out: Output, C: Any, lift: int | None, seconds: float | None, why: list[str]
) -> tuple[str, Any]:
    """The rule for these data: the largest margin if they are separable, else a soft one."""
    from ..estimators.separability import separability

    if C is not None:
        why.append("C was given, so the margin is soft.")
        return "maximum-margin", C
    X = sample.X if lift is None else _lifted(sample.X, lift)
    _compile(X, len(np.unique(sample.y)))
    budget = SECONDS if seconds is None else seconds / 4
    with out.progress("is it separable?", budget):
        found = separability(X, sample.y, sample.weight, max_seconds=budget)
    if found.separable:
        why.append("The classes are separable, so the hyperplane of largest margin was learned.")
        return "maximum-margin", None
    if found.separable is False:
        why.append("No hyperplane separates the classes, so the margin is soft.")
    else:
        why.append(f"Not decided within {say_seconds(budget)} whether the classes are separable; the margin is soft.")
    return "maximum-margin", "auto"


def _compile(X: Any, classes: int) -> None:
    """Ask the question about a few rows first: what compiles on a machine's first run is not to count as work."""
    from ..estimators.separability import separability

    rows = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0], [0.0, 6.0], [1.0, 7.0]])[: 2 * min(classes, 3)]
    labels = np.arange(len(rows)) // 2
    separability(rows if isinstance(X, np.ndarray) else type(X)(rows), labels)


def _lifted(X: Any, degree: int) -> Any:
    import linsep

    return linsep.Polynomial(degree).fit(X).transform(X)


def _choose_price(sample: Sample, out: Output, lift: int | None, seed: int, why: list[str]) -> float:
    """C by cross-validation: the one with the fewest errors, of several the smallest."""
    from sklearn.model_selection import StratifiedKFold

    import linsep

    rng = np.random.RandomState(seed)
    there = sample.present()
    n = there.size
    rows = np.sort(rng.permutation(there)[:MOST_ROWS])
    X, y, weight = sample.take(rows)
    X = X if lift is None else _lifted(X, lift)
    folds = min(FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if folds < 2:
        why.append("C=1: a class has a single row, too few to compare values of C.")
        return 1.0
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    found = linsep.MaximumMarginCV(PRICES, cv=splitter, refit=False, random_state=seed)
    with out.progress("comparing values of C"):
        found.fit(X, y, weight)
    if np.isnan(found.best_score_):
        why.append(f"C={found.C_:g}: there was no time to compare values of C.")
        return found.C_
    compared = found.Cs_[~np.isnan(found.scores_).all(axis=0)]
    some = "" if n == rows.size else f" of {rows.size} of the rows"
    why.append(
        f"C={found.C_:g} by cross-validation: {1 - found.best_score_:.4f} errors per row in {folds} folds{some}, the "
        f"fewest of C={compared[0]:g} to {compared[-1]:g}."
    )
    return found.C_


def certificates_of(model: Any) -> list[Any]:
    """The certificate of a model, or those of its members."""
    one = getattr(model, "certificate_", None)
    return [one] if one is not None else list(getattr(model, "certificates_", ()))
