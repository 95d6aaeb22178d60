"""Fletcher's checksum of words of 64 bits: a sum, and a sum of sums, so that the order of the words matters."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..jit import compiled, load_word, read_only

BUFFER = 1 << 20
MASK = (1 << 64) - 1


@compiled
def _add_words(text, sums):
    """Add the words of some bytes, as many as are whole; ``sums`` has the two sums."""
    first, second = sums[0], sums[1]
    for k in range(0, text.size - 7, 8):
        first += load_word(text, k)
        second += first
    sums[0], sums[1] = first, second


class Checksum:
    """The sums of the bytes so far; the last word is filled up with zeros.

    >>> whole, one, two = Checksum(), Checksum(), Checksum()
    >>> whole.add(np.arange(21, dtype=np.uint8))
    >>> one.add(np.arange(8, dtype=np.uint8)), two.add(np.arange(8, 11, dtype=np.uint8))
    (None, None)
    >>> two.add(np.arange(11, 21, dtype=np.uint8))
    >>> str(one.join(two)) == str(whole)
    True
    """

    def __init__(self) -> None:
        self.sums, self.words, self.rest = np.zeros(2, np.uint64), 0, b""

    def add(self, text: np.ndarray) -> None:
        """Add bytes behind those that are there."""
        if self.rest:
            missing = 8 - len(self.rest)
            word, text = self.rest + text[:missing].tobytes(), text[missing:]
            self.rest = b""
            if len(word) < 8:
                self.rest = word
                return
            self.add(np.frombuffer(word, np.uint8))
        _add_words(read_only(text), self.sums)
        self.words += text.size // 8
        self.rest = text[text.size // 8 * 8 :].tobytes()

    def join(self, other: Checksum) -> Checksum:
        """That of both, one behind the other; this one has whole words."""
        assert not self.rest
        if other.rest:
            other.add(np.zeros(8 - len(other.rest), np.uint8))
        first, second = self.sums.tolist()
        one, two = other.sums.tolist()
        joined = Checksum()
        joined.sums[:] = (first + one) & MASK, (second + two + first * other.words) & MASK
        joined.words = self.words + other.words
        return joined

    def __str__(self) -> str:
        whole = Checksum().join(self) if self.rest else self
        return f"{whole.sums[0]:016x}{whole.sums[1]:016x}"


def checksum(path: Path) -> str:
    """The checksum of a file, in hexadecimal digits."""
    sums, buffer = Checksum(), bytearray(BUFFER)
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(buffer):
            sums.add(np.frombuffer(buffer, np.uint8, count))
    return str(sums)
