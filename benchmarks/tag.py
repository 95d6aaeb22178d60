"""``linsep tag`` against the ``crfsuite`` package, end to end: files in, model and labelled file out.

    python -m benchmarks.tag

Both read the same files of UD English EWT, use the same twenty templates, write a model, read it again and label the
test part. CPU seconds of whole processes, import included; what is compiled once per machine is compiled before. The
user of python-crfsuite writes features in Python, as its tutorial does, and trains in one of three ways: as the package
does by default (lbfgs until it converges), with its averaged perceptron (100 passes by default), or with ten passes of
that, as many as ours. Run in turns, three times (lbfgs once); the least counts.
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
train, test, model, out, algorithm, passes = sys.argv[1:]
trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
if passes != "default":
    trainer.set_params({"max_iterations": int(passes)})
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

PEERS = (  # name, algorithm, passes
    ("crfsuite, lbfgs (default)", "lbfgs", "default"),
    ("crfsuite, ap, 100 passes", "ap", "default"),
    ("crfsuite, ap, 10 passes", "ap", "10"),
)


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
        train, test = str(Path(folder, "train")), str(Path(folder, "test"))
        for part, path in (("train", train), ("test", test)):
            with gzip.open(FOLDER / f"ud_ewt_{part}.tsv.gz", "rt", encoding="utf-8") as file:
                lines = ("\t".join(line.rstrip("\n").split("\t")[:2]) for line in file)
                Path(path).write_text("\n".join(lines) + "\n")
        linsep, models = [sys.executable, "-m", "linsep", "tag"], Path(folder)
        runs: dict[str, tuple[list[str], ...]] = {
            "linsep": (
                [*linsep, "fit", train, "-o", str(models / "linsep")],
                [*linsep, "predict", str(models / "linsep"), test, "-o", str(models / "linsep.txt")],
            )
        }
        for name, algorithm, passes in PEERS:
            model = str(models / name)
            runs[name] = ([sys.executable, "-c", PEER, train, test, model, f"{model}.txt", algorithm, passes],)
        seconds(*runs["linsep"])  # compiled now
        best = {name: seconds(*commands) for name, commands in runs.items()}
        for _ in range(2):
            best |= {name: min(best[name], seconds(*runs[name])) for name in runs if "lbfgs" not in name}
        print(f"{'':<27}{'CPU s':>8}{'/ linsep':>10}{'accuracy':>10}{'model MB':>10}")
        for name, found in best.items():
            size = (models / name).stat().st_size / 1e6
            right = accuracy(str(models / f"{name}.txt"))
            print(f"{name:<27}{found:8.2f}{found / best['linsep']:10.2f}{right:10.4f}{size:10.1f}")


if __name__ == "__main__":
    main()
