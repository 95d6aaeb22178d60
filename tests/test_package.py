"""The package as a whole: names that are imported when asked for, and kernels that are made of parts."""

import gc
import subprocess
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import event

import linsep
from linsep.jit import STAMP, compiled, stamp, tiled


def test_every_name_is_there_and_no_other():
    assert all(getattr(linsep, name) is not None for name in linsep.__all__)
    assert {*linsep.__all__, "risk", "plot", "bayes"} <= set(dir(linsep))
    with pytest.raises(AttributeError, match="no attribute 'Perzeptron'"):
        linsep.Perzeptron  # noqa: B018


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_modules_come_with_the_package():
    assert run("import linsep; print(linsep.risk.empirical_risk([0, 1], [0, 0]))") == "0.5"


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, linsep; print('numba' in sys.modules, 'sklearn' in sys.modules)"
    assert run(code) == "False False"
    code = "import sys; from linsep import Kozinec; print({'linsep.inference', 'linsep.bayes'} & {*sys.modules})"
    assert run(code) == "set()"


@compiled
def inverse(x):
    return 1 / x


@tiled("values")
def total(values, first, out):
    out[0] = values[first]
    out[0] += values[first + 1]


@compiled
def both(values, out):
    total(values, 0, out)
    out[0] = inverse(out[0])


@compiled
def sums(values, fixed, first, out):
    total(values, first, out)
    total(fixed, first, out)
    total(fixed, 0, out)
    total(out, 1, out)


class Half(NamedTuple):
    """An oracle of sorts, taught to compiled code by the name of its method."""

    by: float

    def cost(self, i):
        """i divided."""
        return i / self.by


@compiled
def cost_of(oracle, i):
    return oracle.cost(i)


def test_a_kernel_is_itself_and_a_part_of_others():
    out = np.zeros(1)
    both(np.array([1.0, 3.0]), out)
    assert out[0] == inverse(4.0) == 0.25
    total(np.array([1.0, 2.0]), 0, out)
    assert out[0] == 3.0
    assert cost_of(Half(2.0), 3) == cost_of.py_func(Half(2.0), 3) == 1.5


def test_a_part_is_compiled_once_for_arrays_to_be_read_and_numbers_in_the_text():
    fixed = np.array([3.0, 4.0])
    fixed.flags.writeable = False
    made = []

    class Count(event.Listener):
        def on_start(self, found):
            assert not gc.isenabled()
            made.append(found.data["dispatcher"].py_func.__name__)

        def on_end(self, found):
            pass

    out = np.array([0.0, 5.0, 6.0])
    with event.install_listener("numba:compile", Count()):
        sums.py_func(np.array([1.0, 2.0]), fixed, 0, expected := out.copy())
        numba.njit(sums.py_func)(np.array([1.0, 2.0]), fixed, 0, out)
    assert out.tolist() == expected.tolist() == [11.0, 5.0, 6.0]
    assert made.count("total") <= 1
    assert gc.isenabled()


def test_errors_inside_parts_come_out():
    with pytest.raises(ZeroDivisionError):
        both(np.array([1.0, -1.0]), np.zeros(1))
    with pytest.raises(ZeroDivisionError):
        cost_of(Half(0.0), 3)
    assert cost_of(Half(4.0), 3) == 0.75


def test_an_edit_of_any_file_is_noticed(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("x = 1\n")
    before = stamp(tmp_path)
    assert stamp(tmp_path) == before
    (tmp_path / "two.py").write_text("x = 12\n")
    assert stamp(tmp_path) != before
    assert both._cache._cache_file._source_stamp == STAMP
