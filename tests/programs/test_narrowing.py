"""Do kernels count in numbers that are wide enough, at sizes that no test can run?

An index that goes through a float is wrong from 2^24 on, one in a ushort from 2^16 on, and the product of a row and a width
in 32 bits from 2^32 on: far beyond what a test has the memory for. So each kernel file, as its program builds it, is
compiled by Clang with warnings: there must be no implicit conversion of a whole number into a float, back, or into
fewer bits (as -Wconversion has it for the hosts), and no char or short. Clang's own intermediate language shows products and
shifts in 32 bits of two numbers that are no constants: there must be none, in main neither. Into 32 bits may go what
the host bounds, rows and columns (MOST). There, too, is what each fence orders: no kernel here means local memory alone,
which the barrier that follows orders anyway.
"""

import re

import pytest

from tests import chapter_facts, running
from tests.kernels import builds_of

CHAPTERS = running.WITH_KERNEL
WARNINGS = ["-Wimplicit-int-conversion", "-Wimplicit-int-float-conversion", "-Wfloat-conversion"]


def compiled(path, *options):
    """(Clang's warnings, what it makes of a file, without optimization)."""
    tool = running.need_tool("clang", "clang")
    code, made, said = running.run([tool, *options, "-O0", "-gline-tables-only", "-S", "-emit-llvm", "-o", "-", path])
    if code:
        raise SystemExit(f"FAILED  clang does not compile {path} with {options}:\n{said}")
    return re.findall(r".*: warning: (?!.*\[-Wmacro).*\n.*", said), made


def products(made, function=r"\w+"):
    """The products and shifts in 32 bits of two numbers that are no constants, each with its line."""
    lines = dict(re.findall(r"(?m)^(!\d+) = !DILocation\(line: (\d+)", made))
    bodies = "".join(re.findall(rf"(?ms)^define [^\n]*@{function}\(.*?^}}", made))
    found = re.findall(r"(?m)^ +%.* = (?:mul|shl) (?:nuw |nsw )*i32 %[\w.]+, %.*!dbg (!\d+)$", bodies)
    return [f"line {lines[place]}: a product in 32 bits" for place in found]


def of_kernel(source, options, wide, folder):
    """What is wrong with a kernel file, built with these options: a list."""
    standard = [] if "-cl-std" in options else ["-cl-std=CL1.2"]
    options = options.replace("CL3.0", "CL2.0")  # of which Clang 14 knows all that there is
    path = folder / "kernel.cl"
    path.write_text(source)
    widths = WARNINGS + ["-Wshorten-64-to-32"] * wide
    wrong, made = compiled(path, "-x", "cl", "-target", "spir64", *standard, *widths, *options.split())
    narrow = re.findall(r"\bu?(?:char|short)\b", re.sub(r"//.*", "", source))
    local = re.findall(r"call .*fencej\(i32 (?:noundef )?1\)", made)
    wrong += ["a fence orders local memory, and other groups look at global memory"] * bool(local)
    return wrong + products(made) + [f"a {word} is too narrow" for word in narrow]


@pytest.mark.thorough
def test_narrowing(report, chapter, tmp_path):
    known, host = chapter_facts.of(chapter), running.sources(chapter) / "host.cpp"
    mpi = running.compiler(chapter) == "mpicxx"
    options = running.run(["mpicxx", "--showme:compile"])[1].split() if mpi else []
    report.failed(f"{chapter}, main", products(compiled(host, "-std=c++17", *options)[1], "main"))
    for source, options in builds_of(known, tmp_path):
        wrong = of_kernel(source, options, not (known.IS_MATRIX and known.MOST), tmp_path)
        report.failed(chapter, list(dict.fromkeys(wrong)))
        report.count("kernel files")
