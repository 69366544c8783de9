"""Build data-juicer's fast MinHash: its wheel ships the C++ and Cython sources, which it compiles on first use.

Runs in the peers' environment (`make bench-env`), whose site-packages get a folder `data_juicer_native`. The package
itself cannot be imported there: what it depends on would be gigabytes for two functions.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import pybind11
from Cython.Build import cythonize
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

_FAST = ["-O3", "-march=native", "-fopenmp"]


def main() -> None:
    """Compile both, with the flags that the package uses and those that this machine likes best."""
    packages = Path(sysconfig.get_paths()["purelib"])
    sources = packages / "data_juicer" / "ops" / "deduplicator"
    target = packages / "data_juicer_native"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for file in ("minhash.cpp", "tokenize.pyx"):
            shutil.copy(sources / file, work)
        extensions = [
            Extension(
                "minhash",
                [str(work / "minhash.cpp")],
                include_dirs=[pybind11.get_include()],
                extra_compile_args=[*_FAST, "-std=c++17"],
                extra_link_args=["-fopenmp"],
            ),
            *cythonize([Extension("tokenize", [str(work / "tokenize.pyx")], extra_compile_args=_FAST)], quiet=True),
        ]
        command = build_ext(Distribution({"name": "data_juicer_native", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(target), str(work / "build")
        command.ensure_finalized()
        command.run()
    sys.stdout.write(f"built {sorted(path.name for path in target.glob('*.so'))}\n")


if __name__ == "__main__":
    main()
