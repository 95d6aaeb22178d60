"""The stand-alone verifier refuses every forged certificate of the attack, as `check` does, and no honest one."""

import json

import numpy as np
import pytest

from attack import forgeries, objectives, problems
from attack.tally import Tally
from linsep import MarginCertificate, verify
from linsep.proof_file import as_proof, save_proof

SEEDS = range(1000, 1012)
NOT_IN_THE_FILE = {"longest halved", "novikoff halved"}  # they say nothing about w or other w


class Trial:
    """Honest certificates and their forgeries, written as proof files and verified."""

    def __init__(self, folder):
        self.proof, self.data = folder / "p.json", folder / "d.csv"
        self.honest, self.forged, self.accepted = 0, 0, []

    def confront(self, claim, forged, X, y, weight):
        if claim.status == "interrupted":  # nothing is claimed, on a machine that is slow
            return
        save_proof(self.proof, claim, X, y, weight, data=self.data)
        assert verify.verify(self.proof, self.data)[0], claim
        self.honest += 1
        about = json.loads(self.proof.read_text())["data"]
        for kind, each in forged:
            if kind in NOT_IN_THE_FILE:
                continue
            self.proof.write_text(json.dumps(as_proof(each, data=about)))
            self.forged += 1
            try:
                holds, said = verify.verify(self.proof, self.data)
            except verify.Unreadable:  # NaN, rows that differ in number
                continue
            if holds:
                self.accepted.append(f"{kind}: {said}; honest: {claim}")


def test_it_refuses_forged_margins(tmp_path, monkeypatch):
    trial, forge, make, made = Trial(tmp_path), forgeries.forge, problems.make, []

    def noted(*arguments):
        made.append(make(*arguments))
        return made[-1]

    def observed(rng, claim, rows):
        found = forge(rng, claim, rows)
        trial.confront(claim, found, made[-1].X, made[-1].y, made[-1].weight)
        return found

    monkeypatch.setattr(MarginCertificate, "__str__", lambda self: "")  # it can't say every forged claim
    monkeypatch.setattr(problems, "make", noted)
    monkeypatch.setattr(forgeries, "forge", observed)
    for seed in SEEDS:
        forgeries.attack(seed, Tally())
    assert trial.honest >= len(SEEDS) and trial.forged > 10 * trial.honest
    assert not trial.accepted, "\n".join(trial.accepted)


def test_it_refuses_forged_costs(tmp_path, monkeypatch):
    trial, judge, forge = Trial(tmp_path), objectives.judge, objectives.forge

    def judged(tally, claim, problem, rule, said):
        def observed(claim, spent, least):
            found = forge(claim, spent, least)
            trial.confront(claim, found, problem.X, problem.y, problem.weight)
            return found

        monkeypatch.setattr(objectives, "forge", observed)
        judge(tally, claim, problem, rule, said)

    monkeypatch.setattr(objectives, "judge", judged)
    for seed in SEEDS:
        objectives.attack(seed, Tally())
    assert trial.honest >= len(SEEDS) // 2 and trial.forged > 5 * trial.honest
    assert not trial.accepted, "\n".join(trial.accepted)


@pytest.mark.parametrize("name", ["lower", "upper"])
def test_the_trial_itself_notices_what_is_accepted(name, tmp_path):
    """A bound that is weaker is a true statement: the verifier accepts it, and the trial says so."""
    from linsep import MaximumMargin

    X, y = np.array([[0.0], [4.0]]), np.array([0, 1])
    claim = MaximumMargin().fit(X, y).certificate_
    weaker = type(claim)(**{**vars(claim), name: {"lower": claim.lower, "upper": claim.upper}[name]})
    trial = Trial(tmp_path)
    trial.confront(claim, [("the same", weaker)], X, y, None)
    assert len(trial.accepted) == 1
