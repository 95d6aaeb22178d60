"""Parts times workers: the exact rules on clusters of processes have the bits of memory."""

import numpy as np
import pytest

from linsep import Anderson, Bayes, Kozinec, LeastSquares, Mahalanobis, MaximumMargin, NearestMean, OneVsAll
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]

N = 6 * BLOCK + 777  # seven blocks
CUTS = {1: [0], 2: [0, 3], 3: [0, 1, 5], 7: range(7)}  # the first blocks of the parts
RULES = {
    "soft margin": lambda: MaximumMargin(0.1, method="newton"),
    "squared hinge": lambda: MaximumMargin(0.1, method="newton", loss="squared_hinge", bias="augmented"),
    "hard margin": MaximumMargin,
    "worst violator": lambda: Kozinec(batch=True, max_iter=10),
    "ridge": LeastSquares,
    "pinv": lambda: LeastSquares("pinv"),
    "means": NearestMean,
    "covariances": lambda: Mahalanobis("own"),
    "bayes": Bayes,
    "anderson": Anderson,
    "committee": lambda: OneVsAll(LeastSquares()),
}


def numbers(rule):
    found = [rule.coef_, rule.intercept_] if not isinstance(rule, Mahalanobis) else []
    found += [rule.means_] if hasattr(rule, "means_") else []
    return [np.asarray(each).tobytes() for each in found]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_parts_and_workers_change_no_bit(cluster, workers):
    from distributed import Client

    cluster.scale(workers)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 5)) * np.array([1, 1, 90, 1, 1])
    y = np.where(X @ rng.standard_normal(5) + 20 * rng.standard_normal(N) > 0, "ash", "elm")
    whole = {name: make().fit(X, y) for name, make in RULES.items()}
    with Client(cluster) as client:
        client.wait_for_workers(workers)
        for first in CUTS.values():
            rows = tuple(np.diff([BLOCK * block for block in first] + [N]).tolist())
            given = da.from_array(X, chunks=(rows, 5)), da.from_array(y, chunks=(rows,))
            for name, make in RULES.items():
                found = make().fit(*given)
                assert numbers(found) == numbers(whole[name]), (name, len(rows))
                if hasattr(found, "certificate_"):
                    assert found.certificate_.to_dict() == whole[name].certificate_.to_dict(), (name, len(rows))
