"""Arrays to files, in small pieces."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

STEP = 1 << 17  # bytes; ext4 with large folios took a fifth of the time of pieces of 4 MB (Linux 6.18)


def write_array(file: BinaryIO, array: np.ndarray) -> None:
    """The numbers of a C-ordered array, without a header."""
    data = array.reshape(-1).view(np.uint8).data
    for begin in range(0, len(data), STEP):
        file.write(data[begin : begin + STEP])


def save_array(file: BinaryIO, array: np.ndarray) -> None:
    """A C-ordered array as npy."""
    npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
    write_array(file, array)
