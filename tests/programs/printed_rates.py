"""Is each rate that a program prints possible at all? A kernel that skips its work is fast beyond reason.

And is what the host does in a time in that time? With reads that bring nothing and take no time, only this is left of it.

The bound is no measurement, which a busy machine would spoil: it is what every core of this machine could do at
10 GHz with two multiply-add units of 16 floats, and two loads and a store of 16 floats in each cycle. No core does
half of that. That a rate is the work over the time says check `times`, and that the work is done, `costs`.
"""

import os
import re

from tests import chapter_facts, running

CLOCK = 10  # GHz
BOUNDS = {"GFLOP/s": 2 * 2 * 16 * CLOCK, "GB/s": 3 * 16 * 4 * CLOCK}  # of each core


def check(report, chapter):
    known = chapter_facts.of(chapter)
    if known.times is None:
        return report.nothing_to_do("it takes no times from the device")
    arguments = known.TIME_SIZES[0]
    code, out, err = running.run([running.program(chapter)] + arguments)
    if not re.search(r"^device +(pthread|cpu|basic)", out):
        raise running.Skip("the default device is not PoCL's CPU, and the bound is one for CPUs")
    wrong = running.not_passed(code, out, err)
    lines = re.findall(r"^time .*", out, re.MULTILINE)
    for line in lines:
        for rate, unit in re.findall(r"(\S+) (GFLOP/s|GB/s)", line):
            bound = BOUNDS[unit] * os.cpu_count()
            report.count("rates")
            if not 0 <= float(rate) <= bound:  # NaN is not
                wrong.append(f"it prints {line!r}; more than {bound} {unit} are impossible here")
    if lines and not any("/s" in line for line in lines):
        report.nothing_to_do("it prints times, and no rates")  # that it should print some would say check `times`
    elif not report.counts.get("rates"):
        wrong.append("it prints no rate")
    report.failed(" ".join([chapter, *arguments]), wrong)
    for arguments, expression, least in known.HOST_WORK:
        _, out, err, _ = running.under_layer([running.program(chapter)] + arguments, unread=1)
        found = re.search(expression, out)
        report.count("times with the host's own work in them")
        if not found:
            wrong = [f"it prints no such time as {expression}\n{out}{err}"]
        else:
            wrong = [f"{found[1]} ms are too few: this work alone takes {least:.1f}"] * (float(found[1]) < least)
        report.failed(" ".join([chapter, *arguments, "without reads"]), wrong)
