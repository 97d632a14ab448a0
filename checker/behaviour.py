"""What an answer does, seen by the check itself, whatever the program prints.

Each function gets the Attempt (exercise.py) and returns complaints, an empty list where there are none. Where
something that it needs did not work, it says so in attempt.answer.unchecked, and nothing is passed.
"""

import collections
import hashlib
import json
import math
import pathlib
import random
import re
import struct
import tempfile

from checker import oclgrind_messages, references, sandbox
from checker.machine import ROOT

GIVEN = ROOT / "checker" / "given_files.json"  # of each file that is not the student's, a number for its content
MANY = 32  # work-items: as few can share a thing
LOOPS = {
    "for",
    "while",
    "do",
    "goto",
    "async_work_group_copy",
    "async_work_group_strided_copy",
    "printf",
}  # of any length


def digest_of(path):
    """A number for a file's content; it does not depend on line ends or trailing blanks."""
    text = path.read_text(errors="replace")
    return hashlib.sha256("\n".join(line.rstrip() for line in text.splitlines()).encode()).hexdigest()[:16]


def given_files(exercises):
    """{path: digest} of what the checks of exercises need, and students are not to change."""
    paths = set((ROOT / "common").glob("*.h"))
    for exercise in exercises:
        paths |= {exercise.folder / name for name in ("host.cpp", "kernel.cl") if name not in exercise.files}
        if exercise.host == "chapter":
            paths.add(ROOT / exercise.chapter / "host.cpp")
    return {str(path.relative_to(ROOT)): digest_of(path) for path in sorted(paths) if path.exists()}


def known_files():
    return json.loads(GIVEN.read_text())


def changed_files(exercise, known=None):
    """What is not the student's must be as it was given."""
    known = known_files() if known is None else known
    for name, digest in given_files([exercise]).items():
        if known.get(name) != digest:
            return [f"{name} is not part of your answer, and is not as it was: put it back (git checkout -- {name})"]
    return []


# ---- The chapter's own kernel ------------------------------------------------------------------------------------


def code_of(kernel):
    """A kernel's words, without comments and blanks."""
    return re.findall(r"\w+|[^\w\s]", re.sub(r"//[^\n]*|/\*.*?\*/", " ", kernel, flags=re.DOTALL))


OWN = "this is chapter {}'s own kernel, or does the same: it is right, and what the task asks for is not in it"


def own_kernel(attempt):
    """Is the answer what the chapter has anyway?"""
    exercise = attempt.exercise
    path = ROOT / exercise.chapter / "kernel.cl"
    if exercise.files != ["kernel.cl"] or exercise.restores or not path.exists():
        return []
    if exercise.is_starter(attempt.folder):
        return []
    if code_of(path.read_text()) == code_of(attempt.kernel):
        return [OWN.format(exercise.chapter[:2])]
    return []


# ---- Calls, and lies ---------------------------------------------------------------------------------------------


def released(run):
    """Complaints about what the program created and did not release."""
    complaints = []
    for thing in ["context", "queue", "program", "kernel", "buffer", "event"]:
        created, gone = (sum(c.split()[:2] == [word, thing] for c in run.calls) for word in ("create", "release"))
        if created > gone:
            complaints.append(f"{created} {thing}{'s' * (created > 1)} created, {gone} released")
    return complaints


def blocks(call):
    """Does a call return only when all commands before it have ended? The programs' queues work in order. (A write that
    blocks returns when its data may be changed again: it may still be on its way.)"""
    return call.startswith(("Finish", "EnqueueReadBuffer 1", "EnqueueMapBuffer 1"))


def ends(word):
    """The events of which a call, split into words, has told the host that their commands have ended."""
    if word[0] == "WaitForEvents":
        return word[2:]
    return word[1:2] if word[0] == "PollEvent" and word[2] == "0" else []  # CL_COMPLETE


NOT_ENDED = "nothing waits for the last launch: the program may end before the kernel does, and crash then"


def not_awaited(run):
    """Complaints about data that the host looks at without having waited for it, and launches that nothing waits for."""

    def waits(call):
        return blocks(call) or bool(ends(call.split()))

    for i, call in enumerate(run.calls):
        later = run.calls[i + 1 :]
        if call.startswith("EnqueueMapBuffer 0"):
            unmapped = next((at for at, one in enumerate(later) if one.startswith("EnqueueUnmapMemObject")), len(later))
            if not any(map(waits, later[:unmapped])):
                return ["the buffer is mapped without waiting (CL_FALSE), and used at once"]
        if call.startswith("EnqueueReadBuffer 0") and not any(map(waits, later)):
            return [
                "the read does not wait (CL_FALSE), and nothing else does: the host looks at data that may not be there"
            ]
    launches = [i for i, call in enumerate(run.calls) if call.startswith("EnqueueNDRangeKernel")]
    after = run.calls[launches[-1] + 1 :] if launches else []
    # Where it crashed in the launch, or never came back from it, nobody knows what it would have called.
    no_end = run.code is None or run.code < 0
    cut_off = no_end and not any(call.startswith(("release", "Enqueue")) for call in after)
    if launches and not any(map(waits, after)) and not cut_off:
        return [NOT_ENDED]
    return []


def unwaited(run):
    """Complaints about times that are asked for before anything has waited for the command's end."""
    pending, blocking = [], False
    for call in run.calls:
        word = call.split()
        if word[0] in ("input", "took", "with", "on"):  # what the spy has seen, and no call
            continue
        if word[:2] == ["create", "event"] and not blocking:
            pending = [event for event in pending if event != word[2]] + [word[2]]  # released ones' numbers come again
        elif word[:2] == ["ask", "event"] and word[2] in pending:
            return ["a command's times are asked for before anything has waited for its end: they are there by luck"]
        elif ends(word):
            done = max((pending.index(event) for event in ends(word) if event in pending), default=-1)
            del pending[: done + 1]
        blocking = blocks(call)
        if blocking:
            pending.clear()
    return []


def unordered(run):
    """Complaints about a launch in a queue that keeps no order, which waits for nothing though something is on its way."""
    if not any(call.startswith("create queue without order") for call in run.calls):
        return []
    on_its_way = False
    for call in run.calls:
        word = call.split()
        if word[0] == "EnqueueNDRangeKernel" and word[4] == "0" and on_its_way:
            return [
                "the queue keeps no order, and the launch has no event to wait for: it may come before what it needs"
            ]
        waited = blocks(call) or call.startswith("EnqueueWriteBuffer 1") or ends(word)
        on_its_way = (on_its_way or word[0].startswith("Enqueue")) and not waited
    return []


def calls(attempt, run):
    """The program did what it says with OpenCL: built the kernel that it was given, and launched it."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files:
        return []
    if not any(call.startswith(("GetPlatformIDs", "create context")) for call in run.calls):
        return ["the program says PASSED, and has not called OpenCL at all: who has computed that?"]
    if not exercise.launches:
        return []
    launches = [call.split() for call in run.calls if call.startswith("EnqueueNDRangeKernel")]
    if not launches:
        return ["the program says PASSED, and has not launched any kernel: who has computed that?"]
    if not any(attempt.kernel.strip() in source for source in run.sources):
        return ["the kernel that was built is not the one in kernel.cl"]
    if not any(call.startswith(("EnqueueReadBuffer", "EnqueueMapBuffer")) for call in run.calls):
        return ["the program says PASSED, and has read nothing back: what was compared?"]
    return still_mapped(run) or not_awaited(run) or unwaited(run) or unordered(run) or released(run)


def orders(run):
    """The commands of a run in their order, as the spy notes them: [(what, queue, buffers that it uses)]."""
    each = [call.split() for call in run.calls if call.startswith("order ")]
    return [(what, queue, uses.split(",")[1:]) for _, what, queue, uses, *_ in each]


def still_mapped(run):
    """A buffer that is mapped is the host's: no launch uses it before it is unmapped."""
    mapped = collections.Counter()
    for what, _, uses in orders(run):
        mapped.update(uses if what == "map" else ())
        mapped.subtract(uses if what == "unmap" else ())
        if what == "launch" and any(mapped[buffer] > 0 for buffer in uses):
            return [
                "the kernel is launched while one of its buffers is still mapped: the device need not see what you have "
                "written (it does on PoCL, where there is but one memory)"
            ]
    return []


def few_items(attempt, run):
    """The launch has as many work-items as there is work for."""
    if "host.cpp" not in attempt.exercise.files or not attempt.exercise.launches:
        return []
    most = most_items(run)
    if most < MANY <= size_of(run.args):
        return [f"the largest launch has {most} work-item{'s' * (most > 1)}: the work is to be shared"]
    return []


def most_items(run):
    """The work-items of the largest launch."""
    return max((int(call.split()[3]) for call in run.calls if call.startswith("EnqueueNDRangeKernel")), default=0)


def size_of(args):
    """How much there is to do: the elements of a vector, or of C."""
    numbers = [int(arg) for arg in args if arg.isdigit()] or [1]
    return numbers[0] * numbers[1] if len(numbers) == 3 else numbers[0]


def lie_size(exercise):
    """The largest of the sizes that is still fast."""

    def work(size):
        product = 1
        for number in size:
            product *= int(number) if number.isdigit() else 1
        return product

    return max((size for size in exercise.sizes if work(size) <= 40000), key=work)


def lies(attempt, honest):
    """A program that is lied to must not say PASSED: its result would not come from where it should."""
    exercise = attempt.exercise
    if not exercise.launches:
        return []
    mine = "host.cpp" in exercise.files
    told = []
    if mine:
        told.append(("SPY_DROP", 1, "a launch computes nothing that arrives, and the program still says PASSED: "))
        told.append(("SPY_RESULTS", 1, "what is read back is changed on its way, and the program still says PASSED: "))
    inputs = sum(call.startswith("input ") for call in honest.calls)
    for number in range(1, min(inputs, 3) + 1):
        told.append(
            (
                "SPY_INPUTS",
                number,
                f"the device gets other numbers in {input_name(exercise, number)} than the host compares with, and the "
                "program still says PASSED: ",
            )
        )
    runs = attempt.at_once(lambda lie: attempt.pocl(honest.args, spy=True, **{lie[0]: lie[1]}), told)
    for (name, _, what), run in zip(told, runs):
        if not run.spied:
            return missing(attempt, "the program was not to be lied to")
        if run.passed():
            return [what + (asked(name) if mine else "does the kernel read it?")]
    if mine and not exercise.processes:
        smallest = attempt.pocl(exercise.sizes[0], spy=True, SPY_DROP=1)
        if smallest.passed() and most_items(smallest):
            return [f"with {attempt.sizes_text([smallest])}, {told[0][2]}{asked(told[0][0])}"]
    return []


def input_name(exercise, number):
    """ "input 3", and what that is, where exercise.json says it."""
    return f"input {number}" + (f" ({exercise.inputs[number - 1]})" if number <= len(exercise.inputs) else "")


def asked(lie):
    """The question about a host that has let a lie pass: nothing may come of an input, or nobody compares."""
    used = "does anything come of that input, and " if lie == "SPY_INPUTS" else ""
    return used + "is the comparison as it was?"


def missing(attempt, what):
    attempt.answer.unchecked.append(what)
    return []


# ---- Results for inputs that the program never chose ---------------------------------------------------------------


def transposed(inputs, launch, sizes):
    """C = A·Bᵀ, where B is stored as its transpose."""
    m, n, k = references.all_three(sizes)
    b = [inputs[1][col * k + i] for i in range(k) for col in range(n)]
    yield from references.product([inputs[0], b], launch, [m, n, k])


REFERENCES = {
    "add": references.elements(lambda a, b: a + b, 1),
    "products": references.elements(lambda a, b: a * b, 1),
    "dot product": references.dot_product,
    "norm": references.Total(lambda x: x * x),
    "product": references.product,
    "transposed product": transposed,
    "sum": references.total,
}


def floats(data):
    return struct.unpack(f"{len(data) // 4}f", data[: len(data) // 4 * 4])


def packed(values):
    return struct.pack(f"{len(values)}f", *values)


def as_float(value):
    """A number as the nearest float."""
    return floats(packed([value]))[0]


class Trial:
    """A run in which the device gets other inputs, `given` {number: bytes}. `inputs` and `results` are what it got and what
    the program read back, {number: bytes}, `after` what each launch left in its kernel's buffers, {(launch, argument):
    bytes}. `settings`: what else the spy is to do."""

    def __init__(self, attempt, args, given=None, **settings):
        home = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
        take, keep, after = (home / name for name in ("take", "keep", "after"))
        for folder in (take, keep, after):
            folder.mkdir()
        for number, data in (given or {}).items():
            (take / f"in{number}").write_bytes(data)
        self.run = attempt.pocl(args, spy=True, SPY_TAKE=take, SPY_KEEP=keep, SPY_AFTER=after, **settings)
        self.inputs, self.results = (
            {int(path.name[len(kind) :]): path.read_bytes() for path in keep.glob(f"{kind}*")} for kind in ("in", "out")
        )
        self.after = {tuple(map(int, path.name.split("."))): path.read_bytes() for path in after.iterdir()}


def reals(attempt, honest):
    """With real numbers, which the check draws and the program has never seen, the kernel's result is right."""
    exercise = attempt.exercise
    if exercise.reference is None:
        return []
    number = random.Random(exercise.digest(attempt.folder))
    usual = Trial(attempt, honest.args)
    given = {i: packed([number.uniform(-1, 1) for _ in floats(data)]) for i, data in usual.inputs.items()}
    trial = Trial(attempt, honest.args, given)
    if not trial.inputs or 1 not in trial.results:
        return missing(attempt, "nothing was read back by the check")
    inputs = [floats(data) for _, data in sorted(trial.inputs.items())]
    results = floats(trial.results[1])
    reference = REFERENCES[exercise.reference]
    expected = list(reference(inputs, None, [int(a) for a in trial.run.args]))
    if isinstance(reference, references.TOTALS):
        results = [sum(results)]
        expected = [(value, 64 * bound) for value, bound in expected]
    said = f"with {attempt.sizes_text([trial.run])} and real numbers from -1 to 1 in place of the program's"
    return beside(said, results, [(value, 4 * bound + 1e-30) for value, bound in expected])


def beside(said, results, expected):
    """A complaint about the first of the results that is not what it must be: `expected` are (value, what it may be off by)."""
    for i, ((value, allowed), got) in enumerate(zip(expected, results)):
        if not references.is_close(got, value, allowed):
            where = f"element {i} of the result" if len(expected) > 1 else "the result"
            return [f"{said}, {where} is {got:.9g} and should be {value:.9g}"]
    return []


def infinities(attempt, honest):
    """What beyond the edge of a matrix adds nothing is 0, and meets 0: an infinity inside it comes through, one that
    meets a 0 of the other matrix gives NaN, and one of the next row is of no concern."""
    exercise = attempt.exercise
    if exercise.reference not in ("product", "transposed product"):
        return []
    return with_infinities(attempt, honest.args, exercise.reference == "product")


def with_infinities(attempt, args, by_row=True, **settings):
    """The same, for one size: A and B get infinities, from the last column of A and the last row of B back and from the first
    ones on, so that who reads on into the next row meets one, and some zeros. `by_row`: B is stored row by row, and not
    column by column."""
    m, n, k = references.all_three([int(arg) for arg in args])
    number = random.Random(attempt.exercise.digest(attempt.folder))

    def drawn():
        return 0.0 if number.randrange(40) == 0 else number.uniform(0.5, 1) * number.choice((-1, 1))

    a, b = ([[drawn() for _ in range(k)] for _ in range(lines)] for lines in (m, n))  # rows of A, columns of B
    for lines in (a, b):
        for i, line in enumerate(lines[::2]):  # the others meet one infinity at most
            line[k - 1 - i % k if i % 2 == 0 else i // 2 % k] = math.inf
    given = (
        [value for row in a for value in row],
        ([b[col][i] for i in range(k) for col in range(n)] if by_row else [value for col in b for value in col]),
    )
    given = {i: packed(values) for i, values in enumerate(given, 1)}
    trial = Trial(attempt, args, given, **settings)
    if 1 not in trial.results or any(trial.inputs.get(i) != data for i, data in given.items()):
        return missing(attempt, "what becomes of infinities could not be seen")
    for place, got in enumerate(floats(trial.results[1])):
        row, col = divmod(place, n)
        right = references.sum_of(x * y for x, y in zip(a[row], b[col]))
        alike = math.isfinite(got) if math.isfinite(right) else references.is_close(got, right, 0)
        if not alike:
            said = f"with {attempt.sizes_text([trial.run])}, and infinities and zeros in A and B, element {place} of the result"
            why = (
                "0 times infinity is NaN, so no product may be left out"
                if math.isnan(right)
                else "0 times infinity is NaN, so beyond the last column of A and the last row of B both are to be 0"
            )
            return [f"{said} is {got:g} and should be {right:g}: {why}"]
    return []


POCL_GIVES_UP = "Could not find a dominating alternative variable"  # what PoCL 3 says before it aborts


def other_groups(attempt, honest):
    """In groups of another size than the host's, each of so many times as many work-items, the kernel is right, and so it is
    with fewer work-items than the host's."""
    for factor in attempt.exercise.larger:
        if factor > 4 and attempt.settings:
            continue  # PoCL's other ways write out the code of each work-item, and take minutes for so many
        run = attempt.pocl(honest.args, spy=True, SPY_GROUPS=factor)
        if not run.passed():
            items = next((call.split()[2] for call in run.calls if call.startswith("EnqueueNDRangeKernel")), "?")
            many = next((call.split()[1] for call in run.calls if call.startswith("groups ")), "?")
            return [
                f"with {attempt.sizes_text([run])} and groups of {many} work-items in place of {items}: "
                + (attempt.broken(run) or attempt.first_wrong(run))
            ]
    for few in attempt.exercise.fewer:
        # One less than a multiple of each vector: all that can be left over.
        run = attempt.pocl(["1007", *honest.args[1:]], spy=True, SPY_ITEMS=few)
        if POCL_GIVES_UP in run.err:
            attempt.answer.ok("PoCL", f"cannot compile the kernel for {few} in a group: this is its own mistake")
        elif not run.passed():
            return [
                f"with {attempt.sizes_text([run])} and a launch of {few} work-item{'s' * (few > 1)} in all: "
                + (attempt.broken(run) or attempt.first_wrong(run))
            ]
    return []


RUSTICL = pathlib.Path("/etc/OpenCL/vendors/rusticl.icd")


def in_step(attempt, honest):
    """The kernel is right where several work-items of a group run side by side, as on a GPU, and on no other implementation
    for CPUs: what one reads, another changes before it writes; and who holds a lock waits for those who wait for it."""
    if not attempt.exercise.in_step:
        return []
    if not RUSTICL.exists():
        attempt.answer.ok("Rusticl", f"missing, no {RUSTICL}: work-items were not run side by side")
        return []
    for args in attempt.exercise.in_step:
        run = attempt.pocl(args, OCL_ICD_VENDORS=RUSTICL, RUSTICL_ENABLE="llvmpipe")
        if "no OpenCL" in run.err:
            attempt.answer.ok("Rusticl", "has no device here: work-items were not run side by side")
            return []
        if not run.passed():
            why = attempt.broken(run) or attempt.first_wrong(run)
            return [
                f"with {attempt.sizes_text([run])} on Mesa's Rusticl, where work-items of a group run side by side: {why}"
            ]
    return []


def other_hosts(attempt, honest):
    """The kernel is right for all that its header lets a host choose, and not only for what this host does."""
    usual = attempt.source.read_text(errors="replace")
    for old, new in attempt.exercise.hosts:
        if usual.count(old) != 1:
            return missing(attempt, f"what the kernel does where the host has {new} in place of {old}")
        with attempt.with_host(usual.replace(old, new)) as builds:
            for run in attempt.at_once(attempt.pocl, attempt.exercise.sizes[1:]) if builds else []:
                if not run.passed():
                    return [
                        f"with {new} in the host in place of {old}, "
                        + (attempt.broken(run) or attempt.first_wrong(run))
                    ]
        if not builds:
            return missing(attempt, f"what the kernel does with {new} in the host")
    return []


STARTERS_INPUTS = {}  # of each exercise and size, found once


def starters_inputs(attempt, honest):
    """Where one device gets all the inputs, it gets the starter's: nothing is computed or put in order before."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files or exercise.processes or not exercise.launches:
        return []
    if len({queue for _, queue, _ in orders(honest)}) > 1:
        return []  # of several queues each has its part
    student, which = Trial(attempt, honest.args).inputs, (exercise.id, *honest.args)
    if which not in STARTERS_INPUTS:
        with attempt.with_host((exercise.folder / "host.cpp").read_text()) as builds:
            STARTERS_INPUTS[which] = Trial(attempt, honest.args).inputs if builds else {}
    starters = STARTERS_INPUTS[which]
    if list(map(len, student.values())) != list(map(len, starters.values())) or student == starters:
        return []
    return [
        f"with {attempt.sizes_text([honest])}, the device gets other inputs than those that the starter gave it: the work is to "
        "be done there, with the data as they are"
    ]


def long_ways(attempt, honest):
    """Two work-items that do everything, each a long way, do not come into conflict."""
    if 2 not in attempt.exercise.fewer:
        return []
    n = 40003
    if "barrier" not in code_of(attempt.kernel):  # no rounds: less will do where the launch is timed again and again
        n //= max(1, sum(call.startswith("EnqueueNDRangeKernel") for call in honest.calls))
    run = attempt.simulated([str(n), *honest.args[1:]], SPY_ITEMS=2)
    for kind, sentence in oclgrind_messages.translate(run.err + run.out, attempt.kernel) if run else []:
        if kind in ("race", "invalid"):
            return [f"with {attempt.sizes_text([run])} and a launch of 2 work-items in all, {sentence}"]
    return []


def long_rows(attempt, honest):
    """Under Oclgrind, also where K is shorter than any tile, and longer than what a program may have a case of its own for,
    with something left over for each vector."""
    if "kernel.cl" not in attempt.exercise.files or not attempt.exercise.matrix:
        return []
    # Tiles, which all bring, take long.
    longer = [["3", "5", "271"]] if "barrier" in code_of(attempt.kernel) else [["3", "5", "8209"], ["1", "1", "70001"]]
    for args in (["9", "17", "3"], *longer):
        run = attempt.simulated(args)
        for kind, sentence in oclgrind_messages.translate(run.err + run.out, attempt.kernel) if run else []:
            if kind in ("race", "invalid"):
                return [f"with {attempt.sizes_text([run])}, {sentence}"]
    return []


def long_products(attempt, honest):
    """Rows, columns and the steps along K are more than 16 bits count, also in bands and tiles of up to 16 of them."""
    exercise = attempt.exercise
    if "kernel.cl" not in exercise.files or exercise.reference not in ("product", "transposed product"):
        return []
    many = str(2**20 + 5)
    for run in attempt.at_once(attempt.pocl, [["1", "1", many], [many, "1", "3"], ["1", many, "3"]]):
        if not run.passed() and not too_large(run):
            return [attempt.broken(run) or attempt.first_wrong(run)]
    return []


# The usual inputs, by 2^40: as exact as before, and nothing that an int holds.
BEYOND_INTEGERS = """
inline void check_beyond(std::vector<float> &v, const uint64_t seed) {
  fill_whole(v, seed);
  for (float &value : v)
    value *= 0x1p40f;
}
#define fill_whole check_beyond
"""


def beyond_integers(attempt, honest):
    """What a host itself adds up or counts off is right for numbers that do not fit into an int."""
    if "host.cpp" not in attempt.exercise.files:
        return []
    if not re.search(r"\bfill_whole\b", (attempt.place / "host.cpp").read_text(errors="replace")):
        return []
    with attempt.with_header("compare.h", BEYOND_INTEGERS, told=False) as built:
        if not built:
            return []
        run = attempt.pocl(honest.args)
    if run.passed() or too_large(run):
        return []
    return [
        f"with inputs that are 2^40 times as large, which no int holds: {attempt.broken(run) or attempt.first_wrong(run)}"
    ]


def own_numbers(attempt, honest):
    """Where UF is a number that the kernel's text has, which may be what it asks for, it is right, too."""
    tokens = code_of(attempt.kernel)
    if "UF" not in tokens or len(honest.args) != 2:
        return []
    for uf in sorted({int(token) for token in tokens if re.fullmatch(r"[1-9]\d{0,2}", token)} - {1})[:4]:
        run = attempt.simulated([str(20 * uf + 3), str(uf)])
        if run is None:
            return []
        for kind, sentence in oclgrind_messages.translate(run.err + run.out, attempt.kernel):
            if kind in ("race", "invalid"):
                return [f"with {attempt.sizes_text([run])}, {sentence}"]
        if not run.passed():
            return [attempt.broken(run) or attempt.first_wrong(run)]
    run = attempt.pocl(["1000003", "65537"])  # more than 16 bits count
    return [] if run.passed() or too_large(run) else [attempt.broken(run) or attempt.first_wrong(run)]


def thresholds(attempt, honest):
    """A number in the kernel that a size is held against, or is divided by, and that no run on Oclgrind comes near: it is run
    once beyond, as there may be another way from there on."""
    exercise = attempt.exercise
    if "kernel.cl" not in exercise.files or not exercise.oclgrind or attempt.answer.no_oclgrind:
        return []
    least, most = (100, 2**16) if exercise.matrix else (1000, 2**23)
    numbers = set()
    for parameters, body in kernels_of(attempt.as_compiled(exercise.oclgrind[0])):
        sizes, function = set(re.findall(r"\bi(?:32|64) (?:noundef )?(%\w+)", parameters)), Function(body)
        for of, value, number in re.findall(rf" = (icmp \w+|[su]div|[la]shr) [^\n]*?i(?:32|64) {VALUE}, (\d+)", body):
            if function.larger(function.comes_from(value)) in sizes:
                numbers.add(1 << min(int(number), 63) if of.endswith("shr") else int(number))
    for number in sorted(number for number in numbers if least <= number <= most)[-2:]:
        cases = [(number + 5, 3, 2), (3, number + 5, 2), (3, 2, number + 5)] if exercise.matrix else [(4 * number + 5,)]
        for case in cases:
            args = [*map(str, case), *honest.args[len(case) :]]
            run = attempt.simulated(args, seconds=120)
            if run is None or run.code is None:
                return missing(attempt, f"what the kernel does where a size is larger than {number}")
            for _, sentence in oclgrind_messages.translate(run.err + run.out, attempt.kernel):
                return [f"with {attempt.sizes_text([run])}, {sentence}"]
            if not run.passed() and not too_large(run):
                return ["on the simulated device: " + (attempt.broken(run) or attempt.first_wrong(run))]
    return []


def constant_memory(attempt, honest):
    """What grows with N is not asked for in constant memory, of which no device need have more than 64 KiB."""
    words = " ".join(code_of(attempt.kernel))
    for arguments in re.findall(r"\b(?:__)?kernel\b[^{]*?\(([^{]*)\) \{", words):
        found = re.search(r"\b(?:__)?constant\b[^,]*?(\w+) *(?:,|$)", arguments)
        if found and "kernel.cl" in attempt.exercise.files:
            return [f"{found[1]} is asked for in constant memory, of which a device need have no more than 64 KiB"]
    return []


# Each work-item is the one a group further on, as there are in a launch with a group more.
FURTHER = """
#define get_group_id(d) (get_group_id(d) + 1)
#define get_global_id(d) (get_global_id(d) + get_local_size(d))
#define get_num_groups(d) (get_num_groups(d) + 1)
#define get_global_size(d) (get_global_size(d) + get_local_size(d))
#line 1
"""


def spare_groups(attempt, honest):
    """A group that the launch has beyond those that it needs does nothing."""
    if not attempt.exercise.spare:
        return []
    args = ["20", "17", "3"] if attempt.exercise.matrix else attempt.exercise.oclgrind[-1]
    run = with_kernel(attempt, FURTHER + attempt.kernel, lambda: attempt.simulated(args))
    if run is None:
        return []
    for kind, sentence in oclgrind_messages.translate(run.err + run.out, attempt.kernel):
        if kind in ("invalid", "race"):
            return [
                f"with {attempt.sizes_text([run])} and a launch that has a group more than it needs, which it may have, so that "
                f"each work-item is the one a group further on: {sentence}"
            ]
    return []


def with_kernel(attempt, text, function):
    """What the function returns while the program finds that text as its kernel."""
    path = attempt.place / "kernel.cl"
    before = path.read_text(errors="replace")
    path.write_text(text)
    try:
        return function()
    finally:
        path.write_text(before)


# ---- Other devices -------------------------------------------------------------------------------------------------

# Who is the first in its group, and the first group, is for the device to say: every kernel is right with all turned round.
MIRRORED = """
#define get_local_id(d) (get_local_size(d) - 1 - get_local_id(d))
#define get_group_id(d) (get_num_groups(d) - 1 - get_group_id(d))
#define get_global_id(d) (2 * get_global_offset(d) + get_global_size(d) - 1 - get_global_id(d))
"""
# OpenCL C says nothing of max and min of an infinity or NaN.
UNDEFINED = """
#define CHECK_OF(T, name) T __attribute__((overloadable)) check_##name(T a, T b) { return name(a, b); }
#define CHECK_REAL(T, name) T __attribute__((overloadable)) check_##name(T a, T b) { \\
  return name(a, b) + 0.0f * (a - a) * (b - b); }
#define CHECK_BOTH(T) CHECK_OF(T, max) CHECK_OF(T, min)
#define CHECK_REALS(T) CHECK_REAL(T, max) CHECK_REAL(T, min)
#define CHECK_ALL(T) CHECK_BOTH(T) CHECK_BOTH(T##2) CHECK_BOTH(T##4) CHECK_BOTH(T##8) CHECK_BOTH(T##16)
CHECK_ALL(char) CHECK_ALL(uchar) CHECK_ALL(short) CHECK_ALL(ushort)
CHECK_ALL(int) CHECK_ALL(uint) CHECK_ALL(long) CHECK_ALL(ulong)
CHECK_REALS(float) CHECK_REALS(float2) CHECK_REALS(float4) CHECK_REALS(float8) CHECK_REALS(float16)
#define max(...) check_max(__VA_ARGS__)
#define min(...) check_min(__VA_ARGS__)
"""
NO_DOUBLE = """
#undef cl_khr_fp64
#pragma GCC poison double double2 double3 double4 double8 double16
"""


def other_devices(attempt, honest):
    """The kernel is right where work-items run in another order, where max of an infinity is anything, and where there
    is no double."""
    exercise, tokens = attempt.exercise, set(code_of(attempt.kernel))
    if "kernel.cl" not in exercise.files or not exercise.launches:
        return []
    ways = []
    if not any(token.startswith(("sub_group", "get_sub_group")) for token in tokens):
        ways.append(("where the last work-item of a group runs first, and the last group", {"SPY_FIRST": MIRRORED}))
    if tokens & set(OF_ADDRESSES):
        first = "".join(f"#define {word} {type_}\n" for word, type_ in OF_ADDRESSES.items())
        settings = {"SPY_FIRST": first + "#line 1\n", "SPY_OPTIONS": UNOPTIMIZED}
        ways.append(("whose addresses have 32 bits", settings))
    if tokens & {"max", "min"}:
        what = "where max and min of an infinity are anything, as OpenCL C allows (fmax and fmin are not like that)"
        ways.append((what, {"SPY_FIRST": UNDEFINED}))
    if any(token.startswith("double") for token in tokens):
        settings = {"SPY_FIRST": NO_DOUBLE, "SPY_INFO": "1032=0", "SPY_WITHOUT": "cl_khr_fp64"}
        settings["SPY_OPTIONS"] = UNOPTIMIZED
        ways.append(("without cl_khr_fp64, which a device need not have", settings))
    if DOUBLE_NUMBER.search(attempt.kernel):
        settings = {"SPY_OPTIONS": "-cl-single-precision-constant"}
        ways.append(("without cl_khr_fp64, where a number without f is a float as well", settings))
    for (device, _), run in zip(ways, attempt.at_once(lambda way: attempt.pocl(honest.args, spy=True, **way[1]), ways)):
        unfit = "32 bits" in device and "CL_BUILD_PROGRAM_FAILURE" in run.err  # the words do not show what it would do
        if not run.passed() and not unfit:
            why = attempt.broken(run) or attempt.first_wrong(run)
            return [f"with {attempt.sizes_text([run])} on a device {device}: {why}"]
    return []


def from_the_last(attempt, honest):
    """The kernel is right where the last work-item of a group goes on to the next barrier before any other does: Oclgrind
    does that, and PoCL has barriers of its own before each loop that has one."""
    exercise, tokens = attempt.exercise, set(code_of(attempt.kernel))
    if "kernel.cl" not in exercise.files or "barrier" not in tokens or not exercise.oclgrind:
        return []
    if any(token.startswith(("sub_group", "get_sub_group")) for token in tokens):
        return []
    text = MIRRORED + "#line 1\n" + attempt.kernel
    run = with_kernel(attempt, text, lambda: attempt.simulated(exercise.oclgrind[-1], watched=False))
    if run is None or run.passed() or run.code is None:
        return []
    why = attempt.broken(run) or attempt.first_wrong(run)
    return [
        f"with {attempt.sizes_text([run])} on Oclgrind, as a device where the last work-item of a group runs first: {why}"
    ]


DOUBLE_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*|\.\d+)([eE][+-]?\d+)?(?![fF\w.])")
UNOPTIMIZED = "-cl-opt-disable"  # else a product that overflows may be right by luck
# The types that are as long as a device's addresses, as they are where these have 32 bits.
OF_ADDRESSES = {"size_t": "uint", "ptrdiff_t": "int", "intptr_t": "int", "uintptr_t": "uint"}
# What pick_device asks every device for: name, type, platform.
TO_PICK = ["102b", "1000", "1031"]


def alignments(attempt, honest):
    """A part of a buffer begins where this device allows it, and not where another one would."""
    if "host.cpp" not in attempt.exercise.files or not any(c.startswith("CreateSubBuffer") for c in honest.calls):
        return []
    runs = attempt.at_once(lambda args: attempt.pocl(args, spy=True, SPY_ALIGN=4096), attempt.exercise.sizes)
    for run in runs:
        if not run.passed():
            why = attempt.broken(run) or attempt.first_wrong(run)
            return [
                f"on a device where parts of buffers begin at multiples of 4096 bytes (CL_DEVICE_MEM_BASE_ADDR_ALIGN), {why}"
            ]
    return []


def elsewhere(attempt, honest):
    """The program runs on the device that OCL_DEVICE names, and asks no other one for its limits."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files or exercise.processes:
        return []
    if "pick_device(" not in (attempt.place / "host.cpp").read_text(errors="replace"):
        return []
    places = {1: "1:0", 2: "0:1"}  # after a device of another platform, and after one of the same
    if any(call.startswith("CreateSubDevices") for call in honest.calls):
        del places[2]  # a program that is for several devices may take that one, too
    runs = attempt.at_once(
        lambda way: attempt.pocl(honest.args, spy=True, SPY_ELSEWHERE=way[0], OCL_DEVICE=way[1]), places.items()
    )
    for place, run in zip(places.values(), runs):
        asked_for = [call.split()[1] for call in run.calls if call.endswith(" elsewhere")]
        if any(what not in TO_PICK for what in asked_for):
            return [
                f"with OCL_DEVICE={place}, the program asks the device 0:0 for its limits: another one than it runs on"
            ]
        if not run.passed():
            why = attempt.broken(run) or "it is not right"
            return [f"with OCL_DEVICE={place}, where there is another device 0:0: {why}"]
    return []


def own_memory(attempt, honest):
    """What is mapped is right on a device that has its own memory, too."""
    if not maps(honest):
        return []
    run = attempt.pocl(honest.args, spy=True, SPY_MAPS=1)
    return [] if run.passed() else map_lost(attempt, run)


def maps(run):
    """Has the program mapped a buffer?"""
    return any(call.startswith("EnqueueMapBuffer") for call in run.calls)


def map_lost(attempt, run):
    """A complaint about what is mapped in such a run."""
    return [
        f"with {attempt.sizes_text([run])}, on a device that has its own memory, something is lost: with "
        "CL_MAP_WRITE_INVALIDATE_REGION the whole region is undefined until you write it, with CL_FALSE the pointer must not "
        "be used before the map has ended, after the unmap it must not be used at all, and each map needs its own unmap"
    ]


def too_large(run):
    """Has a run taken too long, or found no room, on this machine? That says nothing of the answer."""
    return run.code is None or sandbox.TOO_MUCH in run.err or "too large for this device" in run.out + run.err


def beyond_floats(attempt, honest):
    """With more elements than a float can count, and than fit into a piece that somebody may have thought large enough,
    a host does not lose any, on a device that has its own memory."""
    exercise = attempt.exercise
    of_vectors = exercise.launches and not exercise.matrix and not exercise.processes
    if "host.cpp" not in exercise.files or not of_vectors or not exercise.beyond:
        return []
    args = [str(2**24 + 1), *honest.args[1:]]
    run = attempt.pocl(args, spy=maps(honest), SPY_MAPS=1)
    if run.passed() or too_large(run):
        return []
    if maps(honest) and attempt.pocl(args).passed():
        return map_lost(attempt, run)
    return [
        f"{attempt.broken(run) or attempt.first_wrong(run)}: N is one more than the 2^24 up to which a float holds every "
        "whole number"
    ]


# ---- Who does how much ---------------------------------------------------------------------------------------------

# Put before the kernel's text. A loop counts its rounds, an access what it touches, in variables of the work-item
# that each function declares at its beginning and prints when it ends.
COUNT = """
#define CHECK_MIX(x) (((ulong)(x) + 1) * 0x9E3779B97F4A7C15ul ^ ((ulong)(x) + 77) * ((ulong)(x) + 77))
#define CHECK_FIRST ((1ul << 32) + 1)
#define for(...) for (__VA_ARGS__) if (check_rounds++, 0) {} else
#define while(...) while ((check_rounds++, 1) && (__VA_ARGS__))
#define barrier(...) (check_barriers++, barrier(__VA_ARGS__))
#define CHECK_AT(a, ...) (check_i = (ulong)(__VA_ARGS__), check_n##a++, check_h##a += CHECK_MIX(check_i), \\
  check_early##a += check_barriers != 1 ? 0 : check_first++ == 0 ? CHECK_FIRST : 1, check_min##a = min(check_min##a, check_i), check_max##a = max(check_max##a, check_i), check_i)
#define return if (check_end_now, 0) {} else return
"""
TAKES = re.compile(r"\b(?:__)?(global|local)\b([^,;()={}]*?)(\w+)\s*(?=[,);=\[])")


def instrumented(kernel):
    """(the kernel's text with counters in it, names of the arrays); None where it cannot be read."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), kernel, flags=re.DOTALL)
    text = text.replace("\\\n", "  ")
    names = []
    spans = []  # of what is no code: directives, declarations
    for directive in re.finditer(r"^[ \t]*#[^\n]*", text, re.MULTILINE):
        spans.append(directive.span())
    for taken in TAKES.finditer(text):
        if "*" in taken[2] or text[taken.end() : taken.end() + 1] == "[":
            names.append(taken[3])
            end = re.compile(r"[;=,)]").search(text, taken.end())
            spans.append((taken.start(), end.start() if end else taken.end()))
    names = list(dict.fromkeys(names))

    def is_code(at):
        return not any(a <= at < b for a, b in spans)

    # The ends first, so that places before stay what they are.
    edits = []
    for number, name in enumerate(names):
        for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\[", text):
            if is_code(found.start()):
                close = matching(text, found.end() - 1)
                if close is None:
                    return None
                edits += [(found.end(), f"CHECK_AT({number}, "), (close, ")")]
    depth, start = 0, None
    for at, char in enumerate(text):
        if char in "{}" and is_code(at):
            if char == "{":
                if depth == 0 and re.search(r"\)\s*$", text[:at]):
                    start = at
                    edits.append((at + 1, " CHECK_BEGIN "))
                depth += 1
            else:
                depth -= 1
                if depth == 0 and start is not None:
                    edits.append((at, " CHECK_END; "))
                    start = None
    for at, new in sorted(edits, key=lambda edit: -edit[0]):
        text = text[:at] + new + text[at:]
    begin = "ulong check_rounds = 0, check_barriers = 0, check_first = 0, check_i = 0"
    # The first one says so, too, where it has nothing to count: then it was seen that there was nothing.
    ends = '(check_rounds || check_item() == 0 ? printf("\\n~ %lu %lu\\n", check_item(), check_rounds) : 0)'
    for number in range(len(names)):
        begin += f", check_n{number} = 0, check_h{number} = 0, check_min{number} = ~0ul, check_max{number} = 0"
        begin += f", check_early{number} = 0"
        ends += (
            f', (check_n{number} ? printf("\\n~~ %lu {number} %lu %lu %lu %lu %lu\\n", check_item(), check_n{number}, '
        )
        ends += f"check_min{number}, check_max{number}, check_h{number}, check_early{number}) : 0)"
    # A function, so that nothing that the kernel defines changes it.
    head = "ulong check_item(void) { return get_global_id(0) + get_global_size(0) * get_global_id(1); }\n"
    head += f"#define CHECK_BEGIN {begin};\n#define CHECK_END ({ends})\n"
    return head + COUNT.replace("check_end_now", "CHECK_END") + text, names


def mixed(place):
    """What an access to this place adds to the number of which they are: CHECK_MIX."""
    return ((place + 1) * 0x9E3779B97F4A7C15 % 2**64) ^ ((place + 77) * (place + 77) % 2**64)


def matching(text, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "[({") - (text[i] in "])}")
        if depth == 0:
            return i
    return None


class Work:
    """What each work-item did: steps[item], touched[item, array] = (accesses, lowest, highest, a number for
    which they are), and early[name of the array]: all accesses between the first and the second barrier; first[name]: of how
    many work-items the first of these was to this array."""

    def __init__(self, text, names):
        self.steps, self.rounds, self.touched, self.names = {}, {}, {}, names
        self.early, self.first = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        self.each = []  # the same of each launch: (item, name of the array, accesses, lowest, highest)
        for item, rounds in re.findall(r"^~ (\d+) (\d+)$", text, re.MULTILINE):
            self.rounds[int(item)] = self.rounds.get(int(item), 0) + int(rounds)
        self.steps.update(self.rounds)
        for line in re.findall(r"^~~ (\d+ \d+ \d+ \d+ \d+ \d+ \d+)$", text, re.MULTILINE):
            item, array, count, low, high, which, early = map(int, line.split())
            self.early[names[array]] += early % 2**32
            self.first[names[array]] += early >> 32
            self.steps[item] = self.steps.get(item, 0) + count
            self.each.append((item, names[array], count, low, high))
            old = self.touched.get((item, array), (0, low, high, 0))
            self.touched[item, array] = (old[0] + count, min(old[1], low), max(old[2], high), (old[3] + which) % 2**64)

    def array(self, name):
        """{item: (accesses, lowest, highest, which)} of an array."""
        return {item: what for (item, array), what in self.touched.items() if self.names[array] == name}


def work(attempt, args, kernel=None):
    """The Work of one run with the student's kernel, or with another; None where it could not be seen."""
    kernel = attempt.kernel if kernel is None else kernel
    made = instrumented(kernel)
    if made is None:
        return None
    text, names = made
    run = with_kernel(attempt, text, lambda: attempt.simulated(args, ["--num-threads", "1"], watched=False))
    if run is None or run.code is None or sandbox.TOO_MUCH in run.err or "build log:" in run.err:
        return None
    found = Work(run.out, names)
    return found if found.steps else None


def shared(attempt, honest):
    """The work is shared, not done by one work-item; and it is not what the chapter's kernel does."""
    exercise = attempt.exercise
    if "kernel.cl" not in exercise.files or not exercise.launches:
        return []
    args = ["20", "17", "20"]
    if not exercise.matrix:
        args = max((size for size in exercise.sizes if int(size[0]) <= 12000), key=lambda size: int(size[0]))
    run = attempt.pocl(args, spy=True)
    if exercise.matrix and most_items(run) < MANY:  # each work-item has many elements of C: more of these
        args = ["40", "65", "9"]
        run = attempt.pocl(args, spy=True)
    attempt.work = seen = work(attempt, args)
    if attempt.answer.no_oclgrind:
        return []
    if seen is None and not LOOPS & set(code_of(attempt.kernel)):
        return []  # each work-item does what the text says, once: the elements are shared
    if seen is None:
        return missing(attempt, "who does how much could not be seen")
    total, (most, item) = sum(seen.steps.values()), max((n, item) for item, n in seen.steps.items())
    items = most_items(run)
    if items == 0:
        return missing(attempt, "how many work-items were launched could not be seen")
    if items >= MANY and total > 4 * MANY and 2 * most > total:
        return [
            f"with {attempt.sizes_text([run])}, work-item {item} does {most} of all {total} steps, and the launch has "
            f"{items} work-items: the work is to be shared"
        ]
    if items >= MANY and total > 4 * MANY and 16 * len(seen.steps) < min(items, size_of(args)):
        return [
            f"with {attempt.sizes_text([run])}, {len(seen.steps)} of {items} work-items do all the work: it is to be "
            "shared"
        ]
    path = ROOT / exercise.chapter / "kernel.cl"
    if exercise.host == "chapter" and not exercise.restores:
        chapters = work(attempt, args, path.read_text())
        if chapters is None:
            return missing(attempt, "what the chapter's kernel does could not be seen")
        if sorted(chapters.touched.items()) == sorted(seen.touched.items()) and seen.touched:
            return [OWN.format(exercise.chapter[:2])]
    return []


# ---- Sizes that no run can have ------------------------------------------------------------------------------------

VALUE = r"(%[\w.]+)"
MANY_ITEMS = ("get_global_id", "get_global_size", "get_global_linear_id", "get_group_id", "get_num_groups")


class Function:
    """What a function of LLVM's unoptimized code computes: for each value, what it was made of."""

    def __init__(self, text):
        self.made = dict(re.findall(rf"^ *{VALUE} = (.*)$", text, re.MULTILINE))
        self.stored = {}  # of each variable, what was stored there
        for value, place in re.findall(r"^ *store i\d+ ([^,]+), (?:i\d+\*|ptr) (%[\w.]+)", text, re.MULTILINE):
            self.stored.setdefault(place, []).append(value)

    def comes_from(self, value):
        """A value's origin: what made it, where it was loaded from a variable that is written once."""
        for _ in range(20):
            made = self.made.get(value, value)
            loaded = re.match(r"load i\d+, (?:i\d+\*|ptr) (%[\w.]+)", made)
            if not loaded or len(self.stored.get(loaded[1], [])) != 1:
                return made
            value = self.stored[loaded[1]][0]
        return ""

    def larger(self, made):
        """What a value was made of by sums, products and quotients with numbers."""
        for _ in range(20):
            of = re.match(rf"(?:add|sub|mul|udiv|shl|lshr) (?:\w+ )*i64 {VALUE}, \d+", made)
            if not of:
                return made
            made = self.comes_from(of[1])
        return ""


def kernels_of(text):
    """The kernels in LLVM's code, [(parameters, body)]."""
    return re.findall(r"^(define [^\n]*spir_kernel void @[^\n]*)\{(.*?)^\}", text, re.MULTILINE | re.DOTALL)


def narrow(attempt, honest):
    """Nothing that may be larger than 2^32 is put into 32 bits: a size that the host gives in 64, the product of one that it
    gives in 32 with another number, or, where there is a work-item for each element, its number. No machine at hand has
    the memory to see it go wrong."""
    exercise = attempt.exercise
    if "kernel.cl" not in exercise.files or not exercise.oclgrind or not exercise.launches:
        return []
    text = attempt.as_compiled(exercise.oclgrind[0])
    kernels = kernels_of(text)
    if not kernels:
        return [] if attempt.answer.no_oclgrind else missing(attempt, "how wide the kernel's numbers are")
    size = size_of(honest.args)
    one_each = not exercise.matrix and size > 1000 and most_items(honest) >= size
    for parameters, body in kernels:
        sizes = {name for name in re.findall(r"\bi64 (?:noundef )?(%\w+)", parameters)}
        rows = {name for name in re.findall(r"\bi32 (?:noundef )?(%\w+)", parameters)}
        function = Function(body)
        for made in function.made.values():
            product = re.match(r"mul (?:\w+ )*i32 (%[\w.]+), (%[\w.]+)(?:,|$)", made)
            small = re.match(
                rf".*call \w[^@]*@_Z5m(?:ul|ad)24\w+\(i32 (?:noundef )?{VALUE}, i32 (?:noundef )?{VALUE}", made
            )
            if small and rows & set(map(function.comes_from, small.groups())):
                return ["mul24 and mad24 multiply numbers of 24 bits: a number of rows or columns need not fit"]
            factors = {function.comes_from(factor) for factor in product.groups()} if product else set()
            for name in sorted(rows & factors):
                return [
                    f"a product with {name[1:]} is a number of 32 bits: of matrices with more than 2^32 elements it wraps"
                ]
            whole = re.match(r"(?:uitofp|sitofp) i32 (%[\w.]+) to float", made)
            counted = re.search(
                r"@_Z\d+(atom(?:ic)?_(?:inc|dec|add|sub))", function.comes_from(whole[1]) if whole else ""
            )
            if counted:
                return [f"what {counted[1]} returns is put into a float: from 2^24 on it need not fit"]
            mask = re.match(rf"and i64 {VALUE}, (\d+)(?:,|$)", made)
            if mask and function.comes_from(mask[1]) in sizes and 2**31 <= int(mask[2]) < 2**32:
                return ["a number of 64 bits is taken together with one of 32: & makes the upper 32 bits 0"]
            cut = re.match(r"(?:trunc i64|uitofp i64|sitofp i64) (%[\w.]+) to (i32|i16|i8|float)", made)
            if not cut:
                continue
            source = function.comes_from(cut[1])
            into = "a float" if cut[2] == "float" else f"{cut[2][1:]} bits"
            if cut[2] == "float" and "get_local" not in source:
                return ["a whole number of 64 bits is put into a float: from 2^24 on it need not fit"]
            if source not in sizes and cut[2] in ("i16", "i8"):  # a part of a size that is still large
                source = function.larger(source)
            if source in sizes:
                return [f"{source[1:]} is a number of 64 bits, and is put into {into}: it need not fit"]
            apart = re.match(rf"sub (?:\w+ )*i64 {VALUE}, {VALUE}", source)
            ends = [function.comes_from(end) for end in apart.groups()] if apart else []
            if one_each and ends and ends[0] in sizes and re.search(r"@_Z13get_global_idj\(", ends[1]):
                return [f"{ends[0][1:]} minus a work-item's number is put into {into}: it need not fit"]
            called = re.search(r"@_Z\d+(\w+?)j\(", source)
            if one_each and called and called[1] in MANY_ITEMS:
                return [
                    f"there are as many work-items as elements, and what {called[1]} says is put into {into}: from "
                    f"{'2^24' if cut[2] == 'float' else '2^31 or 2^32'} elements on it does not fit"
                ]
    return []


NAME = r"[A-Za-z_][\w.]*"
SMALL = r"int|unsigned int|cl_u?int|u?int32_t|(?:unsigned )?short(?: int)?"
# What keeps a number's size, in GCC's "gimple": a copy, a conversion, a sum, a difference with a number, a product.
KEEPS = re.compile(rf"({NAME}) = (?:\([\w ]+\) )?({NAME})(?: [+*] ({NAME}|\d+)| - \d+)?;")


def host_lines(attempt):
    """The lines of the host's functions in GCC's gimple, [[(number, line)]]; each function has names of its own."""
    found = []
    for function in re.split(r"^\}", attempt.as_gimple, flags=re.MULTILINE):
        lines = re.findall(r"^ *\[host\.cpp:(\d+):\d+\] (.*)$", function, re.MULTILINE)
        found.append([(number, re.sub(r"\[host\.cpp:[\d:]+\] ", "", line)) for number, line in lines])
    return found


def narrow_host(attempt, honest):
    """The same of a host: no number of elements that a buffer has, nor of their bytes, is put into 32 bits. (MPI counts in
    an int, and programs for it have to see to that.)"""
    if "host.cpp" not in attempt.exercise.files or attempt.exercise.processes:
        return []
    for lines in host_lines(attempt):
        sizes = set()
        for _, line in lines:
            asked = re.search(r"= (?:buffer_bytes \((.*)\)|clCreateBuffer \(\S+, \S+, ([^,]+),)", line)
            sizes |= set(re.findall(NAME, asked[1] or asked[2])) if asked else set()
        kept = [made.groups() for _, line in lines if (made := KEEPS.fullmatch(line))]
        backward = {(made, of) for made, of, other in kept if other is None or other.isdigit()}
        forward = {(of, made) for made, *all_of in kept for of in all_of}
        for ways in (backward, forward):  # what the sizes were made of, and what is made of those
            while more := {to for origin, to in ways if origin in sizes} - sizes:
                sizes |= more
        for number, line in lines:
            cut = re.fullmatch(rf"{NAME} = \((?:const )?({SMALL})\) ({NAME});", line)
            if cut and cut[2] in sizes:
                return [
                    f"host.cpp, line {number}: a number of elements or bytes is put into 32 bits ({cut[1]}): it need not fit"
                ]
    return []


def added_up(attempt):
    """The number of a line in which the host adds up what it works out from a loop's counter; None if there is none."""
    for lines in host_lines(attempt):
        counted = {found[1] for _, line in lines if (found := re.fullmatch(rf"({NAME}) = \1 [+-] \d+;", line))}
        made = [
            found.groups()
            for _, line in lines
            if (found := re.fullmatch(rf"({NAME}) = ([^(&*]*|\([\w ]+\) {NAME}|{NAME} [-+*/] \S+);", line))
        ]
        from_counter = set(counted)
        while more := {to for to, words in made if from_counter & set(re.findall(NAME, words))} - from_counter:
            from_counter |= more
        for number, line in lines:
            sum_up = re.fullmatch(rf"({NAME}) = (?:\1 \+ ({NAME})|({NAME}) \+ \1);", line)
            if sum_up and (sum_up[2] or sum_up[3]) in from_counter:
                return number
    return None


# ---- Where a long has 32 bits ---------------------------------------------------------------------------------------

# What of a program's text is a long, names a long's limit or type, or prints one; and what is none of these.
LONGS = re.compile(
    r"""(?P<other>//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|'(?:\\.|[^'\\\n])*')
    |(?P<text>"(?:\\.|[^"\\\n])*")
    |(?P<type>\b(?:(?:unsigned|signed|int|long|double|const|volatile)\b\s*)+)
    |(?P<limit>\b(?:U?LONG_MAX|LONG_MIN|MPI_(?:UNSIGNED_)?LONG)\b)
    |(?P<number>(?<![\w.])(?:0[xX][\da-fA-F']+|\d[\d']*)(?:[uU]?[lL]|[lL][uU])\b)""",
    re.VERBOSE | re.DOTALL,
)


LIMITS = {
    "ULONG_MAX": "UINT_MAX",
    "LONG_MAX": "INT_MAX",
    "LONG_MIN": "INT_MIN",
    "MPI_UNSIGNED_LONG": "MPI_UNSIGNED",
    "MPI_LONG": "MPI_INT",
}


def without_long(text):
    """A program's text in which each long is an int, as far as their width goes."""

    def shorter(found):
        if found["text"]:
            return re.sub(r"(%[-+ #0]*[\d*]*(?:\.[\d*]*)?)l(?=[diouxX])", r"\1", found[0])
        if found["type"]:
            words = re.findall(r"\w+", found[0])
            if words.count("long") != 1 or "double" in words:
                return found[0]
            return re.sub(r"\blong\b", "" if "int" in words else "int", found[0])
        if found["limit"]:
            return LIMITS[found[0]]
        return re.sub(r"[lL]", "", found[0]) if found["number"] else found[0]

    return LONGS.sub(shorter, text)


def short_long(attempt, honest):
    """A host is right where a long has 32 bits, too. The same program is built with an int in place of each; what that
    makes of it may not compile, and then nothing is said."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files:
        return []
    text = (attempt.place / "host.cpp").read_text(errors="replace")
    shorter = without_long(text)
    if shorter == text:
        return []
    unchecked = list(attempt.answer.unchecked)
    with attempt.with_host(shorter) as builds:
        complaints = short_long_once(attempt) if builds else []
    attempt.answer.unchecked = unchecked  # what could not be seen of this one counts for nothing
    return [f"on Windows, where a long has 32 bits: {complaint}" for complaint in complaints]


def short_long_once(attempt):
    """The same of the program that has been built so."""
    cases = [(run.args, run.processes if run.processes > 1 else None) for run in attempt.right]
    for run in attempt.at_once(attempt.in_processes, cases):
        if attempt.broken(run) or not run.passed():
            return [attempt.broken(run) or attempt.first_wrong(run)]
    return globals()[attempt.exercise.look](attempt) if attempt.exercise.look else []
