"""Counts what a chapter's kernels do, with Oclgrind, and compares with the formulas of its lesson, costs()
in its facts.

Counted over all work-items of a launch: elements loaded from and stored to global memory, to local
memory, floating-point operations, conversions of numbers, and barriers reached. A chapter with kernels but without formulas is a failure.
"""

import re

from tests import chapter_facts, formulas, running

# A call that is arithmetic or a conversion: fma, mad or the compiler's own multiply-add, with the type of what it
# works on; and what it calls the instructions.
MULTIPLY_ADD = re.compile(r"(?:_Z\d+(?:fma|mad)(?:Dv(\d+)_)?f|llvm\.(?:fma|fmuladd)\.(?:v(\d+))?f32)")
INSTRUCTIONS = {
    **dict.fromkeys(["fadd", "fsub"], "additions"),
    **dict.fromkeys(["fmul", "fdiv", "frem"], "multiplications"),
    **dict.fromkeys(["fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"], "conversions"),
}


def counted(log):
    """The launches in Oclgrind's account: a list of (kernel, counts)."""
    launches = []
    for line in log.splitlines():
        kernel = re.match(r"Instructions executed for kernel '(\w+)'", line)
        if kernel:
            launches.append((kernel.group(1), formulas.count(0, 0)))
        instruction = re.match(r"\s*(\d+) - (load|store) (global|local|__global|__local) \((\d+) bytes\)", line)
        if instruction:
            # In floats: a load of four of them counts as four.
            launches[-1][1][f"{instruction.group(3).strip('_')} {instruction.group(2)}s"] += (
                int(instruction.group(4)) // 4
            )
        vector = re.match(r"\s*(\d+) - call _Z\d+v(load|store)(\d+)\w*PU3AS([13])K?f\(", line)  # vload4 and its like
        if vector:
            place = {"1": "global", "3": "local"}[vector.group(4)]
            launches[-1][1][f"{place} {vector.group(2)}s"] += int(vector.group(1)) * int(vector.group(3))
        operation = re.match(r"\s*(\d+) - (?:call )?([\w.]+)", line)
        if operation:
            number, name = int(operation.group(1)), operation.group(2)
            fma = MULTIPLY_ADD.match(name)
            if fma:
                launches[-1][1]["multiply-adds"] += number * int(fma.group(1) or fma.group(2) or 1)
            what = "conversions" if re.search("convert_|_half", name) else INSTRUCTIONS.get(name)
            if what:
                launches[-1][1][what] += number
        barrier = re.match(r"\s*(\d+) - call \w*barrier\w*\(", line)
        if barrier:
            launches[-1][1]["barriers"] += int(barrier.group(1))
    return launches


def distinct(launches):
    return sorted({(kernel, tuple(sorted(counts.items()))) for kernel, counts in launches})


def show(launches):
    return "".join(
        f"\n          {kernel}: " + ", ".join(f"{number} {what}" for what, number in counts if number)
        for kernel, counts in launches
    )


def test_costs(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    if known.costs is None:
        return report.failed(
            chapter, [f"it has a kernel, and no costs() in {chapter_facts.file_of(chapter)} says what it costs"]
        )
    for arguments in known.COST_SIZES:
        code, out, err, log = running.on_oclgrind(
            [running.program(chapter)] + arguments,
            "--inst-counts",
            "--num-threads",
            "1",  # what a loop of compare-and-swap costs would be up to chance
            "--compute-units",
            str(formulas.COMPUTE_UNITS),
            "--max-wgsize",
            str(formulas.MAX_WORK_GROUP),
        )
        launches = counted(log + out + err)
        expected = distinct(known.costs(*map(int, arguments)))
        some = distinct(known.costs_of_some(*map(int, arguments)))
        got = distinct(launches)
        what = f"{' '.join([chapter] + arguments)}, {len(launches)} launches; a launch costs:{show(got)}"
        if code != 0 or not set(expected) <= set(got) <= {*expected, *some}:
            report.failed(what, [f"exit code {code}; expected:{show(expected)}\n{err if code else ''}"])
        else:
            print(f"ok      {what}")
        report.count("counts of loads, stores, operations and barriers", sum(len(counts) for _, counts in got))
