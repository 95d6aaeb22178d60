"""The command: what it prints, its exit codes, its files."""

import json
import math
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import linsep
from linsep.cli.app import HOME, run
from linsep.data.columns import HeldOut

LINE = "a,b,kind\n" + "".join(f"{k / 2},{k * k % 7},{'low' if k < 12 else 'high'}\n" for k in range(24))
MIXED = "a,b,kind\n" + "".join(f"{k / 2},{k * k % 7},{'even' if k % 2 else 'odd'}\n" for k in range(60))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a separable table and one that is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line.csv").write_text(LINE)
    (tmp_path / "mixed.csv").write_text(MIXED)
    return tmp_path


def call(capsys, *arguments):
    """The exit code, the JSON object and stderr of a command."""
    code = run([*arguments, "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def test_fit_predict_evaluate_check_and_inspect(folder, capsys):
    code, found, _ = call(capsys, "fit", "line.csv", "-t", "kind", "-o", "m.linsep")
    assert code == 0 and "are separable" in found["why"][0] and found["certificate"][0].startswith("Optimal")
    code, found, _ = call(capsys, "check", "m.linsep", "line.csv")
    assert code == 0 and found["holds"] and found["same_data"]
    code, found, _ = call(capsys, "evaluate", "m.linsep", "line.csv")
    assert code == 0 and found["errors"] == 0 and found["confusion"] == [[12, 0], [0, 12]], found
    code, found, _ = call(capsys, "predict", "m.linsep", "line.csv")
    assert code == 0 and found["prediction"] == ["low"] * 12 + ["high"] * 12
    assert run(["predict", "m.linsep", "line.csv", "-o", "out.csv", "-q"]) == 0
    assert (folder / "out.csv").read_text().splitlines()[1].startswith("low,")
    code, found, _ = call(capsys, "inspect", "m.linsep")
    assert code == 0 and found["classes"] == ["high", "low"] and found["weights"][0]["feature"] == "a"


def test_a_certificate_of_other_data_is_wrong(folder, capsys):
    run(["fit", "line.csv", "-t", "kind", "-o", "m.linsep"])
    (folder / "line.csv").write_text(LINE.replace("5.5,", "21,", 1))
    capsys.readouterr()
    code, found, _ = call(capsys, "check", "m.linsep", "line.csv")
    assert code == 1 and not found["holds"] and not found["same_data"] and found["failures"]


def test_columns_are_found_by_name(folder, capsys):
    run(["fit", "line.csv", "-t", "kind", "-o", "m.linsep"])
    swapped = [f"{b},{a}" for a, b, _ in (line.split(",") for line in LINE.splitlines())]
    (folder / "swapped.csv").write_text("\n".join(swapped))
    capsys.readouterr()
    assert call(capsys, "predict", "m.linsep", "swapped.csv")[1]["prediction"] == ["low"] * 12 + ["high"] * 12


def test_held_out_rows_are_not_learned_from_and_left_out_of_the_check(folder, capsys):
    code, found, _ = call(capsys, "fit", "mixed.csv", "-t", "kind", "--test", "0.25", "--seed", "3", "-o", "m.linsep")
    held = int(HeldOut(0.25, 3).mask(0, 60).sum())
    assert code == 0 and found["test"]["rows"] == held > 5
    assert linsep.load("m.linsep").certificate_.size == 60 - held
    assert call(capsys, "check", "m.linsep", "mixed.csv")[0] == 0


def test_separable_answers_by_its_exit_code(folder, capsys):
    assert call(capsys, "separable", "line.csv", "-t", "kind")[:2][0] == 0
    code, found, _ = call(capsys, "separable", "mixed.csv", "-t", "kind")
    assert code == 1 and found["separable"] is False and 2 <= len(found["proof_rows"]) <= 4


@pytest.mark.parametrize("rule", ["perceptron", "kozinec", "maximum-margin", "relaxation", "least-squares"])
def test_every_rule_learns_and_its_model_is_checked(folder, capsys, rule):
    assert call(capsys, "fit", "line.csv", "-t", "kind", "--rule", rule, "-o", "m.linsep")[0] == 0
    assert call(capsys, "check", "m.linsep", "line.csv")[0] == 0


def test_auto_takes_a_soft_margin_where_nothing_separates(folder, capsys):
    code, found, _ = call(capsys, "fit", "mixed.csv", "-t", "kind")
    assert code == 0 and "No hyperplane" in found["why"][0] and "cross-validation" in found["why"][1]
    assert "not written" in found["notes"][0]


def test_a_lift_bends_the_boundary(folder, capsys):
    (folder / "ring.csv").write_text("x,in\n" + "".join(f"{x},{abs(x) < 3}\n" for x in range(-6, 7)))
    assert call(capsys, "separable", "ring.csv", "-t", "in")[0] == 1
    code, found, _ = call(capsys, "fit", "ring.csv", "-t", "in", "--lift", "2", "-o", "m.linsep")
    assert code == 0 and found["certificate"][0].startswith("Optimal")
    assert call(capsys, "check", "m.linsep", "ring.csv")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["fit", "line.csv"], 2, "--target"),
        (["fit", "line.csv", "-t", "kind", "--rule", "magic"], 2, "magic"),
        (["fit", "line.csv", "-t", "kind", "--test", "2"], 2, "between 0 and 1"),
        (["fit", "line.csv", "-t", "kind", "--rule", "perceptron", "--C", "2"], 2, "no price"),
        (["fit", "line.csv", "-t", "kind", "--C", "-1"], 2, "above 0"),
        (["fit", "line.csv", "-t", "kind", "--time-limit", "soon"], 2, "30s"),
        (["fit", "absent.csv", "-t", "kind"], 3, "absent.csv"),
        (["fit", "line.csv", "-t", "size"], 3, "'size'"),
        (["fit", "line.csv", "-t", "kind", "-o", "absent/m.linsep"], 3, "folder"),
        (["predict", "line.csv", "line.csv"], 3, "model file"),
        (["magic"], 2, "magic"),
    ],
)
def test_an_error_is_one_line_with_an_exit_code(folder, capsys, arguments, code, said):
    got, found, err = call(capsys, *arguments)
    assert got == code == found["exit_code"]
    assert said in found["error"] and len(err.splitlines()) == 1 and "Traceback" not in err
    assert not [each for each in folder.iterdir() if each.suffix != ".csv"]


@pytest.mark.parametrize("command", HOME)
def test_help_teaches_within_80_columns(command, capsys):
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert "Example" in said and f"  linsep {command}" in said
    assert max(map(len, said.splitlines())) <= 80


def test_pipes(folder):
    command = [sys.executable, "-m", "linsep"]
    fitted = subprocess.run([*command, "fit", "-", "-t", "kind", "-o", "m.linsep"], input=LINE, text=True)
    assert fitted.returncode == 0
    done = subprocess.run([*command, "predict", "m.linsep", "-"], input=LINE, text=True, capture_output=True)
    assert done.returncode == 0 and done.stdout.splitlines()[0] == "prediction,score" and not done.stderr
    assert math.isfinite(float(done.stdout.splitlines()[1].split(",")[1]))


def test_other_formats_than_tables(folder, capsys):
    rows = [f"{1 if k < 12 else -1} 1:{k / 2} 2:{k * k % 7 + 1}" for k in range(24)]
    (folder / "line.svm").write_text("\n".join(rows) + "\n")
    code, found, _ = call(capsys, "fit", "line.svm", "-o", "m.linsep", "--test", "0.25")
    assert code == 0 and found["features"] == 2 and found["test"]["errors"] <= 1
    assert call(capsys, "check", "m.linsep", "line.svm")[0] == 0
    assert call(capsys, "predict", "m.linsep", "line.svm")[1]["rows"] == 24
    assert call(capsys, "fit", "line.svm", "-t", "kind")[0] == 2
    assert call(capsys, "predict", "m.linsep", "line.csv")[0] == 3


def test_a_table_in_parts_gives_the_same_model(folder, capsys):
    head, *lines = MIXED.splitlines()
    for name, part in (("p1.csv", lines[:17]), ("p2.csv", lines[17:])):
        (folder / name).write_text("\n".join([head, *part]) + "\n")
    one = call(capsys, "fit", "mixed.csv", "-t", "kind", "-o", "one.linsep", "--test", "0.2")[1]
    two = call(capsys, "fit", "p*.csv", "-t", "kind", "-o", "two.linsep", "--test", "0.2")[1]
    assert one["certificate"] == two["certificate"] and one["test"] == two["test"]
    first, second = linsep.load("one.linsep"), linsep.load("two.linsep")
    assert (first.coef_ == second.coef_).all() and (first.intercept_ == second.intercept_).all()


def test_a_schema_is_printed_and_taken_back(folder, capsys):
    assert run(["fit", "mixed.csv", "-t", "kind", "--schema"]) == 0
    (folder / "mine.json").write_text(capsys.readouterr().out)
    plain = call(capsys, "fit", "mixed.csv", "-t", "kind", "--rule", "least-squares")[1]
    again = call(capsys, "fit", "mixed.csv", "-t", "kind", "--rule", "least-squares", "--schema", "mine.json")[1]
    assert plain["certificate"] == again["certificate"]
    (folder / "mine.json").write_text('{"columns": [{"name": "b", "use": "category"}]}')
    found = call(capsys, "fit", "mixed.csv", "-t", "kind", "--dry-run", "--schema", "mine.json")[1]
    assert [each["use"] for each in found["schema"]["columns"]] == ["number", "category"]
    (folder / "mine.json").write_text("{")
    assert call(capsys, "fit", "mixed.csv", "-t", "kind", "--schema", "mine.json")[0] == 3


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["fit", "line.csv", "-t", "kind", "-o", "line.csv"], "line.csv"),
        (["fit", "l*.csv", "-t", "kind", "-o", "./line.csv"], "./line.csv"),
        (["fit", "line.csv", "-t", "kind", "--test", "mixed.csv", "-o", "mixed.csv"], "mixed.csv"),
        (["fit", "line.csv", "-t", "kind", "--schema", "mixed.csv", "-o", "mixed.csv"], "mixed.csv"),
        (["fit", "line.csv", "-t", "kind", "-o", "link.csv"], "link.csv"),
        (["predict", "m.linsep", "line.csv", "-o", "line.csv"], "line.csv"),
        (["predict", "m.csv", "line.csv", "-o", "m.csv"], "m.csv"),
    ],
)
def test_no_file_that_is_read_is_written_over(folder, capsys, arguments, name):
    (folder / "link.csv").symlink_to("line.csv")
    (folder / "m.csv").write_text("a model")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    code, found, _ = call(capsys, *arguments)
    assert code == 2 and found["error"] == f"-o: {name} is read; write to another file."
    assert before == {each.name: each.read_bytes() for each in folder.iterdir()}


SVM = "".join(f"{1 if k < 12 else -1} 1:{k / 2} 2:{k * k % 7 + 1}\n" for k in range(24))


def test_rows_without_names_are_shown_by_their_indices(folder, capsys):
    (folder / "line.svm").write_text(SVM)
    rng = np.random.RandomState(0)
    np.savez(folder / "line.npz", X=rng.normal(size=(20, 3)) + np.arange(20)[:, None], y=np.arange(20) > 9)
    for name, features in (("line.svm", {"x1", "x2"}), ("line.npz", {"x0", "x1", "x2"})):
        assert call(capsys, "fit", name, "-o", "m.linsep")[0] == 0
        code, found, _ = call(capsys, "inspect", "m.linsep")
        assert code == 0 and {each["feature"] for each in found["weights"]} == features
        assert call(capsys, "evaluate", "m.linsep", name, "--picture", "p.png")[0] == 0
        assert (folder / "p.png").stat().st_size > 1000


def test_sparse_rows_are_not_lifted_and_indices_are_those_of_the_model(folder, capsys):
    (folder / "line.svm").write_text(SVM)
    (folder / "zero.svm").write_text("1 1:1\n1 0:1 2:1\n")
    code, found, _ = call(capsys, "fit", "line.svm", "--rule", "maximum-margin", "--C", "1", "--lift", "2")
    assert code == 2 and found["error"].startswith("--lift: these rows are sparse")
    assert call(capsys, "fit", "line.svm", "-o", "m.linsep")[0] == 0
    code, found, _ = call(capsys, "predict", "m.linsep", "zero.svm")
    assert code == 3 and found["error"].startswith("zero.svm, line 2, column 3: expected indices from 1, got 0")


def test_labels_that_are_no_classes_are_named(folder, capsys):
    (folder / "one.csv").write_text("a,b\n1,x\n2,x\n")
    (folder / "numbers.csv").write_text("a,price\n1,0.5\n2,1.25\n3,2\n")
    (folder / "one.svm").write_text("3 1:1\n3 1:2\n")
    for command in ("fit", "separable"):
        code, found, _ = call(capsys, command, "one.csv", "-t", "b")
        said = "one.csv, column 'b': expected two classes or more, got one class only: 'x'."
        assert code == 3 and found["error"] == said
        code, found, _ = call(capsys, command, "numbers.csv", "-t", "price")
        assert code == 3 and found["error"].startswith("numbers.csv, column 'price': expected classes, got numbers")
        code, found, _ = call(capsys, command, "one.svm")
        assert code == 3 and found["error"].startswith("one.svm, labels: expected two classes or more")


def test_standard_input_is_named_as_the_user_does(folder):
    run(["fit", "line.csv", "-t", "kind", "-o", "m.linsep", "-q"])
    command = [sys.executable, "-m", "linsep", "predict", "m.linsep", "-"]
    done = subprocess.run(command, input="a\n1\n", text=True, capture_output=True)
    assert done.returncode == 3
    assert done.stderr.startswith("linsep: error: -: its format is not known from its name. Name it with --format: ")
    done = subprocess.run([*command, "--format", "csv"], input="a\n1\n", text=True, capture_output=True)
    assert done.returncode == 0 and done.stderr.startswith("note: -: no column 'b'")


def test_evaluate_says_which_rows_the_model_has_learned_from(folder, capsys):
    run(["fit", "mixed.csv", "-t", "kind", "--test", "0.25", "--seed", "3", "-o", "m.linsep", "-q"])
    own = 60 - int(HeldOut(0.25, 3).mask(0, 60).sum())
    found = call(capsys, "evaluate", "m.linsep", "mixed.csv")[1]
    assert found["notes"] == [f"the model was fitted to {own} of these 60 rows: expect more errors on new ones."]
    (folder / "new.csv").write_text(MIXED.replace("0.5,", "0.75,", 1))
    assert "notes" not in call(capsys, "evaluate", "m.linsep", "new.csv")[1]


def test_no_w_and_no_updates_where_nothing_separates(folder, capsys):
    (said,) = call(capsys, "separable", "mixed.csv", "-t", "kind")[1]["certificate"]
    assert said.startswith("Not separable: no hyperplane separates") and said.endswith(" training vectors is zero.")


def test_a_rule_that_has_made_all_its_passes_is_done(folder, capsys):
    (folder / "near.csv").write_text("a,b,y\n0,0,p\n1,2,p\n1.000001,2,q\n3,1,q\n-5,7,q\n")
    code, found, _ = call(capsys, "fit", "near.csv", "-t", "y", "--rule", "perceptron")
    assert code == 0 and "spent" in found["certificate"][0]


def test_another_separator_is_noticed(folder, capsys):
    run(["fit", "line.csv", "-t", "kind", "-o", "m.linsep", "-q"])
    (folder / "semi.csv").write_text(LINE.replace(",", ";"))
    (folder / "comma.csv").write_text(LINE.replace(",", ";").replace(".", ","))
    for arguments in (["fit", "semi.csv", "-t", "kind"], ["fit", "comma.csv", "-t", "kind"],
                      ["predict", "m.linsep", "semi.csv"]):  # fmt: skip
        code, found, _ = call(capsys, *arguments)
        assert code == 3 and "The only column is 'a;b;kind': are its cells separated by ';'?" in found["error"]


@pytest.mark.parametrize("options", [(), ("--rule", "perceptron"), ("--C", "1", "--test", "0.25"), ("--lift", "2")])
def test_a_proof_is_verified_by_the_copied_verifier(folder, capsys, options):
    proof = folder / "sub"
    proof.mkdir()
    arguments = ("fit", "mixed.csv", "-t", "kind", "--proof", "sub/p.json", "--with-verifier", *options)
    code, found, _ = call(capsys, *arguments)
    assert code == 0 and found["proof"] == "sub/p.json"
    done = subprocess.run([sys.executable, "verify.py", "p.json", "p.csv"], cwd=proof, capture_output=True, text=True)
    assert done.returncode == 0 and "The proof holds" in done.stdout, done.stderr


def test_proofs_of_text_are_svmlight_and_odd_names_are_refused(folder, capsys):
    (folder / "t.csv").write_text(
        "note,kind\n" + "".join(f"word{k % 150} w{k % 131},{'ab'[k % 2]}\n" for k in range(600))
    )
    arguments = ("fit", "t.csv", "-t", "kind", "--text", "note", "--C", "1", "--test", "0.2", "--proof", "p.json")
    assert call(capsys, *arguments)[:2][1]["proof_data"] == "p.svm"
    assert import_module("linsep.verify").verify("p.json", "p.svm")[0]
    code, found, _ = call(capsys, "fit", "line.csv", "-t", "kind", "--rule", "least-squares", "--proof", "q.json")
    assert code == 0 and import_module("linsep.verify").verify("q.json", found["proof_data"])[0]
    assert call(capsys, "fit", "line.csv", "-t", "kind", "--proof", "line.json", "--dry-run")[0] == 2, "its data"
    assert call(capsys, "fit", "line.csv", "-t", "kind", "--with-verifier")[0] == 2
    assert call(capsys, "fit", "line.csv", "-t", "kind", "--proof", "p.txt")[0] == 2
