"""Does a chapter's kernel cost what it should? Counts what each launch does, with Oclgrind; tests/costs/NN-topic.txt has it.

After a change that was meant, `./test.sh --record -k "costs and 06"` writes the file; compare it with what the lesson says.

Counted over all work-items of a launch: elements loaded from and stored to global memory, to local
memory, floating-point operations, conversions of numbers, barriers and fences reached. A load of four floats counts as four, and so does a
multiply-add of four; additions and multiplications that stand alone are counted as the device is told to do them. There may be
launches besides: how many steps chapter 15 needs is up to the clock.

A line says, too, where work-item 1 begins to read or write each array, seen from work-item 0. Beside it (+1) or at the same
place (+0) is what a GPU's memory likes, and nothing else that the tests look at would change with it.
"""

import re

from checker.behaviour import Work, instrumented
from tests import chapter_facts, running
from tests.kernels import changed_copy, kernel_files

# Of a search the launches are another time's; its kernels are those of the chapters before.
CHAPTERS = [chapter for chapter in running.WITH_KERNEL if not chapter_facts.of(chapter).SEARCH_SIZE]
# One thread: what a loop of compare-and-swap costs would be up to chance.
DEVICE = "--compute-units 1 --max-wgsize 1024 --num-threads 1".split()
COUNTED = ["global loads", "global stores", "multiply-adds", "additions", "multiplications", "conversions"]
COUNTED += ["local loads", "local stores", "barriers", "fences"]
# A call that is arithmetic or a conversion: fma, mad or the compiler's own multiply-add, with the type of what it
# works on; and what it calls the instructions.
MULTIPLY_ADD = re.compile(r"(?:_Z\d+(?:fma|mad)(?:Dv(\d+)_)?f|llvm\.(?:fma|fmuladd)\.(?:v(\d+))?f32)")
INSTRUCTIONS = {
    **dict.fromkeys(["fadd", "fsub"], "additions"),
    **dict.fromkeys(["fmul", "fdiv", "frem"], "multiplications"),
    **dict.fromkeys(["fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"], "conversions"),
}


def cost_of(number, instruction):
    """What so many of an instruction count for: (how many, of what); None: nothing. A load of four floats counts as four."""
    access = re.match(r"(load|store) (?:__)?(global|local) \((\d+) bytes\)", instruction)
    vector = re.match(r"call _Z\d+v(load|store)(\d+)\w*PU3AS([13])K?f\(", instruction)  # vload4 and its like
    name = re.match(r"(?:call )?([\w.]*)", instruction)[1]
    fma = MULTIPLY_ADD.match(name)
    if access:
        return int(access[3]) // 4, f"{access[2]} {access[1]}s"
    if vector:
        return number * int(vector[2]), f"{'local' if vector[3] == '3' else 'global'} {vector[1]}s"
    if fma:
        return number * int(fma[1] or fma[2] or 1), "multiply-adds"
    if re.search("convert_|_half", name):
        return number, "conversions"
    order = re.match(r"call \w*(barrier|fence)\w*\(", instruction)
    if order:
        return number, f"{order[1]}s"
    return (number, INSTRUCTIONS[name]) if name in INSTRUCTIONS else None


def counted(log):
    """The launches in Oclgrind's account: a list of (kernel, counts)."""
    launches = []
    for line in log.splitlines():
        kernel = re.match(r"Instructions executed for kernel '(\w+)'", line)
        if kernel:
            launches.append((kernel[1], dict.fromkeys(COUNTED, 0)))
        instruction = re.match(r"\s*(\d+) - (.*)", line)
        cost = cost_of(int(instruction[1]), instruction[2]) if instruction else None
        if cost:
            launches[-1][1][cost[1]] += cost[0]
    return launches


def beginnings(chapter, arguments, folder):
    """How far in each array the lowest place of work-item 1 lies behind that of work-item 0: a line. What is no plain a[i] is
    not seen, and what a function takes from all over an array is left out."""
    found = []
    for path in kernel_files(chapter):
        text, names = instrumented(path.read_text())
        program = changed_copy(chapter, folder, {path: text})
        _, out, err, log = running.on_oclgrind([program, *arguments], *DEVICE)
        each = Work(log + out + err, names).each
        for name in names:
            lows = ([low for item, array, _, low, _ in each if (item, array) == (who, name)] for who in (0, 1))
            apart = sorted({second - first for first, second in zip(*lows)})
            found += [f"{name} {' and '.join(f'{n:+d}' for n in apart)}"] * (0 < len(apart) < 4)
    return f"work-item 1 after work-item 0: {', '.join(found) or 'nothing seen'}"


def test_costs(report, chapter, record, tmp_path):
    known, listed = chapter_facts.of(chapter), running.ROOT / "tests" / "costs" / f"{chapter}.txt"
    before, now = listed.read_text() if listed.exists() else "", ""
    for arguments in known.COST_SIZES:
        what = " ".join([chapter, *arguments])
        code, out, err, log = running.on_oclgrind([running.program(chapter), *arguments], "--inst-counts", *DEVICE)
        launches = {
            f"{kernel}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items()) if n)}"
            for kernel, counts in counted(log + out + err)
        }
        if launches and arguments == known.COST_SIZES[-1]:
            launches.add(beginnings(chapter, arguments, tmp_path))
        expected = before.partition(f"==== {what}\n")[2].partition("\n====")[0].splitlines()
        now += "\n".join([f"==== {what}", *sorted(launches), ""])
        missing = [] if record else [line for line in expected if line not in launches] or [what] * (not expected)
        found = "\n".join([*missing, "and there is:", *sorted(launches), err * (code != 0)])
        report.must(f"{what}: each launch of tests/costs/{listed.name}", code == 0 and launches and not missing, found)
    if record:
        listed.write_text(now)
