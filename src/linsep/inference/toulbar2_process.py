"""toulbar2 in a process of its own: a problem on stdin, an answer on stdout.

`toulbar2` runs this file as a script: no other file of this package is imported. The problem is an .npz of
``time_limit``, ``digits``, ``n_labels``, ``scopes`` (one row per table, -1 for no second variable) and ``costs``, all
tables one after the other. The answer is one line: the lower bound of the costs, then the labels, if any were found.
"""

import io
import os
import sys

import numpy as np


def main() -> None:
    """Solve one problem."""
    answer = os.dup(1)
    os.dup2(2, 1)  # toulbar2 prints to stdout
    problem = np.load(io.BytesIO(sys.stdin.buffer.read()))
    from pytoulbar2 import CFN

    network, at = CFN(resolution=int(problem["digits"])), 0
    n_labels, costs = problem["n_labels"].tolist(), problem["costs"].tolist()
    for v, count in enumerate(n_labels):
        network.AddVariable(f"v{v}", list(range(count)))
    for scope in problem["scopes"].tolist():
        variables = [v for v in scope if v >= 0]
        size = 1
        for v in variables:
            size *= n_labels[v]
        network.AddFunction(variables, costs[at : at + size])
        at += size
    found = network.Solve(timeLimit=int(problem["time_limit"]))
    numbers = [repr(float(network.GetDDualBound())), *(str(int(k)) for k in (found[0] if found else ()))]
    os.write(answer, (" ".join(numbers) + "\n").encode())


if __name__ == "__main__":
    main()
