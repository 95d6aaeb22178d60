"""How a command ends: Ctrl-C, a time limit, a reader that has enough, odd files."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from fuzz import attack, make_model

import linsep
from linsep.cli.app import run


def write_slow_table(path, rows=4000, width=40):
    """Rows that no hyperplane separates, so that learning goes on."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(rows, width)).round(3), rng.randint(0, 2, rows)
    lines = [",".join([*map(str, row), str(label)]) for row, label in zip(X.tolist(), y)]
    path.write_text(",".join([f"x{k}" for k in range(width)]) + ",y\n" + "\n".join(lines) + "\n")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_writes_the_best_model_so_far_and_says_so(tmp_path):
    write_slow_table(tmp_path / "slow.csv")
    hook = (
        "import os, signal, sys\n"
        "from linsep import progress\n"
        "from linsep.loop import learn\n"
        "def press(done, *rest):\n"
        "    if done == 3:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "learn.report = press\n"
        "from linsep.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    arguments = ["fit", "slow.csv", "-t", "y", "--rule", "perceptron", "-o", "m.linsep", "--json"]
    done = subprocess.run([sys.executable, "-c", hook, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 130 and not done.stderr
    said = json.loads(done.stdout)
    assert (
        said["notes"][-1] == "interrupted: this is the best model so far. Add --resume to go on."
        and said["model"] == "m.linsep"
    )
    assert linsep.load(tmp_path / "m.linsep").n_iter_ == 3


def test_ctrl_c_before_anything_is_learned_writes_nothing(tmp_path):
    arguments = [sys.executable, "-m", "linsep", "fit", "-", "-t", "y", "-o", "m.linsep"]
    with subprocess.Popen(arguments, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(3)  # it waits for the table
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err.strip() == "linsep: error: interrupted; nothing was written."
    assert not list(tmp_path.iterdir())


def test_the_end_of_the_time_writes_the_best_model_so_far(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_slow_table(tmp_path / "slow.csv", 2000)
    code = run(
        ["fit", "slow.csv", "-t", "y", "--rule", "perceptron", "--time-limit", "0.000001s", "-o", "m.linsep", "--json"]
    )
    said = json.loads(capsys.readouterr().out)
    assert code == 4 == said["exit_code"], said
    assert "time limit is spent" in said["notes"][-1]
    assert linsep.load("m.linsep").predict(np.zeros((1, 40))).shape == (1,)


def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path):
    make_model(tmp_path)
    (tmp_path / "long.csv").write_text("a,b,c,d\n" + "1.5,p,2020-01-01,yes\n" * 20000)
    command = f"{sys.executable} -m linsep predict good.linsep long.csv | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "prediction,score\n" and not done.stderr


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.long) for k in (100, 200, 300))])
def test_odd_files_end_in_one_line(first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = make_model(tmp_path)
    wrong = [said for seed in range(first, first + 100) if (said := attack(tmp_path, good, seed))]
    assert not wrong, "\n".join(wrong[:5])
