"""Are the times and the rates that a chapter prints those of its commands?

    python3 tests/times/times.py 09-matmul-tiled
    python3 tests/times/times.py total

The layer of tests/faults answers for the device's clock (LAYER_CLOCK), from a table that is in its
account of the run. So what a chapter must print can be computed from the account: which commands it
takes the time of, from which moment to which, the median of the runs without the warm-up, and the rate
from the bytes or operations that its lesson states. Every "time" line must be accounted for. One that
is on the host's clock is counted as such; a chapter that asks for times and has no formulas here is a
failure.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
import layer  # noqa: E402
from layer import chapters  # noqa: E402

MATMUL_SIZES = [["160", "96", "224"], ["17", "33", "65"]]
# At the first size the times are short and the rates have two digits and more. With the second factor,
# some warm-ups last so long that fewer runs follow.
CLOCKS = [1, 58]


def sizes(chapter):
    """Argument lists: a size that is large enough for its rates to be seen in a printed digit, and another."""
    if not chapters.parameters(chapter):
        return [[]]
    if chapters.is_matrix(chapter):
        return MATMUL_SIZES
    if chapter.startswith("12"):
        return [["1000003", "1000"], ["1000", "3"]]
    return [["1000003"], ["1000"]]


class Wrong(Exception):
    """What the program did is not what its times can be computed from."""


class Command:
    """One command of the account."""

    def __init__(self, line):
        _, self.function, self.kernel, items, _, *ns = line.split()
        self.name = self.function if self.kernel == "-" else self.kernel
        self.items = int(items)
        self.queued, self.submitted, self.started, self.ended = (int(moment) / 1e6 for moment in ns)  # in ms


def median(values):
    return sorted(values)[len(values) // 2]


class Times(list):
    """The times of all runs, in ms, the warm-up first. `items`: work-items of the last command; `pack`: of
    each time, until the last of the run's commands starts; `last`: the commands of the last run."""

    def __init__(self):
        super().__init__()
        self.items, self.pack, self.last = 0, [], []

    def printed(self):
        """What the lessons say: the median of the runs without the warm-up."""
        return median(self[1:])

    def confusable(self):
        """With five runs after the warm-up: what else would be printed the same? A list of names."""
        runs = self[1:]
        others = {"the largest": max(runs), "the smallest": min(runs), "the mean": sum(runs) / len(runs),
                  "the first": runs[0], "the last": runs[-1], "the one in the middle": runs[len(runs) // 2],
                  "the median with the warm-up": median(self)}
        return [name for name, value in others.items() if f"{value:.3f}" == f"{self.printed():.3f}"]


class Commands:
    """The commands of a run, taken one by one."""

    def __init__(self, commands):
        self.left = list(commands)

    def take(self, name):
        if not self.left or self.left[0].name != name:
            found = self.left[0].name if self.left else "the end"
            raise Wrong(f"where {name} was expected among the commands comes {found}")
        return self.left.pop(0)

    def runs(self, *names, runs=None, before=(), add=False):
        """Takes runs, each of them the commands `names`, after the commands `before` that do not count:
        as many as common/timing.h says (a warm-up and five, or a warm-up and one that took two seconds
        in all), or `runs`. Timed from the first one's start to the last one's end, or with `add`, the
        time of each of them."""
        times = Times()
        while (len(times) < runs) if runs else len(times) < 2 or (len(times) < 6 and sum(times) < 2000):
            for name in before:
                self.take(name)
            now = [self.take(name) for name in names]
            times.append(sum(c.ended - c.started for c in now) if add else now[-1].ended - now[0].started if now else 0)
            times.items = now[-1].items if now else 0
            times.pack.append(now[-1].started - now[0].started if now else 0)
            times.last = now
        return times


class Expected:
    """The "time" lines that are expected: a regular expression and the numbers that stand in its groups,
    each with the digits that are printed."""

    def __init__(self):
        self.lines = []
        self.confusable = []
        self.rates = []

    def line(self, pattern, *numbers):
        self.lines.append((pattern, numbers))

    def rate(self, what, times, work, unit, alone=True):
        """A line of print_time: `work` is in bytes or operations. Returns what it does a second, in 10^9."""
        ms = times.printed()
        rate = work / ms / 1e6 if ms else 0
        self.rates.append(rate)
        if ms:
            self.line(rf"{what} ([\d.]+) ms, ([\d.]+) {unit}", (ms, 3), (rate, 1))
        else:
            self.line(rf"{what} ([\d.]+) ms", (0, 3))
        if alone and ms and len(times) == 6:
            self.confusable += [f"{what}: {other}" for other in times.confusable()]
        return rate

    def share(self, rate, ceiling, unit):
        self.line(rf"share of the ceiling: (\d+) % of ([\d.]+) {unit}", (100 * rate / ceiling, 0), (ceiling, 1))


def copy_ceiling(commands, n):
    """The best of the runtime's copy and two kernels; read and written, so twice the bytes."""
    padded = (min(n, 67108864) + 15) // 16 * 16
    times = [commands.runs("clEnqueueCopyBuffer"), commands.runs("copy"), commands.runs("copy")]
    return 2 * 4 * padded / min(one.printed() for one in times) / 1e6


def multiply_adds(times, chains, width):
    """Operations of one run: two for each of 4 · 1 + 1 steps in each chain. The warm-up takes 4 ms and
    more by the table, so the 1 is never doubled."""
    if times[0] < 4:
        raise Wrong("the table's warm-up takes less than 4 ms")
    return 2 * (4 + 1) * chains * times.items * width


def arithmetic_ceiling(commands):
    best = 0
    for width in [1, 16]:
        times = commands.runs("multiply_add")
        best = max(best, multiply_adds(times, 12, width) / times.printed() / 1e6)
    return best


def profiling(commands, expected, n):
    for name, results in [("dot_product_naive", n), ("dot_product_reduction", min(32, (n + 63) // 64))]:
        times = commands.runs(name, runs=6)
        commands.take("clEnqueueReadBuffer")
        expected.rate(f"{name}: kernel", times, 4 * (2 * n + results), "GB/s")
        last = times.last[0]
        expected.line(r"  last run: submitted ([\d.]+), started ([\d.]+), ended ([\d.]+) ms after queued",
                      *((moment - last.queued, 3) for moment in [last.submitted, last.started, last.ended]))
        expected.line("  host's clock: launch and wait [0-9.]+ ms, read back and add [0-9.]+ ms")


def matmul(commands, expected, m, n, k):
    times = commands.runs("matmul")
    commands.take("clEnqueueReadBuffer")
    return expected.rate("kernel", times, 2 * m * n * k, "GFLOP/s")


def sum_reduction(commands, expected, n):
    for origin in ["whole", "real"]:
        commands.take("clEnqueueWriteBuffer")
        for shape in ["fixed", "from the device"]:
            times = commands.runs("sum_reduction", runs=1 if origin == "whole" else None)
            commands.take("clEnqueueReadBuffer")
            if origin == "real":
                groups = 256 if shape == "fixed" else times.items // 256
                expected.rate(rf"{groups} work-groups of 256 \({shape}\): kernel", times, 4 * n, "GB/s")


def sum_unrolled(commands, expected, n, uf=2):
    launches, left = 0, n
    while left > 1:
        left = max(1, left // uf)
        launches += 1
    for runs in [1, None]:  # whole numbers, then reals
        commands.take("clEnqueueWriteBuffer")
        unrolled = commands.runs(*["sum_unrolled"] * launches, before=["clEnqueueCopyBuffer"], add=True, runs=runs)
        commands.take("clEnqueueReadBuffer")
        reduction = commands.runs("sum_reduction", runs=runs)
        commands.take("clEnqueueReadBuffer")
    expected.rate(f"{launches} launches of sum_unrolled: kernels", unrolled, 4 * n, "GB/s", alone=False)
    expected.rate(r"1 launch of sum_reduction \(chapter 11\): kernel", reduction, 4 * n, "GB/s")


def ceilings(commands, expected, n):
    padded = (n + 15) // 16 * 16
    copies = []
    for vector, local_size in [(None, 0)] + [(v, l) for v in ["float", "float4", "float16"] for l in [1, 256]]:
        commands.take("clEnqueueFillBuffer")
        times = commands.runs("copy" if vector else "clEnqueueCopyBuffer")
        commands.take("clEnqueueReadBuffer")
        what = "clEnqueueCopyBuffer:"
        if vector:
            what = f"copy kernel, {vector}, {times.items // local_size} work-groups of {local_size}:"
        copies.append(expected.rate(what, times, 2 * 4 * padded, "GB/s"))
    rates = []
    for width in [1, 4, 16]:
        for chains in [2, 12]:
            commands.take("clEnqueueFillBuffer")
            times = commands.runs("multiply_add")
            commands.take("clEnqueueReadBuffer")
            vector = "float" if width == 1 else f"float{width}"
            rates.append(expected.rate(f"multiply_add, {vector}, {chains} chains:", times,
                                       multiply_adds(times, chains, width), "GFLOP/s"))
    expected.line(r"ceilings: ([\d.]+) GB/s, ([\d.]+) GFLOP/s; balance ([\d.]+) FLOP per byte",
                  (max(copies), 1), (max(rates), 1), (max(rates) / max(copies), 1))


def dot_vectorized(commands, expected, n):
    times = commands.runs("dot_product", "add_partial_sums")
    commands.take("clEnqueueReadBuffer")
    rate = expected.rate("both kernels", times, 2 * 4 * n, "GB/s")
    expected.share(rate, copy_ceiling(commands, n), "GB/s")


def register_tiled(commands, expected, m, n, k):
    rate = matmul(commands, expected, m, n, k)
    expected.share(rate, arithmetic_ceiling(commands), "GFLOP/s")


def autotuned(commands, expected, m, n, k):
    # The search is before the one write: it decides by the host's clock, and prints no "time" line.
    commands.left = commands.left[[c.name for c in commands.left].index("clEnqueueWriteBuffer") + 1:]
    panels = commands.left[0].name == "pack_a"
    times = commands.runs(*["pack_a", "pack_b"] if panels else [], "matmul")
    commands.take("clEnqueueReadBuffer")
    rate = expected.rate(rf"{'panels' if panels else 'tiles'} \S+ registers \S+:", times, 2 * m * n * k, "GFLOP/s")
    if panels:
        expected.line(r"of which packing ([\d.]+) ms", (median(times.pack[1:]), 3))
    expected.share(rate, arithmetic_ceiling(commands), "GFLOP/s")


FORMULAS = {
    "07-dot-product-profiling": profiling, "08-matmul-naive": matmul, "09-matmul-tiled": matmul,
    "10-matmul-wpt": matmul, "11-sum-reduction": sum_reduction, "12-sum-unrolled": sum_unrolled,
    "15-device-ceilings": ceilings, "16-dot-product-vectorized": dot_vectorized,
    "17-matmul-register-tiled": register_tiled, layer.SEARCHED: autotuned,
}


def compare(line, pattern, numbers):
    """What is wrong with a printed line: an empty string, or a sentence."""
    match = re.fullmatch("time {6}" + pattern, line)
    if match is None:
        return f"it prints {line!r}, where this was expected: {pattern}"
    for text, (value, digits) in zip(match.groups(), numbers):
        if len(text.partition(".")[2]) != digits or abs(float(text) - value) > 0.5 * 10**-digits + 1e-9 * value:
            return f"it prints {text} in {line!r}; by the account it is {value:.{digits}f}"
    return ""


def one_run(chapter, arguments, clock, cache):
    """Runs the chapter once; returns what is wrong, how many numbers were compared, how many of its
    lines are on the host's clock, and what it says on standard error."""
    code, out, err, account = layer.run([chapters.program(chapter)] + arguments, clock=clock, cache=cache)
    wrong = chapters.crashed(code, err)
    if code != 0 or "PASSED" not in out.splitlines():
        return wrong + [f"it does not pass, exit code {code}\n{out}{err}"], 0, 0, err
    printed = [line for line in out.splitlines() if line.startswith("time ")]
    asked = account.calls.count("clGetEventProfilingInfo")
    if chapter not in FORMULAS:
        if asked:
            wrong.append("it asks the device for times, and has no formulas in tests/times/times.py")
        return wrong, 0, len(printed), err
    expected = Expected()
    commands = Commands(Command(line) for line in account.lines.get("command", []))
    try:
        FORMULAS[chapter](commands, expected, *map(int, arguments))
        if commands.left:
            raise Wrong(f"at its end it enqueues {commands.left[0].name} besides")
    except Wrong as what:
        return wrong + [str(what)], 0, 0, err
    wrong += [f"what would be printed the same, by this table: {what}" for what in expected.confusable]
    if clock == CLOCKS[0] and arguments == sizes(chapter)[0] and min(expected.rates) < 0.2:
        wrong.append(f"a rate of {min(expected.rates)} is too small for its one printed digit to tell anything")
    if len(printed) != len(expected.lines):
        wrong.append(f"it prints {len(printed)} lines with times, where {len(expected.lines)} were expected")
    wrong += filter(None, (compare(line, *what) for line, what in zip(printed, expected.lines)))
    numbers = sum(len(numbers) for _, numbers in expected.lines)
    return wrong, numbers, sum(not numbers for _, numbers in expected.lines), err


def check(chapter):
    counts = {"runs": 0, "numbers": 0, "host": 0}
    failures = 0

    def run(arguments, clock, cache):
        nonlocal failures
        wrong, numbers, host, err = one_run(chapter, arguments, clock, cache)
        failures += chapters.failed(f"{chapter} {' '.join(arguments)}, clock {clock}", wrong)
        counts["runs"] += 1
        counts["numbers"] += numbers
        counts["host"] += host
        return err

    for arguments in sizes(chapter):
        with tempfile.TemporaryDirectory() as cache:
            for clock in CLOCKS:
                err = run(arguments, clock, cache)
                if chapter == layer.SEARCHED and clock == CLOCKS[0]:  # then a winner of each kind, whichever won
                    for kind in ["tiles", "panels"]:
                        winner = layer.remember_another(cache, err, kind)
                        if winner and f"remembered: {winner}" not in run(arguments, clock, cache):
                            failures += chapters.failed(chapter, [f"it does not take {winner} from its memory"])
    print(f"{chapter}: {counts['numbers']} numbers in {counts['runs']} runs as they must be, "
          f"{counts['host']} lines on the host's clock, {failures} failures")
    if chapter in FORMULAS and not counts["numbers"] and not failures:
        failures += chapters.failed(chapter, ["nothing was compared"])
    return failures, counts


chapters.test("times", check, "{chapters} chapters, {runs} runs on a clock with known times; {numbers} times, rates "
                              "and shares as they must be, {host} lines on the host's clock")
