"""Are the times and the rates that a chapter prints those of its commands?

The layer answers for the device's clock (`clock`), from a table that is in its account of the run, and for the
host's, on which the same commands take the same time. So what a chapter must print can be computed from the
account, by times() in the chapter's facts: which commands it takes the time of, from which moment to which, the
median of the runs without the warm-up, and the rate from the bytes or operations that its lesson states. On
the host's clock, each piece must take what its commands do, and nothing else: a wait that is missing, or that is
for something else as well, shows. Every "time" line must be accounted for; a chapter that asks a clock and has no
times() is a failure.
"""

import re
import tempfile

from tests import chapter_facts, running

# With the first, the times are short and the rates have two digits and more. With the second, each warm-up lasts so long
# that only one run follows. With the third, the first run of a series is the fastest.
CLOCKS = [{"clock": 1}, {"clock": 58, "warm_up": 20000}, {"clock": 2, "warm_up": 1}]
# Where runs that are too short make a program begin anew (TIME_FLOOR): the second one is, and what is thrown away is fast.
DIP = {"clock": 1, "warm_up": 1, "dip": 1}


class Wrong(Exception):
    """What the program did is not what its times can be computed from."""


class Command:
    """One command of the account; its times are counted from `zero`, in ns, since a float holds no such numbers."""

    def __init__(self, command, zero):
        self.options, self.items = command.options, command.items
        self.name = command.function if command.kernel == "-" else command.kernel
        self.queued, self.submitted, self.started, self.ended = ((ns - zero) / 1e6 for ns in command.ns)  # in ms
        self.whole = self.ended - self.queued  # on the host's clock: from the end of the call


def median(values):
    return sorted(values)[len(values) // 2]


class Times(list):
    """The times of all runs, in ms, the warm-up first. `items`: work-items of the last command; `pack`: of
    each time, until the last of the run's commands starts; `last`: the commands of the last run; `host`: what each
    takes on the host's clock, from before its first call until the host has waited for its last command; `after`: the same of
    what follows each run."""

    def __init__(self):
        super().__init__()
        self.items, self.pack, self.last, self.host, self.after = 0, [], [], [], []

    def printed(self, best=False):
        """What the lessons say: the median of the runs without the warm-up, or the best of all."""
        return min(self) if best else median(self[1:])

    def confusable(self, best=False):
        """With five runs after the warm-up: what else would be printed the same? A list of names."""
        runs = self[1:]
        others = {
            "the largest": max(runs),
            "the smallest": min(runs),
            "the mean": sum(runs) / len(runs),
            "the median": median(runs),
            "the first": runs[0],
            "the last": runs[-1],
            "the one in the middle": runs[len(runs) // 2],
            "the median with the warm-up": median(self),
        }
        del others["the smallest" if best else "the median"]
        return [name for name, value in others.items() if f"{value:.3f}" == f"{self.printed(best):.3f}"]


class Commands:
    """The commands of a run, taken one by one."""

    def __init__(self, account):
        self.left = [Command(each, zero=account.commands[0].ns[0]) for each in account.commands]
        self.call, self.reading = account.call_ns / 1e6, account.reading_ns / 1e6  # in ms

    def take(self, name):
        if not self.left or self.left[0].name != name:
            found = self.left[0].name if self.left else "the end"
            raise Wrong(f"where {name} was expected among the commands comes {found}")
        return self.left.pop(0)

    def runs(self, *names, runs=None, before=(), after=None, add=False, by_host=False, built=None):
        """Takes runs, each of them the commands `names`, after the commands `before` and before the one `after` that do not count:
        as many as common/timing.h says (a warm-up and five, or a warm-up and one that took two seconds
        in all, with `by_host` on the host's clock), or `runs`. Timed from the first one's start to the last one's end, or with `add`, the
        time of each of them. `built`: with which constants the last of a run's kernels was built, {name: value}:
        so that what is printed under a name is what the name says."""
        times = Times()
        taken = times.host if by_host else times
        while (len(times) < runs) if runs else len(times) < 2 or (len(times) < 6 and sum(taken) < 2000):
            for name in before:
                self.take(name)
            now = [self.take(name) for name in names]
            times.append(sum(c.ended - c.started for c in now) if add else now[-1].ended - now[0].started if now else 0)
            times.items = now[-1].items if now else 0
            times.pack.append(now[-1].started - now[0].started if now else 0)
            times.last = now
            options = {name: now[-1].options.get(name) for name in built or {}}
            if options != (built or {}):
                raise Wrong(f"it runs {names[-1]} built with {options}, where {built} was expected")
            times.host.append(sum(c.whole for c in now) + self.call + self.reading)
            if after:
                times.after.append(self.on_host(after))
        return times

    def on_host(self, name):
        """What a single command takes on the host's clock, in ms."""
        return self.runs(name, runs=1).host[0]


class Expected:
    """The "time" lines that are expected: a regular expression and the numbers that stand in its groups,
    each with the digits that are printed. `out` and `err`: what the run says on standard output and error; `said`:
    lines of the latter, each with what is expected of it."""

    def __init__(self, out, err):
        self.out, self.err, self.said = out, err, []
        self.lines = []
        self.confusable = []
        self.rates = []

    def line(self, pattern, *numbers):
        self.lines.append((pattern, numbers))

    def rate(self, what, times, work, unit, alone=True, best=False, seen=True):
        """A line of print_time: `work` is in bytes or operations; `seen`: the rate is to have a digit that tells
        something. Returns what it does a second, in 10^9."""
        ms = times.printed(best)
        rate = work / ms / 1e6 if ms else 0
        self.rates += [rate] * seen
        if ms:
            self.line(rf"{what} ([\d.]+) ms, ([\d.]+) {unit}", (ms, 3), (rate, 1))
        else:
            self.line(rf"{what} ([\d.]+) ms", (0, 3))
        if alone and ms and len(times) == 6:
            self.confusable += [f"{what}: {other}" for other in times.confusable(best)]
        return rate

    def pick(self, what, values, picked):
        """Returns what `picked` makes of the values, noting which other choice would be printed the same."""
        value = picked(values)
        others = {"the largest": max, "the smallest": min, "the median": median, "the first": lambda v: v[0]}
        others["the last"] = lambda v: v[-1]
        self.confusable += [
            f"{what}: {name}"
            for name, other in others.items()
            if other is not picked and f"{other(values):.3f}" == f"{value:.3f}"
        ]
        return value


def compare(line, pattern, numbers):
    """What is wrong with a printed line: an empty string, or a sentence."""
    match = re.fullmatch(pattern, line)
    if match is None:
        return f"it prints {line!r}, where this was expected: {pattern}"
    for text, (value, digits) in zip(match.groups(), numbers):
        if len(text.partition(".")[2]) != digits or abs(float(text) - value) > 0.5 * 10**-digits + 1e-9 * value:
            return f"it prints {text} in {line!r}; by the account it is {value:.{digits}f}"
    return ""


def one_run(report, known, arguments, clock, cache):
    """Runs the chapter once; returns what is wrong, what it says on standard error, and which wrong choices would be
    printed the same."""
    code, out, err, account = running.under_layer(
        [running.program(known.chapter)] + arguments, floor=known.TIME_FLOOR, cache=cache, **clock
    )
    wrong = running.not_passed(code, out, err)
    report.count("runs on a clock with known times")
    asks = b"_clock3now" in running.program(known.chapter).read_bytes()  # std::chrono's, whichever library's
    if asks and not account.readings:
        wrong.append("its clock was never taken over: it has std::chrono's, and the layer has answered for none of it")
    if wrong:
        return wrong, err, []
    printed = [line for line in out.splitlines() if line.startswith("time ")]
    if known.times is None:
        if printed or account.readings or "clGetEventProfilingInfo" in account.calls:
            wrong.append(f"it asks a clock for times, and has no times() in {chapter_facts.file_of(known.chapter)}")
        return wrong, err, []
    expected = Expected(out, err)
    commands = Commands(account)
    try:
        known.times(commands, expected, *map(int, arguments))
        if commands.left:
            raise Wrong(f"at its end it enqueues {commands.left[0].name} besides")
    except Wrong as what:
        return wrong + [str(what)], err, []
    if clock == CLOCKS[0] and arguments == known.TIME_SIZES[0] and min(expected.rates, default=1) < 0.2:
        wrong.append(f"a rate of {min(expected.rates)} is too small for its one printed digit to tell anything")
    if len(printed) != len(expected.lines):
        wrong.append(f"it prints {len(printed)} lines with times, where {len(expected.lines)} were expected")
    wrong += filter(
        None,
        (compare(line, "time {6}" + pattern, numbers) for line, (pattern, numbers) in zip(printed, expected.lines)),
    )
    wrong += filter(None, (compare(*what) for what in expected.said))
    report.count("times and rates", sum(len(numbers) for *_, numbers in expected.lines + expected.said))
    return wrong, err, expected.confusable


def test_printed_times(report, chapter):
    known = chapter_facts.of(chapter)
    alike = []

    def run(arguments, clock, cache):
        wrong, err, confusable = one_run(report, known, arguments, clock, cache)
        alike.append(set(confusable))
        report.failed(f"{' '.join([chapter, *arguments])}, {clock}", wrong)
        return err

    for arguments in known.TIME_SIZES:
        with tempfile.TemporaryDirectory() as cache:
            for clock in CLOCKS + [DIP] * (known.TIME_FLOOR > 0):
                err = run(arguments, clock, cache)
                for way in known.WAYS if clock == CLOCKS[0] else []:  # each of them, whichever it chose
                    winner = way(cache, err)
                    if winner and f"remembered: {winner}" not in run(arguments, clock, cache):
                        report.failed(chapter, [f"it does not take {winner} from its memory"])
        report.failed(
            " ".join([chapter, *arguments]),
            [f"on no clock would this be printed otherwise: {what}" for what in set.intersection(*alike)],
        )
        alike.clear()
    if known.times and not report.counts.get("times and rates"):
        report.failed(chapter, ["no time was compared"])
