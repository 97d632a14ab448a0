"""What a chapter asks OpenCL for, call by call with every argument: is it what tests/calls/NN-topic.calls says?

After a change that was meant, `./test.sh --record -k "recorded_calls and 06"` writes the file; read the difference.

A result can be right although a flag was dropped, a limit asked of the wrong kernel, a buffer made twice as large or a
group too many launched. Here all of that is a line in a file that is read with the change. The runs are on two
devices of tests/devices/, so that limits and paths that no device here has are among them, and on the layer's clock, so
that what is repeated until the time is enough is repeated as often anywhere. The first run is there whole; of the other,
what stands instead of which of its lines (`@@ -13,2 +14 @@`: of the 13th and 14th). A build that fails is there, too: what a
program tried is what it asked for.
"""

import difflib
import re
import textwrap

import pytest

from tests import chapter_facts, running

DEVICES = ["h200", "apple-cpu"]  # a large GPU; a CPU whose kernels with a barrier take groups of one
NEWER = "newer-3.0"  # for what is tried only where a device offers it
# The search for a device is another one on other machines, and what is asked of a device and of an event, or released,
# is for other tests: small_devices, printed_times.
KEPT = re.compile("Create(?!SubDevices)|Build|Set|Enqueue|GetKernelWorkGroupInfo|Wait|Finish|Flush")


def plain(lines):
    """The lines that are kept; kernels, events and their like are called by how many were made after them, so that what is
    repeated is alike, and what is the same after one more of them."""
    made = {}

    def aged(name):
        kind, number = name[1], int(name[2])
        made[kind] = max(made.get(kind, 0), number)
        return kind + f"-{made[kind] - number}" * (number < made[kind])

    lines = [re.sub(r"\b(event|region|kernel|program)(\d+)", aged, line) for line in lines]
    return [re.sub(r"\b0x0+(?=[0-9a-f])", "0x", line) for line in lines if KEPT.match(line)]


def folded(lines, longest=120):
    """Lines that are repeated are there once, under how often: from the shortest block that repeats on."""
    for size in range(1, longest + 1):
        result, at = [], 0
        while at < len(lines):
            block, times = lines[at : at + size], 1
            while len(block) == size and lines[at + times * size : at + (times + 1) * size] == block:
                times += 1
            times = times if times > 1 and times * size > 2 else 1
            # From here on it is one line, so that no other block begins or ends within it.
            result += [f"{times} times:\n" + textwrap.indent("\n".join(block), "  ")] if times > 1 else block[:1]
            at += times * size if times > 1 else 1
        lines = result
    return "\n".join(lines).splitlines()


def joined(lines, width=120):
    """A line takes in what is asked next of the same object in the same words, and what waits for it, as long as it fits."""
    result, before, indent = [], "", ""
    for line in lines:
        call, _, rest = line.partition(", ")
        same, waits = rest and call == before, re.match(rf"{indent}(Finish|Flush|Wait)", line)
        more = "; " + (rest if same else line.strip())
        if (same or waits) and len(result[-1] + more) <= width and result[-1][-1] != ":":
            result[-1] += more
        else:
            result.append(line)
            indent, same = re.match(" *", line)[0], True
        before = call if same else ""
    # What is repeated stands behind how often, where it is one line.
    return re.sub(r"(?m)^( *)(\d+ times:)\n\1  (.+)\n(?!\1  )", r"\1\2 \3\n", "\n".join([*result, ""])).splitlines()


@pytest.mark.thorough
def test_recorded_calls(report, chapter, record):
    known, listed = chapter_facts.of(chapter), running.ROOT / "tests" / "calls" / f"{chapter}.calls"
    size, text, whole = known.SMALL_SIZES[-1], [], None
    for name in [name for name in DEVICES + [NEWER] * bool(known.TRIED_CALLS) if name not in known.NEEDS]:
        command, profile = [running.program(chapter), *size], running.ROOT / "tests" / "devices" / f"{name}.txt"
        *ended, account = running.under_layer(command, profile=profile, clock=1, floor=known.TIME_FLOOR)
        what = " ".join([chapter, *size, "on", name])
        if not report.ends(what, ended, 0):
            return
        lines = joined(folded(plain(account.text.splitlines())))
        different = list(difflib.unified_diff(whole or [], lines, lineterm="", n=0))[2:]
        text += [f"==== {what}", *(line for line in different if line[0] != "-")] if whole else [f"==== {what}", *lines]
        whole = whole or lines
    report.recorded(listed, text, record)
    report.count("lines in the files", len(text))
