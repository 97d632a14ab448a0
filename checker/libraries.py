"""The libraries that watch a student's program: layer/ before OpenCL, mpi_probe.cpp before MPI; compiled when they are
first needed, and kept in the build folder under a name that is their content's."""

import concurrent.futures
import contextlib
import hashlib
import os
import shutil
import subprocess

from checker.exercise import Problem
from checker.machine import BUILD as BUILD_ROOT
from checker.machine import ROOT

BUILD = BUILD_ROOT / "exercises"


def fetch(kept, to):
    """Copies what was kept under that name; false where there is nothing."""
    try:
        shutil.copyfile(kept, to)
    except OSError:
        return False
    to.chmod(0o755)
    return True


def keep(made, kept):
    """Keeps a file for later, as a whole or not at all. What cannot be kept is made again."""
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(made, new)
        new.rename(kept)


LAYER = ROOT / "checker" / "layer"
PARTS = [  # the last one begins, when all others are there
    LAYER / f"{name}.cpp"
    for name in ("settings", "log", "faults", "clock", "devices", "order", "buffers", "kernels", "layer")
]


def layer_library(home):
    """The layer as a library in that folder; None where it cannot be had (it needs Linux)."""
    library = home / "layer.so"
    if os.uname().sysname != "Linux":
        return None
    if library.exists():
        return library
    sources = sorted(LAYER.glob("*.cpp")) + sorted(LAYER.glob("*.h"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    kept = BUILD / f"layer-{digest}.so"
    if not fetch(kept, library):
        compiler = [os.environ.get("CXX", "c++"), "-std=c++17", "-fPIC"]
        objects = [home / f"layer-{path.stem}.o" for path in PARTS]
        commands = [[*compiler, "-c", path, "-o", made] for path, made in zip(PARTS, objects)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in pool.map(lambda command: subprocess.run(command, capture_output=True, text=True), commands):
                if done.returncode != 0:
                    raise Problem("checker/layer/ does not compile:\n" + done.stderr)
        subprocess.run([*compiler, "-shared", *objects, "-o", library, "-ldl"], check=True)
        keep(library, kept)
    return library


def layer_environment(library, settings, folder):
    """The environment in which a program has the layer before OpenCL, with these settings, which a file in the folder
    gets."""
    file = folder / "layer.txt"
    file.write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
    return {"LD_PRELOAD": str(library), "LAYER_SETTINGS": str(file)}


def mpi_probe_library(home):
    library, source = home / "mpi.so", ROOT / "checker" / "mpi_probe.cpp"
    kept = BUILD / f"mpi-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
    if not fetch(kept, library):
        command = ["mpicxx", "-DOMPI_SKIP_MPICXX", "-std=c++17", "-O2", "-shared", "-fPIC", str(source)]
        done = subprocess.run([*command, "-o", str(library), "-ldl"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem("checker/mpi_probe.cpp does not compile:\n" + done.stderr)
        keep(library, kept)
    return library
