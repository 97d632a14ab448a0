"""Do the kernels of 06, 08 and 09 run from Python as they are, as docs/setup.md says? Skipped where there is no PyOpenCL."""

import subprocess
import sys

import pytest

from tests.running import ROOT


def test_pyopencl():
    pytest.importorskip("pyopencl", reason="PyOpenCL is missing (on Debian and Ubuntu: apt install python3-pyopencl)")
    done = subprocess.run([sys.executable, ROOT / "examples" / "pyopencl_kernels.py"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("\nPASSED\n"), done.stdout + done.stderr
