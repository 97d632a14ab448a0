"""Do kernels compute right what their programs never ask them, and are the bounds of rounding those of the lesson?

The layer (checker/layer/buffers.cpp) hands other inputs to the device: reals, those of one buffer up to 400, and such with
NaN, an infinity or a 0 at both ends (SPECIALS). What is read back must be what a reference in Python says (REFERENCES
in the chapter's facts, checker/references.py); and the program, whose expectation is for its own inputs, must say FAILED.
Unharmed, it must pass, although the layer does everything as late as the standard allows, maps
copies, and fills memory that begins without contents with NaN.

Where a program prints by how much its result may be off, the bound must be the one that follows from the launch (PATHS),
what is printed of the result and of what was expected must be true, and a result that is just outside must be refused.
"""

import array
import math
import random
import re
import tempfile
from pathlib import Path

from checker import references
from tests import chapter_facts, running

CHAPTERS = running.WITH_KERNEL
# The lines of a comparison: of a matrix the element; the result, what was expected, by how much it is off, and may be.
PAIR = r"^result +(?:C\[(\d+)\]\[(\d+)\] = )?(.*)\nexpected +(?:C\S+ = )?(\S+)(?: \(error (\S+), allowed (\S+)\))?"


class Launch:
    """The last command before a result that computes or copies. `args`: the value of each, a buffer's name where it is one."""

    def __init__(self, command, call, args, before):
        self.kernel = command.name
        self.args, self.options, self.items = args, command.options, command.items
        self.local_size = math.prod(map(int, call.arguments[5].split("x"))) if self.items else 0
        self.in_a_row = 1 + (before.in_a_row if before and before.kernel == self.kernel else 0)


class Result:
    """What a program read back: the bytes, what computed them and from what."""

    def __init__(self, data, launch, inputs):
        self.data, self.launch, self.inputs = data, launch, inputs
        self.floats = array.array("f", data) if len(data) % 4 == 0 else []


def value_of(text):
    """An argument of a kernel: a buffer's name, or its first eight bytes as a number."""
    return int(text[-16:].removeprefix("0x"), 16) if text.startswith("0x") else 0 if text == "local" else text


def results_of(account, folder):
    """The results of a run, in order. A result's inputs are those that its launch names, where it names any: another
    device has its own."""
    results, inputs, launches, arguments, made = [], {}, {}, {}, {}  # made: inputs of a buffer that is not there yet
    commands = iter(account.commands)
    for what, it in account.notes:
        if what == "call":
            current = it
        elif what == "input":
            where, key = (made, current.number) if current.name == "CreateBuffer" else (inputs, current.arguments[1])
            where[key] = array.array("f", (folder / f"in{it[1]}").read_bytes())
        elif what == "result":
            launch = launches.pop(current.arguments[0], None)
            named = {buffer: x for buffer, x in inputs.items() if launch and buffer in launch.args} or inputs
            results.append(Result((folder / f"out{it[1]}").read_bytes(), launch, list(named.values())))
        elif what == "command":
            command, queue = next(commands), current.arguments[0]
            if current.name in ("EnqueueNDRangeKernel", "EnqueueCopyBuffer"):
                args = [value_of(text) for _, text in sorted(arguments.get(current.arguments[1], {}).items())]
                launches[queue] = Launch(command, current, args, launches.get(queue))
        elif what == "done" and it.code == 0:
            if it.number in made:
                inputs[it.made[0]] = made.pop(it.number)
            elif it.name == "ReleaseMemObject":
                inputs.pop(it.arguments[0], None)
            elif it.name == "SetKernelArg":
                arguments.setdefault(it.arguments[0], {})[int(it.arguments[1])] = it.arguments[3]
    return results


def run(known, arguments, cache, **settings):
    """Runs the chapter under the layer; returns (exit code, output, standard error, results, {number of an input: how many
    floats it has})."""
    with tempfile.TemporaryDirectory() as name:
        command, folder = [running.program(known.chapter), *arguments], Path(name)
        *ended, account = running.under_layer(command, cache=cache, keep=name, late=1, **settings)
        inputs = [it for what, it in account.notes if what == "input"]
        lengths = {int(number): (folder / f"in{transfer}").stat().st_size // 4 for _, transfer, number in inputs}
        return *ended, results_of(account, folder), lengths


def compared(report, known, sizes, result):
    """What is wrong with a result of other inputs: a list of sentences."""
    kernel = result.launch.kernel if result.launch else "no kernel"
    reference = known.REFERENCES.get(kernel)
    if reference is None:
        return [f"no REFERENCES in {chapter_facts.file_of(known.chapter)} say what {kernel} must give"]
    got = result.floats
    if reference is references.truncated_total:
        got = array.array("i", result.data)
    elif isinstance(reference, references.Total):
        got = [references.sum_of(got)]
    rights = list(reference(result.inputs, result.launch, sizes))
    report.count("numbers of other inputs", len(rights))
    for place, (number, (right, allowed)) in enumerate(zip(got, rights)):
        if not references.is_close(number, right, allowed):
            return [f"of other inputs, {kernel} gives {number} at place {place}, not {right} (off by {allowed:.2g})"]
    return [f"{kernel} gives {len(got)} numbers, not {len(rights)}"] * (len(got) != len(rights))


def other_inputs(report, known, arguments, cache, lengths, ends=""):
    """What is wrong where inputs are reals, from -1 to 1 the first and every second one, else from -400 to 400; `ends`:
    "1 nan 2 inf" are the first and the last float of the first and every second one, and of the others."""
    words = ends.split()
    at_ends = dict(zip(map(int, words[::2]), map(float, words[1::2])))
    with tempfile.TemporaryDirectory() as folder:
        for number, length in lengths.items():
            turn, draw = 2 - number % 2, random.Random(number)
            data = array.array("f", [draw.uniform(-1, 1) * (1, 400)[turn - 1] for _ in range(length)])
            data[0], data[-1] = at_ends.get(turn, data[0]), at_ends.get(turn, data[-1])
            (Path(folder) / f"in{number}").write_bytes(data.tobytes())
        code, out, err, results, _ = run(known, arguments, cache, take=folder)
    wrong = running.crashed(code, err)
    refused = known.SEARCH_SIZE and "no candidate computes the right product" in err and "PASSED" not in out
    if code != 1 or "FAILED" not in out.splitlines() and not refused:
        wrong.append(f"with other inputs than it expects it does not say FAILED, exit code {code}")
    for result in results:
        finite = known.REFERENCES.get(result.launch.kernel) is references.truncated_total  # it is for such only
        if not (ends and finite):
            wrong += compared(report, known, list(map(int, arguments)), result)
    return [f"{what}{f' (first and last floats: {ends})' if ends else ''}" for what in wrong]


def bounds(report, known, arguments, cache, out, results):
    """What is wrong with the results that may be off, as printed: a sum, or the element of a matrix that is most in error. What is
    changed is the first float that comes back."""
    wrong, sizes = [], list(map(int, arguments))
    lines = re.findall(PAIR, out, re.MULTILINE)
    if len(lines) != len(results) and known.PATHS:
        wrong.append(f"it reads {len(results)} results, and prints {len(lines)}")
    for number, ((row, col, printed, expected, error, allowed), result) in enumerate(zip(lines, results), 1):
        if not allowed:
            continue
        path = known.PATHS[result.launch.kernel](*sizes, launch=result.launch) * references.EPSILON

        def right_and_bound(place, result=result, path=path):
            terms = references.terms_of(result.inputs, place, sizes)
            return math.fsum(terms), path * math.fsum(map(abs, terms))

        shown = int(row) * references.all_three(sizes)[1] + int(col) if row else 0
        right, bound = right_and_bound(shown)
        got = result.floats[shown] if row else math.fsum(result.floats)
        if not 0.95 < float(allowed) / bound < 1.05:  # two digits of it are printed
            wrong.append(f"it allows {allowed} in {result.launch.kernel}, where {bound:.2g} follows from its launch")
        # Nine digits are printed, and two of the error; by the host's own rounding of its sums nothing larger is off.
        for said, true, slack in [
            (printed, got, 1e-8 * abs(got)),
            (expected, right, 1e-8 * abs(right)),
            (error, abs(got - right), 0.06 * abs(got - right) + 1e-3 * bound),
        ]:
            if abs(float(said) - true) > slack:
                wrong.append(f"it prints {said}, where {true} is true")
        right, bound = right_and_bound(0)
        off = (result.floats[0] if row else got) - right
        for share in [-1.02, 0.98, 1.02]:
            code, out, *_ = run(known, arguments, cache, add=f"{number} {share * bound - off:.9g}")
            report.count("results at the edge of their bound")
            if (code, "PASSED" in out.splitlines()) != (int(share != 0.98), share == 0.98):
                wrong.append(f"{result.launch.kernel} off by {share} times its bound: exit code {code}\n{out}")
    return wrong


def test_other_inputs(report, chapter):
    known = chapter_facts.of(chapter)
    for arguments in known.INPUT_SIZES:
        with tempfile.TemporaryDirectory() as cache:
            what, last = " ".join([chapter, *arguments]), arguments == known.INPUT_SIZES[-1]
            *ended, results, lengths = run(known, arguments, cache)
            wrong = running.not_passed(*ended)
            wrong += bounds(report, known, arguments, cache, ended[1], results) if last and not wrong else []
            report.failed(what, wrong)
            report.count("runs")
            for way in (known.WAYS or [None]) if lengths else []:
                if way:
                    way(cache, ended[2])
                for ends in ["", *(known.SPECIALS if last else [])]:
                    report.failed(what, other_inputs(report, known, arguments, cache, lengths, ends))
