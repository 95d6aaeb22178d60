"""Marks that scikit-learn's tests use."""


def pytest_configure(config):
    for name in ("no_check_spmatrix", "thread_unsafe"):
        config.addinivalue_line("markers", f"{name}: scikit-learn's own; without meaning here")
