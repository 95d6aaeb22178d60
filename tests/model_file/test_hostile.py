"""Hostile and damaged model files: one ValueError, no code run, memory bounded by the size of the file."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import linsep

DAMAGE = Path(__file__).parent / "damage.py"
HEADER = {"format": "linsep model", "version": 1, "linsep": "0.1.0"}


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def header_of(shape, descr="'<f8'") -> bytes:
    """An npy file of a header alone."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def write(path, model, compression=zipfile.ZIP_STORED, header=HEADER, **members):
    """A model file of this JSON and these members, whose names lose their underscore."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("model.json", model if isinstance(model, str) else json.dumps({**header, "model": model}))
        for name, content in members.items():
            archive.writestr(f"{name.strip('_')}.npy", content)
    return path


def perceptron(**values) -> dict:
    return {"kind": "Perceptron", "values": values}


ARRAY = {"array": "0.npy"}
CASES = {
    "not a zip file": (b"linsep", "not a zip file"),
    "an empty file": (b"", "not a zip file"),
    "a class that is not listed": ({"kind": "os.system", "values": {}}, "class that model files may name"),
    "a class of the standard library": ({"kind": "Popen", "values": {}}, "class that model files may name"),
    "a method replaced": (perceptron(predict=1), "expected names of values, got 'predict'"),
    "a property of the class": ({"kind": "OneVsAll", "values": {"coef_": 1}}, "expected names of values"),
    "a dunder": (perceptron(__class__=1), "expected names of values"),
    "a wrong parameter": (perceptron(rate="fast"), "'rate' parameter"),
    "no estimator": ({"kind": "targets.Margin", "values": {"b": 1.0}}, "expected an estimator, got Margin"),
    "plain data": ([1, 2], "expected an estimator, got list"),
    "an unknown form": ({"pickle": "x"}, "known form of a value"),
    "too many names": ({"tuple": [], "more": 1}, "known form of a value"),
    "a member that is not there": (perceptron(coef_={"array": "9.npy"}), "9.npy"),
    "a path": (perceptron(coef_={"array": "../../etc/passwd"}), "There is no item"),
    "NaN in JSON": ('{"format": "linsep model", "version": 1, "model": NaN}', "expected finite numbers, got NaN"),
    "an endless number": ('{"format": "linsep model", "version": 1, "model": 1e999}', "finite numbers"),
    "a name twice": ('{"version": 1, "version": 1}', "a name occurs twice"),
    "a list": ("[]", "expected an object"),
    "nested": ("[" * 100_000 + "]" * 100_000, "recursion"),
    "nested within bounds of JSON": (
        '{"format": "linsep model", "version": 1, "model": ' + "[" * 500 + "]" * 500 + "}", "values within values"
    ),
    "w of another length": (
        perceptron(n_features_in_=3, classes_={"array": "1.npy"}, coef_=ARRAY, intercept_=ARRAY),
        "coef_: expected float64",
    ),
    "no certificate": (perceptron(certificate_={"certificate": {"kind": "object"}}), "kind: expected a Certificate"),
    "a certificate of words": (
        perceptron(certificate_={"certificate": {"kind": "MarginCertificate", "status": "optimal", "lower": "a",
                                                 "upper": 1.0, "classes": []}}), "lower: expected"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_hostile_files_are_refused(case, tmp_path):
    model, message = CASES[case]
    path = tmp_path / "model.linsep"
    if isinstance(model, bytes):
        path.write_bytes(model)
    else:
        write(path, model, _0=npy(np.zeros(2)), _1=npy(np.array(["a", "b"])))
    with pytest.raises(ValueError, match=message) as caught:
        linsep.load(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


ARRAYS = {
    "objects": (npy(np.array([{}], dtype=object)), "expected numbers or strings, got an array of object"),
    "a huge header": (header_of((1 << 60,)), "bytes of numbers, got 0"),
    "an overflowing header": (header_of((1 << 62, 1 << 62)), "bytes of numbers, got 0"),
    "a negative length": (header_of((-1,)), "bytes of numbers, got 0"),
    "items without length": (header_of((1 << 40,), "'<U0'"), "expected numbers or strings"),
    "a record": (header_of((1,), "[('a', '<f8')]"), "expected numbers or strings"),
    "truncated": (npy(np.zeros(9))[:-1], "expected 72 bytes of numbers, got 71"),
    "no npy": (b"hello, world", "magic string"),
    "an expression": (header_of("__import__('os').abort()"), "not a model file"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_are_not_what_they_say_are_refused(case, tmp_path):
    raw, message = ARRAYS[case]
    with pytest.raises(ValueError, match=message):
        linsep.load(write(tmp_path / "model.linsep", perceptron(coef_=ARRAY), _0=raw))


def test_compressed_and_overlapping_members_are_refused(tmp_path):
    bomb = write(tmp_path / "bomb", perceptron(), zipfile.ZIP_DEFLATED, _0=npy(np.zeros(1 << 20)))
    with pytest.raises(ValueError, match="without compression"):
        linsep.load(bomb)
    raw = write(tmp_path / "overlapping", perceptron(), _0=npy(np.zeros(1 << 12))).read_bytes()
    entry = raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 4)  # of the array, in the directory
    size = raw[entry + 24 : entry + 28]
    larger = (int.from_bytes(size, "little") * 2).to_bytes(4, "little")
    (tmp_path / "larger").write_bytes(raw[:entry] + raw[entry:].replace(size, larger))
    with pytest.raises(ValueError, match="larger than the file"):
        linsep.load(tmp_path / "larger")


def test_a_newer_version_is_refused_by_name(tmp_path):
    newer = {"format": "linsep model", "version": 2, "linsep": "7.5.0"}
    with pytest.raises(ValueError, match=r"version 2 of the format, written by linsep 7.5.0; this .* reads version 1"):
        linsep.load(write(tmp_path / "model.linsep", perceptron(), header=newer))


def test_a_file_without_a_later_parameter_gets_its_default(tmp_path):
    assert linsep.load(write(tmp_path / "model.linsep", perceptron(rate=2.0))).get_params() == (
        linsep.Perceptron(rate=2.0).get_params()
    )


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        linsep.load(tmp_path / "model.linsep")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded by setrlimit")
@pytest.mark.parametrize("count", [pytest.param(600), pytest.param(10_000, marks=pytest.mark.long)])
def test_damaged_files_are_refused_or_harmless_in_bounded_memory(count, tmp_path):
    """Also those that someone who knows the format has changed: no crash, no other error, no more than 600 MB."""
    command = [sys.executable, str(DAMAGE), "7", str(count), str(tmp_path / "model.linsep")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"done: {count} files"), done.stdout
