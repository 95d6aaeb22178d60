"""Model files: what a fitted estimator knows, in one file without code. docs/model_files.md describes the format.

`save` and `load` are here. `linsep.archive` is the zip file, `encoding` turns values into JSON and arrays and back, and
`kinds` lists the classes that a file may name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..archive import read_archive, write_archive
from .encoding import Decoder, Encoder

FORMAT, VERSION = "linsep model", 1


def save(model: Any, path: str | os.PathLike[str], origin: dict[str, Any] | None = None) -> None:
    """Write a model to a file, whole or not at all; see `load`.

    ``origin`` is plain JSON about where the model comes from: its table's schema, the hash of its data, the command.
    """
    from .. import __version__

    encoder = Encoder()
    header = {"format": FORMAT, "version": VERSION, "linsep": __version__, "model": encoder.encode(model)}
    if origin is not None:
        header["origin"] = origin
    write_archive(path, header, encoder.arrays)


def load(path: str | os.PathLike[str], functions: Mapping[str, Callable] | None = None) -> Any:
    """The estimator that ``estimator.save(path)`` wrote: it decides, is checked and goes on learning as that one did.

    A file holds numbers and names, no code: any file can be loaded without running anything that is in it. The memory
    that is needed is bounded by the size of the file, and a damaged file is refused with a ValueError.

    Parameters
    ----------
    path : str or path
        A model file.
    functions : dict, default=None
        The functions that are not in the file, because they are yours: of `StructuredClassifier` for example
        ``{"phi": phi}``. If one lacks, the error says under which name it is expected.

    Examples
    --------
    >>> import tempfile
    >>> from linsep import Perceptron, load
    >>> path = tempfile.mkdtemp() + "/points.linsep"
    >>> X, y = [[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]], ["o", "o", "x"]
    >>> Perceptron().fit(X, y).save(path)
    >>> rule = load(path)
    >>> rule.predict(X).tolist(), bool(rule.check(X, y))
    (['o', 'o', 'x'], True)
    """
    return load_with_origin(path, functions)[0]


def load_with_origin(
    path: str | os.PathLike[str], functions: Mapping[str, Callable] | None = None,
    instead: Mapping[str, type] | None = None,
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """The estimator of a model file, and what the file says about where it comes from; nothing: an empty dictionary.

    ``instead`` are classes to make objects of in place of those that the file names.
    """
    with read_archive(path) as archive:
        header = archive.header
        version = header.get("version")
        if header.get("format") != FORMAT or type(version) is not int or version < 1:
            raise ValueError(f"expected a {FORMAT} of version {VERSION}, got {header.get('format')!r} of {version!r}.")
        if version > VERSION:
            raise ValueError(
                f"it has version {version} of the format, written by linsep {header.get('linsep')!s:.20}; this linsep "
                f"reads version {VERSION}. Install a newer linsep."
            )
        model = Decoder(archive.array, functions or {}, instead).decode(header.get("model"))
        if not (hasattr(model, "save") or type(model) in (instead or {}).values()):
            raise ValueError(f"expected an estimator, got {type(model).__name__}.")
        origin = header.get("origin", {})
        if not isinstance(origin, dict):
            raise ValueError(f"origin: expected an object, got {type(origin).__name__}.")
        return model, origin


class Saved:
    """An estimator with `save`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator, fitted or not, to a model file, which `linsep.load` reads.

        The file holds numbers and names, no code: functions of yours are not in it, `linsep.load` asks for them. It is
        written whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write; ``.linsep`` is the usual ending.
        """
        save(self, path)

    def _check_loaded(self) -> None:
        """Raise an error if what a file says can't be used: parameters, and arrays that must fit together."""
        if hasattr(self, "_parameter_constraints"):
            self._validate_params()  # type: ignore[attr-defined]
