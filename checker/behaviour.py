"""What an answer does, seen by the check itself, whatever the program prints.

Each watcher gets the Attempt (attempt.py) and an honest run, and returns complaints, an empty list where there are none.
Where something that it needs did not work, it says so in attempt.answer.unchecked, and nothing is passed.
"""

import functools
import hashlib
import json
import math
import pathlib
import random
import re
import struct
import tempfile

from checker import references, sandbox
from checker.machine import ROOT

GIVEN = ROOT / "checker" / "given_files.json"  # of each file that is not the student's, a number for its content
MANY = 32  # work-items: as few can share a thing
SMALL = 40000  # a size that is fast
LOOPS = set("for while do goto async_work_group_copy async_work_group_strided_copy printf".split())  # of any length


def digest_of(path):
    """A number for a file's content; it does not depend on line ends or trailing blanks."""
    text = path.read_text(errors="replace")
    return hashlib.sha256("\n".join(line.rstrip() for line in text.splitlines()).encode()).hexdigest()[:16]


def given_files(exercises):
    """{path: digest} of what the checks of exercises need, and students are not to change."""
    paths = set((ROOT / "common").glob("*.h"))
    for exercise in exercises:
        paths |= {exercise.folder / name for name in ("host.cpp", "kernel.cl") if name not in exercise.files}
        if not exercise.own_host:
            paths.add(ROOT / exercise.chapter / "host.cpp")
    return {str(path.relative_to(ROOT)): digest_of(path) for path in sorted(paths) if path.exists()}


def known_files():
    return json.loads(GIVEN.read_text(encoding="utf-8"))


def changed_files(exercise, known=None):
    known = known_files() if known is None else known
    given = given_files([exercise])
    for name in [*(name for name in known if name.startswith(f"{exercise.path}/")), *given]:
        if name not in given or known.get(name) != given[name]:
            return [
                f"{name} is not part of your answer, and is not as it was given: ./check.sh --reset {exercise.number} "
                "puts it back (and keeps yours beside it)"
            ]
    return []


# ---- The chapter's own kernel ------------------------------------------------------------------------------------


def code_of(kernel):
    """A kernel's words, without comments and blanks."""
    return re.findall(r"\w+|[^\w\s]", re.sub(r"//[^\n]*|/\*.*?\*/", " ", kernel, flags=re.DOTALL))


def kernels_of(kernel):
    """{name: number of parameters} of the kernels in a source."""
    found = re.findall(r"\b(?:__)?kernel\b[^;{]*?\bvoid (\w+) \(([^()]*)\)", " ".join(code_of(kernel)))
    return {name: parameters.count(",") + 1 for name, parameters in found}


def own_kernel(attempt):
    """Is the answer what the chapter has anyway?"""
    exercise = attempt.exercise
    path = ROOT / exercise.chapter / "kernel.cl"
    if exercise.files != ["kernel.cl"] or exercise.restores or not path.exists() or exercise.is_starter(attempt.folder):
        return []
    own = f"this is chapter {exercise.chapter[:2]}'s own kernel: it is right, and what the task asks for is not in it"
    return [own] if code_of(path.read_text()) == code_of(attempt.kernel) else []


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
    # Where the launch was refused, crashed or never came back, nobody knows what the program would have called.
    cut_off = run.code != 0 and not any(call.startswith(("release", "Enqueue")) for call in after)
    if launches and not any(map(waits, after)) and not cut_off:
        return [NOT_ENDED]
    return []


def unwaited(run):
    """Complaints about times that are asked for before anything has waited for the command's end."""
    pending, blocking = [], False
    for call in run.calls:
        word = call.split()
        if word[0] in ("input", "with", "on"):  # what the layer has seen, and no call
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


def calls(attempt, run):
    """The program waited for what it looks at, and released what it made."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files or not exercise.oclgrind:
        return []
    return not_awaited(run) or unwaited(run) or released(run)


def orders(run):
    """The commands of a run in their order, as the layer notes them: [(what, queue, buffers that it uses)]."""
    each = [call.split() for call in run.calls if call.startswith("order ")]
    return [(what, queue, uses.split(",")[1:]) for _, what, queue, uses, *_ in each]


def few_items(attempt, run):
    if "host.cpp" not in attempt.exercise.files or not attempt.exercise.oclgrind:
        return []
    most = most_items(run)
    if 0 < most < MANY <= size_of(run.args):
        return [f"the largest launch has {most} work-item{'s' * (most > 1)}: the work is to be shared"]
    return []


def most_items(run):
    return max((int(call.split()[3]) for call in run.calls if call.startswith("EnqueueNDRangeKernel")), default=0)


def size_of(args):
    """How much there is to do: the elements of a vector, or of C."""
    numbers = [int(arg) for arg in args if arg.isdigit()] or [1]
    return numbers[0] * numbers[1] if len(numbers) == 3 else numbers[0]


def lie_size(exercise):
    """The largest of the sizes that is still fast."""

    def work(size):
        return math.prod(int(number) for number in size if number.isdigit())

    return max((size for size in exercise.sizes if work(size) <= SMALL), key=work)


def lies(attempt, honest):
    """A program that is lied to must not say PASSED: its result would not come from where it should."""
    exercise = attempt.exercise
    if not exercise.oclgrind or "host.cpp" not in exercise.files:
        return []
    told = [
        ({"drop": 1}, "a launch computes nothing that arrives, and the program still says PASSED: "),
        ({"result": "last"}, "what is read back is changed on its way, and the program still says PASSED: "),
    ]
    for number, data in sorted(attempt.usual.inputs.items())[:3]:
        said = f"the device gets other numbers in input {number} than the host compares with, and the program still "
        said += "says PASSED: does anything come of that input, and "
        told.append(({"take": all_alike(attempt, number, data)}, said))
    runs = attempt.at_once(lambda lie: attempt.pocl(honest.args, layer=lie[0]), told)
    for (_, what), run in zip(told, runs):
        if not run.watched:
            return missing(attempt, "the program was not to be lied to")
        if run.passed():
            return [what + "is the comparison as it was?"]
    return []


def all_alike(attempt, number, data):
    """A folder from which the layer takes input `number`, of whatever length: the last of its elements that is not the first."""
    elements = [data[at : at + 4] for at in range(0, len(data) // 4 * 4, 4)]
    folder = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
    (folder / f"in{number}").write_bytes(SMALL * next(e for e in reversed(elements) if e != elements[0]))
    return folder


def missing(attempt, what):
    attempt.answer.unchecked.append(what)
    return []


class NotSeen(Exception):
    """What the check could not look at: no pass, and no fault of the student's."""


# ---- Results for inputs that the program never chose ---------------------------------------------------------------


def transposed(inputs, launch, sizes):
    """C = A·Bᵀ, where B is stored as its transpose."""
    m, n, k = references.all_three(sizes)
    b = [inputs[1][col * k + i] for i in range(k) for col in range(n)]
    yield from references.product([inputs[0], b], launch, [m, n, k])


REFERENCES = {
    "add": references.elements(lambda a, b: a + b, 1),
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
    """A run in which the device gets other inputs, `given` {number: bytes}, by another program or kernel if one is given. `inputs` and `results` are what it got and what
    the program read back, {number: bytes}, `after` what each launch left in its kernel's buffers, {(launch, argument):
    bytes}. `settings`: what else the layer is to do."""

    def __init__(self, attempt, args, given=None, program=None, kernel=None, **settings):
        home = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
        take, keep, after = (home / name for name in ("take", "keep", "after"))
        for folder in (take, keep, after):
            folder.mkdir()
        for number, data in (given or {}).items():
            (take / f"in{number}").write_bytes(data)
        layer = {"take": take, "keep": keep, "after": after, **settings}
        self.run = attempt.pocl(args, layer, program=program, kernel=kernel)
        self.inputs = {
            int(number): (keep / f"in{transfer}").read_bytes() for transfer, number in self.run.inputs
        }  # of each the last that was sent
        self.results = {int(path.name[3:]): path.read_bytes() for path in keep.glob("out*")}
        self.after = {tuple(map(int, path.name.split("."))): path.read_bytes() for path in after.iterdir()}

    @staticmethod
    def numbers(found, key, kind):
        if key not in found:
            raise NotSeen("what the kernel makes of other numbers could not be seen")
        size = struct.calcsize(kind)
        return struct.unpack(f"{len(found[key]) // size}{kind}", found[key][: len(found[key]) // size * size])

    def given(self, number, kind="f"):
        """An input that the device got; `kind` as in struct."""
        return self.numbers(self.inputs, number, kind)

    def left(self, argument, launch=1, kind="f"):
        """What a launch left in the buffer that is its kernel's argument."""
        return self.numbers(self.after, (launch, argument), kind)

    def read_back(self, number=1, kind="f"):
        return self.numbers(self.results, number, kind)


def reals(attempt, honest):
    """With real numbers, which the check draws and the program has never seen, the kernel's result is right. Matrices have
    infinities among them: 0 times one of these is NaN, so what lies beyond an edge must not come in."""
    exercise = attempt.exercise
    if exercise.reference is None:
        return []
    number = random.Random(exercise.digest(attempt.folder))
    drawn = {i: [number.uniform(-1, 1) for _ in floats(data)] for i, data in attempt.usual.inputs.items()}
    said, why = "real numbers from -1 to 1", ""
    if exercise.matrix:
        m, n, k = references.all_three([int(arg) for arg in honest.args])
        drawn[1][m // 2 * k] = math.inf  # for who reads on from the row above
        drawn[1][k - 1] = 0.0
        for row, col in ((k - 1, 0), (k - 2, 1)):  # for whose tile keeps the last row of B, or the last step's
            drawn[2][row * n + col if exercise.reference == "product" else col * k + row] = math.inf
        said += ", a 0 and infinities"
        why = ": 0 times infinity is NaN, so beyond the edges of A and B both are to be 0, and inside no product is left out"
    trial = Trial(attempt, honest.args, {i: packed(values) for i, values in drawn.items()})
    if not trial.inputs or 1 not in trial.results:
        return missing(attempt, "nothing was read back by the check")
    inputs = [floats(data) for _, data in sorted(trial.inputs.items())]
    results = floats(trial.results[1])
    reference = REFERENCES[exercise.reference]
    expected = list(reference(inputs, None, [int(a) for a in trial.run.args]))
    if isinstance(reference, references.Total):  # the check adds, too
        results = [sum(results)]
        expected = [(value, 64 * bound) for value, bound in expected]
    said = f"with {attempt.sizes_text([trial.run])} and {said} in place of the program's"
    wrong = beside(said, results, [(value, 4 * bound + 1e-30) for value, bound in expected])
    return [wrong[0] + why * ("nan" in wrong[0])] if wrong else []


def beside(said, results, expected):
    """A complaint about the first of the results that is not what it must be: `expected` are (value, what it may be off by)."""
    for i, ((value, allowed), got) in enumerate(zip(expected, results)):
        if not references.is_close(got, value, allowed):
            where = f"element {i} of the result" if len(expected) > 1 else "the result"
            return [f"{said}, {where} is {got:.9g} and should be {value:.9g}"]
    return []


def other_launches(attempt):
    """The kernel is right for other launches than this host's, too: OTHER_LAUNCHES of the exercise's check.py."""
    usual = attempt.source.read_text(encoding="utf-8", errors="replace")
    for old, new in attempt.exercise.other_launches():
        program = attempt.other_program(usual.replace(old, new)) if usual.count(old) == 1 else None
        if program is None:
            return missing(attempt, f"what the kernel does where the host has {new} in place of {old}")
        sizes = attempt.exercise.sizes[-2:]
        for run in attempt.at_once(functools.partial(attempt.pocl, program=program), sizes):
            if not run.passed():
                why = attempt.broken(run) or attempt.first_wrong(run)
                return [f"with {new} in the host in place of {old}, {why}"]
    return []


def one_item(attempt):
    """The kernel is right in a launch of a single work-item, which has all the elements to itself."""
    run = attempt.pocl(["1007"], layer={"items": 1})
    if run.passed():
        return []
    return [f"with N = 1007 and a launch of 1 work-item in all, {attempt.broken(run) or attempt.first_wrong(run)}"]


def own_memory(attempt, honest):
    """What is mapped is right on a device that has its own memory, too."""
    if not any(call.startswith("EnqueueMapBuffer") for call in honest.calls):
        return []
    run = attempt.pocl(honest.args, layer={"late": 1})
    if run.passed():
        return []
    return [
        f"with {attempt.sizes_text([run])}, on a device that has its own memory, something is lost: with "
        "CL_MAP_WRITE_INVALIDATE_REGION the whole region is undefined until you write it, with CL_FALSE the pointer must not "
        "be used before the map has ended, after the unmap it must not be used at all, and each map needs its own unmap"
    ]


# ---- Who does how much ---------------------------------------------------------------------------------------------

# Put before the kernel's text. A loop counts its rounds, an access what it touches, in variables of the work-item
# that each function declares at its beginning and prints when it ends.
COUNT = """
#define for(...) for (__VA_ARGS__) if (check_rounds++, 0) {} else
#define while(...) while ((check_rounds++, 1) && (__VA_ARGS__))
#define CHECK_AT(a, ...) (check_i = (ulong)(__VA_ARGS__), check_n##a++, check_min##a = min(check_min##a, check_i), \\
  check_max##a = max(check_max##a, check_i), check_i)
#define return if (check_end_now, 0) {} else return
"""
TAKES = re.compile(r"\b(?:__)?(global|local)\b([^,;()={}]*?)(\w+)\s*(?=[,);=\[])")


def instrumented(kernel):
    """(the kernel's text with counters in it, names of the arrays); None where it cannot be read."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), kernel, flags=re.DOTALL)
    text = text.replace("\\\n", "  ")
    names = []
    # What is no code: directives, declarations.
    spans = [directive.span() for directive in re.finditer(r"^[ \t]*#[^\n]*", text, re.MULTILINE)]
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
    begin = "ulong check_rounds = 0, check_i = 0"
    # The first one says so, too, where it has nothing to count: then it was seen that there was nothing.
    ends = '(check_rounds || check_item() == 0 ? printf("\\n~ %lu %lu\\n", check_item(), check_rounds) : 0)'
    for number in range(len(names)):
        begin += f", check_n{number} = 0, check_min{number} = ~0ul, check_max{number} = 0"
        ends += f', (check_n{number} ? printf("\\n~~ %lu {number} %lu %lu %lu\\n", check_item(), check_n{number}, '
        ends += f"check_min{number}, check_max{number}) : 0)"
    # A function, so that nothing that the kernel defines changes it.
    head = "ulong check_item(void) { return get_global_id(0) + get_global_size(0) * get_global_id(1); }\n"
    head += f"#define CHECK_BEGIN {begin};\n#define CHECK_END ({ends})\n"
    return head + COUNT.replace("check_end_now", "CHECK_END") + text, names


def matching(text, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "[({") - (text[i] in "])}")
        if depth == 0:
            return i
    return None


class Work:
    """What each work-item did: steps[item], touched[item, array] = (accesses, lowest, highest). All of it is empty where
    that could not be seen."""

    def __init__(self, text, names):
        self.steps, self.rounds, self.touched, self.names = {}, {}, {}, names
        self.each = []  # the same of each launch: (item, name of the array, accesses, lowest, highest)
        for item, rounds in re.findall(r"^~ (\d+) (\d+)$", text, re.MULTILINE):
            self.rounds[int(item)] = self.rounds.get(int(item), 0) + int(rounds)
        self.steps.update(self.rounds)
        for line in re.findall(r"^~~ (\d+ \d+ \d+ \d+ \d+)$", text, re.MULTILINE):
            item, array, count, low, high = map(int, line.split())
            self.steps[item] = self.steps.get(item, 0) + count
            self.each.append((item, names[array], count, low, high))
            old = self.touched.get((item, array), (0, low, high))
            self.touched[item, array] = (old[0] + count, min(old[1], low), max(old[2], high))

    def array(self, name):
        """{item: (accesses, lowest, highest)} of an array."""
        return {item: what for (item, array), what in self.touched.items() if self.names[array] == name}


def work(attempt, args):
    """The Work of one run with the student's kernel."""
    text, names = instrumented(attempt.kernel) or ("", [])
    run = attempt.simulated(args, ["--num-threads", "1"], watched=False, kernel=text) if text else None
    if run is None or run.code is None or sandbox.TOO_MUCH in run.err or "build log:" in run.err:
        return Work("", [])
    return Work(run.out, names)


def size_of_work(attempt):
    """The arguments at which the work is looked at: large enough to be shared, small enough for Oclgrind."""
    if not attempt.exercise.matrix:
        return max((s for s in attempt.exercise.sizes if int(s[0]) <= 6000), key=lambda s: int(s[0]))
    numbers = len(attempt.exercise.sizes[-1])
    usual = ["20", "17", "20"][:numbers]
    few = most_items(attempt.noted(usual)) < MANY
    return ["40", "65", "9"][:numbers] if few else usual  # where each work-item has many elements, more of these


def has_work(exercise):
    """Is it for the student to say which work-item does how much?"""
    return "kernel.cl" in exercise.files and bool(exercise.oclgrind)


def shared(attempt, honest):
    exercise = attempt.exercise
    if not has_work(exercise):
        return []
    args = attempt.work_size
    seen, run = attempt.work, attempt.noted(args)
    if attempt.no_oclgrind:
        return []
    if not seen.steps and not LOOPS & set(code_of(attempt.kernel)):
        return []  # each work-item does what the text says, once: the elements are shared
    if not seen.steps:
        return missing(attempt, "who does how much could not be seen")
    total, (most, item) = sum(seen.steps.values()), max((n, item) for item, n in seen.steps.items())
    items = most_items(run)
    if items < MANY or total <= 4 * MANY:
        return []
    if 2 * most > total or 16 * len(seen.steps) < min(items, size_of(args)):
        return [
            f"with {attempt.sizes_text([run])}, {len(seen.steps)} of {items} work-items do all the work, and work-item {item} alone "
            f"does {most:,} of the {total:,} reads, writes and turns of a loop: the work is to be shared"
        ]
    return []


WATCHERS = (calls, few_items, lies, reals, shared, own_memory)
