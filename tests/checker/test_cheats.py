"""Answers that do not do the task, made for every exercise; each is refused with its own sentence.

the chapter's own kernel, where it is not the answer; one work-item that does everything; results from a formula and not
from what the host hands over; a program that only says PASSED; one whose comparison is always content; and any file
changed that is not the student's.
"""

import re
import tempfile
from pathlib import Path

import pytest

from checker import behaviour
from checker.attempt import Attempt
from tests.running import ROOT

SHARED = "the work is to be shared|all the work: it is to be shared"
NO_LAUNCH = "has not launched any kernel|has not called OpenCL"
LIE = "still says PASSED"

# common/compare.h, in OpenCL C: what many hosts fill their inputs with.
KNOWN = """
float known(const ulong i, const ulong seed) {
  ulong x = (i + 1) * 0x9E3779B97F4A7C15ul + seed * 0xD1B54A32D192ED03ul;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ul;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBul;
  x = x ^ (x >> 31);
  const int k = (int)(x % 8) - 4;
  return k < 0 ? k : k + 1;
}
"""
# A work-item's ids, for one that plays all of them.
ALONE = """
#define get_global_id(d) ((d) == 0 ? alone_x : alone_y)
#define get_local_id(d) (get_global_id(d) % get_local_size(d))
#define get_group_id(d) (get_global_id(d) / get_local_size(d))
"""
# Kernels whose work-items need each other, done by one: the body, by what the exercise must give, else by the kernel's name.
SERIAL = {
    "product": "for (size_t r = 0; r < M; r++) for (size_t q = 0; q < N; q++) { float sum = 0; for (size_t k = 0; k < K; "
    "k++) sum += a[r * K + k] * b[k * N + q]; c[r * N + q] = sum; }",
    "dot product": "for (size_t g = 1; g < get_num_groups(0); g++) partial_sums[g] = 0; float sum = 0; for (size_t i = 0; "
    "i < n; i++) sum += a[i] * b[i]; partial_sums[0] = sum;",
    "norm": "for (size_t g = 1; g < get_num_groups(0); g++) partial_sums[g] = 0; float sum = 0; for (size_t i = 0; i < n; "
    "i++) { float v = ((__global const float *)x)[i]; sum += v * v; } partial_sums[0] = sum;",
    "sum": "for (size_t g = 1; g < get_num_groups(0); g++) partial_sums[g] = 0; float sum = 0; for (size_t i = 0; i < n; "
    "i++) sum += x[i]; partial_sums[0] = sum;",
    "histogram": "for (size_t i = 0; i < n; i++) counts[values[i]]++;",
}
FIRST = "if (get_global_id(0) == 0 && get_global_id(1) == 0) "
LAUNCH = """
static cl_int alone(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *, const size_t *, const size_t *, cl_uint n,
                    const cl_event *list, cl_event *event) {
  const size_t one[3] = {1, 1, 1};
  return clEnqueueNDRangeKernel(q, k, d, nullptr, one, one, n, list, event);
}
#define clEnqueueNDRangeKernel alone
"""


def header(kernel):
    """(all before it, head of the last kernel, names of its parameters)"""
    heads = list(
        re.finditer(r"(?:__)?kernel\b[^{;]*\)\s*(?=\{)", re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), kernel))
    )
    head = heads[-1]
    inside = kernel[head.start() : head.end()]
    parameters = inside[inside.rindex("(") if "void" not in inside.split("(")[-1] else 0 :]
    return kernel[: head.start()], inside, re.findall(r"(\w+)\s*(?=[,)])", parameters[parameters.index("(") :])


def alone_kernel(exercise, kernel):
    """The solution, done by one work-item; None where that is not to be had so simply."""
    before, head, names = header(kernel)
    name = re.search(r"(\w+)\s*\(", head[head.index("void") :]).group(1)
    serial = exercise.reference or name
    if "barrier" in kernel:
        directives = "".join(re.findall(r"^#define[^\n]*\n", before, re.MULTILINE))
        return f"{directives}{head}{{ {FIRST}{{ {SERIAL[serial]} }} }}" if serial in SERIAL else None
    everything = head.replace("__kernel", "").rstrip()
    everything = re.sub(rf"\b{name}\b", "everything", everything)[:-1] + ", const size_t alone_x, const size_t alone_y)"
    body = kernel[len(before) + len(head) :]
    call = f"everything({', '.join(names)}, at_x, at_y)"
    undo = "\n#undef get_global_id\n#undef get_local_id\n#undef get_group_id\n"
    loops = (
        "for (size_t at_y = 0; at_y < get_global_size(1); at_y++) "
        f"for (size_t at_x = 0; at_x < get_global_size(0); at_x++) {call};"
    )
    return f"{before}{ALONE}{everything}{body}{undo}{head}{{ {FIRST}{{ {loops} }} }}"


def formula_kernel(exercise, kernel):
    """The solution, with the first input as the host makes it and not as it hands it over."""
    host = ROOT / exercise.chapter / "host.cpp" if exercise.host == "chapter" else exercise.folder / "host.cpp"
    input_ = re.search(r"__global const float \*(?:restrict )?(\w+)", kernel)
    if not re.search(r"fill_whole\(\w+, 1\)", host.read_text()) or not input_ or input_[1] == "a_panels":
        return None
    at = re.search(rf"(?<![\w.]){input_[1]}\[", kernel)
    while at:
        close = behaviour.matching(kernel, at.end() - 1)
        kernel = f"{kernel[: at.start()]}known({kernel[at.end() : close]}, 1){kernel[close + 1 :]}"
        at = re.search(rf"(?<![\w.]){input_[1]}\[", kernel)
    return KNOWN + kernel


def cheats(exercise):
    """(what it is, {file: text}, what the check must say)"""
    solution = {name: (exercise.folder / "solution" / name).read_text() for name in exercise.files}
    if "kernel.cl" in exercise.files:
        kernel = solution["kernel.cl"]
        own = ROOT / exercise.chapter / "kernel.cl"
        if own.exists() and exercise.files == ["kernel.cl"] and not exercise.restores:
            yield "the chapter's own kernel", {**solution, "kernel.cl": own.read_text()}, "own kernel, or does the same"
        if exercise.launches:
            alone = alone_kernel(exercise, kernel)
            if alone:
                yield "one work-item does everything", {**solution, "kernel.cl": alone}, SHARED
            formula = formula_kernel(exercise, kernel)
            if formula:
                yield (
                    "a formula in place of an input",
                    {**solution, "kernel.cl": formula},
                    f"{LIE}|real numbers from -1",
                )
        before, head, _ = header(kernel)
        says = f'{before}{head}{{ {FIRST}printf("PASSED\\n"); }}'
        yield "a kernel that says PASSED", {**solution, "kernel.cl": says}, "wrong for|does not compile|outside"
    if "host.cpp" in exercise.files:
        host = solution["host.cpp"]
        last = host.rindex("#include")
        place = host.index("\n", last) + 1

        def with_(text):
            return {**solution, "host.cpp": host[:place] + text + host[place:]}

        yield (
            "a program that says PASSED",
            {**solution, "host.cpp": '#include <cstdio>\nint main() { std::puts("PASSED"); }\n'},
            "has not called OpenCL",
        )
        if exercise.launches:
            yield "a launch of one work-item", with_(LAUNCH), f"{SHARED}|wrong for|CL_INVALID|launches"
            yield (
                "no launch",
                with_(
                    "#define clEnqueueNDRangeKernel(...) CL_SUCCESS\n#define verdict(x) verdict(((void)(x), true))\n"
                ),
                f"{NO_LAUNCH}|CL_INVALID_EVENT|signal|ends with|wrong for",
            )
            content = {
                **solution,
                "host.cpp": re.sub(r"\bverdict\(", "verdict(true || ", host).replace("differ == 0", "true"),
            }
            yield "a comparison that is content", content, LIE


@pytest.mark.thorough
def test_given_files(report, exercise):
    """Each file that is not the student's, changed, is named."""
    said = behaviour.changed_files(exercise)
    report.must("what is not the student's is as it was given", said == [], str(said))
    known = behaviour.known_files()
    for name in behaviour.given_files([exercise]):
        said = behaviour.changed_files(exercise, {**known, name: "another"})
        report.must(f"{name}, changed", said and said[0].startswith(name), str(said))


@pytest.mark.release
@pytest.mark.timeout(600)
def test_cheats(report, exercise):
    for what, files, expect in cheats(exercise):
        with tempfile.TemporaryDirectory() as name:
            for file, text in files.items():
                (Path(name) / file).write_text(text)
            answer = Attempt(exercise, Path(name)).examine()
        said = " ".join(f"{label}: {text}" for label, text in answer.lines)
        report.must(what, answer.problems != [] and re.search(expect, said), said)
