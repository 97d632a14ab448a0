import math

from checker.references import product
from tests.formulas import double_buffered
from tests.programs.test_printed_times import Times

THOROUGH = ["bad-input", "costs", "printed-values"]  # every run starts MPI anew
LARGE_LAUNCHES = True
READS_EACH_RUN = True
WRONG_SIZE = ["128", "128", "512"]  # nothing is filled up: every element counts
MOST = [(2**31 - 1) // 256 - 128] * 3  # MPI counts a panel in int
_TILE = 128
_PANEL = 256
_SLOTS = 3
_AHEAD = 2
SMALL_SIZES = [["1"], ["128", "128", "64"], ["17", "33", "1100"]]  # the last: more panels than slots
COST_SIZES = [["128", "128", "64"], ["17", "33", "65"], ["33", "17", "600"]]
OCLGRIND_SIZES = [["1"], ["128", "128", "24"], ["17", "33", "300"]]
SEVERAL_QUEUES = True
PROCESSES = [1, 2, 3, 4, 6, 7]
# The second: most processes have zeros only. The last: more panels than slots.
PROCESS_SIZES = [["17", "33", "65"], ["3", "1", "5"], ["70", "40", "1500"]]


def _filled(n, parts=1):
    """What each of `parts` processes has of n rows or columns: as much as all others, in whole tiles."""
    return math.ceil(n / (parts * _TILE)) * _TILE


def _deep(k):
    """Columns of A, or rows of B, in a panel."""
    return min(_PANEL, math.ceil(k / 8) * 8)


def _panel(inputs, launch, sizes):
    """The product of the one panel of A and the one of B, with what they are filled up with."""
    m, n, k = (sizes + sizes[:1] * 2)[:3]
    yield from product(inputs, launch, [_filled(m), _filled(n), _deep(k)])


REFERENCES = {"matmul": _panel}


def costs(m, n, k):
    """For one process: a launch for each panel, which begins with what C has from the second one on."""
    launches = []
    for panel in range(math.ceil(k / _PANEL)):
        cost = double_buffered(_filled(m), _filled(n), _deep(k), 128, 128, 8, 16, 8)[0][1]
        before = _filled(m) * _filled(n) if panel else 0
        launches.append(("matmul", {**cost, "global loads": cost["global loads"] + before}))
    return launches


def _grid(processes):
    """Rows and columns of the grid: as square as can be."""
    cols = next(c for c in range(math.isqrt(processes), 0, -1) if processes % c == 0)
    return processes // cols, cols


def traffic(processes, rank, m, n, k):
    """A run: two panels are on their way before the first is waited for, and each comes from the process whose turn it is;
    the copy of a panel is in another queue than its kernel."""
    rows, cols = _grid(processes)
    row, col = divmod(rank, cols)
    height, width = _filled(m, rows), _filled(n, cols)
    deep, panels = _deep(k), math.ceil(k / _PANEL)
    said = ["Barrier"]
    for step in range(panels + _AHEAD):
        if step < panels:
            said += ["wait"] * (step >= _SLOTS)
            said.append(f"Ibcast {int(step % cols == col)} {4 * height * deep}")
            said.append(f"Ibcast {int(step % rows == row)} {4 * width * deep}")
        if step >= _AHEAD:
            said += ["Waitall", f"write {4 * height * deep}", f"write {4 * width * deep}", "flush"]
            said += [f"launch matmul {height * width // 128}", "flush"]
    return [*said, "finish", "finish", "Allreduce 40"]


TIME_SIZES = [["320", "192", "1500"], ["17", "33", "65"]]


def times(commands, expected, m, n, k):
    """One process. The host's clock: from before the first panel until the device has done all of them; of that, only the
    readings around each wait count as waiting, since MPI takes no time on it. For what a command waits in another queue,
    that clock does not know."""
    call, panels = commands.call, math.ceil(k / _PANEL)
    whole, kernels, copies = Times(), Times(), Times()
    for _ in range(2):
        commands.take("clEnqueueMapBuffer")
    while len(whole) < 2 or (len(whole) < 6 and sum(whole) < 2000):
        clock, copied, idle = 0, [], [0, 0]  # idle: when the device has done all of each queue
        kernel, copy = 0, 0
        for step in range(panels + _AHEAD):
            if step < panels and step >= _SLOTS:
                clock = max(clock + call, copied[step - _SLOTS])
            if step < _AHEAD:
                continue
            clock += 2 * commands.reading
            for _ in range(2):
                command = commands.take("clEnqueueWriteBuffer")
                clock += call
                idle[0] = max(idle[0], clock) + command.whole
                copy += command.ended - command.started
            copied.append(idle[0])
            clock += call  # the flush
            clock += 3 * call  # arguments
            command = commands.take("matmul")
            clock += call
            idle[1] = max(idle[1], clock) + command.whole
            kernel += command.ended - command.started
            clock += call  # the flush
        clock = max(clock + call, idle[0])
        clock = max(clock + call, idle[1])
        whole.append(clock + commands.reading)
        kernels.append(kernel)
        copies.append(copy)
        commands.take("clEnqueueReadBuffer")
    for _ in range(2):
        commands.take("clEnqueueUnmapMemObject")
    # Not `alone`: several panels make the runs alike.
    expected.rate("product", whole, 2 * m * n * k, "GFLOP/s", alone=False, seen=False)
    expected.rate("its kernels", kernels, 2 * m * n * k, "GFLOP/s", alone=False)
    expected.rate("its copies to the device", copies, 4 * panels * _deep(k) * (_filled(m) + _filled(n)), "GB/s", alone=False, seen=False)
    expected.line(r"waiting for panels ([\d.]+) ms", (panels * commands.reading, 3))
