"""What the checks of exercises that use MPI share: the calls of each process, as mpi_probe.cpp and the layer note them."""

import pathlib
import tempfile

from checker.calls import events_of, product
from checker.libraries import mpi_probe_library

MANY_PROCESSES = 9  # more than an array that somebody thought large enough has places for

WAITS = {"Flush": "flush", "Finish": "finish", "WaitForEvents": "wait"}


def lines_of(log):
    """What a process sends and has its device do, in order: the lines of mpi_probe.cpp, and launch KERNEL ITEMS, write
    BYTES, flush, finish, wait."""
    kernels, lines = {}, []
    for what, it in events_of(log.splitlines()):
        if what == "mpi":
            lines.append(" ".join(it))
        elif what == "done" and it.name == "CreateKernel" and it.made:
            kernels[it.made[0]] = it.arguments[1].strip('"')
        elif what == "call" and it.name == "EnqueueNDRangeKernel":
            lines.append(f"launch {kernels.get(it.arguments[1], '?')} {product(it.arguments[4])}")
        elif what == "call" and it.name == "EnqueueWriteBuffer":
            lines.append(f"write {it.arguments[4]}")
        elif what == "call" and it.name in WAITS:
            lines.append(WAITS[it.name])
    return lines


def logs_in(folder):
    """{rank: its lines} of the processes that got as far as MPI_Finalize."""
    found = {}
    for path in folder.iterdir():
        lines = lines_of(path.read_text(errors="replace"))
        if "Finalize" in lines:
            rank = next(line for line in lines if line.startswith("rank "))
            found[int(rank[5:])] = [line for line in lines if line not in (rank, "Finalize")]
    return found


def mpi_logs(attempt, args, processes, **settings):
    """(the run, {rank: its calls, split into words})."""
    log = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
    log.chmod(0o777)
    both = f"{attempt.layer()} {mpi_probe_library(attempt.home)}"
    run = attempt.pocl(args, layer={"log": f"{log}/"}, processes=processes, LD_PRELOAD=both, **settings)
    return run, {rank: [line.split() for line in lines] for rank, lines in logs_in(log).items()}
