"""Densities: known ones, their samples, weights, and one density per class."""

import numpy as np
import pytest
from bayes_worlds import Laplace, iris, normals
from scipy import integrate, stats
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from linsep.bayes import Bayes, Gaussian, Model, Parzen, PiecewiseConstant, Rayleigh, Uniform

LINE = {
    "gaussian": (Gaussian.from_parameters([1.0], [[4.0]]), stats.norm(1, 2), (-20, 20)),
    "uniform": (Uniform.from_parameters([-1.0], [3.0]), stats.uniform(-1, 4), (-1, 3)),
    "rayleigh": (Rayleigh.from_parameters([2.0]), stats.rayleigh(scale=2), (0, 40)),
    "piecewise": (
        PiecewiseConstant.from_parameters([0.0, 1.0, 4.0], [0.7, 0.3]),
        stats.rv_histogram((np.array([0.7, 0.3]), np.array([0.0, 1.0, 4.0])), density=False),
        (0, 4),
    ),
    "parzen": (Parzen(bandwidth=0.5).fit([[0.0], [1.0], [5.0]]), None, (-5, 10)),
    "parzen, tophat": (Parzen(bandwidth=0.5, kernel="tophat").fit([[0.0], [1.0], [5.0]]), None, (-5, 10)),
}


@pytest.mark.parametrize("name", LINE)
def test_a_density_is_the_known_one_integrates_to_one_and_is_that_of_its_samples(name):
    density, known, (low, high) = LINE[name]
    x = np.linspace(low - 1, high + 1, 1001)
    p = np.exp(density.score_samples(x[:, None]))
    if known is not None:
        inside = x[(x > low) & (x < high)]
        np.testing.assert_allclose(density.score_samples(inside[:, None]), known.logpdf(inside), rtol=1e-12, atol=1e-12)
    fine = np.linspace(low, high, 200_001)
    cumulated = integrate.cumulative_trapezoid(np.exp(density.score_samples(fine[:, None])), fine, initial=0)
    assert cumulated[-1] == pytest.approx(1, abs=1e-4)
    assert np.all(p[(x < low) | (x > high)] < 1e-8)
    drawn = density.sample(4000, random_state=0)[:, 0]
    assert stats.kstest(drawn, lambda t: np.interp(t, fine, cumulated)).pvalue > 0.01
    assert np.array_equal(drawn, density.sample(4000, random_state=0)[:, 0])


def test_the_gaussian_of_many_columns_is_scipys():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 5))
    mean, C, X = rng.normal(size=5), A @ A.T, rng.normal(size=(20, 5))
    ours = Gaussian.from_parameters(mean, C)
    assert ours.score_samples(X) == pytest.approx(stats.multivariate_normal(mean, C).logpdf(X), rel=1e-9)
    drawn = ours.sample(200_000, random_state=0)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.03)
    assert np.cov(drawn.T) == pytest.approx(C, abs=0.12)


def test_samples_of_many_columns_have_the_moments_of_the_density():
    low, high = np.array([0.0, -1.0]), np.array([1.0, 5.0])
    assert Uniform.from_parameters(low, high).sample(50_000, 0).mean(axis=0) == pytest.approx(
        (low + high) / 2, abs=0.03
    )
    scale = np.array([1.0, 3.0])
    mean = scale * np.sqrt(np.pi / 2)
    assert Rayleigh.from_parameters(scale).sample(50_000, 0).mean(axis=0) == pytest.approx(mean, abs=0.04)
    p = np.array([[0.1, 0.2], [0.3, 0.4]])
    grid = PiecewiseConstant.from_parameters([[0.0, 1.0, 3.0], [0.0, 2.0, 3.0]], p)
    counted = np.histogramdd(grid.sample(50_000, 0), bins=[[0, 1, 3], [0, 2, 3]])[0] / 50_000
    assert counted == pytest.approx(p, abs=0.01)
    volumes = np.outer([1, 2], [2, 1])
    found = np.exp(grid.score_samples([[0.5, 1], [0.5, 2.5], [2, 1], [2, 2.5]]))
    assert found == pytest.approx((p / volumes).ravel())


def test_parzen_is_a_sum_of_kernels():
    X = np.random.default_rng(0).normal(size=(30, 2)) * 50
    density = Parzen().fit(X)
    h = 30 ** (-1 / 6) * np.sqrt(X.var(axis=0).mean())
    assert density.bandwidth_ == pytest.approx(h)
    at = np.array([[1.0, 20.0], [-70.0, 3.0]])
    by_hand = [np.mean(stats.multivariate_normal(np.zeros(2), h**2).pdf(x - X)) for x in at]
    assert np.exp(density.score_samples(at)) == pytest.approx(by_hand)
    assert Parzen(bandwidth=h).fit(X).score_samples(at) == pytest.approx(density.score_samples(at))
    assert isinstance(density, KernelDensity)


def test_a_histogram_is_numpys_and_smoothing_fills_it():
    X = np.random.default_rng(0).normal(size=(200, 1))
    heights, edges = np.histogram(X, bins=12, density=True)
    centres = (edges[1:] + edges[:-1])[:, None] / 2
    assert np.exp(PiecewiseConstant(12).fit(X).score_samples(centres)) == pytest.approx(heights)
    smooth = PiecewiseConstant(12, smoothing=2.0).fit(X)
    filled = (heights * np.diff(edges) * 200 + 2) / (200 + 24) / np.diff(edges)
    assert np.exp(smooth.score_samples(centres)) == pytest.approx(filled)
    counted = np.histogram(smooth.sample(200_000, 0), bins=edges)[0] / 200_000
    assert counted == pytest.approx(filled * np.diff(edges), abs=0.003)
    assert np.abs(counted - heights * np.diff(edges)).max() > 0.006  # the smoothing is seen


def test_in_bayes_all_classes_have_one_grid():
    X, y = iris()
    rule = Bayes(PiecewiseConstant(4)).fit(X[:, :2], y)
    grids = [density.edges_ for density in rule.strategy_.model.densities]
    for grid in grids:
        for edges, column in zip(grid, X[:, :2].T):
            assert edges == pytest.approx(np.linspace(column.min(), column.max(), 5))


@pytest.mark.parametrize(
    "density",
    [
        Gaussian(),
        Gaussian("diagonal"),
        Gaussian("spherical"),
        Gaussian(shrinkage=0.2),
        Rayleigh(),
        Uniform(),
        PiecewiseConstant(3),
        PiecewiseConstant(3, smoothing=1.0),
        Parzen(),
        Parzen(bandwidth="silverman"),
        Parzen(bandwidth=2.0),
    ],
    ids=str,
)
def test_weights_are_repetitions_and_zero_is_absence(density):
    X, y = iris()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = clone(density).fit(X, sample_weight=weight)
    repeated = clone(density).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X), rtol=1e-9, atol=1e-9)
    one = Bayes(clone(density)).fit(X, y, sample_weight=weight)
    other = Bayes(clone(density)).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-8, atol=1e-9)


def test_a_singular_covariance_is_shrunk_by_oas_or_refused():
    X = np.random.default_rng(0).normal(size=(8, 20)) * np.arange(1, 21)
    peer = OAS().fit(X)
    ours = Gaussian().fit(X)
    assert ours.shrinkage_ == pytest.approx(peer.shrinkage_)
    assert ours.covariance_ == pytest.approx(peer.covariance_)
    assert Gaussian().fit(X[:, :3]).shrinkage_ == 0.0
    with pytest.raises(ValueError, match=r"covariance of 20 columns is singular \(n_samples=8\)"):
        Gaussian(shrinkage=0.0).fit(X)
    flat = np.column_stack([X[:, :2], np.full(8, 1e6 + 0.1)])
    with pytest.raises(ValueError, match="column 2 does not vary"):
        Gaussian(shrinkage=0.0).fit(flat)
    collinear = np.column_stack([X[:, :2], X[:, 0] - X[:, 1]])
    with pytest.raises(ValueError, match="class 'a': Gaussian: the covariance of 3 columns is singular"):
        Bayes(Gaussian(shrinkage=0.0)).fit(np.vstack([collinear, X[:, :3]]), ["a"] * 8 + ["b"] * 8)


class Unseeded(Laplace):
    def sample(self, n):
        return np.random.laplace(self.middle_, self.scale_, (n, len(self.middle_)))  # noqa: NPY002


def test_a_density_of_ones_own_serves_and_a_risk_without_samples_is_refused():
    X, y = iris()
    rule = Bayes(Laplace()).fit(X, y)
    assert rule.score(X, y) > 0.9
    with pytest.raises(ValueError, match="class 0: Laplace has no method sample"):
        rule.risk()
    with pytest.raises(ValueError, match=r"class 0: Unseeded.sample takes no random_state"):
        Bayes(Unseeded()).fit(X, y).risk()
    with pytest.raises(ValueError, match=r"class 0: .*epanechnikov.*cannot be sampled"):
        Bayes(Parzen(kernel="epanechnikov")).fit(X, y).risk()


def test_whole_weights_repeat_rows_of_models_that_take_no_weights():
    X, y = iris()
    often = np.arange(150) % 3
    for model in (Laplace(), LinearDiscriminantAnalysis(), GaussianMixture(random_state=0)):
        weighed = Bayes(model).fit(X, y, sample_weight=often)
        again = Bayes(model).fit(X.repeat(often, axis=0), y.repeat(often))
        np.testing.assert_allclose(weighed.predict_proba(X), again.predict_proba(X), rtol=1e-9, atol=1e-12)
        with pytest.raises(ValueError, match=r"sample_weight: \w+.fit takes no weights, so expected integers, got 0.5"):
            Bayes(model).fit(X, y, sample_weight=np.full(150, 0.5))
        with pytest.raises(ValueError, match=r"\w+.fit takes no weights, and 1.5e\+10 rows are too many"):
            Bayes(model).fit(X, y, sample_weight=np.full(150, 1e8))


def test_a_class_of_one_row_has_the_covariance_of_all():
    """LDA's for this class; with a shrinkage of one's own it is refused, as it is if no class varies."""
    X, y = iris()
    X, y = np.vstack([X[50:], X[:1]]), np.append(y[50:], 0)
    rule = Bayes(Gaussian()).fit(X, y)
    one, *others = rule.strategy_.model.densities
    shared = Bayes(Gaussian(shared=True)).fit(X, y).strategy_.model.densities[0]
    np.testing.assert_allclose(one.covariance_, shared.covariance_)
    assert np.array_equal(one.mean_, X[-1])
    assert not np.allclose(others[0].covariance_, shared.covariance_)
    with pytest.raises(ValueError, match="class 0: Gaussian: column 0 does not vary"):
        Bayes(Gaussian(shrinkage=0.0)).fit(X, y)
    with pytest.raises(ValueError, match=r"Gaussian: column 0 does not vary \(n_samples=2\). Try shared=True.$"):
        Bayes(Gaussian()).fit([[0.0, 1.0], [2.0, 1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"column 0 does not vary \(n_samples=2\). Add rows that differ, or leave out"):
        Bayes(Gaussian(shared=True)).fit([[0.0, 1.0], [2.0, 1.0]], [0, 1])


def test_scikit_learns_densities_serve():
    X, y = iris()
    mixture = Bayes(GaussianMixture(2, random_state=0)).fit(X, y)
    assert mixture.score(X, y) > 0.95
    one, two = mixture.risk(5000, random_state=3), mixture.risk(5000, random_state=3)
    assert one == two and one != mixture.risk(5000, random_state=4)
    single = Bayes(GaussianMixture(reg_covar=0.0)).fit(X, y)
    gaussian = Bayes(Gaussian()).fit(X, y)
    np.testing.assert_allclose(single.predict_proba(X), gaussian.predict_proba(X), atol=1e-8)
    both = [rule.risk(20_000, random_state=0) for rule in (single, gaussian)]
    assert abs(both[0].value - both[1].value) < 3 * np.hypot(both[0].error, both[1].error)
    kernels = Bayes(KernelDensity(bandwidth=0.4)).fit(X, y)
    assert np.array_equal(kernels.predict(X), Bayes(Parzen(bandwidth=0.4)).fit(X, y).predict(X))


def test_a_model_samples_what_it_says():
    world = normals(3.0, [0.2, 0.8])
    X, y = world.sample(20_000, random_state=0)
    assert np.mean(y) == pytest.approx(0.8, abs=0.01)
    assert X[y == 1].mean(axis=0) == pytest.approx(world.densities[1].mean_, abs=0.1)
    inner = Model([world, Gaussian.from_parameters([9.0] * 3, np.eye(3))])  # a model is a density too: a mixture
    assert inner.score_samples(X[:5]) == pytest.approx(world.score_samples(X[:5]) + np.log(0.5), abs=1e-6)
    assert inner.sample(10, random_state=0)[0].shape == (10, 3)


def test_many_columns_do_no_harm_to_the_memory_of_a_histogram():
    data, y = make_classification(300, 40, n_informative=5, random_state=0)
    rule = Bayes(PiecewiseConstant(10)).fit(data, y)
    assert rule.score(data, y) == 1.0  # every row has a cell of its own: no estimate to be trusted
