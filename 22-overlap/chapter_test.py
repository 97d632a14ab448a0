import math

from checker.references import TotalOfHalves
from tests.formulas import tree
from tests.programs.test_printed_times import Times

# Pieces of 64 elements: more than there are slots, the last one shorter.
SMALL_SIZES = [["1"], ["1000", "64", "1"], ["1000", "64", "2"], ["1000", "64", "3"], ["700", "300", "3"]]
TINY_SIZE = ["260", "64", "3"]  # five pieces in three slots
OCLGRIND_SIZES = [["1"], ["300", "64", "1"], ["300", "64", "3"], ["200500", "200000", "2"]]
COST_SIZES = [["4096"], ["1000", "300", "3"]]
DROP_SIZES = [TINY_SIZE, ["77", "77", "2"]]
# What computes and what reads it are in one queue there: the layer knows the one by the other.
INPUT_SIZES = [["64", "64", "1"], ["1000", "300", "1"], ["1000", "300", "2"]]
TIME_SIZES = [["8000003", "3000000", "3"], ["8000003", "3000000", "2"], ["1000", "300", "1"]]
REFERENCES = {"dot_product": TotalOfHalves(lambda a, b: a * b, length=2)}
SEVERAL_QUEUES = True
MOST = [2**49]
BAD_ARGUMENTS = [
    (["10", "0"], "must be at least 1, not 0"),
    (["10", "10", "4"], "there is nothing to do for more than three queues: 4"),
    (["1000000000000", "1000000000000"], "too large for this device"),
    (["--file"], "a file's name is missing after --file"),
    (["--once"], "a file's name is missing after --once"),
    (["10", "--timeline"], "a file's name is missing after --timeline"),
    (["--file", "/no such folder/numbers"], "not a file that can be read: /no such folder/numbers"),
    (["--file", "/"], "not a file that can be read: /"),
    (["--timeline", "/no such folder/drawing"], "the timeline cannot be written to /no such folder/drawing"),
    (["--pieces", "3"], "not a size (digits only): --pieces"),
]

_ASKED = 7  # calls by which a command is asked for its times: five of kernel_ms, two for the timeline


def piece_of(n):
    return n // 5 + 1


def _lengths(n, piece):
    return [min(piece, n - first) for first in range(0, n, piece)]


def _groups(n, piece):
    return min(256, math.ceil(min(n, piece) / 256))


def costs(n, piece=1048576, queues=3):
    """Of each piece both halves are read once. The launch is the same for a shorter one: some groups have nothing
    to add then."""
    groups = _groups(n, piece)
    return [("dot_product", tree(2 * length, groups, 256, fmas=length)) for length in _lengths(n, piece)]


def times(commands, expected, n, piece=1048576, queues=3):
    """By the host's clock, each command begins when the call that enqueued it returns, or when the one before it in its
    queue has ended; for what a command waits in another queue, that clock does not know."""
    count, call, slots = len(_lengths(n, piece)), commands.call, 3
    copies, kernels, results = 0, min(1, queues - 1), queues - 1
    whole, clock, first = Times(), 0.0, True
    idle = [0.0] * 3
    commands.take("clEnqueueMapBuffer")

    def enqueue(name, queue, now):
        done = commands.take(name)
        idle[queue] = max(idle[queue], now) + done.whole
        return done, idle[queue]

    while first or len(whole) < 2 or (len(whole) < 6 and sum(whole) < 2000):
        for _ in range(slots):
            enqueue("clEnqueueFillBuffer", kernels, 0)
        idle = [0.0] * 3  # what went before has ended
        clock, kept, last = 0.0, {}, []
        for p in range(count + slots):
            if p >= slots and p - slots < count:
                clock = max(clock + call, kept[p - slots])  # the wait
                clock += 3 * (_ASKED + 1) * call
            if p >= count:
                continue
            now = []
            for name, queue, arguments in [
                ("clEnqueueWriteBuffer", copies, 0),
                ("dot_product", kernels, 3),
                ("clEnqueueReadBuffer", results, 0),
            ]:
                clock += (arguments + 1) * call
                done, kept[p] = enqueue(name, queue, clock)
                now.append(done)
                clock += call  # the flush
            last.append(now)
        if not first:  # the first run has the check in it
            whole.append(clock + commands.reading)
        first = False
    commands.take("clEnqueueUnmapMemObject")
    work = 8 * n
    expected.rate("all pieces", whole, work, "GB/s")
    for kind, name in enumerate(["copies", "kernels"]):
        ms = sum(now[kind].ended - now[kind].started for now in last)
        expected.line(rf"  {name} of the last run ([\d.]+) ms, ([\d.]+) GB/s", (ms, 3), (work / ms / 1e6, 1))
