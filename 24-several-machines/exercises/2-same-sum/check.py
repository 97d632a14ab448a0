import functools
import re

from checker import behaviour
from checker.mpi import MANY_PROCESSES, mpi_logs
from checker.shared_checks import fields, host_code

# Numbers of very different size, by chunks, and the second half of the vector takes away what the first half has
# brought: what an addition in double rounds off is as large as the result then.
WIDE_REALS = """
inline void wide_real(std::vector<float> &v, const uint64_t seed) {
  fill_real(v, seed);
  const size_t half = v.size() / 512 * 256; // whole chunks
  for (size_t i = 0; i < v.size(); i++)
    v[i] = std::ldexp(v[i], seed == 1 && i < 2 * half ? static_cast<int>(scrambled(i / 256, 7) % 110) : 0);
  for (size_t i = 0; i < half; i++)
    v[half + i] = seed == 1 ? -v[i] : v[i];
}
#define fill_real wide_real
"""


def check(attempt):
    """24/2: the lines `result` are the same for any number of processes, also with numbers that no double adds
    exactly."""
    if re.search(r"\breduce\s*\(", host_code(attempt)):
        return ["std::reduce adds in an order that is not specified, and the chunks have one: std::accumulate keeps it"]
    sizes = attempt.exercise.sizes[1:]
    looks = [
        lambda: compared(attempt, sizes) or shared_by_processes(attempt, sizes[-1]),
        lambda: in_every_process(attempt, sizes[-1]) or compared(attempt, sizes[:1], (MANY_PROCESSES,)),
        lambda: attempt.other_program(header="compare.h", more=WIDE_REALS),
    ]
    first, last, program = attempt.at_once(lambda look: look(), looks)  # mpirun is slow to start
    if program and not first:
        first = compared(attempt, sizes[-1:], (3, 5), " and numbers of very different size", program)
    return first or last


def shared_by_processes(attempt, size, processes=5):
    """24/2: the chunks are shared, so that each process launches its part of them."""
    alone, each = attempt.at_once(lambda number: launched_by(attempt, size, number), [1, processes])
    alone = sum(alone)
    if alone == 0 or len(each) != processes:
        return behaviour.missing(attempt, "what each of the processes launches")
    if max(each) > 2 * alone / processes:
        return [
            f"for N = {size[0]}, one process alone launches {alone} work-items, and one of {processes} processes {max(each)}: "
            "each is to compute its own chunks only, and these are to be a piece of about the same length"
        ]
    return []


def in_every_process(attempt, size):
    """24/2: each process has the result, and has it checked."""
    run, logs = mpi_logs(attempt, size, 3, MPI_LAYER_SPOIL=1)
    by_itself = any(call[0] in ("send", "Ibcast") for calls in logs.values() for call in calls)
    if run.passed() and not by_itself:
        return [
            f"for N = {size[0]}, with 3 processes of which only the first gets right numbers from the others, the program "
            "says PASSED: does each process have the result, and is the check that of all?"
        ]
    return []


def launched_by(attempt, args, processes):
    """How many work-items each of the processes launches."""
    _, calls = mpi_logs(attempt, args, processes)
    return [sum(int(call[2]) for call in calls[rank] if call[0] == "launch") for rank in sorted(calls)]


def compared(attempt, sizes, numbers=(3, 5), more="", program=None):
    """Complaints about results that differ from one process to so many; `more`: what is said of the size besides."""
    cases = [(size, number) for size in sizes for number in (None, *numbers)]
    run = functools.partial(attempt.pocl, program=program) if program else attempt.plain
    runs = attempt.at_once(lambda case: run(case[0], processes=case[1]), cases)
    alone = []
    for (size, processes), run in zip(cases, runs):
        got = fields(run, "result")
        alone = got if processes is None else alone
        if got != alone:
            return [
                f"for N = {size[0]}{more}, with {processes} processes the result is {' '.join(got) or 'missing'}, and "
                f"{' '.join(alone)} with one"
            ]
    return []
