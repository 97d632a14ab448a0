"""Where things are, and what this machine has of what a check needs.

The build folder is the environment variable BUILD_DIR, which CTest's tests set, or build/.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD_DIR", ROOT / "build"))
# Open MPI's daemon looks at the machine by hwloc, which asks OpenCL as well: a layer or a probe would see these calls, too.
os.environ.setdefault("HWLOC_COMPONENTS", "-opencl")
# All processes are on this machine: no search for a fast network, and no daemon for a single one (0.1 s in place of 0.5).
os.environ.update(OMPI_MCA_pml="ob1", OMPI_MCA_ess_singleton_isolated="1")
CHAPTERS = sorted(path.parent.name for path in ROOT.glob("[0-9][0-9]-*/host.cpp"))

# For mpirun: it may start more processes than there are cores, and root may start it, in a container, say.
MPIRUN = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # the same for Open MPI 5
}
NO_OCLGRIND = (
    "Oclgrind is not there (Debian 12, Ubuntu 24.04: apt install oclgrind; elsewhere: tools/install_oclgrind.sh)"
)
LOADER_OF_ITS_OWN = "the OpenCL loader here does not find Oclgrind, as CUDA's loader does not (Debian, Ubuntu: apt install ocl-icd-libopencl1)"
PYPI_OCLGRIND = str(ROOT / "build-oclgrind" / "bin" / "oclgrind")  # where tools/install_oclgrind.sh puts it


def find_oclgrind():
    """The path of the program `oclgrind` that every check uses, None where there is none: what OCLGRIND names, else
    the system's, else what tools/install_oclgrind.sh has put into the checkout."""
    if "OCLGRIND" in os.environ:
        return shutil.which(os.environ["OCLGRIND"])
    return shutil.which("oclgrind") or shutil.which(PYPI_OCLGRIND)


@functools.cache
def why_no_oclgrind():
    """Why no answer can be looked at under Oclgrind here; "" where it can."""
    if find_oclgrind() is None:
        return NO_OCLGRIND
    # As a program's call: the first library that has the function, which may be Oclgrind's own.
    load = "import ctypes; ctypes.CDLL('libOpenCL.so.1', ctypes.RTLD_GLOBAL)"
    ask = "exit(ctypes.CDLL(None).clGetPlatformIDs(1, ctypes.byref(ctypes.c_void_p()), None) != 0)"
    env = {name: value for name, value in os.environ.items() if name != "OCL_ICD_VENDORS"}
    done = subprocess.run([find_oclgrind(), sys.executable, "-c", f"{load}; {ask}"], capture_output=True, env=env)
    return LOADER_OF_ITS_OWN if done.returncode else ""
