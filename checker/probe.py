"""The libraries that watch a student's program: probe.cpp before OpenCL, mpi_probe.cpp before MPI; compiled when they are
first needed, and kept in the build folder under a name that is their content's."""

import contextlib
import hashlib
import os
import subprocess

from checker.exercise import Problem
from checker.machine import BUILD as BUILD_ROOT
from checker.machine import ROOT

BUILD = BUILD_ROOT / "exercises"


def fetch(kept, to):
    """Copies what was kept under that name; false where there is nothing, or it is damaged."""
    try:
        data = kept.read_bytes()
        if kept.with_suffix(".sha256").read_text() != hashlib.sha256(data).hexdigest():
            return False
    except OSError:
        return False
    to.write_bytes(data)
    to.chmod(0o755)
    return True


def keep(made, kept):
    """Keeps a file for later, with the number of its content. What cannot be kept is made again."""
    data = made.read_bytes()
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        for path, content in ((kept, data), (kept.with_suffix(".sha256"), hashlib.sha256(data).hexdigest().encode())):
            new = path.with_suffix(f".{os.getpid()}")
            new.write_bytes(content)
            new.rename(path)


def probe_library(home):
    """probe.cpp as a library in that folder; None where it cannot be had (it needs Linux)."""
    library = home / "spy.so"
    if os.uname().sysname != "Linux":
        return None
    if library.exists():
        return library
    source = ROOT / "checker" / "probe.cpp"
    digest = hashlib.sha256(source.read_bytes() + (ROOT / "common" / "opencl.h").read_bytes()).hexdigest()[:16]
    kept = BUILD / f"spy-{digest}.so"
    if not fetch(kept, library):
        command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-shared", "-fPIC", str(source)]
        done = subprocess.run([*command, "-o", str(library), "-ldl"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem("checker/probe.cpp does not compile:\n" + done.stderr)
        keep(library, kept)
    return library


def mpi_probe_library(home):
    """mpi_probe.cpp as a library in that folder."""
    library, source = home / "mpi.so", ROOT / "checker" / "mpi_probe.cpp"
    kept = BUILD / f"mpi-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
    if not fetch(kept, library):
        command = ["mpicxx", "-DOMPI_SKIP_MPICXX", "-std=c++17", "-O2", "-shared", "-fPIC", str(source)]
        done = subprocess.run([*command, "-o", str(library), "-ldl"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem("checker/mpi_probe.cpp does not compile:\n" + done.stderr)
        keep(library, kept)
    return library
