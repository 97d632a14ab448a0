"""On Intel's CPU runtime, which has features that PoCL 3.1 and Rusticl lack, at small sizes.

It is a package of PyPI, for x86-64 Linux; tests/install_intel.sh puts it into a folder of the checkout.
"""

import os
import pathlib

import facts
import harness
from checks.rusticl import passes_on

FOLDER = pathlib.Path(os.environ.get("INTEL_OPENCL", harness.ROOT / "build-intel"))


def check(report, chapter):
    if not (FOLDER / "lib" / "libintelocl.so").exists():
        raise harness.Skip(f"Intel's CPU runtime is not in {FOLDER} (tests/install_intel.sh fetches it: 280 MB)")
    known = facts.of(chapter)
    runs = [(arguments, "") for arguments in known.SMALL_SIZES] + known.INTEL_RUNS
    environment = {"OCL_ICD_VENDORS": str(FOLDER / "vendors"), "LD_LIBRARY_PATH": str(FOLDER / "lib"), "OCL_DEVICE": ""}
    passes_on(report, chapter, "Intel", environment, runs)
