"""Do kernels compute right what their programs never ask them, and are the bounds of rounding those of the lesson?

The layer (checker/layer/buffers.cpp) hands other inputs to the device: reals, those of one buffer up to 400, and such with
NaN, an infinity or a 0 at both ends (SPECIALS). What is read back must be what a reference in Python says (REFERENCES
in the chapter's facts, references.py); and the program, whose expectation is for its own inputs, must say FAILED.
Unharmed, it must pass and print its times, although the layer does everything as late as the standard allows, maps
copies, and fills memory that begins without contents with NaN. Its own inputs must tell right from wrong: no two of
them are the same numbers, and none is of a few numbers only.

Where a program prints by how much its result may be off, the inputs must be reals, the bound must be the one that
follows from the launch (PATHS), what is printed of the result and of what was expected must be true, and a result is changed on its way back: just outside the bound the
program must fail, just inside it must pass.
"""

import array
import math
import pathlib
import random
import re
import tempfile

from checker import references
from tests import chapter_facts, running

SMALL_GROUP = 32  # work-items: as few as 21 can do with
# The lines of a comparison: of a matrix the element; the result, what was expected, by how much it is off, and may be.
PAIR = r"^result +(?:C\[(\d+)\]\[(\d+)\] = )?(.*)\nexpected +(?:C\S+ = )?(\S+)(?: \(error (\S+), allowed (\S+)\))?"


class Result:
    """What a program read back: the bytes, what computed them and from what."""

    def __init__(self, data, launch, inputs):
        self.data, self.launch, self.inputs = data, launch, inputs
        self.floats = array.array("f", data) if len(data) % 4 == 0 else []


class Results(list):
    """`lengths`: {number of an input: how many floats it has}."""

    def __init__(self, results):
        super().__init__(results)
        self.lengths = {}


def replaced(lengths, ends, folder):
    """Writes other inputs: reals, from -1 to 1 the first and every second one, else from -400 to 400; `ends`: "1 nan 2 inf"
    are the first and the last float of the first and every second one, and of the others."""
    words = ends.split()
    ends = dict(zip(map(int, words[::2]), map(float, words[1::2])))
    for number, length in lengths.items():
        turn, draw = 2 - number % 2, random.Random(number)
        data = array.array("f", [draw.uniform(-1, 1) * (1, 400)[turn - 1] for _ in range(length)])
        if turn in ends:
            data[0] = data[-1] = ends[turn]
        (folder / f"in{number}").write_bytes(data.tobytes())


class Launch:
    """The last command before a result that computes or copies. `args`: the value of each, a buffer's name where it is one."""

    def __init__(self, kernel, call, args, options, before):
        self.kernel, self.args, self.options = kernel, args, options
        self.items, self.local_size = (
            (math.prod(map(int, sizes.split("x"))) for sizes in call.arguments[4:6]) if args else (0, 0)
        )
        self.in_a_row = 1 + (before.in_a_row if before and before.kernel == self.kernel else 0)


def value_of(text):
    """An argument of a kernel: a buffer's name, or its first eight bytes as a number."""
    return int(text[-16:].removeprefix("0x"), 16) if text.startswith("0x") else 0 if text == "local" else text


def results_of(account, folder):
    """The results of a run, in order. A result's inputs are those that its launch names, where it names any: another
    device has its own."""
    results, inputs, launches, arguments = [], {}, {}, {}
    current, made = None, {}  # the call; inputs of a buffer that is not there yet
    commands = iter(account.commands)
    for what, it in account.notes:
        if what == "call":
            current = it
        elif what == "input":
            data = array.array("f", (folder / f"in{it[1]}").read_bytes())
            if current.name == "CreateBuffer":
                made[current.number] = data
            else:
                inputs[current.arguments[1]] = data
        elif what == "result":
            queue = current.arguments[0]
            launch = launches.pop(queue, None)
            named = {buffer: x for buffer, x in inputs.items() if launch and buffer in launch.args} or inputs
            results.append(Result((folder / f"out{it[1]}").read_bytes(), launch, list(named.values())))
        elif what == "command":
            command = next(commands)
            queue = current.arguments[0]
            if current.name in ("EnqueueNDRangeKernel", "EnqueueCopyBuffer"):
                kernel = command.function if command.kernel == "-" else command.kernel
                args = [value_of(text) for _, text in sorted(arguments.get(current.arguments[1], {}).items())]
                launches[queue] = Launch(kernel, current, args, command.options, launches.get(queue))
        elif what == "done" and it.code == 0:
            if it.name == "CreateBuffer" and it.number in made:
                inputs[it.made[0]] = made.pop(it.number)
            elif it.name == "ReleaseMemObject":
                inputs.pop(it.arguments[0], None)
            elif it.name == "SetKernelArg":
                arguments.setdefault(it.arguments[0], {})[int(it.arguments[1])] = it.arguments[3]
    return results


def run(known, arguments, cache, **settings):
    """Runs the chapter under the layer, if wanted on another device; returns (exit code, output, standard error,
    results)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [running.program(known.chapter), *arguments]
        *ended, account = running.under_layer(command, cache=cache, keep=folder, late=1, **settings)
        results = Results(results_of(account, pathlib.Path(folder)))
        for _, transfer, number in (it for what, it in account.notes if what == "input"):
            results.lengths[int(number)] = (pathlib.Path(folder) / f"in{transfer}").stat().st_size // 4
        return *ended, results


def compared(report, known, sizes, result):
    """What is wrong with a result of other inputs: an empty string, or a sentence."""
    kernel = result.launch.kernel if result.launch else "no kernel"
    reference = known.REFERENCES.get(kernel)
    if reference is None:
        return f"no REFERENCES in {chapter_facts.file_of(known.chapter)} say what {kernel} must give"
    got = result.floats
    if reference is references.truncated_total:
        got = array.array("i", result.data)
    elif isinstance(reference, references.Total):
        got = [references.sum_of(got)]
    count = 0
    for place, (right, allowed) in enumerate(reference(result.inputs, result.launch, sizes)):
        if place >= len(got) or not references.is_close(got[place], right, allowed):
            return (
                f"of other inputs, {kernel} gives {got[place] if place < len(got) else 'nothing'} at place {place},"
                f" where {right} was expected, off by {allowed:.2g} at most"
            )
        count += 1
    report.count("numbers of other inputs", count)
    return "" if count == len(got) else f"{kernel} gives {len(got)} numbers, and {count} were expected"


def other_inputs(report, known, arguments, cache, lengths, ends=""):
    with tempfile.TemporaryDirectory() as folder:
        replaced(lengths, ends, pathlib.Path(folder))
        code, out, err, results = run(known, arguments, cache, take=folder)
    wrong = running.crashed(code, err)
    refused = known.SEARCH_SIZE and "no candidate computes the right product" in err and "PASSED" not in out
    if code != 1 or "FAILED" not in out.splitlines() and not refused:
        wrong.append(f"with other inputs than it expects it does not say FAILED, exit code {code}")
    if ends:
        results = [result for result in results if result.launch and result.launch.kernel not in known.ONLY_FINITE]
    wrong += filter(None, (compared(report, known, list(map(int, arguments)), result) for result in results))
    return [f"{what}{f' (first and last floats: {ends})' if ends else ''}" for what in wrong]


def do_not_tell(inputs):
    """What is wrong with the inputs of a result, if they are such that a wrong result may look right."""
    for number, x in enumerate(inputs, 1):
        if len(x) >= 100 and len(set(x)) < 5:
            yield f"input {number} has {len(set(x))} different numbers only"
        for y in inputs[number:]:
            common = min(len(x), len(y))
            if common >= 20 and x[:common] == y[:common]:
                yield f"two inputs are the same numbers: {list(x[:5])} ..."


def bounds(report, known, arguments, cache, out, results, edges=True):
    """Every result that may be off, as printed: a sum, or the element of a matrix that is most in error. What is
    changed at the edges of a bound is the first float that comes back."""
    wrong = []
    sizes = list(map(int, arguments))
    lines = re.findall(PAIR, out, re.MULTILINE)
    for number, ((row, col, printed, expected, error, allowed), result) in enumerate(zip(lines, results), 1):
        if not allowed:
            continue
        if any(sum(value * 2**16 != round(value * 2**16) for value in x) < len(x) / 2 for x in result.inputs):
            wrong.append("what it adds with a bound are no reals: numbers of few digits, which no addition rounds")
            continue
        shown = int(row) * references.all_three(sizes)[1] + int(col) if row else 0
        path = known.PATHS[result.launch.kernel](*sizes, launch=result.launch)
        bound, bound_shown = (
            path * references.EPSILON * math.fsum(map(abs, references.terms_of(result.inputs, place, sizes)))
            for place in (0, shown)
        )
        if not 0.95 < float(allowed) / bound_shown < 1.05:  # two digits of it are printed
            wrong.append(
                f"it allows {allowed} in {result.launch.kernel}, where {bound_shown:.2g} follows from its launch"
            )
            continue
        got = result.floats[shown] if row else math.fsum(result.floats)
        should = math.fsum(references.terms_of(result.inputs, shown, sizes))
        said = [float(printed), float(expected), float(error)]
        true = [got, should, abs(got - should)]
        # Nine digits are printed, and two of the error; by the host's own rounding of its sums nothing larger is off.
        slack = [1e-8 * abs(got), 1e-8 * abs(should), 0.06 * true[2] + 1e-3 * bound_shown]
        if any(abs(a - b) > most for a, b, most in zip(said, true, slack)):
            wrong.append(f"it prints result, expected and error as {said}, where {true} is true")
        right = math.fsum(references.terms_of(result.inputs, 0, sizes))
        off = (result.floats[0] if row else math.fsum(result.floats)) - right
        for share in [-1.02, -0.98, 0.98, 1.02] if edges else []:
            code, out, err, _ = run(known, arguments, cache, add=f"{number} {share * bound - off:.9g}")
            report.count("results at the edge of their bound")
            if (code, "PASSED" in out.splitlines()) != ((0, True) if abs(share) < 1 else (1, False)):
                wrong.append(f"{result.launch.kernel} off by {share} times its bound: exit code {code}\n{out}{err}")
    if len(lines) != len(results) and known.PATHS:
        wrong.append(f"it reads {len(results)} results, and prints {len(lines)}")
    return wrong


def in_small_groups(report, known, arguments):
    """What is wrong with the bounds where a kernel may have few work-items in a group: they follow from its launch."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        profile = pathlib.Path(folder) / "profile"
        profile.write_text(f"kernel_group {SMALL_GROUP}\n")
        code, out, err, results = run(known, arguments, cache, profile=profile)
        report.count("runs in small groups")
        return running.not_passed(code, out, err) or bounds(report, known, arguments, cache, out, results, edges=False)


def test_other_inputs(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    for arguments in known.INPUT_SIZES:
        with tempfile.TemporaryDirectory() as cache:
            what = " ".join([chapter, *arguments])
            code, out, err, results = run(known, arguments, cache)
            wrong = running.not_passed(code, out, err)
            report.count("runs")
            wrong += sorted({how for result in results for how in do_not_tell(result.inputs)})
            report.failed(what, wrong)
            if not wrong and arguments == known.INPUT_SIZES[-1]:
                report.failed(what, bounds(report, known, arguments, cache, out, results))
                if known.PATHS:
                    report.failed(f"{what} in small groups", in_small_groups(report, known, arguments))
            if not known.REFERENCES and not any(result.inputs for result in results):
                continue  # nothing is handed to the device
            for way in known.WAYS or [None]:
                if way:
                    way(cache, err)
                report.failed(what, other_inputs(report, known, arguments, cache, results.lengths))
                for ends in known.SPECIALS if arguments == known.INPUT_SIZES[-1] else []:
                    report.failed(what, other_inputs(report, known, arguments, cache, results.lengths, ends))
