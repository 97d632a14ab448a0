"""What a chapter asks OpenCL for, call by call with every argument: is it what tests/calls/NN-topic.calls says?

After a change that was meant, `./test.sh --record -k "recorded_calls and 06"` writes the file; read the difference.

A result can be right although a flag was dropped, a limit asked of the wrong kernel, a buffer made twice as large or a
group too many launched. Here all of that is a line in a file that is read with the change. The runs are on two
devices of tests/devices/, so that limits and paths that no device here has are among them, and on the layer's clock, so
that what is repeated until the time is enough is repeated as often anywhere. The first run is there whole; of the other,
what is different. A build that fails is there, too: what a program tried is what it asked for.
"""

import difflib
import re

import pytest

from tests import chapter_facts, running

DEVICES = ["h200", "apple-cpu"]  # a large GPU; a CPU whose kernels with a barrier take groups of one
NEWER = "newer-3.0"  # for what is tried only where a device offers it
# The search for a device is another one on other machines, and what is asked of a device and of an event, or released,
# is for other tests: small_devices, printed_times.
KEPT = re.compile("Create(?!SubDevices)|Build|Set|Enqueue|GetKernelWorkGroupInfo|Wait|Finish|Flush")


def plain(lines):
    """The lines that are kept; an event is called by how many were made after it, so that what is repeated is alike."""
    kept, events = [], 0
    for line in lines:
        before, arrow, made = line.partition("-> event")
        ages = {number: events - int(number) for number in re.findall(r"\bevent(\d+)", before)}
        for number, age in ages.items():
            before = re.sub(rf"\bevent{number}\b", f"event-{age}" if age else "event", before)
        events += bool(arrow)
        if KEPT.match(line):
            kept.append(re.sub(r"\b0x0+(?=[0-9a-f])", "0x", before) + arrow + re.sub(r"^\d+", "", made))
    return kept


def folded(lines, longest=120):
    """Lines that are repeated are there once, under how often: from the shortest block that repeats on."""
    for size in range(1, longest + 1):
        result, at = [], 0
        while at < len(lines):
            block, times = lines[at : at + size], 1
            while len(block) == size and lines[at + times * size : at + (times + 1) * size] == block:
                times += 1
            times = times if times > 1 and times * size > 2 else 1
            result += [f"{times} times:", *("  " + line for line in block)] if times > 1 else block[:1]
            at += times * size if times > 1 else 1
        lines = result
    return lines


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
        lines = folded(plain(account.text.splitlines()))
        different = lines if whole is None else list(difflib.unified_diff(whole, lines, lineterm="", n=0))[2:]
        whole, text = whole or lines, [*text, f"==== {what}", *different]
    if record:
        listed.write_text("\n".join([*text, ""]))
    before = listed.read_text().splitlines() if listed.exists() else []
    found = list(difflib.unified_diff(before, text, lineterm="", n=1))[2:]
    what = f"it asks for what tests/calls/{listed.name} says (if a difference is meant: the same command with --record)"
    report.must(what, not found, "\n".join(found[:12]))
    report.count("calls in the files", len(text))
