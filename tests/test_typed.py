"""A user's project under ``mypy --strict``: constructors, fit, attributes and functions have real types."""

import re
import subprocess
import sys

import pytest

PROJECT = """
import numpy as np

import linsep

X, y = np.zeros((4, 2)), np.array([0, 0, 1, 1])
rule = linsep.Perceptron(rate=1.0, margin=0.5, stop=lambda progress: progress.t > 3)
reveal_type(rule.fit(X, y))  # Perceptron
reveal_type(rule.fit(X, y).coef_)  # numpy.ndarray
reveal_type(rule.intercept_)  # numpy.ndarray
reveal_type(rule.certificate_)  # MarginCertificate
reveal_type(rule.certificate_.lower)  # float
reveal_type(rule.history_)  # list[dict[str, float]]
reveal_type(rule.n_iter_)  # int
reveal_type(rule.predict(X))  # numpy.ndarray
reveal_type(rule.check(X, y))  # Verdict
reveal_type(linsep.Kozinec(eps=1e-3).partial_fit(X, y, [0, 1]))  # Kozinec
reveal_type(linsep.Relaxation(1.5, batch="sum").fit(X, y))  # Relaxation
reveal_type(linsep.LinearMachine("kozinec").fit(X, y))  # LinearMachine
reveal_type(linsep.LeastSquares("lms", rate="1/k").fit(X, y))  # LeastSquares
reveal_type(linsep.GradientDescent().fit(X, y))  # GradientDescent
reveal_type(linsep.MaximumMargin(C=1.0).fit(X, y))  # MaximumMargin
reveal_type(linsep.MaximumMargin(C=1.0).fit(X, y).certificate_)  # Certificate
reveal_type(linsep.MaximumMarginCV().fit(X, y))  # MaximumMarginCV
reveal_type(linsep.OneVsAll(rule).fit(X, y))  # OneVsAll
reveal_type(linsep.SequenceClassifier().fit([X], [y]).coef_)  # numpy.ndarray
reveal_type(linsep.separability(X, y))  # MarginCertificate
reveal_type(next(linsep.trace(rule, X, y)).wa)  # float
linsep.Perceptron(rat=1.0)  # error: call-arg
linsep.Perceptron(margin="wide")  # error: arg-type
linsep.Kozinec(max_updates=1.5)  # error: arg-type
"""


@pytest.mark.long
def test_a_users_project_is_typed(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "project.py").write_text(PROJECT)
    options = ["--strict", "--no-incremental", "--hide-error-context", "--config-file="]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "project.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    said: dict[int, str] = {}
    for number, line in re.findall(r"^project\.py:(\d+): (.*)$", run.stdout, re.M):
        said[int(number)] = said.get(int(number), "") + line
    for number, line in enumerate(PROJECT.splitlines(), start=1):
        code, _, wanted = line.partition("  # ")
        if wanted.startswith("error: "):
            assert f"[{wanted.removeprefix('error: ')}]" in said[number], (code, said.get(number))
        elif wanted:
            assert "error" not in said[number] and re.search(
                rf"\b{re.escape(wanted)}\b|{re.escape(wanted)}", said[number]
            )
        else:
            assert number not in said, (code, said[number])
