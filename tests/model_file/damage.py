"""Damaged model files, in a process of bounded memory: ``python damage.py SEED COUNT`` prints what went wrong.

Half of the files have changed, lost or doubled bytes. The others are whole archives whose JSON or arrays were changed
by someone who knows the format: where such a model still loads, it is used, and may fail, but not with a crash.
"""

from __future__ import annotations

import io
import json
import random
import resource
import sys
import warnings
import zipfile
from copy import deepcopy
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from saved_models import EXAMPLES  # noqa: E402

import linsep  # noqa: E402

ROOM = 600 << 20  # bytes beyond what the interpreter has before the first file
FILES = {name: (Path(__file__).parent / "version_1" / f"{name}.linsep").read_bytes() for name in EXAMPLES}
ARRAYS = [
    np.zeros(0),
    np.zeros((2, 3)),
    np.arange(4),
    np.full(3, np.nan),
    np.array(["a"]),
    np.zeros((0, 1 << 40), "i1"),
]
VALUES: list = [None, True, -1, 0, 1 << 40, 1e300, "", "a", [], {}, {"tuple": []}, {"array": "0.npy"}, {"float": "nan"}]
VALUES += [{"dict": [[1, 2]]}, {"kind": "Counters", "values": {}}, {"class": "Perceptron"}, {"bytes": "00"}]
VALUES += [{"array": "no.npy"}, {"kind": "os.system", "values": {}}, {"integer": "0x" + "f" * 5000}]


def change_bytes(raw: bytes, rng: random.Random) -> bytes:
    """Other bytes in some places, or a piece lost or doubled."""
    out = bytearray(raw)
    at, kind = rng.randrange(len(out)), rng.randrange(4)
    if kind == 0:
        return bytes(out[:at])
    if kind == 1:
        return bytes(out[:at] + out[at : at + rng.randrange(1, 400)] + out[at:])
    for _ in range(rng.choice([1, 1, 3, 20])):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def places(value) -> list[tuple]:
    """All places inside some JSON: (container, key)."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [(value, key) for key, _ in inner] + [place for _, each in inner for place in places(each)]


def change_content(raw: bytes, rng: random.Random) -> bytes:
    """The archive with another value somewhere in its JSON, or another array."""
    with zipfile.ZipFile(io.BytesIO(raw)) as members:
        content = {name: members.read(name) for name in members.namelist()}
    header = json.loads(content["model.json"])
    for _ in range(rng.choice([1, 1, 2, 5])):
        found = places(header)
        if not found:
            break
        container, key = rng.choice(found)
        kind = rng.randrange(4)
        if kind == 0:
            container.pop(key)
        elif kind == 1 and isinstance(container, dict):
            container[rng.choice(["predict", "__class__", "fit", "x y", "coef_", "_state"])] = deepcopy(
                rng.choice(VALUES)
            )
        elif kind == 2 and len(content) > 1:
            file = io.BytesIO()
            np.save(file, rng.choice(ARRAYS))
            content[rng.choice(sorted(content.keys() - {"model.json"}))] = file.getvalue()
        else:
            container[key] = deepcopy(rng.choice(VALUES))
    content["model.json"] = json.dumps(header).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as members:
        for name, each in content.items():
            members.writestr(name, each)
    return out.getvalue()


def use(model, example) -> None:
    """Let a model that was loaded work; it may find that it can't."""
    for method in ("predict", "transform", "score_samples", "check", "partial_fit"):
        arguments = (example.X, example.y) if method in ("check", "partial_fit") else (example.X,)
        try:
            getattr(model, method)(*arguments)
            if method == "predict" and isinstance(example.X, np.ndarray):
                model.predict(example.X.astype(np.float32))
        except Exception:
            continue


def save(model, path: Path) -> bytes:
    """The file of a model."""
    model.save(path)
    return path.read_bytes()


def main(seed: int, count: int) -> None:
    rng = random.Random(seed)
    path, whole = Path(sys.argv[3]), {}
    for name, raw in FILES.items():  # whatever is compiled or imported on the way is there before memory is bounded
        path.write_bytes(raw)
        whole[name] = save(model := linsep.load(path, EXAMPLES[name].functions), path)
        use(model, EXAMPLES[name])
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    refused = 0
    for k in range(count):
        name = rng.choice(list(FILES))
        path.write_bytes((change_bytes, change_content)[k % 2](FILES[name], rng))
        try:
            model = linsep.load(path, EXAMPLES[name].functions)
        except ValueError as error:
            refused += 1
            if "\n" in str(error) or len(str(error)) > 1000:
                print("a long message:", name, error)
            continue
        except BaseException as error:
            path.with_suffix(f".{k}").write_bytes(path.read_bytes())
            print("wrong error:", name, type(error).__name__, error)
            continue
        if k % 2:
            use(model, EXAMPLES[name])
        elif save(model, path) != whole[name]:
            print("changed without notice:", name)
    print(f"done: {count} files, {refused} refused")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
