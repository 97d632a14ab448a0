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
# What a profile has to say, lest it be this machine's.
SAID = {"type", "compute_units", "vector_width", "local_memory", "group", "sizes", "unified"}
# The search for a device is another one on other machines, and what is asked of a device and of an event, or released,
# is for other checks: small-devices, times, released.
KEPT = re.compile("Create(?!SubDevices)|Build|Set|Enqueue|GetKernelWorkGroupInfo|Wait|Finish|Flush")


def plain(lines):
    """The lines that are kept; an event is called by how many were made after it, so that what is repeated is alike."""
    kept, events = [], 0
    for line in lines:
        made = "-> event" in line
        for number in map(int, re.findall(r"\bevent(\d+)", line.split("->")[0])):
            line = re.sub(rf"\bevent{number}\b", _event(events - number), line)
        events += made
        if KEPT.match(line):
            kept.append(re.sub(r"-> event\d+", "-> event", re.sub(r"\b0x0+(?=[0-9a-f])", "0x", line)))
    return kept


def _event(age):
    return "event" if age == 0 else f"event-{age}"


def folded(lines, longest=120):
    """Lines that are repeated are there once, under how often: from the shortest block that repeats on."""
    for size in range(1, longest + 1):
        result, at = [], 0
        while at < len(lines):
            block, times = lines[at : at + size], 1
            while len(block) == size and lines[at + times * size : at + (times + 1) * size] == block:
                times += 1
            if times > 1 and times * size > 2:
                result += [f"{times} times:", *("  " + line for line in block)]
                at += times * size
            else:
                result.append(lines[at])
                at += 1
        lines = result
    return lines


def recorded(chapter):
    """The text of the file, from runs made now; and what was wrong with them."""
    known = chapter_facts.of(chapter)
    size, text, whole = known.SMALL_SIZES[-1], [], None
    for name in [name for name in DEVICES + [NEWER] * bool(known.TRIED_CALLS) if name not in known.NEEDS]:
        profile = running.ROOT / "tests" / "devices" / f"{name}.txt"
        unsaid = sorted(SAID - {line.split()[0] for line in profile.read_text().splitlines() if line.strip()})
        if unsaid:
            return "", [f"{profile.name} does not say {', '.join(unsaid)}: that would be this machine's"]
        command = [running.program(chapter), *size]
        code, out, err, account = running.under_layer(command, profile=profile, clock=1, floor=known.TIME_FLOOR)
        what = " ".join([chapter, *size, "on", name])
        wrong = running.not_passed(code, out, err)
        if wrong:
            return "", [f"{what}: {wrong[0]}"]
        lines = folded(plain(account.text.splitlines()))
        text.append(f"==== {what}")
        if whole is None:
            whole = lines
            text += lines
        else:
            text += list(difflib.unified_diff(whole, lines, lineterm="", n=0))[2:]
    return "\n".join(text) + "\n", []


@pytest.mark.thorough
def test_recorded_calls(report, chapter, record):
    listed = running.ROOT / "tests" / "calls" / f"{chapter}.calls"
    text, wrong = recorded(chapter)
    if not wrong and record:
        listed.write_text(text)
    before = listed.read_text() if listed.exists() else ""
    if not wrong and before != text:
        found = list(difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=1))[2:]
        wrong = [
            f"what it asks for is not what tests/calls/{listed.name} says"
            f" (if that is meant: the same command with --record){running.indented(chr(10).join(found[:12]))}"
        ]
    report.failed(chapter, wrong)
    report.count("calls in the files", text.count("\n"))
