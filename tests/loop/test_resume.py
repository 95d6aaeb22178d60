"""A run that is cut short at any checkpoint, and goes on from it, ends as if nothing had happened: bit for bit."""

import os
import signal
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from fits import learned, same

import linsep
from linsep import checkpointing
from linsep.checkpoint import Checkpoint
from linsep.loop import order


class Killed(Exception):
    """Stands for kill -9."""


@pytest.fixture(autouse=True)
def _short_calls(monkeypatch):
    """Several compiled calls per pass."""
    monkeypatch.setattr(order, "READ", 8000)


def make_data(kind):
    rng = np.random.RandomState(3)
    X = rng.normal(size=(400, 8)).round(3)
    score = X @ rng.normal(size=8) + 0.4 * rng.normal(size=400)
    y = np.digitize(score, [-1, 1]) if "many" in kind else (score > 0).astype(int)
    if "sorted" in kind:
        X, y = X[np.argsort(y, kind="stable")], np.sort(y)
    if "separable" in kind:
        X, y = X[np.abs(score) > 1.0], y[np.abs(score) > 1.0]
    return (sp.csr_matrix(X) if "sparse" in kind else X), y


CASES = {
    "perceptron": (linsep.Perceptron(max_iter=9), ""),
    "shuffled": (linsep.Perceptron(max_iter=9, shuffle=True, random_state=4), ""),
    "two runs": (linsep.Perceptron(max_iter=6), "sorted"),
    "batch": (linsep.Perceptron(batch=True, max_iter=15), ""),
    "pocket": (linsep.Perceptron(keep="pocket", max_iter=9, patience=4), ""),
    "any rate": (linsep.Perceptron(rate=lambda k: 1 / k, max_iter=6), ""),
    "updates": (linsep.Perceptron(max_updates=300, max_iter=50), ""),
    "averaged": (linsep.AveragedPerceptron(), "sparse"),
    "relaxation": (linsep.Relaxation(max_iter=9), ""),
    "kozinec": (linsep.Kozinec(tol=1e-3, max_iter=40), "separable"),
    "kozinec, sparse": (linsep.Kozinec(max_iter=40), "sparse separable"),
    "kozinec, augmented": (linsep.Kozinec(bias="augmented", max_iter=20), "separable"),
    "kozinec, started": (linsep.Kozinec(max_iter=20, tol=1e-3, start=np.ones(312)), "separable"),
    "machine": (linsep.LinearMachine(max_iter=9), "many"),
    "many classes": (linsep.AveragedPerceptron(max_iter=6), "many sparse"),
}


def fit(name, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learned(_clone(CASES[name][0]).fit(X, y))


def _clone(rule):
    return type(rule)(**rule.get_params())


def killed_after(count, monkeypatch):
    """The process dies after so many checkpoints."""
    write, written = Checkpoint.write, []

    def write_and_die(self):
        write(self)
        written.append(1)
        if len(written) == count:
            raise Killed

    monkeypatch.setattr(Checkpoint, "write", write_and_die)
    return written


@pytest.mark.parametrize("name", CASES)
def test_a_run_goes_on_bit_for_bit(name, tmp_path, monkeypatch):
    X, y = make_data(CASES[name][1])
    whole = fit(name, X, y)
    with monkeypatch.context() as patch, checkpointing(tmp_path / "all", every=0):
        written = killed_after(10**9, patch)
        assert same(fit(name, X, y), whole)
    assert len(written) >= 10 and not (tmp_path / "all").exists()
    path = tmp_path / "run.checkpoint"
    for count in sorted({1, 2, len(written) // 3, len(written) // 2, len(written) - 1, len(written)}):
        with monkeypatch.context() as patch:
            killed_after(count, patch)
            with pytest.raises(Killed), checkpointing(path, every=0):
                fit(name, X, y)
        assert path.exists()
        visits = []
        monkeypatch.setattr("linsep.loop.learn.report", lambda done, *rest, visits=visits: visits.append(done))
        with checkpointing(path):
            assert same(fit(name, X, y), whole), count
        assert not path.exists()
    assert len(visits) < 5  # the last one had next to nothing left to do


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("name", CASES)
def test_after_ctrl_c_it_goes_on_bit_for_bit(name, tmp_path, monkeypatch):
    """In the middle of a pass, and between two."""
    X, y = make_data(CASES[name][1])
    whole, path = fit(name, X, y), tmp_path / "run.checkpoint"
    for where in ("linsep.checkpoint.Work.is_due", "linsep.loop.learn.report"):
        called = []

        def press(*args, called=called):
            called.append(1)
            if len(called) == 3:
                os.kill(os.getpid(), signal.SIGINT)

        with monkeypatch.context() as patch:
            patch.setattr(where, press)
            with pytest.raises(KeyboardInterrupt), checkpointing(path):
                fit(name, X, y)
        assert path.exists()
        with checkpointing(path):
            assert same(fit(name, X, y), whole), where


def test_it_goes_on_again_and_again(tmp_path, monkeypatch):
    X, y = make_data("")
    whole, path, times = fit("shuffled", X, y), tmp_path / "run.checkpoint", 0
    while True:
        times += 1
        with monkeypatch.context() as patch:
            killed_after(7, patch)
            try:
                with checkpointing(path, every=0):
                    found = fit("shuffled", X, y)
                break
            except Killed:
                pass
    assert times > 3 and same(found, whole)


def test_runs_that_are_done_are_not_made_again(tmp_path, monkeypatch):
    X, y = make_data("")
    path = tmp_path / "run.checkpoint"
    first = fit("perceptron", X, y)
    with monkeypatch.context() as patch, checkpointing(path, every=0) as checkpoint:
        assert same(fit("perceptron", X, y), first)
        killed_after(3, patch)
        with pytest.raises(Killed):
            fit("relaxation", X, y)
        checkpoint.keep = True
    passes = []
    monkeypatch.setattr("linsep.loop.learn.report", lambda done, *rest: passes.append(done))
    with checkpointing(path):
        assert same(fit("perceptron", X, y), first) and not passes
        assert same(fit("relaxation", X, y), fit("relaxation", X, y)) and passes


def cut_short(path, monkeypatch, X, y, name="perceptron"):
    with monkeypatch.context() as patch:
        killed_after(4, patch)
        with pytest.raises(Killed), checkpointing(path, every=0):
            fit(name, X, y)


def test_other_data_parameters_and_versions_are_refused_and_the_file_stays(tmp_path, monkeypatch):
    X, y = make_data("")
    path = tmp_path / "run.checkpoint"
    cut_short(path, monkeypatch, X, y)
    before = path.read_bytes()
    other = X.copy()
    other[7, 3] += 1e-9
    with pytest.raises(ValueError, match="data have changed since"), checkpointing(path, every=0):
        fit("perceptron", other, y)
    with pytest.raises(ValueError, match="data have changed since"), checkpointing(path, every=0):
        fit("perceptron", X, np.roll(y, 1))
    with pytest.raises(ValueError, match="with other parameters"), checkpointing(path, every=0):
        fit("shuffled", X, y)
    with monkeypatch.context() as patch:
        patch.setattr(linsep, "__version__", "9.0")
        with pytest.raises(ValueError, match=r"written by linsep 0\.1\.0"), checkpointing(path, every=0):
            fit("perceptron", X, y)
    assert path.read_bytes() == before
    path.write_bytes(before[:-30])
    with pytest.raises(ValueError, match="not a checkpoint that can be used"), checkpointing(path):
        pass
    with pytest.raises(ValueError, match="folder does not exist"), checkpointing(tmp_path / "no" / "file"):
        pass


def test_a_checkpoint_that_cannot_be_written_says_so_and_the_last_one_stays(tmp_path, monkeypatch):
    X, y = make_data("")
    path = tmp_path / "run.checkpoint"
    cut_short(path, monkeypatch, X, y)
    before = path.read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("linsep.atomic.os.fsync", full)
        with (
            pytest.raises(ValueError, match=r"run\.checkpoint: .* No space left on device"),
            checkpointing(path, every=0),
        ):
            fit("perceptron", X, y)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
    with checkpointing(path):
        assert same(fit("perceptron", X, y), fit("perceptron", X, y))


def test_budgets_of_time_go_on_with_the_seconds_that_are_spent(tmp_path, monkeypatch):
    X, y = make_data("")
    path = tmp_path / "run.checkpoint"
    with monkeypatch.context() as patch:
        killed_after(3, patch)
        patch.setattr("linsep.loop.resume.Course.seconds", 2000.0)
        with pytest.raises(Killed), checkpointing(path, every=0):
            linsep.Perceptron(max_iter=10**6).fit(X, y)
    with checkpointing(path):
        rule = linsep.Perceptron(max_iter=10**6, max_seconds=1000.0).fit(X, y)
    assert "seconds is spent" in rule.certificate_.reason and rule.n_iter_ <= 3, rule.certificate_.reason


def test_structures_begin_again(tmp_path):
    X, y = [np.eye(3)[[0, 1]], np.eye(3)[[2, 1]]], [["a", "b"], ["b", "b"]]
    with checkpointing(tmp_path / "run", every=0):
        linsep.SequenceClassifier().fit(X, y)
        assert not (tmp_path / "run").exists()
