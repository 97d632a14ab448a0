"""Counts what a chapter's kernels do, with Oclgrind, and compares with the formulas of its lesson, costs()
in its facts.

Counted over all work-items of a launch: elements loaded from and stored to global memory, to local
memory, floating-point operations, conversions of numbers, and barriers reached. Of a search there are other launches besides.
"""

import re

from tests import chapter_facts, formulas, running

CHAPTERS = running.WITH_KERNEL
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
    if re.match(r"call \w*barrier\w*\(", instruction):
        return number, "barriers"
    return (number, INSTRUCTIONS[name]) if name in INSTRUCTIONS else None


def counted(log):
    """The launches in Oclgrind's account: a list of (kernel, counts)."""
    launches = []
    for line in log.splitlines():
        kernel = re.match(r"Instructions executed for kernel '(\w+)'", line)
        if kernel:
            launches.append((kernel[1], formulas.count(0, 0)))
        instruction = re.match(r"\s*(\d+) - (.*)", line)
        cost = cost_of(int(instruction[1]), instruction[2]) if instruction else None
        if cost:
            launches[-1][1][cost[1]] += cost[0]
    return launches


def distinct(launches):
    """Each as a text, what it does not do left out."""
    done = [(kernel, [f"{n} {what}" for what, n in sorted(counts.items()) if n]) for kernel, counts in launches]
    return {f"\n  {kernel}: {', '.join(counts)}" for kernel, counts in done}


def test_costs(report, chapter):
    known = chapter_facts.of(chapter)
    if not report.must(f"{chapter_facts.file_of(chapter)} has costs(), which says what its kernels cost", known.costs):
        return
    # One thread: what a loop of compare-and-swap costs would be up to chance.
    device = f"--compute-units {formulas.COMPUTE_UNITS} --max-wgsize {formulas.MAX_WORK_GROUP} --num-threads 1"
    for arguments in known.COST_SIZES:
        command = [running.program(chapter), *arguments]
        code, out, err, log = running.on_oclgrind(command, "--inst-counts", *device.split())
        expected, some = (distinct(costs(*map(int, arguments))) for costs in (known.costs, known.costs_of_some))
        got = distinct(counted(log + out + err))
        found = f"expected:{''.join(sorted(expected))}\n{err if code else ''}"
        good = code == 0 and expected <= got and (known.SEARCH_SIZE or got <= expected | some)
        report.must(f"{chapter} {arguments}, a launch costs:{''.join(sorted(got))}", good, found)
