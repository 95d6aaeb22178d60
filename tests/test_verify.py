"""The stand-alone verifier: it agrees with `check`, refuses what is false by however little, and is one small file."""

import ast
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from test_recorded_fits import FITS as RECORDED

from linsep import (
    Anderson,
    AveragedPerceptron,
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    NetworkClassifier,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Relaxation,
    SequenceClassifier,
    StructuredClassifier,
    separability,
    verify,
)
from linsep.certificates.labelling import LabellingCertificate
from linsep.proof_file import save_gaussian_proof, save_proof

FILE = Path(verify.__file__)
IRIS, WINE, CANCER = (load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer))
X, y = IRIS
WEIGHT = (np.arange(150) % 4).astype(float)


def fitted(rule, X, y, weight=None):
    return rule.fit(X, y, sample_weight=weight).certificate_, X, y, weight


MAKERS = {
    "eps-optimal": lambda: fitted(Kozinec(tol=1e-3), X, y == 0),
    "optimal": lambda: fitted(MaximumMargin(), X, np.where(y == 0, "no", "yes")),
    "optimal, augmented": lambda: fitted(MaximumMargin(bias="augmented"), X, y == 0),
    "optimal, raw cancer": lambda: fitted(MaximumMargin(), *CANCER),
    "separated": lambda: fitted(Perceptron(scaling=None, keep="last"), X, y == 0),
    "separated, no bias": lambda: fitted(Perceptron(fit_intercept=False), X - X.mean(axis=0), X @ np.ones(4) > 13.9),
    "budget": lambda: fitted(Perceptron(max_iter=3), X, y == 1),
    "not separable": lambda: fitted(MaximumMargin(), X, y == 1),
    "not separable, weights": lambda: fitted(MaximumMargin(), X, y == 1, WEIGHT),
    "not separable, by decision": lambda: (separability(X, y == 2), X, y == 2, None),
    "machine, optimal": lambda: fitted(MaximumMargin(), *WINE),
    "machine, not separable": lambda: fitted(MaximumMargin(), *IRIS),
    "machine, budget": lambda: fitted(LinearMachine(max_iter=5), *IRIS),
    "hinge": lambda: fitted(MaximumMargin(C=1.0), X, y == 1),
    "hinge, augmented, weights": lambda: fitted(MaximumMargin(C=0.5, bias="augmented"), X, y == 1, WEIGHT),
    "machine, hinge": lambda: fitted(MaximumMargin(C=1.0), *IRIS),
    "machine, squared hinge": lambda: fitted(MaximumMargin(C=0.5, loss="squared_hinge"), *IRIS),
    "squared hinge": lambda: fitted(MaximumMargin(C=2.0, loss="squared_hinge"), X, y == 1, WEIGHT),
    "sparse": lambda: fitted(Kozinec(), sp.csr_array(np.round(X)), y == 0),
}


@pytest.fixture(scope="module", params=MAKERS)
def case(request, tmp_path_factory):
    """A proof with its data, and the certificate."""
    folder = tmp_path_factory.mktemp("proof")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)
        certificate, rows, labels, weight = MAKERS[request.param]()
    save_proof(folder / "proof.json", certificate, rows, labels, weight, data=folder / "data.csv")
    return certificate, json.loads((folder / "proof.json").read_text()), folder


def judge(case, **changes):
    _, proof, folder = case
    (folder / "changed.json").write_text(json.dumps(proof | changes))
    return verify.verify(folder / "changed.json", folder / "data.csv")[0]


def test_it_verifies_what_check_accepts(case):
    assert judge(case)


def test_it_refuses_bounds_that_are_too_good_by_a_billionth(case):
    certificate, _, _ = case
    if certificate.status == "not separable":
        return
    # the evidence may prove a little more than is claimed: go beyond what it proves
    margin = 1e-9 * max(abs(certificate.upper), abs(certificate.lower)) + 4 * certificate.rounding
    if math.isfinite(certificate.lower):
        assert not judge(case, lower=certificate.lower + margin)
    assert not judge(case, upper=certificate.upper - margin)


def test_it_refuses_other_weights_other_w_and_other_rows(case):
    _, proof, _ = case
    w = np.asarray(proof["w"])
    if proof["claim"] == "margin" and proof["status"] == "not separable":
        assert not judge(case, integers=[*proof["integers"][:-1], hex(int(proof["integers"][-1], 16) + 1)])
        assert not judge(case, integers=[])
        assert not judge(case, rows=proof["rows"][:-1], integers=proof["integers"][:-1])
        return
    assert not judge(case, w=(-w).tolist())
    assert not judge(case, weights=[-x for x in proof["weights"]])
    assert not judge(case, weights=proof["weights"][:-1])
    assert not judge(case, rows=[10**6, *proof["rows"][1:]])
    assert not judge(case, rows=[proof["rows"][0]] * len(proof["rows"]))


def test_it_refuses_wrong_counts_and_statuses(case):
    certificate, proof, _ = case
    assert not judge(case, size=proof["size"] + 1)
    assert not judge(case, violated=proof["size"] + 1)
    if certificate.status == "budget spent":
        assert not judge(case, status="separated" if proof["claim"] == "margin" else "optimal")
        assert not judge(case, status="not separable")


def test_a_changed_cell_is_noticed(case, tmp_path):
    _, proof, folder = case
    lines = (folder / "data.csv").read_text().splitlines()
    cells = lines[1 + proof["rows"][0]].split(",")
    cells[0] = "1e9"
    lines[1 + proof["rows"][0]] = ",".join(cells)
    (tmp_path / "data.csv").write_text("\n".join(lines))
    assert not verify.verify(folder / "proof.json", tmp_path / "data.csv")[0]


def test_a_proof_by_hand_of_the_lectures_nine_points(tmp_path):
    """S1: w = (2.5, -4.5, -1) after updates at x1, x6, x5; |w| = sqrt(27.5), lowest score 5.75."""
    points = [[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]]
    lines = [f"{a},{b},{1 if k < 5 else 2}" for k, (a, b) in enumerate(points)]
    (tmp_path / "s1.csv").write_text("\n".join(["x1,x2,class", *lines]))
    proof = {
        "format": "linsep proof", "version": 1, "claim": "margin", "status": "separated", "lower": 1.0, "upper": 1.75,
        "eps": 0, "relative": 0, "bias": "augmented", "w": [2.5, -4.5, -1], "classes": [1, 2], "size": 9,
        "violated": 0, "rows": [0, 4, 5], "weights": [1, 1, 1], "data": {"features": ["x1", "x2"], "target": "class"},
    }  # fmt: skip

    def holds(**changes):
        (tmp_path / "s1.json").write_text(json.dumps(proof | changes))
        return verify.verify(tmp_path / "s1.json", tmp_path / "s1.csv")[0]

    assert holds()
    exact = 5.75 / math.sqrt(27.5)
    assert holds(lower=exact * (1 - 1e-15), upper=math.sqrt(27.5) / 3 * (1 + 1e-15))
    assert not holds(lower=exact * (1 + 1e-15))
    assert not holds(upper=math.sqrt(27.5) / 3 * (1 - 1e-15))


def test_gaussians(tmp_path):
    means, labels = [[0.0, 0.0], [1.0, 3.0], [5.0, 5.0]], ["a", "a", "b"]
    covariances = np.array([np.eye(2), [[2.0, 1.0], [1.0, 2.0]], 0.5 * np.eye(2)])
    certificate = Anderson().fit_gaussians(means, covariances, labels).certificate_
    save_gaussian_proof(tmp_path / "p", certificate, means, covariances, labels, data=tmp_path / "d")
    assert verify.verify(tmp_path / "p", tmp_path / "d")[0]
    proof = json.loads((tmp_path / "p").read_text())
    changes = [{"lower": certificate.lower * (1 + 1e-12)}, {"upper": certificate.upper * (1 - 1e-9)}]
    changes += [{"weights": [2 * proof["weights"][0], *proof["weights"][1:]]}, {"status": "infeasible"}, {"size": 2}]
    for change in changes:
        (tmp_path / "q").write_text(json.dumps(proof | change))
        assert not verify.verify(tmp_path / "q", tmp_path / "d")[0], change


def test_a_w_of_zeros_has_no_radius(tmp_path):
    means, labels, covariances = [[0.0, 0.0], [4.0, 0.0]], [0, 1], np.array([np.eye(2)] * 2)
    certificate = Anderson().fit_gaussians(means, covariances, labels).certificate_
    save_gaussian_proof(tmp_path / "p", certificate, means, covariances, labels, data=tmp_path / "d")
    proof = json.loads((tmp_path / "p").read_text())
    (tmp_path / "p").write_text(json.dumps(proof | {"w": [0.0, 0.0, 0.0]}))
    assert not verify.verify(tmp_path / "p", tmp_path / "d")[0]


RIDGES = {
    "two classes": (LeastSquares(), y == 1, None),
    "weights": (LeastSquares(alpha=3.0), y == 2, WEIGHT),
    "three classes": (LeastSquares(), np.array(["a", "b", "c"])[y], WEIGHT),
    "no bias": (LeastSquares(fit_intercept=False), y, None),
    "a margin per row": (LeastSquares(margins="fisher"), y == 1, WEIGHT),
    "class weights": (LeastSquares(class_weight="balanced"), y == 2, None),
}


@pytest.mark.parametrize("name", RIDGES)
def test_forged_proofs_of_ridge_regression_are_refused(name, tmp_path):
    rule, labels, weight = RIDGES[name]
    rule.fit(X, labels, sample_weight=weight).save_proof(tmp_path / "p", X, labels, weight, data=tmp_path / "d.csv")
    proof = json.loads((tmp_path / "p").read_text())

    def holds(**changes):
        (tmp_path / "q").write_text(json.dumps(proof | changes))
        return verify.verify(tmp_path / "q", tmp_path / "d.csv")[0]

    assert holds()
    assert holds(lower=0.0, status="budget spent")  # weaker, and true
    w = np.asarray(proof["w"])
    for change in (
        {"upper": proof["upper"] * (1 - 1e-9)}, {"lower": proof["upper"]}, {"lower": proof["lower"] * (1 + 1e-9)},
        {"alpha": proof["alpha"] * (1 + 1e-6)}, {"alpha": proof["alpha"] * (1 - 1e-6)}, {"w": (w * 1.001).tolist()},
        {"w": (-w).tolist()}, {"size": proof["size"] + 1}, {"margins": [2.0] * 150}, {"upper": "nan"},
        {"bias": "none" if proof["bias"] == "free" else "free"}, {"status": "optimal", "lower": 0.0},
    ):  # fmt: skip
        assert not holds(**change), change
    for change in ({"alpha": 0}, {"alpha": -1.0}, {"bias": "augmented"}, {"margins": []}, {"margins": [1.0, 1.0]}):
        with pytest.raises(verify.Unreadable):
            holds(**change)


def test_a_ridge_proof_by_hand(tmp_path):
    """x = 0, 1, 3 with t = -1, -1, 1 and alpha = 2: w = 1/2, the bias -1, J = 1."""
    (tmp_path / "d.csv").write_text("x,y\n0,a\n1,a\n3,b\n")
    # mean of x 4/3, of t -1/3; sum (x - mean)^2 = 14/3, sum (x - mean) t = 10/3; alpha = 2: w = (10/3) / (20/3) = 1/2
    proof = {
        "format": "linsep proof", "version": 1, "claim": "ridge", "status": "optimal", "bias": "free", "w": [0.5, -1],
        "alpha": 2, "margins": [1], "classes": ["a", "b"], "size": 3, "tol": 1e-9, "lower": 1, "upper": 1,
        "data": {"features": ["x"], "target": "y"},
    }  # fmt: skip
    # errors 0, -1/2, 1/2: J = 1/4 + 1/4 + 2 * 1/4 = 1, and nothing is less
    (tmp_path / "p").write_text(json.dumps(proof))
    assert verify.verify(tmp_path / "p", tmp_path / "d.csv")[0]
    for change in ({"upper": 0.9999999999999999}, {"lower": 1.0000000000000002}, {"w": [0.5, -0.9999]}):
        (tmp_path / "p").write_text(json.dumps(proof | change))
        assert not verify.verify(tmp_path / "p", tmp_path / "d.csv")[0]


def ridge_case(folder, classes, free, weighted):
    """Ridge regression with its best u for rows of odd weights, and the proof of both."""
    rng = np.random.default_rng(classes)
    X, y = rng.integers(-5, 6, (20, 3)).astype(float), np.arange(20) % classes
    weight = np.where(np.arange(20) % 7, rng.random(20), 0.0) if weighted else None
    rule = LeastSquares(alpha=0.5, fit_intercept=free).fit(X, y, sample_weight=weight)
    c = np.ones(20) if weight is None else weight
    W = np.atleast_2d(rule.certificate_.w)
    T = 2.0 * (y == 1)[:, None] - 1 if classes == 2 else np.eye(classes)[y]
    u = c[:, None] * (T - X @ W[:, :3].T - W[:, 3])
    certificate = replace(rule.certificate_, weights=u)
    save_proof(folder / "p", certificate, X, y, weight, data=folder / "d.csv")
    return json.loads((folder / "p").read_text()), u


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_ridge_proofs_by_weights_of_the_rows(classes, free, weighted, tmp_path):
    proof, u = ridge_case(tmp_path, classes, free, weighted)
    assert proof["weights"] == u.tolist()

    def holds(**changes):
        (tmp_path / "q").write_text(json.dumps(proof | {"status": "budget spent"} | changes))
        return verify.verify(tmp_path / "q", tmp_path / "d.csv")[0]

    assert holds() and holds(weights=[]) and holds(weights=(u * (1 - 1e-4)).tolist(), lower=proof["lower"] * (1 - 1e-6))
    assert not holds(lower=proof["upper"] * (1 + 1e-9))
    for other in (0 * u, -u, u * 1.01, u + 0.1 * np.arange(20)[:, None]):  # no other u proves as much
        assert not holds(weights=other.tolist()) and holds(weights=other.tolist(), lower=0.0)


def test_means_that_meet_are_infeasible_by_whole_numbers(tmp_path):
    means, labels, covariances = [[0.0], [2.0], [1.0]], [0, 0, 1], np.ones((3, 1, 1))
    certificate = Anderson().fit_gaussians(means, covariances, labels).certificate_
    assert certificate.status == "infeasible"
    save_gaussian_proof(tmp_path / "p", certificate, means, covariances, labels, data=tmp_path / "d")
    assert verify.verify(tmp_path / "p", tmp_path / "d")[0]


def test_false_certificates_are_not_written(tmp_path):
    certificate = MaximumMargin().fit(X, y == 0).certificate_
    with pytest.raises(ValueError, match="WRONG"):
        save_proof(tmp_path / "proof.json", certificate, X, y == 1)
    assert not list(tmp_path.iterdir())


def test_the_file_stands_alone():
    code = FILE.read_text(encoding="utf-8")
    tree = ast.parse(code)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)
    assert len(code.splitlines()) < 400


def test_the_command_and_its_exit_codes(tmp_path):
    rule = MaximumMargin().fit(X, y == 0)
    rule.save_proof(tmp_path / "proof.json", X, y == 0, data=tmp_path / "data.csv.gz", verifier=True)

    def run(*arguments):
        command = [sys.executable, "-I", "-S", str(tmp_path / "verify.py"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    good = run("proof.json", "data.csv.gz")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("The proof holds: w separates the data")
    (tmp_path / "bad.json").write_text((tmp_path / "proof.json").read_text().replace('"violated": 0', '"violated": 1'))
    assert run("bad.json", "data.csv.gz").returncode == 1
    assert run("--help").returncode == 0
    for arguments in ([], ["proof.json"], ["absent.json", "data.csv.gz"], ["data.csv.gz", "data.csv.gz"]):
        bad = run(*arguments)
        assert bad.returncode == 2 and "Traceback" not in bad.stderr


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "nonsense", "[" * 100_000, *('{"format": "linsep proof", "version": 1' + x for x in ("0}", "}"))],
)
def test_what_is_no_proof_is_named_so(text, tmp_path):
    (tmp_path / "p").write_text(text)
    with pytest.raises(verify.Unreadable):
        verify.verify(tmp_path / "p", tmp_path / "p")


@pytest.mark.parametrize("missing", ["w", "rows", "weights", "status", "classes", "size", "data", "lower", "violated"])
def test_an_incomplete_proof_is_named_so(missing, tmp_path):
    certificate = MaximumMargin().fit(X, y == 0).certificate_
    save_proof(tmp_path / "p", certificate, X, y == 0, data=tmp_path / "d.csv")
    proof = json.loads((tmp_path / "p").read_text())
    del proof[missing]
    (tmp_path / "p").write_text(json.dumps(proof))
    with pytest.raises(verify.Unreadable):
        verify.verify(tmp_path / "p", tmp_path / "d.csv")


@pytest.mark.parametrize("cell", ["nan", "inf", "1e999", "red", "", "0x10"])
def test_cells_that_are_no_numbers_are_named(cell, tmp_path):
    certificate = MaximumMargin().fit(X, y == 0).certificate_
    save_proof(tmp_path / "p", certificate, X, y == 0, data=tmp_path / "d.csv")
    lines = (tmp_path / "d.csv").read_text().splitlines()
    lines[7] = ",".join([cell, *lines[7].split(",")[1:]])
    (tmp_path / "d.csv").write_text("\n".join(lines))
    with pytest.raises(verify.Unreadable, match="row"):
        verify.verify(tmp_path / "p", tmp_path / "d.csv")


def test_svmlight_files(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    labels = np.where(y == 0, -1, 1)
    certificate = MaximumMargin().fit(X, labels).certificate_
    dump_svmlight_file(X, labels, str(tmp_path / "d.svm"), zero_based=False)
    save_proof(tmp_path / "p", certificate, X, labels)
    assert verify.verify(tmp_path / "p", tmp_path / "d.svm")[0]


def test_names_of_columns_in_any_order(tmp_path):
    certificate = MaximumMargin().fit(X, y == 0).certificate_
    names = ["sepal, long", "b", 'c"', "d"]
    save_proof(tmp_path / "p", certificate, X, y == 0, features=names, target="kind", data=tmp_path / "d.csv")
    assert verify.verify(tmp_path / "p", tmp_path / "d.csv")[0]
    with pytest.raises(ValueError, match="features"):
        save_proof(tmp_path / "p", certificate, X, y == 0, features=["a", "a", "b", "c"])


def test_vectors_may_be_listed_in_the_proof(tmp_path):
    """(1, 0), (0, 1) and (-1/2, -1): 1, 2 and 2 of them sum to zero. The last number is given in two parts."""
    proof = {
        "format": "linsep proof", "version": 1, "claim": "margin", "status": "not separable", "lower": "-inf",
        "upper": 0, "eps": 0, "relative": 0, "bias": "none", "w": [0, 0], "classes": [0, 1], "size": 3, "violated": 3,
        "rows": [0, 1, 2], "weights": [0.2, 0.4, 0.4], "integers": ["0x1", "0x2", "0x2"],
        "vectors": [[[0, 1.0]], [[1, 1.0]], [[0, -0.5], [1, -0.75], [1, -0.25]]],
    }  # fmt: skip
    (tmp_path / "p").write_text(json.dumps(proof))
    holds, said = verify.verify(tmp_path / "p")
    assert holds and "not verified here" in said
    with pytest.raises(verify.Unreadable, match="or none, if it lists its vectors"):
        verify.verify(tmp_path / "p", tmp_path / "data.csv")  # which nobody would look at
    (tmp_path / "p").write_text(json.dumps(proof | {"integers": ["0x1", "0x2", "0x3"]}))
    assert not verify.verify(tmp_path / "p")[0]
    (tmp_path / "p").write_text(json.dumps(proof | {
        "status": "separated", "lower": 0.5, "upper": "inf", "w": [1.0, 1.0], "vectors": [[[0, 1.0]], [[1, 1.0]]],
        "size": 2, "violated": 0, "rows": [], "weights": [], "integers": [],
    }))  # fmt: skip
    assert "w separates the listed vectors; its margin" in verify.verify(tmp_path / "p")[1]


@pytest.mark.parametrize("classes", [[["a", "b"], ["z"]], [["a", "b"], "b"], [["a"], ["b"]]])
def test_lists_of_labels_are_for_committees(classes, tmp_path):
    """Else all rows could be of one class, which a w of nothing but a bias separates from none."""
    (tmp_path / "d.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    proof = {
        "format": "linsep proof", "version": 1, "claim": "margin", "status": "separated", "lower": 1e9, "upper": "inf",
        "eps": 0, "relative": 0, "bias": "free", "w": [0.0, -1.0], "classes": classes, "size": 3, "violated": 0,
        "rows": [], "weights": [], "data": {"features": ["x"], "target": "y"},
    }  # fmt: skip
    (tmp_path / "p").write_text(json.dumps(proof))
    with pytest.raises(verify.Unreadable):
        verify.verify(tmp_path / "p", str(tmp_path / "d.csv"))
    member = {key: proof.pop(key) for key in ("w", "status", "lower", "upper", "size", "violated", "rows", "weights")}
    proof |= {"claim": "committee", "members": [{**member, "claim": "margin", "classes": [["a", "b"], ["z"]]}]}
    (tmp_path / "p").write_text(json.dumps(proof))
    assert verify.verify(tmp_path / "p", str(tmp_path / "d.csv"))[0] is False  # nor a class without rows in these


def handmade(tmp_path, table, name="d.csv", **changes):
    """Whether a proof of one column holds for a table: w = (1, 0), the rows 1 of class 1 and -1 of class 0."""
    proof = {
        "format": "linsep proof", "version": 1, "claim": "margin", "status": "separated", "lower": 0.5, "upper": "inf",
        "eps": 0, "relative": 0, "bias": "augmented", "w": [1, 0], "classes": [0, 1], "size": 2, "violated": 0,
        "rows": [], "weights": [], "data": {"features": ["x"], "target": "y"},
    }  # fmt: skip
    (tmp_path / "p").write_text(json.dumps(proof | changes))
    (tmp_path / name).write_bytes(table if isinstance(table, bytes) else table.encode())
    return verify.verify(tmp_path / "p", tmp_path / name)[0]


def test_tables_by_hand(tmp_path):
    good = "x,y\n1,1\n-1,0\n"
    assert handmade(tmp_path, good)
    assert handmade(tmp_path, good + "\n\n"), "blank lines"
    assert handmade(tmp_path, "y,z,x\n1,7,1\n0,7,-1\n"), "columns by name"
    assert handmade(tmp_path, "1 1:1\n0 1:-1\n", "d.svm")
    assert not handmade(tmp_path, good, status="interrupted")
    assert not handmade(tmp_path, good, status="not separable", upper=-7, rows=[0, 1], integers=["0x1", "0x1"])


@pytest.mark.parametrize(
    ("table", "name", "changes"),
    [
        ("x,y\n1,1\n-1,0\n", "d.csv", {"classes": [0, 1, 2]}),
        ("1 2:1\n0 2:-1\n", "d.svm", {}),  # the place of the bias
        ("x,y\n1,1\n-1,0\n", "d.csv", {"data": {"features": ["y"], "target": "y"}}),
        ("x,y\n1_0,1\n-1,0\n", "d.csv", {}),
        ("x,y\n\uff11,1\n-1,0\n", "d.csv", {}),
        ("x,y\n1,1\n-1,0\n", "d.csv.gz", {}),  # not compressed
        (b"\x1f\x8b\x08\x00\x00", "d.csv.gz", {}),  # cut off
        ("x,y\n" + "1" * 200_000 + ",1\n-1,0\n", "d.csv", {}),
    ],
)
def test_what_can_not_be_read_is_named(table, name, changes, tmp_path):
    with pytest.raises(verify.Unreadable):
        handmade(tmp_path, table, name, **changes)


@pytest.mark.parametrize(
    "labels", [["01", "1"], ["1e3", "1000"], ["nan", "inf"], ["a b", 'c"d'], [True, False], [3, 20]]
)
def test_labels_of_any_kind(labels, tmp_path):
    named = np.array(labels)[(y == 0).astype(int)]
    certificate = MaximumMargin().fit(X, named).certificate_
    save_proof(tmp_path / "p", certificate, X, named, data=tmp_path / "d.csv")
    assert verify.verify(tmp_path / "p", tmp_path / "d.csv")[0]


@pytest.mark.parametrize(
    "rule", [MaximumMargin(), Perceptron(), Kozinec(), LinearMachine(), MaximumMargin(C=1.0)], ids=str
)
def test_a_changed_classifier_is_not_that_of_its_certificate(rule, tmp_path):
    rule = rule.fit(X, y == 0)
    assert rule.check(X, y == 0)
    rule.coef_ = -rule.coef_
    verdict = rule.check(X, y == 0)
    assert not verdict and "coef_" in str(verdict)
    with pytest.raises(ValueError, match="coef_"):
        rule.save_proof(tmp_path / "p", X, y == 0)


def test_sequences_networks_and_own_structures(tmp_path):
    """Separable words, letters that contradict each other, a graph, and the user's own phi."""
    rng = np.random.default_rng(0)
    words = [rng.normal(size=(n, 3)) for n in (3, 4, 5, 3)]
    labels = [(x[:, 0] > 0).astype(int) for x in words]
    sequences = SequenceClassifier(max_iter=50).fit(words, labels)
    twice = [np.array([[1.0], [2.0]]), np.array([[1.0], [2.0]])]
    torn = SequenceClassifier().fit(twice, [[0, 1], [1, 0]])
    edges = np.array([[0, 1], [1, 2]])
    graphs = [(x[:3], edges) for x in words]
    networks = NetworkClassifier(max_iter=50).fit(graphs, [y[:3] for y in labels])
    own = StructuredClassifier(lambda x, y: x * y, labels=lambda x: (-1, 1)).fit(list(X[:60]), [-1] * 30 + [1] * 30)
    assert torn.certificate_.status == "not separable"
    for rule, inputs, truths in (
        (sequences, words, labels), (torn, twice, [[0, 1], [1, 0]]), (networks, graphs, [y[:3] for y in labels]),
        (own, list(X[:60]), [-1] * 30 + [1] * 30),
    ):  # fmt: skip
        rule.save_proof(tmp_path / "p.json", inputs, truths)
        holds, said = verify.verify(tmp_path / "p.json")
        assert holds and "not verified here" in said, (rule, said)
        proof = json.loads((tmp_path / "p.json").read_text())
        if proof["status"] == "not separable":
            forged = {"integers": ["0x7", *proof["integers"][1:]]}
        else:
            forged = {"upper": proof["upper"] * (1 - 1e-9)}
        (tmp_path / "p.json").write_text(json.dumps(proof | forged))
        assert not verify.verify(tmp_path / "p.json")[0], rule


def test_sparse_rows_as_svmlight(tmp_path):
    rule = MaximumMargin(C=1.0).fit(sp.csr_matrix(X), y)
    rule.save_proof(tmp_path / "p.json", sp.csr_matrix(X), y, data=tmp_path / "d.svm")
    assert verify.verify(tmp_path / "p.json", tmp_path / "d.svm")[0]
    for labels, weights in ((np.array(["a b", "c", "d"])[y], None), (y, np.arange(1.0, 1 + len(y)))):
        rule = MaximumMargin(C=1.0).fit(sp.csr_matrix(X), labels, weights)
        with pytest.raises(ValueError, match="can't hold"):
            rule.save_proof(tmp_path / "q.json", sp.csr_matrix(X), labels, weights, data=tmp_path / "q.svm")
        assert not (tmp_path / "q.svm").exists() and not (tmp_path / "q.json").exists()


@pytest.mark.parametrize("form", ["csv", "svm"])
@pytest.mark.parametrize(
    "rule",
    [OneVsAll(MaximumMargin()), OneVsOne(MaximumMargin()), OneVsAll(MaximumMargin(C=1.0)), OneVsOne(Perceptron())],
    ids=str,
)
def test_the_proofs_of_a_committee_are_one_file(rule, form, tmp_path):
    """Iris: two of the three pairs are separable, the third is not."""
    named = np.array(["a", "b", "c"])[y]
    place = tmp_path / "p.json", tmp_path / f"d.{form}"
    rule.fit(X, named).save_proof(place[0], X, named, data=place[1])
    holds, said = verify.verify(*place)
    assert holds
    one_vs_one = isinstance(rule, OneVsOne)
    for question in ["['b'] against ['a']", "['c'] against ['b']"] if one_vs_one else ["['a'] against ['b', 'c']"]:
        assert said.count(question) == 1
    assert said.count("100 rows" if one_vs_one else "150 rows") == 3
    proof = json.loads(place[0].read_text())
    for k, member in enumerate(proof["members"]):
        changes = [{"size": member["size"] + 1}, {"violated": 151}]
        if float(member["lower"]) > 0 and member["claim"] == "margin":
            changes += [{"lower": 1e9}, {"upper": member["upper"] * 0.999}, {"classes": member["classes"][::-1]}]
        for change in changes:
            members = [*proof["members"][:k], {**member, **change}, *proof["members"][k + 1 :]]
            place[0].write_text(json.dumps(proof | {"members": members}))
            assert not verify.verify(*place)[0], (k, change)
    if one_vs_one:
        place[0].write_text(json.dumps(proof | {"members": [{**proof["members"][0], "absent": []}]}))
        with pytest.raises(verify.Unreadable, match="label"):
            verify.verify(*place)
    place[0].write_text(json.dumps(proof | {"members": []}))
    with pytest.raises(verify.Unreadable):
        verify.verify(*place)


def test_a_committee_with_weights_and_class_weights(tmp_path):
    place = tmp_path / "p.json", tmp_path / "d.csv"
    OneVsAll(MaximumMargin(C=1.0)).fit(X, y, sample_weight=WEIGHT).save_proof(place[0], X, y, WEIGHT, data=place[1])
    holds, said = verify.verify(*place)
    assert holds and said.count(f"{np.count_nonzero(WEIGHT)} rows with a weight") == 3
    rule = OneVsOne(MaximumMargin(C=1.0, class_weight="balanced")).fit(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        rule.save_proof(place[0], X, y)


def test_rows_of_an_absent_class_are_a_matter_of_committees(tmp_path):
    table = "x,y\n1,1\n-1,0\n7,2\n"
    with pytest.raises(verify.Unreadable, match="label"):
        handmade(tmp_path, table, absent=[2])


# --- every recorded fit ----------------------------------------------------------------------------------------------

KINDS = (
    AveragedPerceptron, GradientDescent, Kozinec, LeastSquares, LinearMachine, MaximumMargin, NetworkClassifier,
    Perceptron, Relaxation, SequenceClassifier, StructuredClassifier,
)  # fmt: skip
FITS = [name for name in RECORDED if not re.search(r"parts|walk|separability|watched|argmax", name)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FITS)
def test_it_agrees_with_check_on_every_recorded_fit(name, tmp_path, monkeypatch):
    """Every fit that is made on the way, of members of committees too, whose certificate has a proof format."""
    seen = {}
    for kind in KINDS:

        def fit(self, *data, inner=kind.fit, **more):
            found = inner(self, *data, **more)
            seen[id(self)] = self, data, more
            return found

        monkeypatch.setattr(kind, "fit", fit)
    RECORDED[name]()
    for k, (rule, data, more) in enumerate(seen.values()):
        place = tmp_path / f"{k}.json", tmp_path / f"{k}.csv"
        certificate = getattr(rule, "certificate_", None)
        if certificate is None:
            continue
        labelled = isinstance(certificate, LabellingCertificate)
        assert rule.check(*data, **more)
        rule.save_proof(place[0], *data, **more, **({} if labelled else {"data": place[1]}))
        holds, said = verify.verify(place[0], None if labelled else place[1])
        assert holds, said
        proof = json.loads(place[0].read_text())
        if math.isfinite(float(proof["upper"])) and proof["claim"] == "margin" and proof["status"] != "not separable":
            place[0].write_text(json.dumps(proof | {"upper": proof["upper"] * (1 - 1e-6) - 1e-300}))
            assert not verify.verify(place[0], None if labelled else place[1])[0]
