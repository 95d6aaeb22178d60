"""``linsep tag`` against the ``crfsuite`` package, end to end: files in, model and labelled file out.

    python -m benchmarks.tag

Both read the same files of UD English EWT, use the same twenty templates, make ten passes of the averaged perceptron,
write a model, read it again and label the test part. CPU seconds of whole processes, import included; both are run
three times in turns, the least counts. What is compiled once per machine is compiled before. CRFsuite's user writes its
features in Python, as its tutorial does; its own default is 100 passes, not ten.
"""

import gzip
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .data import FOLDER

PEER = r"""
import sys, re, pycrfsuite
def read(path):
    return [[line.split("\t") for line in block.split("\n")] for block in open(path).read().strip().split("\n\n")]
def shape(w):
    kinds = ("X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c for c in w)
    return re.sub(r"(.)\1+", r"\1", "".join(kinds))
def features(words):
    low = ["<s>", "<s>"] + [w.lower() for w in words] + ["</s>", "</s>"]
    suffix = ["<s>"] + [w[-3:] for w in words] + ["</s>"]
    out = []
    for t, w in enumerate(words):
        u, v, x, y, z = low[t : t + 5]
        out.append([
            "w=" + w, "l=" + x, "s=" + shape(w), "p1=" + w[:1], "p2=" + w[:2], "p3=" + w[:3], "p4=" + w[:4],
            "s1=" + w[-1:], "s2=" + w[-2:], "s3=" + w[-3:], "s4=" + w[-4:], "l-2=" + u, "l-1=" + v, "l1=" + y,
            "l2=" + z, "s-1=" + suffix[t], "s+1=" + suffix[t + 2], "b-=" + v + "|" + x, "b+=" + x + "|" + y,
            "b0=" + v + "|" + y,
        ])
    return out
train, test, model, out = sys.argv[1:]
trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
trainer.set_params({"max_iterations": 10})
for s in read(train):
    trainer.append(features([w for w, _ in s]), [y for _, y in s])
trainer.train(model)
tagger = pycrfsuite.Tagger()
tagger.open(model)
with open(out, "w") as file:
    for s in read(test):
        for (w, y), found in zip(s, tagger.tag(features([w for w, _ in s]))):
            file.write(f"{w}\t{y}\t{found}\n")
        file.write("\n")
"""


def seconds(*commands: list[str]) -> float:
    """CPU seconds of commands, one after the other."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def accuracy(path: str) -> float:
    """The share of lines whose last two columns agree."""
    rows = [line.split("\t") for line in Path(path).read_text().splitlines() if line]
    return sum(row[-1] == row[-2] for row in rows) / len(rows)


def main() -> None:
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as wherever nobody has forbidden it
    with tempfile.TemporaryDirectory() as folder:
        place = {name: str(Path(folder, name)) for name in ("train", "test", "ours", "peer", "ours.txt", "peer.txt")}
        for part in ("train", "test"):
            with gzip.open(FOLDER / f"ud_ewt_{part}.tsv.gz", "rt", encoding="utf-8") as file:
                lines = ("\t".join(line.rstrip("\n").split("\t")[:2]) for line in file)
                Path(place[part]).write_text("\n".join(lines) + "\n")
        linsep = [sys.executable, "-m", "linsep", "tag"]
        ours = (
            [*linsep, "fit", place["train"], "-o", place["ours"]],
            [*linsep, "predict", place["ours"], place["test"], "-o", place["ours.txt"]],
        )
        peer = [sys.executable, "-c", PEER, place["train"], place["test"], place["peer"], place["peer.txt"]]
        seconds(*ours)  # compiled now
        best = [float("inf")] * 2
        for _ in range(3):
            best = [min(best[0], seconds(*ours)), min(best[1], seconds(peer))]
        sizes = [Path(place[name]).stat().st_size / 1e6 for name in ("ours", "peer")]
        print(f"{'':<10}{'CPU s':>8}{'accuracy':>10}{'model MB':>10}")
        for k, name in enumerate(("linsep", "crfsuite")):
            print(f"{name:<10}{best[k]:8.2f}{accuracy(place[('ours.txt', 'peer.txt')[k]]):10.4f}{sizes[k]:10.1f}")
        print(f"crfsuite / linsep: {best[1] / best[0]:.2f} (5 asked)")


if __name__ == "__main__":
    main()
