"""The specialised commands: tag, anderson, infer, risk."""

import gzip
import json
import warnings

import numpy as np
import pytest

import linsep
from linsep.cli.app import run
from linsep.data.conll import read_templates
from linsep.inference import Network, solve, write_uai
from linsep.risk import span_scores, vc_bound
from linsep.verify import verify

TRAIN = """the DT B-NP
dog NN I-NP
barks VBZ O

a DT B-NP
cat NN I-NP
sleeps VBZ O

dogs NNS B-NP
sleep VBP O
"""
CRF = "# unigrams\nU00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,1]\nU03:%x[-1,1]/%x[0,1]\n\nB\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(TRAIN)
    (tmp_path / "crf.txt").write_text(CRF)
    return tmp_path


def call(capsys, *arguments):
    """The exit code, the JSON object and stderr of a command."""
    code = run([*arguments, "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


FIT = ("tag", "fit", "train.txt", "--columns", "word,pos,chunk", "--templates", "crf.txt", "--bio", "-o", "t.linsep")


def test_tag_learns_labels_and_counts_as_conlleval_does(folder, capsys):
    code, found, _ = call(capsys, *FIT)
    assert code == 0 and found["certificate"][0].startswith("Separated") and found["sentences"] == 3
    assert linsep.load("t.linsep").templates == ["word[-1]", "word", "pos", "pos[-1]|pos"]
    (folder / "new.txt").write_text("the DT\ncat NN\nbarks VBZ\n\n\n\ndogs\tNNS\n")
    assert run(["tag", "predict", "t.linsep", "new.txt"]) == 0
    assert capsys.readouterr().out == "the\tDT\tB-NP\ncat\tNN\tI-NP\nbarks\tVBZ\tO\n\ndogs\tNNS\tB-NP\n\n"
    (folder / "test.txt").write_text(TRAIN.replace("dog NN I-NP", "dog NN B-NP"))
    assert run(["tag", "evaluate", "t.linsep", "test.txt"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "processed 8 tokens with 4 phrases; found: 3 phrases; correct: 2.",
        "accuracy:  87.50%; precision:  66.67%; recall:  50.00%; FB1:  57.14",
        "               NP: precision:  66.67%; recall:  50.00%; FB1:  57.14  3",
    ]
    code, found, _ = call(capsys, "tag", "evaluate", "t.linsep", "test.txt")
    truth = [["B-NP", "B-NP", "O"], ["B-NP", "I-NP", "O"], ["B-NP", "O"]]
    said = [["B-NP", "I-NP", "O"], ["B-NP", "I-NP", "O"], ["B-NP", "O"]]
    assert found["spans"]["total"]["f1"] == span_scores(truth, said).total.f1 and found["errors"] == 1


def test_taggers_are_named_so_by_the_commands_of_tables(folder, capsys):
    assert run([*FIT, "-q"]) == 0
    for command in ("check", "evaluate", "report"):
        code, found, _ = call(capsys, command, "t.linsep", "train.txt")
        assert code == 3 and "linsep tag predict" in found["error"]


def test_tag_reads_conllu_and_compressed_files(folder, capsys):
    lines = ["# sent_id = 1", "1-2\tdon't\t_" + "\t_" * 7]
    lines += [
        f"{k}\t{word}\t{word}\t{pos}" + "\t_" * 6 for k, (word, pos) in enumerate([("do", "AUX"), ("#", "SYM")], 1)
    ]
    with gzip.open(folder / "some.conllu.gz", "wt") as file:
        file.write("\n".join(lines) + "\n\n")
    code, found, _ = call(capsys, "tag", "fit", "some.conllu.gz", "--label", "upos", "-o", "t.linsep")
    assert code == 0 and found["labels"] == ["AUX", "SYM"] and found["sentences"] == 1


def test_passes_are_chosen_by_the_development_part(folder, capsys):
    code, found, _ = call(capsys, *FIT, "--dev", "train.txt", "--passes", "3")
    assert code == 0 and found["passes"] <= 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((*FIT[:3], "--columns", "word"), 2, "3 different names"),
        ((*FIT[:3], "--label", "7"), 2, "from 1 to 3"),
        ((*FIT[:3], "--columns", "a,b,c"), 2, "column word"),
        (("tag", "fit", "ragged.txt"), 3, "ragged.txt, line 2"),
        (("tag", "fit", "empty.txt"), 3, "empty file"),
        (("tag", "fit", "latin.txt"), 3, "UTF-8"),
        ((*FIT[:3], "--columns", "word,pos,chunk", "--templates", "bad.txt"), 3, "bad.txt, line 1"),
        (("tag", "predict", "crf.txt", "train.txt"), 3, "model file"),
        (("tag", "fit"), 2, "DATA"),
        (("tag", "fit", "one.txt"), 3, "one.txt: expected a token and its label"),
        (("tag", "fit", "train.txt", "--label", "2", "--bio"), 2, "B-x, I-x and O, got DT, NN"),
        (("infer", "pair.uai", "many.evid"), 3, "many.evid: expected 2 observed variables, got 1"),
        (("infer", "crf.txt"), 3, "MARKOV"),
        (("infer", "crf.txt", "--engine", "magic"), 2, "magic"),
        (("anderson", "crf.txt"), 3, "JSON"),
        (("anderson", "list.json"), 3, "object"),
        (("anderson", "few.json"), 3, "covariances"),
        (("infer", "net.uai", "-o", "nowhere/net.MPE"), 3, "best.MPE"),
        (("anderson", "train.csv"), 3, "--target"),
        (("anderson", "few.json", "--components", "2"), 2, "--target"),
        (("anderson", "few.json", "--ignore", "a"), 2, "--target"),
        (("risk",), 2, "--rung"),
        (("risk", "rule.linsep", "train.csv", "--rows", "5"), 2, "MODEL"),
        (("risk", "--rows", "10", "--rung", "3:4", "--lift-to", "3"), 2, "--lift-to"),
        (("risk", "--rung", "3:4"), 2, "--rows"),
        (("risk", "--rows", "10", "--rung", "many:4"), 2, "ERRORS:H"),
        (("risk", "--rows", "10", "--rung", "11:4"), 2, "ERRORS:H"),
    ],
)
def test_an_error_is_one_line_with_an_exit_code(folder, capsys, arguments, code, said):
    (folder / "ragged.txt").write_text("a b\na\n")
    (folder / "empty.txt").write_text("\n\n")
    (folder / "one.txt").write_text("a\n")
    (folder / "pair.uai").write_text("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4")
    (folder / "many.evid").write_text("2 1 0")
    (folder / "latin.txt").write_bytes(b"caf\xe9 NN\n")
    (folder / "bad.txt").write_text("U00:%x[0,7]\n")
    (folder / "list.json").write_text("[]")
    (folder / "train.csv").write_text("a,b,y\n1,2,p\n")
    (folder / "few.json").write_text('{"means": [[0.0]]}')
    got, found, err = call(capsys, *arguments)
    assert got == code == found["exit_code"], found
    assert said in found["error"] and len(err.splitlines()) == 1 and "Traceback" not in err
    assert not list(folder.glob("*.linsep"))


def test_templates_of_features_of_label_pairs_are_refused():
    with pytest.raises(ValueError, match="--pair-features"):
        read_templates("B01:%x[0,0]", ["word"])


def test_anderson_from_gaussians_and_from_a_table(folder, capsys):
    given = {
        "means": [[0.0, 0.0], [4.0, 0.0]],
        "covariances": [[1.0, 1.0], [[1.0, 0.0], [0.0, 9.0]]],
        "labels": ["a", "b"],
    }
    (folder / "g.json").write_text(json.dumps(given))
    code, found, _ = call(capsys, "anderson", "g.json", "-o", "m.linsep", "--proof", "p.json")
    assert code == 0 and found["lower"] == pytest.approx(2.0) and found["status"] == "optimal"
    assert found["gaussians"][0]["error"] == pytest.approx(0.02275, abs=1e-5)
    assert verify("p.json", "p.gaussians.json")[0]
    assert call(capsys, "anderson", "g.json", "--error", "0.03")[:2][0] == 0
    assert call(capsys, "anderson", "g.json", "--error", "0.02")[:2][0] == 1
    np.savez("g.npz", mean=given["means"], cov=[np.eye(2), np.diag([1.0, 9.0])], y=[1, 2])
    assert call(capsys, "anderson", "g.npz")[1]["lower"] == pytest.approx(2.0)
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(0, 1, (200, 2)), rng.normal(3, 1, (200, 2))])
    (folder / "t.csv").write_text("x,z,k\n" + "".join(f"{x},{z},{'ab'[i >= 200]}\n" for i, (x, z) in enumerate(rows)))
    code, found, _ = call(capsys, "anderson", "t.csv", "--target", "k", "-o", "m.linsep")
    assert code == 0 and 1.9 < found["lower"] < 2.4
    assert call(capsys, "evaluate", "m.linsep", "t.csv")[1]["accuracy"] > 0.95


def test_that_no_hyperplane_is_better_is_an_answer_and_no_warning(folder, capsys):
    same = {"means": [[0.0, 0.0], [0.0, 0.0]], "covariances": [[1.0, 1.0], [1.0, 1.0]], "labels": [1, 2]}
    (folder / "same.json").write_text(json.dumps(same))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(["anderson", "same.json"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("Infeasible") and not said.err
    assert "Gaussian 0 of class 1 decides: r = 0.\n" in said.out


def test_infer_writes_what_the_competitions_ask_for(folder, capsys):
    network = Network.from_tables([[0.0, 1.0], [2.0, 0.0], [0.0, 0.5]], [(0, 1), (1, 2)], [[0.0, 1.0], [1.0, 0.0]])
    write_uai(network, folder / "n.uai")
    best = solve(network)
    code, found, _ = call(capsys, "infer", "n.uai", "-o", "n.MPE")
    assert code == 0 and found["status"] == "optimal" and found["value"] == pytest.approx(best.value)
    assert (folder / "n.MPE").read_text() == f"MPE\n3 {' '.join(map(str, best.labels))}\n"
    (folder / "n.evid").write_text("1 0 0")
    code, found, _ = call(capsys, "infer", "n.uai", "n.evid")
    assert code == 0 and found["labels"][0] == 0
    assert run(["infer", "n.uai", "-o", "-"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("MPE\n3 ") and "no labelling has more" in said.err


def test_risk_from_numbers_and_from_a_model(folder, capsys):
    code, found, _ = call(capsys, "risk", "--rows", "1000", "--rung", "40:3", "--rung", "12:40")
    assert code == 0 and found["best"] == 0
    assert [each["bound"] for each in found["bounds"]] == [
        vc_bound(errors / 1000, h, 1000, 0.025).value for errors, h in ((40, 3), (12, 40))
    ]
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (400, 2))
    (folder / "ring.csv").write_text("x,z,k\n" + "".join(f"{x},{z},{x * x + z * z < 0.5}\n" for x, z in rows))
    assert run(["fit", "ring.csv", "-t", "k", "--rule", "perceptron", "-o", "m.linsep", "-q"]) == 0
    code, found, _ = call(capsys, "risk", "m.linsep", "ring.csv", "--lift-to", "3")
    assert (
        code == 0 and found["capacity"] == 3 and [each["rung"] for each in found["ladder"]][found["best"]] == "degree 2"
    )
