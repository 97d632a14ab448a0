"""What the checks of exercises that use MPI share: the calls of each process, as mpi_probe.cpp notes them."""

import pathlib
import signal
import tempfile

from checker.libraries import mpi_probe_library

MANY_PROCESSES = 17  # more than an array that somebody thought large enough has places for


def room_for_all(attempt, args):
    """No array is for so many processes as somebody thought enough. Nobody sends anything here: what comes of the program
    counts for nothing, but for the trap of an index outside of an array (exercise.BOUNDS)."""
    alone = {"LD_PRELOAD": mpi_probe_library(attempt.home), "MPI_LAYER_PRETEND": 1000}
    if attempt.pocl(args, **alone).code in (-signal.SIGILL, 128 + signal.SIGILL):
        return ["as the first of 1000 processes, the program goes outside of an array: is it one for all of them?"]
    return []


def mpi_logs(attempt, args, processes, **settings):
    """(the run, {rank: its calls, split into words}) with the layer before MPI; a process that does not get as far as
    MPI_Finalize has none."""
    log = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
    log.chmod(0o777)
    layer = {"LD_PRELOAD": mpi_probe_library(attempt.home), "MPI_LAYER_LOG": log, **settings}
    run = attempt.pocl(args, processes=processes, **layer)
    return run, {
        int(path.name[5:]): [line.split() for line in path.read_text().splitlines()] for path in log.glob("rank-*")
    }
