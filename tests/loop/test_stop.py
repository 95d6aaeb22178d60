"""Stops: every budget ends the run with its reason, Ctrl-C returns what there is, and nothing hangs."""

import itertools
import signal
import threading
from dataclasses import replace

import golden
import loop_cases as cases
import numpy as np
import pytest
from loop_cases import ORACLES, TARGETS
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from linsep import LinearMachine, OneVsAll, OneVsOne, Perceptron, Relaxation
from linsep.estimators import maximum_margin
from linsep.loop.learn import learn, record
from linsep.loop.order import VISITS
from linsep.loop.stop import AUTO, LEAST, Rounds, Stop
from linsep.oracles import points
from linsep.rules import Increment, Nearest
from linsep.targets import Margin


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a thousandth of a second each time it is read."""
    ticks = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: 0.001 * next(ticks))


@pytest.mark.parametrize(
    ("stop", "batch", "said"),
    [
        (Stop(passes=7), False, "7 passes"),
        (Stop(passes=7), True, "7 passes"),
        (Stop(updates=9), False, "9 updates"),
        (Stop(updates=9), True, "9 updates"),
        (Stop(passes=None, seconds=0.05), False, "0.05 seconds"),
        (Stop(passes=None, seconds=0.05), True, "0.05 seconds"),
        (Stop(patience=3), False, "patience"),
        (Stop(patience=3), True, "patience"),
        (Stop(theta=1e3), True, "theta=1000"),
    ],
    ids=str,
)
def test_every_stop_ends_the_run_with_its_reason(stop, batch, said, clock):
    X, sign = cases.slow()
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0), stop=stop, batch=batch)
    found = result.certificate
    assert found.status == "budget spent"
    assert said in found.reason
    assert said in str(found)
    if stop.updates:
        assert found.updates == 9
    if stop.passes == 7:
        assert result.state.passes == len(result.history) == 7
    assert found.check(X, sign)


def test_patience_waits_for_fewer_errors():
    X, sign = cases.floats(31, n=60, d=2, apart=0.4)
    errors = []
    result = learn(
        [points(X, sign)], Margin(0.0), Increment(1.0), keep="pocket", stop=Stop(passes=None, patience=5),
        watch=[lambda state: errors.append(state.errors)],
    )  # fmt: skip
    best = int(np.argmin(errors))
    assert len(errors) == best + 1 + 5
    assert "patience" in result.certificate.reason


def test_theta_ends_at_a_short_step():
    X, sign = cases.floats(32, n=60, d=2, apart=0.3)
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0, 1.0), batch=True, stop=Stop(passes=10**6, theta=0.05))
    assert result.state.step_length < 0.05
    assert "theta=0.05" in result.certificate.reason


@pytest.mark.parametrize("kind", ORACLES)
def test_a_proof_of_inseparability_ends_the_run(kind):
    X, sign = cases.xor()
    stop = Stop(passes=10**6, when_inseparable=True)
    result = learn(ORACLES[kind](X, sign), TARGETS["relative"], Nearest(), stop=stop)
    assert result.certificate.status == "not separable"
    assert "not separable" in result.certificate.reason
    assert result.state.passes < 1000
    assert result.certificate.check(X, sign)


def test_a_watcher_ends_the_run_with_its_reason():
    X, sign = cases.slow()
    watch = [lambda state: "enough seen" if state.passes == 3 else None]
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0), watch=watch)
    assert result.state.passes == 3
    assert result.certificate.reason == "enough seen"


def test_the_clock_is_read_between_compiled_calls(clock):
    n = 4 * VISITS  # four compiled calls per pass
    X, sign = np.ones((n, 1)), np.where(np.arange(n) % 2, 1, -1)
    stop = Stop(passes=None, seconds=0.003)
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0), stop=stop)
    assert "0.003 seconds" in result.certificate.reason
    assert result.state.passes == 1
    assert result.state.counters.updates < n


def pressing(k):
    """A rate of 1 that presses Ctrl-C at the fifth update."""
    if k == 5:
        signal.raise_signal(signal.SIGINT)
    return 1.0


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_control_c_keeps_what_there_is_and_goes_on_to_the_caller(batch):
    X, sign = cases.slow()
    before = signal.getsignal(signal.SIGINT)
    rule = Perceptron(rate=pressing, batch=batch, scaling=None)
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, sign)
    assert rule.certificate_.status == "budget spent"
    assert "Ctrl-C" in rule.certificate_.reason
    assert np.isfinite(rule.coef_).all() and rule.coef_.any()
    assert rule.check(X, sign)
    assert rule.predict(X).shape == sign.shape
    assert signal.getsignal(signal.SIGINT) is before
    assert "Ctrl-C" not in Perceptron(batch=batch).fit(X, sign).certificate_.reason  # the next call is not touched


def test_an_ignored_control_c_stays_ignored():
    """As it is in jobs that a script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        rule = Perceptron(rate=pressing, max_iter=2).fit(*cases.slow())
        assert "Ctrl-C" not in rule.certificate_.reason
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_control_c_ends_a_loop_of_fits():
    X, label = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 1, 2, 0, 1, 2])
    started = []

    def rate(k):
        started.append(k)
        return pressing(5)

    for rule in (OneVsOne(Perceptron(rate=rate)), GridSearchCV(Perceptron(rate=rate), {"margin": [0.0, 1.0]}, cv=2)):
        started.clear()
        with pytest.raises(KeyboardInterrupt):
            rule.fit(X, label)
        assert started.count(1) == 1  # no second fit was begun


def test_a_second_control_c_interrupts_at_once():
    X, sign = cases.slow()

    def press(state):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        learn([points(X, sign)], Margin(0.0), Increment(1.0), watch=[press])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_learning_works_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(Perceptron().fit(golden.X, golden.Y)))
    thread.start()
    thread.join()
    assert [*found[0].coef_[0], *found[0].intercept_] == golden.W


def test_rounds_end_at_a_budget_or_at_control_c(clock):
    rounds = Rounds(3)
    assert list(rounds) == [1, 2, 3] and "3 passes" in rounds.reason
    timed = Rounds(10**6, seconds=0.01)
    assert 0 < len(list(timed)) < 20 and "0.01 seconds" in timed.reason
    pressed = Rounds(10**6)
    with pytest.raises(KeyboardInterrupt):
        list(k == 2 and signal.raise_signal(signal.SIGINT) for k in pressed)
    assert pressed.count == 2 and "Ctrl-C" in pressed.reason
    broken = Rounds(10**6)
    for _ in broken:
        break
    assert broken.reason == "" and next(iter(broken)) == 2


def test_what_is_printed_and_recorded_per_pass(capsys):
    rule = Perceptron(verbose=1, max_iter=4, scaling=None).fit(*cases.slow())
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(rule.history_) == rule.n_iter_ == 4
    assert [line.split()[:2] for line in said] == [["pass", str(k)] for k in (1, 2, 3, 4)]
    assert rule.history_[0].keys() == record(rule._state).keys()


@pytest.mark.parametrize("kind", [OneVsAll, OneVsOne])
def test_a_committee_keeps_the_members_that_were_learned(kind):
    X, label = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 1, 2, 0, 1, 2])
    calls = []

    def rate(k):
        calls.append(k)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return 1.0

    before, rule = signal.getsignal(signal.SIGINT), kind(Perceptron(rate=rate, max_iter=1))
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, label)
    assert signal.getsignal(signal.SIGINT) is before
    assert [type(member).__name__ for member in rule.estimators_].count("Absent") in (1, 2)
    assert rule.certificates_[-1].reason == "interrupted (Ctrl-C)"
    assert rule.check(X, label) and rule.predict(X).shape == label.shape
    assert np.isfinite(rule.decision_function(X)).all()


def test_a_foreign_member_is_interrupted_at_once():
    class Foreign(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("Ctrl-C was held back")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            OneVsOne(Foreign()).fit(np.arange(6.0)[:, None], [0, 1, 2, 0, 1, 2])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_a_margin_whose_proof_is_interrupted_says_so(C, monkeypatch):
    """By then the search itself is over, and rounding would be named."""
    X, sign = cases.floats(3, n=300, d=3, apart=0.0)
    prove = maximum_margin.prove_margin if np.inf == C else maximum_margin.prove_objective

    def pressed(*given, **options):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGINT)
        return prove(*given, **options)

    monkeypatch.setattr(maximum_margin, prove.__name__, pressed)
    rule = maximum_margin.MaximumMargin(C, tol=1e-15, max_iter=10**6)
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, sign)
    assert rule.certificate_.reason == "interrupted (Ctrl-C)" and not rule.certificate_.proved
    assert rule.check(X, sign)


def test_what_is_not_proved_in_time_is_not_claimed(monkeypatch):
    X, sign = cases.floats(3, n=9000, d=3, apart=2.0)  # more than one block: the clock is looked at in between
    monkeypatch.setattr("linsep.interrupt.INTERRUPT.deadline", 0.0)
    monkeypatch.setattr("linsep.interrupt.INTERRUPT.grace", 0.0)
    found = learn([points(X, sign)], Margin(0.0), Increment(1.0)).certificate
    monkeypatch.undo()
    assert (found.status, found.lower, found.upper, found.violated) == ("interrupted", -np.inf, np.inf, 9000)
    assert found.check(X, sign) and "no time to prove" in str(found)
    assert str(found.check(X, sign)) == "The certificate holds, but claims nothing: there was no time for a proof."
    for forged in ({"lower": 0.0}, {"upper": 9.0}, {"violated": 0}, {"size": 8999, "violated": 8999}):
        assert not replace(found, **forged).check(X, sign)


# --- max_iter="auto" -------------------------------------------------------------------------------------------------


def work(monkeypatch, first, later):
    """A clock of work: ``first`` seconds until the first look at it, ``later`` between two looks."""
    ticks = itertools.chain([first], itertools.count(first + later, later))
    monkeypatch.setattr("time.thread_time", lambda: next(ticks))


@pytest.mark.parametrize("rule", [Perceptron(batch=True, scaling=None), Relaxation(scaling=None)], ids=str)
def test_auto_is_a_budget_of_seconds_after_the_first_pass(rule, monkeypatch):
    work(monkeypatch, 1000.0, 0.1)  # compiling does not count
    X, sign = cases.slow()
    rule.fit(X, sign)
    assert "5 seconds of max_iter='auto' are spent" in rule.certificate_.reason
    assert LEAST < rule.n_iter_ < 60
    assert rule.set_params(max_iter=70).fit(X, sign).n_iter_ == 70  # a number of passes is one


def test_some_passes_are_made_whatever_they_cost(monkeypatch):
    work(monkeypatch, 0.0, 100.0)
    X, sign = cases.slow()
    assert Relaxation(scaling=None).fit(X, sign).n_iter_ == LEAST
    assert len(list(Rounds(100, auto=AUTO))) == LEAST


def test_the_machine_has_the_same_budget_whatever_its_classes(monkeypatch):
    work(monkeypatch, 0.0, 1.0)
    X, label = np.ones((6, 2)), np.arange(6) % 3
    machine = LinearMachine(scaling=None).fit(X, label)
    assert "5 seconds" in machine.certificate_.reason and machine.n_iter_ <= 6
