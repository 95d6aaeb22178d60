"""``linsep anderson``, ``infer`` and ``risk``: Gaussians, networks, and what errors will cost on new data."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import click

from .options import Command, Duration, Whole, answering, memory_option, seed_option
from .output import BUDGET_SPENT, NO, Output, Problem, keep_inputs, refuse

NAMES = {"means": ("means", "mean"), "covariances": ("covariances", "cov"), "labels": ("labels", "y")}


class Number(click.ParamType):
    """A number between two others, which don't count."""

    name = "number"

    def __init__(self, low: float, high: float):
        self.low, self.high = low, high

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """The number."""
        try:
            number = float(value)
        except ValueError:
            number = self.low
        if not self.low < number < self.high:
            self.fail(f"expected a number between {self.low:g} and {self.high:g}, got {value!r}.", param, ctx)
        return number


@click.command(cls=Command)
@click.argument("data", metavar="GAUSSIANS|TABLE")
@click.option("-t", "--target", metavar="COLUMN", help="DATA is a table with classes here: estimate one Gaussian each.")
@click.option("--error", type=Number(0, 0.5), metavar="NUMBER", help="Ask for at most this error of every Gaussian.")
@click.option("--components", type=Whole(1, 1000), default=1, metavar="K", help="Gaussians per class of a table; 1.")
@click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave this column out; may be repeated.")
@click.option("-o", "--output", metavar="MODEL", help="Write the rule to this file.")
@click.option("--proof", metavar="FILE", help="Write the certificate for verify.py, with the Gaussians: .json.")
@click.option("--time-limit", type=Duration(), help="Stop after this time: 30s, 5min, 1h.")
@seed_option
@memory_option
@answering
def anderson(data: str, *, out: Output, **options: Any) -> None:
    """Find the hyperplane whose worst Gaussian errs least (Anderson's task).

    \b
    Examples:
      linsep anderson gaussians.json
      linsep anderson gaussians.npz --error 0.05
      linsep anderson iris2.csv --target species -o rule.linsep

    GAUSSIANS is JSON or npz with means (one row each), covariances (a matrix, or
    variances, each) and labels (two classes); they are numbered from 0. Nothing is
    assumed about how often each occurs. The exit code is 1 if the error that was
    asked for is impossible, or every hyperplane errs more than half the time on some
    Gaussian.
    """
    from ..estimators.anderson import Anderson
    from ..model_file import save
    from .fit import check_output
    from .proof import check_proof

    if options["target"] is None and (options["ignore"] or options["components"] > 1):
        refuse("--ignore, --components: are for tables. Of a table, give --target.")
    check_output(options["output"])
    check_proof(options["proof"], False, data)
    keep_inputs("-o", options["output"], data)
    rule = Anderson(
        options["error"], components=options["components"], random_state=options["seed"],
        max_seconds=options["time_limit"],
    )  # fmt: skip
    origin = _fit_gaussians(rule, data, options, out)
    found = rule.certificate_
    out.answer(
        status=str(found.status), lower=found.lower, upper=found.upper, w=rule.coef_[0], bias=rule.intercept_[0],
        certificate=[str(found)], gaussians=[
            {"class": label, "r": r, "error": error}
            for label, r, error in zip(rule.labels_.tolist(), rule.radii_.tolist(), rule.errors_.tolist(), strict=True)
        ],
    )  # fmt: skip
    out.say(found)
    for j in rule.worst_.tolist()[:10]:
        out.say(f"Gaussian {j} of class {rule.labels_[j]} decides: r = {rule.radii_[j] + 0.0:.6g}.")
    if options["output"]:
        save(rule, options["output"], origin)
        out.answer(model=options["output"])
        out.say(f"wrote {options['output']}")
    if options["proof"]:
        _write_proof(rule, options["proof"], out)
    if found.upper <= 0 or found.status == "impossible":
        out.code = NO
    elif found.reason and not found.proved:
        out.code = BUDGET_SPENT


def _fit_gaussians(rule: Any, data: str, options: dict[str, Any], out: Output) -> dict[str, Any]:
    """Fit to Gaussians of a file, or to those that are estimated from a table; returns the origin for a model file."""
    from .schemas import make_plan, say_schema
    from .tables import fingerprint, open_table

    if options["target"] is None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Infeasible")  # it is the answer
            rule.fit_gaussians(*read_gaussians(data))
        return {"data": {"files": [data], "sha256": fingerprint([data])}}
    plan = make_plan({**options, "text": (), "weight": None, "schema": None})
    table = open_table([data], out, schema=plan, target=options["target"], memory=options["memory"])
    say_schema(table, out)
    X, y, _ = table.sample()
    if not hasattr(X, "dtype") or X.ndim != 2:
        raise Problem(f"{data}: its columns make a sparse matrix, too wide for covariances.")
    with out.progress("learning", options["time_limit"]):
        rule.fit(X, y)
    return {"data": table.source, "schema": table.dataset.schema.as_dict()}


def read_gaussians(path: str) -> tuple[Any, Any, Any]:
    """Means, covariances and labels of a JSON or npz file."""
    import numpy as np

    try:
        if Path(path).suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                given = {name: file[name] for name in file.files}
        else:
            given = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError:
        raise
    except Exception as error:
        where = f" ({error})" if isinstance(error, json.JSONDecodeError) else ""
        said = f"{path}: expected JSON, or an npz file without objects{where}. Of a table, give --target."
        raise Problem(said) from error
    if not isinstance(given, dict):
        raise Problem(f"{path}: expected an object with means, covariances and labels.")
    found = {}
    for name, known in NAMES.items():
        key = next((each for each in known if each in given), None)
        if key is None:
            raise Problem(
                f"{path}: expected {name}, got {', '.join(map(str, given))[:100]}. Of a table, give --target."
            )
        found[name] = given[key]
    return found["means"], found["covariances"], found["labels"]


def _write_proof(rule: Any, path: str, out: Output) -> None:
    """The proof, and the Gaussians beside it."""
    import numpy as np

    from ..proof_file import save_gaussian_proof

    data, d = str(Path(path).with_suffix(".gaussians.json")), rule.means_.shape[1]
    try:
        given = [np.asarray(each, dtype=np.float64) for each in rule.covariances_]
    except (TypeError, ValueError):
        refuse("--proof: covariances of low rank are not written; give them as matrices.")
    matrices = [each if each.ndim == 2 else np.diag(np.broadcast_to(each, d)) for each in given]
    save_gaussian_proof(path, rule.certificate_, rule.means_, matrices, rule.labels_, data=data)
    out.answer(proof=path, proof_data=data)
    out.say(f"wrote {path} and {data}")


@click.command(cls=Command)
@click.argument("network", metavar="NETWORK")
@click.argument("evidence", required=False, metavar="[EVIDENCE]")
@click.option("-o", "--output", metavar="OUT", help="Write the labelling as the UAI competitions do; - is stdout.")
@click.option("--engine", default="auto", metavar="NAME", help="auto, forest, cut, elimination, trws, ...")
@click.option("--time-limit", type=Duration(), default="60s", help="Stop after this time; default: 60s.")
@answering
def infer(network: str, evidence: str | None, *, output: str | None, out: Output, **options: Any) -> None:
    """Find the best labelling of a network in the UAI format, with a bound.

    \b
    Examples:
      linsep infer grid.uai
      linsep infer grid.uai.gz grid.uai.evid -o grid.MPE --time-limit 5min

    Values are sums of natural logarithms of the factors. No labelling has more than
    the upper bound. The exit code is 0 if the labelling is proved to be best, 4 if
    it is not, 1 if every labelling is forbidden.
    """
    from ..atomic import replace_file
    from ..inference import ENGINES, solve
    from ..inference.uai import read_uai
    from .fit import check_output

    if options["engine"] not in ("auto", *ENGINES):
        refuse(f"--engine: expected one of auto, {', '.join(ENGINES)}, got {options['engine']}.")
    keep_inputs("-o", output, network, evidence)
    if output not in (None, "-"):
        check_output(output, "best.MPE")
    read = read_uai(network, evidence)
    with out.progress("looking for the best labelling", options["time_limit"]):
        found = solve(read, options["engine"], seconds=options["time_limit"])
    labels = found.labels.tolist()
    out.answer(
        status=found.status, value=found.value, upper=found.upper, labels=labels, engine=found.engine,
        seconds=found.seconds,
    )  # fmt: skip
    said = f"{found.status}: value {found.value:.10g}, no labelling has more than {found.upper:.10g} ({found.engine})."
    if found.status == "not proved" and found.seconds >= 0.9 * options["time_limit"]:
        said += " A longer --time-limit may prove it."
    text = f"MPE\n{len(labels)} {' '.join(map(str, labels))}\n"
    if output in (None, "-"):
        if output == "-":
            out.note(said)
        else:
            out.say(said)
        if not (out.as_json or out.quiet):
            sys.stdout.write(text)
    else:
        with replace_file(Path(str(output))) as file:
            file.write(text.encode())
        out.say(said)
        out.say(f"wrote {output}")
    out.code = {"optimal": 0, "impossible": NO}.get(found.status, BUDGET_SPENT)


@click.command(cls=Command)
@click.argument("model", required=False, metavar="[MODEL")
@click.argument("data", required=False, metavar="DATA]")
@click.option("--rows", type=Whole(1, 2**62), metavar="N", help="Training examples.")
@click.option(
    "--rung", multiple=True, metavar="ERRORS:H", help="Errors on them, and the capacity of the class; may be repeated."
)
@click.option("--lift-to", type=Whole(2, 9), metavar="DEGREE", help="Compare the model with lifts up to this degree.")
@click.option("--eta", type=Number(0, 1), default=0.05, metavar="NUMBER", help="The bound may fail so often; 0.05.")
@click.option("--format", "kind", metavar="NAME", help="Format of DATA, if its name does not show it.")
@memory_option
@answering
def risk(model: str | None, data: str | None, *, out: Output, **options: Any) -> None:
    """Bound the risk on new data: Vapnik and Chervonenkis, structural risk.

    \b
    Examples:
      linsep risk --rows 1000 --rung 40:3
      linsep risk --rows 1000 --rung 40:3 --rung 12:6 --rung 3:40
      linsep risk rule.linsep train.csv
      linsep risk rule.linsep train.csv --lift-to 3

    From numbers: a rung is the number of errors on the training rows, and the
    capacity (VC dimension) of the class of rules: n + 1 for hyperplanes of n
    features. Of several rungs, the one with the least bound is chosen. From a model
    of two classes and the table it was fitted to: both are computed. DATA must be
    independent rows, and the class of rules fixed before they were seen.
    """
    if (model is None) == (not options["rung"]) or (model is not None and (data is None or options["rows"])):
        refuse("expected --rows N --rung ERRORS:H, or MODEL and DATA.")
    if model is None and options["lift_to"]:
        refuse("--lift-to: expected MODEL and DATA.")
    if model is None and options["rows"] is None:
        refuse("--rows: how many training examples are there?")
    if model is None:
        _say_rungs(options["rows"], options["rung"], options["eta"], out)
    else:
        _say_risk_of(model, str(data), options, out)


def _say_rungs(rows: int, rungs: tuple[str, ...], eta: float, out: Output) -> None:
    """The bound of every rung, and which is least; each may fail with its share of eta, so that all hold together."""
    from ..risk import vc_bound

    bounds = []
    for rung in rungs:
        errors, _, h = rung.partition(":")
        try:
            bounds.append(vc_bound(int(errors) / rows, float(h), rows, eta / len(rungs)))
        except (ValueError, ZeroDivisionError):
            refuse(f"--rung: expected ERRORS:H, errors up to {rows} and a positive capacity, got {rung!r}.")
    best = min(range(len(bounds)), key=lambda k: bounds[k].value)
    out.answer(bounds=[{"rung": rung, "bound": b.value} for rung, b in zip(rungs, bounds, strict=True)], best=best)
    for k, (rung, bound) in enumerate(zip(rungs, bounds, strict=True)):
        mark = "" if len(rungs) == 1 else f"{rung}{' (the least bound)' if k == best else ''}: "
        out.say(f"{mark}{bound}")


def _say_risk_of(path: str, data: str, options: dict[str, Any], out: Output) -> None:
    """The bound of a model on its training rows, and those of its lifts."""
    import numpy as np
    from sklearn.base import clone

    from ..lifting import Lifted, Polynomial
    from ..risk import StructuralRisk, compute_capacity, vc_bound
    from .apply import held_out_of, is_source, meet

    rule, origin, table = meet(path, (data,), {"kind": options["kind"], "memory": options["memory"]}, out)
    if not is_source(table, origin):
        out.note("these are not the bytes that the model was fitted to: the bound is about its training rows.")
    if len(rule.classes_) != 2:
        raise Problem(f"{path}: expected a rule of two classes, got {len(rule.classes_)}: S0 (1) is for two.")
    sample = table.sample(held_out_of(origin, path))
    X, y, _ = sample.take(sample.present())
    capacity = compute_capacity(rule, X, y)
    bound = vc_bound(float(np.mean(rule.predict(X) != y)), capacity.h, y.size, options["eta"])
    out.answer(bound=bound.value, empirical=bound.empirical, capacity=capacity.h, capacity_from=capacity.source)
    out.say(f"Capacity: {capacity.h:.6g} ({capacity.source}).")
    out.say(bound)
    if options["lift_to"] is None:
        return
    base = clone(rule.classifier if isinstance(rule, Lifted) else rule)
    ladder = [("linear", base)]
    ladder += [(f"degree {k}", Lifted(Polynomial(k), clone(base))) for k in range(2, options["lift_to"] + 1)]
    with out.progress("comparing lifts"):
        table_of = StructuralRisk(ladder, eta=options["eta"]).fit(X, y).table_
    out.answer(ladder=[rung.to_dict() for rung in table_of], best=int(table_of.best))
    out.say(table_of)
