"""jit: a user's components are compiled without the disk cache, ours with it, and plain classes are interpreted."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from linsep.jit import at_speed, compiled, component, constant, kernel_for, read_only
from linsep.loop.keep import Last
from linsep.loop.sweep import sweep
from linsep.oracles import Dense, points
from linsep.rows.evaluate import write_scores_and_norms
from linsep.rules import Increment, Nearest
from linsep.targets import Margin


class Mine(NamedTuple):
    WEIGHTED = False
    rate: float = 1.0

    def step(self, t, wa, ww, aa, goal):
        return 1.0, self.rate


class Interpreted:
    def step(self, t, wa, ww, aa, goal):
        return 1.0, 1.0


def is_kept_on_disk(kernel):
    return kernel._cache.cache_path is not None


def test_components_of_a_user_are_compiled_without_the_disk_cache():
    ours = kernel_for(sweep, Dense, Margin, Increment, Last)
    theirs = kernel_for(sweep, Dense, Margin, Mine, Last)
    assert ours is sweep and is_kept_on_disk(ours)
    assert theirs is not sweep and theirs.py_func is sweep.py_func
    assert not is_kept_on_disk(theirs)
    assert theirs is kernel_for(sweep, Dense, Margin, Mine, Last)  # made once
    assert theirs.targetoptions["nogil"] is True
    assert kernel_for(sweep, Dense, Margin, Interpreted, Last) is sweep.py_func
    assert at_speed(sweep, Increment(1.0), Interpreted()) is sweep.py_func


@compiled
def read_constants(rule):
    return constant(rule, "WEIGHTED", True), constant(rule, "NEEDS_NORM", True), constant(rule, "BATCH", False)


def test_class_attributes_are_constants_at_both_speeds():
    for rule, expected in ((Mine(), (False, True, False)), (Increment(1.0), (True, False, False))):
        assert read_constants(rule) == read_constants.py_func(rule) == expected


def test_a_method_has_the_same_parameters_in_every_component():
    class Other(NamedTuple):
        rate: float

        def step(self, time):
            return 1.0, self.rate

    with pytest.raises(TypeError, match=r"Other\.step: expected the parameters \(self, t, wa, ww, aa, goal\), got"):
        component(Other)


def test_read_only_views_share_their_memory():
    a = np.zeros(3)
    view = read_only(a)
    assert np.shares_memory(a, view) and not view.flags.writeable and a.flags.writeable
    assert not points(np.eye(2), [1, -1]).X.flags.writeable


def test_a_component_is_a_plain_tuple_with_plain_methods():
    assert tuple(Nearest(0.5)) == (0.5,)
    assert Nearest.step(Nearest(1.0), 1, 0.0, 1.0, 1.0, 0.0) == (0.5, 0.5)


def test_scalar_products_of_sparse_rows_are_not_made_of_gather_instructions():
    a, w = points(sp.csr_array(np.eye(4)), [1, -1, 1, -1]), read_only(np.arange(5.0))
    kernel = numba.njit(write_scores_and_norms.py_func)  # anew: code from the disk can't be inspected
    wa, aa = np.empty((2, 4))
    kernel(a, w, np.arange(4), wa, aa)
    assert wa.tolist() == [4.0, -5.0, 6.0, -7.0] and aa.tolist() == [2.0] * 4
    (code,) = kernel.inspect_llvm().values()
    assert "fmul" in code and "masked.gather" not in code
