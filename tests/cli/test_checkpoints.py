"""``linsep fit --resume`` after kill -9, Ctrl-C, a full disk, files that are gone or changed."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from fits import learned, same
from test_endings import write_slow_table

import linsep
import linsep.data
from linsep.cli.app import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")
PASSES = {  # of some seconds
    "perceptron": 20_000,
    "averaged-perceptron": 12_000,
    "relaxation": 20_000,
    "kozinec": 60_000,
    "linear-machine": 6_000,
}


def arguments(rule, model, passes, *more):
    return ["fit", "slow.csv", "-t", "y", "--rule", rule, "--passes", str(passes), "-o", model, *more]


def start(arguments, folder, **options):
    command = [sys.executable, "-m", "linsep", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_checkpoint(process, path):
    """Wait until a new one is written; whether the process is still at work."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    while process.poll() is None:
        if path.exists() and path.stat().st_mtime_ns != before:
            return True
        time.sleep(0.005)
    return False


@pytest.mark.long
@pytest.mark.parametrize("rule", PASSES)
def test_killed_four_times_at_random_moments_it_ends_with_the_same_bits(rule, tmp_path):
    """Of five rules: twenty kills in all."""
    write_slow_table(tmp_path / "slow.csv", 1500, 20)
    if rule == "kozinec":  # it ends where nothing separates the classes: x0 + x1 is to
        head, *rows = (tmp_path / "slow.csv").read_text().splitlines()
        scores = [sum(map(float, row.split(",")[:2])) for row in rows]
        rows = [f"{row[:-1]}{int(score > 0)}" for row, score in zip(rows, scores) if abs(score) > 0.03]
        (tmp_path / "slow.csv").write_text("\n".join([head, *rows]) + "\n")
    chance, kills = random.Random(rule), 0
    options = arguments(rule, "m.linsep", PASSES[rule], "--checkpoint-every", "0.02s")
    for _ in range(4):
        with start([*options, "--resume"], tmp_path) as process:
            if not wait_for_checkpoint(process, tmp_path / "m.linsep.checkpoint"):
                break
            time.sleep(chance.uniform(0.0, 0.2))
            if process.poll() is None:
                process.kill()
                kills += 1
    assert kills == 4 and not (tmp_path / "m.linsep").exists()
    with start([*options, "--resume", "--json"], tmp_path) as process:
        out, err = process.communicate()
    assert process.returncode == 0 and "going on from" in json.loads(out)["notes"][0], err
    with start(arguments(rule, "whole.linsep", PASSES[rule], "-q"), tmp_path) as process:
        process.communicate()
    found, whole = linsep.load(tmp_path / "m.linsep"), linsep.load(tmp_path / "whole.linsep")
    assert whole.n_iter_ == PASSES[rule]  # no clock ended it
    assert same(learned(found), learned(whole))
    assert {each.name for each in tmp_path.iterdir()} >= {"m.linsep", "slow.csv", "whole.linsep"}
    assert not list(tmp_path.glob("*.checkpoint"))


@pytest.fixture
def cut_short(tmp_path, monkeypatch, capsys):
    """A fit that was interrupted, in the present folder; gives its arguments."""
    monkeypatch.chdir(tmp_path)
    write_slow_table(tmp_path / "slow.csv", 1500, 20)
    options = arguments("perceptron", "m.linsep", 60)
    interrupt_at(5, options, monkeypatch)
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith("this is the best model so far. Add --resume to go on.")
    return options


def interrupt_at(count, options, monkeypatch, where="linsep.loop.learn.report"):
    """Run a command, with Ctrl-C after so many passes."""

    def press(done, *rest):
        if done == count:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(where, press)
        assert run(options) == 130


def said(capsys):
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_after_ctrl_c_it_goes_on_with_the_same_bits(cut_short, tmp_path):
    assert linsep.load("m.linsep").n_iter_ == 5
    assert run([*cut_short, "--resume"]) == 0
    assert not (tmp_path / "m.linsep.checkpoint").exists()
    assert run([*cut_short[:-1], "whole.linsep"]) == 0
    assert same(learned(linsep.load("m.linsep")), learned(linsep.load("whole.linsep")))


def test_what_has_changed_is_refused_and_the_checkpoint_stays(cut_short, tmp_path, capsys):
    place = tmp_path / "m.linsep.checkpoint"
    before, table = place.read_bytes(), (tmp_path / "slow.csv").read_text()
    (tmp_path / "slow.csv").write_text(f"{table[:-2]}{1 - int(table[-2])}\n")  # the last label
    assert run([*cut_short, "--resume"]) == 3
    assert said(capsys).startswith("linsep: error: slow.csv: has changed since m.linsep.checkpoint was written. Bring")
    (tmp_path / "slow.csv").rename("elsewhere.csv")
    assert run([*cut_short, "--resume"]) == 3
    assert said(capsys) == "linsep: error: slow.csv: No such file or directory. Check the path."
    (tmp_path / "slow.csv").write_text(table)
    assert run([*cut_short, "--resume", "--seed", "3"]) == 2
    assert "was written with --seed 0, not 3. Give the same, or begin" in said(capsys)
    assert run(["fit", "elsewhere.csv", *cut_short[2:], "--resume"]) == 3
    assert "was written for slow.csv. Give the same files" in said(capsys)
    assert run(["fit", "slow.csv", "-t", "y", "--resume"]) == 2 and "which fit is to go on?" in said(capsys)
    assert run([*cut_short, "--checkpoint", "slow.csv"]) == 2 and "slow.csv is read" in said(capsys)
    assert place.read_bytes() == before
    place.write_bytes(before[:1000])
    assert run([*cut_short, "--resume"]) == 3 and "not a checkpoint that can be used" in said(capsys)


def test_a_full_disk_is_an_error_and_the_checkpoint_stays(cut_short, tmp_path):
    place = tmp_path / "m.linsep.checkpoint"
    before = place.read_bytes()
    limited = (
        "import resource, signal, sys\n"
        "from linsep import checkpoint\n"
        "from linsep.cli.app import run\n"
        "def write(*args, write=checkpoint.write_archive):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (10000, -1))\n"
        "    write(*args)\n"
        "checkpoint.write_archive = write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    options = [*cut_short, "--resume", "--checkpoint-every", "0.000001s"]
    done = subprocess.run([sys.executable, "-c", limited, *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3 and "File too large" in done.stderr, done.stderr
    assert place.read_bytes() == before and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("place", ["separability", "price"])
def test_ctrl_c_while_the_rule_is_chosen_writes_a_model_too(place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_slow_table(tmp_path / "slow.csv", 300, 5)
    from linsep.cli import learning

    name = "_choose_rule" if place == "separability" else "_choose_price"
    choose = getattr(learning, name)

    def pressed(*args):
        os.kill(os.getpid(), signal.SIGINT)
        return choose(*args)

    monkeypatch.setattr(learning, name, pressed)
    assert run(["fit", "slow.csv", "-t", "y", "-o", "m.linsep"]) == 130
    out, err = capsys.readouterr()
    assert "Interrupted while the rule was chosen: an averaged perceptron of one pass." in out
    assert err.strip().endswith("note: interrupted: this is the best model so far.")
    assert linsep.load("m.linsep").n_iter_ == 1


def test_the_choice_of_a_rule_is_remembered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_slow_table(tmp_path / "slow.csv", 300, 5)
    from linsep.cli import learning

    options = ["fit", "slow.csv", "-t", "y", "-o", "m.linsep", "--checkpoint-every", "0.000001s"]
    with monkeypatch.context() as patch:
        patch.setattr(learning, "make_estimator", lambda *args: 1 / 0)  # dies after the choice
        assert run(options) == 70
    capsys.readouterr()
    monkeypatch.setattr(learning, "_choose", lambda *args: 1 / 0)
    assert run([*options, "--resume"]) == 0
    assert "No hyperplane separates the classes" in capsys.readouterr().out


def test_an_old_checkpoint_is_not_used_without_resume(cut_short, capsys):
    assert run(cut_short) == 0
    assert "m.linsep.checkpoint holds a fit that was cut short" in capsys.readouterr().err
    assert run([*cut_short, "--resume"]) == 0 and "begins from the start" in capsys.readouterr().err


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 128 KB; where mounting is not allowed there is no test."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=128k", "tmpfs", place], capture_output=True).returncode
    ):
        pytest.skip("mounting is not allowed")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_really_full(small_disk, cut_short, tmp_path, capsys):
    """A checkpoint, a model and a cache that don't fit: errors, the old checkpoint stays, nothing half-written does."""
    place, model = small_disk / "c.checkpoint", small_disk / "m.linsep"
    place.write_bytes((tmp_path / "m.linsep.checkpoint").read_bytes())
    before = place.read_bytes()
    with suppress(OSError), open(small_disk / "other", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))
    there = sorted(path.name for path in small_disk.iterdir())
    options = [*cut_short[:-1], str(model), "--checkpoint", str(place)]
    assert run([*options, "--resume", "--checkpoint-every", "0.000001s"]) == 3
    assert "No space left on device" in said(capsys)
    assert place.read_bytes() == before and sorted(path.name for path in small_disk.iterdir()) == there
    assert run([*cut_short[:-1], str(model)]) == 3 and "No space left on device" in said(capsys)
    with pytest.raises(linsep.data.DataError, match="the cache can't be written: No space left on device"):
        linsep.open_dataset("slow.csv", "y", cache=small_disk)
    assert sorted(path.name for path in small_disk.iterdir()) == there
