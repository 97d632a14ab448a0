"""What the check.py of several exercises share."""

import math
import random
import re

from checker import behaviour, references
from checker.behaviour import Trial, as_float, beside, packed


def fields(run, name):
    """The texts after `name` at the start of a line, of one run's output."""
    return [line[10:].strip() for line in run.out.splitlines() if line[:10] == f"{name:<10}"]


def in_float(attempt):
    """What is to be good in float."""
    if "double" in behaviour.code_of(attempt.kernel):
        return ["the kernel uses double, which some devices do not have: the task is to stay in float"]
    return []


def host_code(attempt):
    """The words of the student's host, without comments, a blank between each two."""
    return " ".join(behaviour.code_of((attempt.place / "host.cpp").read_text(errors="replace")))


def bytes_in_32_bits(attempt):
    """A number of elements or bytes that follows from n, and what it is put into."""
    found = re.search(
        r"\b(cl_u?int|u?int32_t|unsigned|int) (?:int )?(\w+) = (?:(?!\bcl[A-Z])[^;])*?(?<!\w )\b(?:n|sizeof)\b[^;]*;",
        host_code(attempt),
    )
    if found:
        return [
            f"{found[2]} is of type {found[1]}, with 32 bits: a number of elements or bytes may need more. size_t has room for it"
        ]
    return []


def by_a_single_one(attempt, n, small, allowed):
    """11: a work-item that has all elements to itself, a 1 and then small ones, loses none of them for good: its sum is off by
    so many roundings at most."""
    small = as_float(small)
    trial = Trial(attempt, [str(n)], {1: packed([1.0]) + packed([small]) * (n - 1)}, items=1)
    exact = 1 + (n - 1) * small
    said = f"with a 1 and {n - 1} numbers of {small:.3g}, all of them for a single work-item"
    return beside(said, [math.fsum(trial.left(1))], [(exact, allowed * references.U * exact)])


def of_both_signs(attempt):
    """11: sums may be below zero, or 0 at any time; those of small whole numbers are exact."""
    number = random.Random(attempt.exercise.digest(attempt.folder))
    x = [float(number.randrange(-4, 4)) for _ in range(20000)]
    trial = Trial(attempt, [str(len(x))], {1: packed(x)})
    return beside("with whole numbers from -4 to 3", [math.fsum(trial.left(1))], [(math.fsum(x), 0)])


def at_the_same_time(attempt):
    """23: each of the two devices is launched, and flushed, before the host waits for one of them."""
    run = attempt.pocl(attempt.exercise.sizes[-2], layer={})
    launched = [call.split()[0] for call in run.calls]
    launched = run.calls[launched.index("EnqueueNDRangeKernel") :] if "EnqueueNDRangeKernel" in launched else []
    waits = next(
        (at for at, call in enumerate(launched) if behaviour.blocks(call) or call.startswith("WaitForEvents")), 0
    )
    queues = {call.split()[2] for call in launched[:waits] if call.startswith("order launch")}
    begun = len({call.split()[1] for call in launched[:waits] if call.startswith("Flush")} & queues)
    launches = sum(call.startswith("EnqueueNDRangeKernel") for call in launched[:waits])
    if min(begun, launches) < 2:
        return [
            f"before the first device is waited for, {launches} of 2 devices are launched, and {begun} flushed: they do "
            "not work at the same time"
        ]
    device = {call.split()[1]: call.split()[2] for call in run.calls if call.startswith("on ")}
    divided = any(call.startswith("CreateSubDevices") for call in run.calls)
    if (divided or attempt.divisible()) and len({device.get(queue) for queue in queues}) < 2:
        return ["both queues are the same device's: the other half of the device has nothing to do"]
    return []


# What a call is to write must fit into the variable that it is given, as far as the compiler knows how large that is.
ROOM = """
#include <cstdio>
#include <cstdlib>
inline cl_int ask_with_room(const size_t room, cl_device_id device, cl_device_info what, size_t size, void *to,
                            size_t *size_ret) {
  if (room != static_cast<size_t>(-1) && size > room) {
    fprintf(stderr, "clGetDeviceInfo: %zu bytes for a variable of %zu\\n", size, room);
    exit(EXIT_FAILURE);
  }
  return clGetDeviceInfo(device, what, size, to, size_ret);
}
#define clGetDeviceInfo(device, what, size, to, size_ret) \\
  ask_with_room(__builtin_object_size(to, 1), device, what, size, to, size_ret)
"""


def too_little_room(attempt):
    """A complaint about a variable that is smaller than what is to be written into it."""
    program = attempt.other_program(more=ROOM)
    said = attempt.pocl(attempt.exercise.sizes[-1], program=program).err if program else ""
    return [line for line in said.splitlines() if line.startswith("clGetDeviceInfo: ")]


def one_touches(attempt, most, enough):
    """12/4, 12/5: in one launch no work-item touches an array more than `most` times; `enough` says what it needs."""
    for item, name, count, _low, _high in attempt.work.each:
        if count > most:
            return [f"work-item {item} reads or writes {name} {count} times in one launch: {enough}"]
    return []


def launched_once(attempt, args, what, device=()):
    """How often the kernel, in one launch on Oclgrind, executes instructions whose name matches; None where that cannot be
    seen. `device`: options of Oclgrind for another one than usual."""
    run = attempt.simulated(args, ["--inst-counts", *device], watched=False)
    launch = (run.out + run.err).split("Instructions executed for kernel")[1:2] if run else []  # the first of several
    counts = re.findall(rf"(\d+) - (?:{what})", "".join(launch))
    return sum(map(int, counts)) if launch else None


def local_reads(attempt, each):
    """A complaint where a step of k has more than so many reads: each = {(TILE, WPT): reads}."""
    m, n, k = 20, 17, 40
    for (tile, wpt), reads in each.items():
        items, up = tile * tile // wpt, [-(-size // tile) for size in (m, n, k)]
        enough = up[0] * up[1] * items * up[2] * tile * reads  # groups, work-items, steps of k with those past the edge
        found = launched_once(attempt, [str(m), str(n), str(k)], "load local", ["--max-wgsize", str(items)])
        if found is not None and found > enough:
            return [
                f"with {m}×{n}×{k}, tiles of {tile} and WPT = {wpt}, local memory is read {found} times, and {enough} are "
                f"enough: {reads} for each k of a work-item"
            ]
    return []
