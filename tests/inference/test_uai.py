"""UAI files: the certified best values, round trips, evidence, and wrong files."""

import gzip
import math

import numpy as np
import pytest
from conftest import DATA
from networks_at_random import draw_network, is_close, list_labellings

from linsep.inference import elimination, read_uai, solve, trws, write_uai

SMALL = "MARKOV\n3\n2 2 3\n3\n1 0\n2 0 1\n2 1 2\n\n2\n 0.436 0.564\n\n4\n 0.128 0.872\n 0.920 0.080\n\n"
SMALL += "6\n 0.210 0.333 0.457\n 0.811 0.000 0.189\n"


LONG = {"Grids_30"}  # elimination with tables of 2^21 sums


def list_optima():
    """Names and certified best values."""
    if not (DATA / "uai").exists():
        return [pytest.param("", 0.0, marks=pytest.mark.skip(reason=f"{DATA} is not there: the test needs uai/"))]
    lines = (DATA / "uai" / "optimum.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    marks = {True: [pytest.mark.long], False: []}
    return [pytest.param(name, float(value), marks=marks[name in LONG]) for name, value, _ in rows]


@pytest.mark.parametrize(("name", "value"), list_optima())
def test_all_certified_values_are_reached_and_proved(name, value):
    network = read_uai(DATA / "uai" / f"{name}.uai.gz", DATA / "uai" / f"{name}.uai.evid.gz")
    answer = solve(network)
    assert answer.status == "optimal"
    assert answer.value == pytest.approx(value, abs=1e-5)
    assert answer.upper >= answer.value == network.value(answer.labels)
    bound = trws(network, passes=20)
    assert bound.upper >= answer.value >= bound.value


def test_grids_30_is_not_claimed_to_be_solved_by_trws():
    if not (DATA / "uai").exists():
        pytest.skip(f"{DATA} is not there: the test needs uai/")
    network = read_uai(DATA / "uai" / "Grids_30.uai.gz")
    answer = trws(network, passes=200)
    assert answer.status == "not proved" and answer.value < 3015.74473 < answer.upper


def write_file(tmp_path, text, name="small.uai"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["small.uai", "small.uai.gz"])
def test_a_file_is_read_as_logarithms(tmp_path, name):
    network = read_uai(write_file(tmp_path, SMALL, name))
    assert network.value([1, 0, 2]) == pytest.approx(math.log(0.564) + math.log(0.920) + math.log(0.457))
    assert network.value([0, 1, 1]) == -math.inf
    assert is_close(solve(network).value, list_labellings(network)[0][0])


def test_evidence_fixes_labels_and_reduces_factors(tmp_path):
    path = write_file(tmp_path, SMALL)
    for text in ("1 0 1", "1\n1 0 1", "1 1 0 1"):
        network = read_uai(path, write_file(tmp_path, text, "evid"))
        answer = solve(network)
        assert answer.labels[0] == 1
        assert is_close(answer.value, max(value for value, y in list_labellings(read_uai(path)) if y[0] == 1))
    triple = "MARKOV 3 2 2 2 1 3 0 1 2 8 1 2 3 4 5 6 7 8"
    network = read_uai(write_file(tmp_path, triple, "triple"), write_file(tmp_path, "1 1 1", "evid"))
    assert solve(network).value == pytest.approx(math.log(8.0))
    assert read_uai(path, write_file(tmp_path, "0", "evid")).value([1, 0, 2]) == read_uai(path).value([1, 0, 2])


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_back(tmp_path, seed):
    network = draw_network(np.random.default_rng(seed))
    write_uai(network, tmp_path / "x.uai.gz")
    again = read_uai(tmp_path / "x.uai.gz")
    for value, labels in list_labellings(network):
        assert is_close(again.value(labels), value)
    assert is_close(elimination(again).value, elimination(network).value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected MARKOV or BAYES"),
        ("NETWORK\n1 2", "expected MARKOV or BAYES at the beginning, got 'NETWORK'"),
        ("MARKOV\n", "the number of variables: expected 1 numbers, got 0"),
        ("MARKOV\n99999999999\n2 2", "expected 99999999999 numbers, got 2"),
        ("MARKOV\n1e300\n2 2", "numbers of labels: expected 1000000"),
        ("MARKOV\n-1\n", "the number of variables: expected an integer 1 ... inf, got -1"),
        ("MARKOV\n2\n2 0\n0", "variable 1: expected a number of labels, got 0"),
        ("MARKOV\n2\n2 2.5\n0", "variable 1: expected a number of labels, got 2.5"),
        ("MARKOV\n1\n2000000000\n0", "got 2000000000 labels"),
        ("MARKOV\n2\n2 2\n1e9\n", "number of factors"),
        ("MARKOV\n2\n2 2\n1\n1 2\n2 1 1", "a variable of factor 0: expected an integer 0 ... 1, got 2"),
        ("MARKOV\n2\n2 2\n1\n2 1 1\n4 1 1 1 1", "factor 0: expected different variables"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n3 1 1 1", "table 0: expected 4 entries, got 3"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1 1", "table 0: expected 4 numbers, got 3 before the end"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1 -1 1", "got -1 at 2"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1 nan 1", "got nan at 2"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1 inf 1", "got inf at 2"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 one 1 1", "expected a number, got 'one'"),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1 1 1 7", "got 1 more numbers"),
        (
            "MARKOV\n3\n2 2 2\n1\n3 0 1 2\n8 1 1 1 1 1 1 1 1",
            "factor 0: expected at most two variables not observed, got 3",
        ),
    ],
)
def test_wrong_files_are_refused_with_a_reason(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_uai(write_file(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 7 0", "expected variables below 3, got 7"),
        ("1 0 2", "expected a label of variable 0, got 2"),
        ("2 0 1 0 0", "expected one label of variable 0, got 1 and 0"),
        ("3 0 1", "expected 3 observed variables, got 1"),
        ("2 1 0 1", "expected one sample, got 2"),
        ("1 0 -1", "expected integers"),
        ("1 0 x", "expected a number, got 'x'"),
    ],
)
def test_wrong_evidence_is_refused_with_a_reason(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_uai(write_file(tmp_path, SMALL), write_file(tmp_path, text, "evid"))


def test_damaged_and_large_archives_are_refused(tmp_path):
    whole = gzip.compress(SMALL.encode())
    (tmp_path / "cut.gz").write_bytes(whole[:40])
    with pytest.raises(ValueError, match="damaged or truncated"):
        read_uai(tmp_path / "cut.gz")
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"MARKOV\n" + b" " * 10_000_000))
    with pytest.raises(ValueError, match="expected at most 1000 bytes"):
        read_uai(tmp_path / "bomb.gz", limit=1000)
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match="expected an ASCII file"):
        read_uai(tmp_path / "binary")
    with pytest.raises(FileNotFoundError):
        read_uai(tmp_path / "none.uai")
