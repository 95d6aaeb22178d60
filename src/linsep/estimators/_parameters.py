"""Parameters that several estimators share: one name, one meaning, one constraint, one description.

`shared_parameters` adds their constraints and descriptions to a class; a class describes only its own.
"""

from __future__ import annotations

import inspect
import textwrap
from numbers import Integral
from typing import Any, NamedTuple, TypeVar

from ._validation import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, StrOptions

C = TypeVar("C", bound=type)


class Parameter(NamedTuple):
    """A shared parameter: its values in words, what it means, and scikit-learn's constraint."""

    values: str
    meaning: str
    constraint: list[Any]


SHARED = {
    "rule": Parameter(
        '{"perceptron", "relaxation", "kozinec"} or a rule',
        "How w moves: a name, or an object of `linsep.rules` or your own (`linsep.protocols.Rule`).",
        [object],
    ),
    "target": Parameter(
        "float, a target or None",
        "When a vector is violated; a number b is ``Margin(b)``. None: what the rule is usually asked for, "
        "``Margin(0)``, ``Margin(1)`` for relaxation, ``EpsOptimal(0, 0.01)`` for Kozinec.",
        [object],
    ),
    "batch": Parameter(
        "bool", "Make one step per pass, from all violated vectors, instead of one at each of them (C2).", ["boolean"]
    ),
    "keep": Parameter(
        '{"auto", "last", "average", "pocket"}',
        'Which w to return: the last one, the average over all visits, or the one with the fewest errors. "auto": '
        "the one that reached the target; else the average, with the bias that is likely to err least, or, for batch "
        "steps, the one with the fewest errors (C3).",
        [StrOptions({"auto", "last", "average", "pocket"})],
    ),
    "fit_intercept": Parameter(
        "bool", "Learn a bias, by augmenting the rows by 1; else the hyperplane goes through the origin.", ["boolean"]
    ),
    "bias": Parameter(
        '{"free", "augmented"}',
        '"free": the largest geometric margin. "augmented": the bias counts as a coordinate of w, as in the figures of '
        "the lectures; another plane. A linear machine is always augmented, as its certificate says.",
        [StrOptions({"free", "augmented"})],
    ),
    "max_iter": Parameter(
        'int or "auto"',
        'Budget of passes over the data. "auto": 5 seconds of work, counted from the end of the first pass, but 3 '
        "passes at least; of `Perceptron` no more than 20 passes, or 1000 batch steps, of `AveragedPerceptron` 10.",
        [StrOptions({"auto"}), AT_LEAST_ONE],
    ),
    "max_updates": Parameter("int or None", "Budget of updates of w.", [None, AT_LEAST_ONE]),
    "max_seconds": Parameter("float or None", "Budget of time.", [None, POSITIVE]),
    "patience": Parameter(
        "int or None", "End after so many passes in a row without fewer errors (C3's TermCond).", [None, AT_LEAST_ONE]
    ),
    "stop": Parameter(
        "callable or None",
        "Your own condition to end (C3's TermCond), a function of a `linsep.loop.stop.Progress`: the best ``w`` so "
        "far, its ``errors``, the passes ``t``, the pass ``t_lup`` of the last improvement, and ``seconds``. It is "
        "called after every pass; a true value, or the reason in words, ends learning. The errors of w are then "
        "counted after every pass, which costs as much as another one.",
        [None, callable],
    ),
    "start": Parameter(
        "array or None",
        "The w that learning begins at, a(0), the bias last: one number per column and one more, or one row of them "
        "per class of a linear machine; of structures as many as ``coef_`` has. None: 0. Only `Kozinec`, whose w stays "
        "in the hull of the vectors, takes weights of the rows instead.",
        [None, "array-like"],
    ),
    "theta": Parameter(
        "float or None", "Batch steps only: end when a step is shorter than this (C2).", [None, POSITIVE]
    ),
    "shuffle": Parameter(
        "bool", "Visit the data in another order in every pass, shuffled in blocks that fit the cache.", ["boolean"]
    ),
    "random_state": Parameter("int, RandomState instance or None", "Seed of all that is random.", ["random_state"]),
    "class_weight": Parameter(
        'dict, "balanced" or None',
        "Weights of the classes, multiplied with ``sample_weight``.",
        [StrOptions({"balanced"}), dict, None],
    ),
    "warm_start": Parameter("bool", "Begin the next ``fit`` at the present w.", ["boolean"]),
    "n_jobs": Parameter(
        "int or None",
        "How many threads work side by side, at classes, folds or sequences; -1: one per core. The result is the same. "
        "None: 1, or what ``joblib.parallel_config`` says.",
        [Integral, None],
    ),
    "verbose": Parameter("int", "Print one line per pass or step to stderr.", ["verbose"]),
    "loss_scale": Parameter(
        "float", "By how much the loss of a rival labelling raises the margin that is asked for.", [NOT_NEGATIVE]
    ),
    "scaling": Parameter(
        '{"auto", "columns"} or None',
        "Learn as if the columns had been divided by their sizes, and dense ones moved to mean 0; X is not copied, "
        'and w, scores and certificate are about the rows as they are. "auto": ``fit`` does so if the sizes differ by '
        "more than 32 times, or a dense column is farther from 0 than 8 times its size, and the rule is that of the "
        'perceptron, or relaxation row by row. "columns": always; ``partial_fit`` takes the sizes of its first rows. '
        "None: the lectures' algorithms as printed.",
        [StrOptions({"auto", "columns"}), None],
    ),
    "eps": Parameter("float or None", "How far apart the two bounds may be, absolute.", [None, POSITIVE]),
}


def shared_parameters(kind: C) -> C:
    """Add the constraints and descriptions of the shared parameters of a class that its docstring does not describe."""
    own = vars(kind).get("_parameter_constraints", {})
    arguments = {name: each for name, each in inspect.signature(kind).parameters.items() if name not in own}
    kind._parameter_constraints = {**{name: SHARED[name].constraint for name in arguments}, **own}  # type: ignore
    lines = (kind.__doc__ or "").splitlines()
    if "    Parameters" in lines:
        begin = lines.index("    Parameters") + 2
        end = next((k for k in range(begin, len(lines)) if not lines[k].strip()), len(lines))
        described = {line.split(" : ")[0].strip() for line in lines[begin:end]}
        missing = [name for name in arguments if name not in described]
        lines[end:end] = [line for name in missing for line in _describe(name, arguments[name].default)]
        kind.__doc__ = "\n".join(lines)
    return kind


def _describe(name: str, default: Any) -> list[str]:
    """The lines of a docstring about a shared parameter."""
    shown = repr(default).replace("'", '"')
    meaning = textwrap.wrap(SHARED[name].meaning, 112, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return [f"    {name} : {SHARED[name].values}, default={shown}", *meaning]
