"""What the checks of exercises that print times share: a run on the probe's clock, and the lines `time`."""

import re

from checker.shared_checks import fields


def commands(run, call):
    """What each of the calls that begin with `call` put into the queue took by its own event, in ms; None where the
    program did not ask for both its start and its end."""
    found, of_event, last = [], {}, None
    for line in run.calls:
        word = line.split()
        if word[0].startswith("Enqueue"):
            last = {} if word[0] == call else None
            if last is not None:
                found.append(last)
        elif word[:2] == ["create", "event"]:
            of_event[word[2]] = last if last is not None else {}
        elif word[0] == "profile" and word[1] in of_event:
            of_event[word[1]][word[3]] = int(word[4])
    return [(t["end"] - t["start"]) * 1e-6 if {"start", "end"} <= set(t) else None for t in found]


def starting(run, words):
    return [call for call in run.calls if call.startswith(words)]


def median(values):
    return sorted(values)[len(values) // 2]


def near(ms, right):
    """Is a time that was printed with three digits or more this one?"""
    return ms is not None and abs(ms - right) <= 0.00051 + 0.001 * right


def timed_lines(run, name):
    """The lines `time` about something: those that speak of a median, or of a best, else those that begin with the
    name, else all; each as (ms, rate)."""
    lines = fields(run, "time")
    for good in (lambda t: "median" in t.lower(), lambda t: t.startswith(name), lambda t: True):
        chosen = [milliseconds(t) for t in lines if good(t)]
        chosen = [(ms, rate) for ms, rate in chosen if ms is not None]
        if chosen:
            return chosen
    return []


def launches_median(run, what):
    """(complaints, median in ms) of the launches after the first, which is a warm-up."""
    each = commands(run, "EnqueueNDRangeKernel")
    if len(each) < 6:
        return [f"there have to be six launches, of which the first does not count; there are {len(each)}"], 0
    if None in each[1:]:
        return [
            "a kernel's time runs from CL_PROFILING_COMMAND_START to CL_PROFILING_COMMAND_END; of launch "
            f"{each.index(None, 1) + 1} of {len(each)}, nobody asked for both"
        ], 0
    right = median(each[1:])
    printed = [ms for ms, _ in timed_lines(run, "kernel")]
    if not printed:
        return [f"there is no line `time      kernel ... {what}`"], right
    if not near(printed[-1], right) and not near(printed[-1], median(each[-5:])):
        return [
            "by the clock that the check gives the program, the five times after the warm-up are, in order, "
            f"{', '.join(f'{t:.3f}' for t in sorted(each[-5:]))} ms: "
            f"their median is {median(each[-5:]):.3f}, and the program prints {printed[-1]:.3f}"
        ], right
    return [], printed[-1]


def milliseconds(text):
    """The first number with ms behind it, and the first with GB/s; None where there is none."""
    ms, rate = re.search(r"([\d.]+) ms", text), re.search(r"([\d.]+|inf|nan) GB/s", text)
    return float(ms.group(1)) if ms else None, float(rate.group(1)) if rate else None
