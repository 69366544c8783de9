"""CNS 11643, the character set of EUC-TW and ISO-2022-CN, which no codec of Python knows: a table of our own.

`python -m headrace.stages.decoding.cns11643` writes the data file anew, from the mapping of the iconv that is installed
(glibc 2.36 made the present one: 58,180 characters in planes 1 to 7 and 15). A test compares the two.
"""

from __future__ import annotations

import lzma
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.charset_model import CELLS, PLANES

_FILE = Path(__file__).with_name("cns11643.xz")
_MAGIC = b"CNS11643 version 1\n"
_FIRST = 0xA1
Planes = npt.NDArray[np.uint32]


@cache
def cns_planes() -> Planes:
    """Give the code point of each character, 16 planes of 94 rows of 94 (0 = none)."""
    data = lzma.decompress(_FILE.read_bytes())
    if not data.startswith(_MAGIC):
        raise ValueError(f"{_FILE.name} is not of the version that this release reads: install Headrace again")
    bytes_of_points = np.frombuffer(data, np.uint8, offset=len(_MAGIC)).reshape(3, -1).astype(np.uint32)
    points = bytes_of_points[0] << 16 | bytes_of_points[1] << 8 | bytes_of_points[2]
    planes: Planes = points.reshape(PLANES, CELLS * CELLS)
    planes.flags.writeable = False
    return planes


def iconv_planes() -> Planes:
    """Give the same table as iconv has it."""
    codes = [
        (plane, bytes((_FIRST + row, _FIRST + cell)))
        for plane in range(1, PLANES)
        for row in range(CELLS)
        for cell in range(CELLS)
    ]
    coded = b"\n".join(pair if plane == 1 else bytes((0x8E, 0xA0 + plane)) + pair for plane, pair in codes)
    command = ["iconv", "-c", "-f", "EUC-TW", "-t", "UTF-8"]
    lines = subprocess.run(command, input=coded, capture_output=True).stdout.decode().split("\n")
    planes = np.zeros((PLANES, CELLS * CELLS), np.uint32)
    planes[1:] = np.array([ord(line) if len(line) == 1 else 0 for line in lines], np.uint32).reshape(PLANES - 1, -1)
    return planes


def write_planes(planes: Planes, path: Path = _FILE) -> None:
    """Write the data file: code points as three bytes, the high bytes of all first, which packs best."""
    points = planes.ravel()
    high_first = np.stack([points >> 16, points >> 8 & 255, points & 255]).astype(np.uint8)
    path.write_bytes(lzma.compress(_MAGIC + high_first.tobytes(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    write_planes(iconv_planes())
