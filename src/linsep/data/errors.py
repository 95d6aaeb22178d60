"""What is wrong with a file, and where: one sentence with its name, line and column, and what to do."""

from __future__ import annotations


class DataError(ValueError):
    """Bad data in a file.

    >>> print(DataError("expected a number, got 'x'.", "points.csv", line=3, column=2))
    points.csv, line 3, column 2: expected a number, got 'x'.
    """

    def __init__(self, message: str, path: str = "", line: int | None = None, column: int | str | None = None):
        self.message, self.path, self.line, self.column = message, path, line, column
        place = [path] if path else []
        place += [f"line {line}"] if line is not None else []
        place += [f"column {column!r}" if isinstance(column, str) else f"column {column}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)

    def __reduce__(self):
        return type(self), (self.message, self.path, self.line, self.column)
