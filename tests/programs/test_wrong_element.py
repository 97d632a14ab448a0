"""Does a program notice one wrong element, and that a kernel, or a copy, did not run at all?

One wrong element: the layer changes it on its way back from the device, at the first, the middle and the last place
(`corrupt`): each time the program must print FAILED and end with exit code 1. (Where rounding is allowed, only NaN;
test_other_inputs.py looks at the bounds.) The same with what goes to the device: the host's expectation must come from the
host's own data. Each change is made in a child process, which computes on to its end; for that the device is PoCL's
"basic", which has no threads. What is said of how many differ: tests/common/compare_test.cpp.

A lost launch: the layer reports success for a series of launches and does nothing (`drop`), one series after the
other. All memory that the program does not fill begins as an unharmed run left it (`stale`), so with the right
results: only an output that was poisoned before these very launches tells that they did not run. The clock is the
layer's too: by the device's, a kernel whose work is doubled until it takes 4 ms would never end when it does nothing.
"""

import collections
import os
import pathlib
import re
import tempfile

import pytest

from tests import chapter_facts, running

Child = collections.namedtuple("Child", "transfer function place how code out err")


def on_basic(command, cache, **settings):
    os.environ["POCL_DEVICES"] = "basic"
    return running.under_layer(command, timeout=600, cache=cache, **settings)


def children(command, cache, way, changes, **settings):
    """Runs a program with one element changed in each child. Returns them, what is wrong with the parent, and
    its account."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        *ended, account = on_basic(command, cache, corrupt=folder, way=way, changes=" ".join(changes), **settings)
        found = []
        for line in (folder / "log").read_text().splitlines():
            number, transfer, function, place, how, status = line.split()
            out, err = ((folder / f"{number}.{end}").read_text(errors="replace") for end in ("out", "err"))
            code = os.waitstatus_to_exitcode(int(status))
            found.append(Child(int(transfer), function, int(place), how, code, out, err))
        return found, running.not_passed(*ended), account


def wrong_end(child, known):
    """What is wrong with how a child with a wrong element ended."""
    wrong = running.crashed(child.code, child.err)
    all_wrong = known.SEARCH_SIZE and "no candidate computes the right product"  # in place of FAILED
    if known.SEARCH_SIZE and re.search("WRONG at .*, left out", child.err):
        return wrong  # the element was a candidate's, and the search has gone on
    if child.code != 1 or "PASSED" in child.out + child.err:
        wrong.append(f"exit code {child.code}, it says {'PASSED' if 'PASSED' in child.out else 'no PASSED'}")
    elif "FAILED" not in child.out.splitlines() and not (all_wrong and all_wrong in child.err):
        wrong.append("it does not say FAILED")
    return wrong


def rounded(out):
    """The numbers of the results that may be off by something: it prints a pair of lines for each that it reads."""
    pairs = re.findall(r"^expected .*$", out, re.MULTILINE)
    return {read for read, line in enumerate(pairs, 1) if ", allowed " in line}


@pytest.mark.thorough
def test_wrong_element(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    size = known.WRONG_SIZE
    command = [running.program(chapter), *size]
    with tempfile.TemporaryDirectory() as cache:
        out = on_basic(command, cache)[1]  # a program that remembers has nothing to search for from now on
        for way, changes in [("back", known.CHANGES), ("there", ["1"])]:
            found, wrong, account = children(command, cache, way, changes)
            reads = [command for command in account.commands if command.function == "clEnqueueReadBuffer"]
            for child in found:
                if way == "back" and child.transfer in rounded(out) and child.how != "nan":
                    continue
                if way == "there" and child.transfer in known.FOR_A_TRY:
                    continue
                report.count("elements changed")
                what = f"{way}: transfer {child.transfer}, {child.function}, element {child.place}, {child.how}"
                wrong += [f"{what}: {how}" for how in wrong_end(child, known)]
            changed = {child.transfer for child in found if child.function == "clEnqueueReadBuffer"}
            if way == "back" and len(changed) != len(reads):
                wrong.append(f"of {len(reads)} results that it reads, {len(changed)} were changed")
            nothing = [] if way == "there" and not known.REFERENCES else ["nothing was changed"]  # it has no input
            report.failed(chapter, wrong[:20] if found else nothing)


def series_of(account):
    """The series of kernels and copies in a run: their numbers and names."""
    return {
        each.series: each.function if each.kernel == "-" else each.kernel
        for each in account.commands
        if each.function in ("clEnqueueNDRangeKernel", "clEnqueueCopyBuffer")
    }


def wrong_with(report, known, arguments):
    """Returns what is wrong when the chapter runs with these arguments: a list."""
    command = [running.program(known.chapter)] + arguments
    wrong = []
    with tempfile.TemporaryDirectory() as stale, tempfile.TemporaryDirectory() as cache:
        if known.WAYS:  # without a search it is the results that count
            tried = running.under_layer(command, cache=cache, clock=1, floor=known.TIME_FLOOR)[2]
            known.WAYS[2](cache, tried)
        code, out, err, account = running.under_layer(
            command, cache=cache, clock=1, floor=known.TIME_FLOOR, stale=stale
        )
        if code != 0 or "PASSED" not in out.splitlines():
            return [f"unharmed, it does not pass, exit code {code}\n{out}{err}"]
        seen = set()
        for number, name in series_of(account).items():
            if known.READS_EACH_RUN and name in seen:
                continue  # the same again, over an earlier run's results
            seen.add(name)
            if known.WAYS:  # the search after the last one may have found another
                known.WAYS[2](cache, tried)
            memory = {} if name in known.NOT_POISONED else {"stale": stale}
            code, out, err, _ = running.under_layer(
                command, cache=cache, clock=1, floor=known.TIME_FLOOR, drop=number, **memory
            )
            what = f"without series {number} of its commands, {name}, "
            wrong += [what + how for how in running.crashed(code, err)]
            noticed = code == 1 and "FAILED" in out.splitlines() and "PASSED" not in out + err
            passed = code == 0 and "PASSED" in out.splitlines()
            if known.WAYS:  # what it remembered is wrong: it says so, and searches for another
                noticed = passed and ": WRONG at " in err
            if noticed:
                report.count("series dropped and noticed")
            else:
                wrong.append(
                    what
                    + f"it ends with exit code {code} and says "
                    + ("PASSED" if passed else "FAILED" if noticed else "neither PASSED nor FAILED")
                )
    return wrong


@pytest.mark.thorough
def test_lost_launch(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    for arguments in known.DROP_SIZES:
        report.failed(" ".join([chapter, *arguments]), wrong_with(report, known, arguments))
    if not report.counts.get("series dropped and noticed"):
        report.failed(chapter, ["it has a kernel, and no launch that was dropped was noticed"])
