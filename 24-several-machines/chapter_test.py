import math

from checker.references import Total, product
from tests.formulas import TILE, count, tiled, tree
from tests.programs.test_printed_times import Times

THOROUGH = ["bad-input", "costs", "printed-values"]  # every run starts MPI anew
_PANEL = 256
SMALL_SIZES = [["1"], ["32", "32", "64"], ["17", "33", "300"]]
COST_SIZES = [["64"] * 3, ["17", "33", "65"], ["33", "17", "600"]]
OCLGRIND_SIZES = [["1"], ["50", "33", "130"], ["17", "33", "300"]]
REFERENCES = {"dot_product": Total(lambda x: x * x), "matmul": product}
PROCESSES = [1, 2, 3, 4, 6, 7]
OWN_CHECKS = ["processes"]
# The second: of four processes, two have no column of C, and of seven four have no row.
PROCESS_SIZES = [["17", "33", "65"], ["3", "1", "5"], ["70", "40", "600"]]


def costs(m, n, k):
    """For one process: the squares of A, then a launch for each panel, which adds to C from the second one on."""
    groups = min(32, -(-m * k // 64))
    launches = [("dot_product", tree(2 * m * k, groups, 64, fmas=m * k))]
    for first in range(0, k, _PANEL):
        cost = tiled(m, n, min(_PANEL, k - first), wpt=TILE // 4)
        more = count(m * n, 0, adds=m * n) if first else count(0, 0)
        launches.append(("matmul", {what: number + more[what] for what, number in cost.items()}))
    return launches


def _grid(processes):
    """Rows and columns of the grid: as square as can be."""
    cols = next(c for c in range(math.isqrt(processes), 0, -1) if processes % c == 0)
    return processes // cols, cols


def _part(n, parts, i):
    return range(n // parts * i + min(i, n % parts), n // parts * (i + 1) + min(i + 1, n % parts))


def _panels(k, rows, cols):
    """Pieces of K, none across a border of the parts of A or of B: [(width, column with A, row with B)]."""
    borders = {_part(k, parts, i).stop for parts in (rows, cols) for i in range(parts)} | {0}
    borders = sorted(borders)
    pieces = [(a, min(a + _PANEL, end)) for start, end in zip(borders, borders[1:]) for a in range(start, end, _PANEL)]
    owner = lambda parts, at: next(i for i in range(parts) if at in _part(k, parts, i))  # noqa: E731
    return [(end - first, owner(cols, first), owner(rows, first)) for first, end in pieces]


def traffic(processes, rank, m, n, k):
    """A run: panel p + 1 is on its way before panel p is multiplied, and nobody waits for it until that has begun."""
    rows, cols = _grid(processes)
    row, col = divmod(rank, cols)
    height, width = len(_part(m, rows, row)), len(_part(n, cols, col))
    panels = _panels(k, rows, cols)
    items = -(-height // TILE) * -(-width // TILE) * TILE * 4

    def send(p):
        wide, a, b = panels[p]
        waits = ["wait"] * (p >= 2 and height * width > 0)
        return [*waits, f"Ibcast {int(a == col)} {4 * height * wide}", f"Ibcast {int(b == row)} {4 * wide * width}"]

    said = ["Barrier", *send(0)]
    for p, (wide, _, _) in enumerate(panels):
        said += ["Waitall", *(send(p + 1) if p + 1 < len(panels) else [])]
        if height * width:
            said += [f"write {4 * height * wide}", f"write {4 * wide * width}", f"launch matmul {items}", "flush"]
    return [*said, "finish", "Allreduce 32"]


TIME_SIZES = [["320", "192", "600"], ["17", "33", "65"]]


def times(commands, expected, m, n, k):
    """One process. The host's clock: from before the first panel until the device has done all of them; of that, only the
    readings around each wait count as waiting, since MPI takes no time on it."""
    for name in ("dot_product", "clEnqueueReadBuffer"):
        commands.take(name)
    panels = math.ceil(k / _PANEL)
    whole, kernels = Times(), Times()
    while len(whole) < 2 or (len(whole) < 6 and sum(whole) < 2000):
        commands.take("clEnqueueWriteBuffer")  # C, full of NaN
        clock, idle, written, kernel = 0, 0, [], 0  # idle: when the device has done all of its queue
        for p in range(panels):
            clock += 2 * commands.reading
            if p + 1 < panels and p + 1 >= 2:
                clock = max(clock + commands.call, written[p - 1])
            clock += 2 * commands.call  # arguments
            for _ in range(2):
                command = commands.take("clEnqueueWriteBuffer")
                clock += commands.call
                idle = max(idle, clock) + command.whole
            written.append(idle)
            command = commands.take("matmul")
            clock += commands.call
            idle = max(idle, clock) + command.whole
            kernel += command.ended - command.started
            clock += commands.call  # the flush
        clock = max(clock + commands.call, idle)
        whole.append(clock + commands.reading)
        kernels.append(kernel)
        commands.take("clEnqueueReadBuffer")
    # Not `alone`: several panels make the runs alike.
    expected.rate("product", whole, 2 * m * n * k, "GFLOP/s", alone=False, seen=False)
    expected.rate("its kernels", kernels, 2 * m * n * k, "GFLOP/s", alone=False)
    expected.line(r"waiting for panels ([\d.]+) ms", (panels * commands.reading, 3))
