"""Does a program notice one wrong element, wherever it is and however little it is off?

The layer changes one element of what comes back from the device, at every kind of place: the first, the
last, the middle, around each power of two and around the ends of rows (LAYER_CORRUPT). Each time the program
must print FAILED and end with exit code 1, and show all its results; what it says of how many elements differ, and where, must be
true. (Where rounding is allowed, only NaN; the check `inputs` looks at the bounds.) The same with what goes to the device: the host's expectation must come from the host's own data.

Each change is made in a child process, which computes on to its end; for that the device is PoCL's "basic", which
has no threads.
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
        *ended, account = on_basic(command, cache, corrupt=folder, way=way, changes=",".join(changes), **settings)
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
    all_wrong = known.ALL_WRONG  # what may stand in place of FAILED
    if known.LEFT_OUT and re.search(known.LEFT_OUT, child.err):
        return wrong  # the element was a candidate's, and the search has gone on
    if child.code != 1 or "PASSED" in child.out + child.err:
        wrong.append(f"exit code {child.code}, it says {'PASSED' if 'PASSED' in child.out else 'no PASSED'}")
    elif "FAILED" not in child.out.splitlines() and not (all_wrong and all_wrong in child.err):
        wrong.append("it does not say FAILED")
    return wrong


def wrong_words(child, reads, known):
    """What is untrue in what it says of the one element that differs. reads: how many results it reads."""
    pairs = re.findall(r"^result .*\nexpected .*$", child.out, re.MULTILINE)  # one for each result that it reads
    own = pairs[child.transfer - 1] if len(pairs) == reads else child.out
    if known.READ_AGAIN and pairs:
        own = pairs[min(child.transfer, len(pairs)) - 1]
    counts, of_own = (set(re.findall(r"\((\d+) of \d+ elements differ\)", text)) for text in (child.out, own))
    good = counts <= {"0", "1"} and (not of_own or "1" in of_own)
    wrong = [] if good else [f"where 1 element differs, it says {of_own}, and {counts} in all"]
    shown = re.search(r"^result    C\[(\d+)\]\[(\d+)\] = (\S+)\nexpected  C\[\1\]\[\2\] = (\S+)", own, re.MULTILINE)
    columns = re.search(r"^size .* N = (\d+)", child.out, re.MULTILINE)
    if shown and columns:
        at = int(shown[1]) * int(columns[1]) + int(shown[2])
        if at != child.place:
            wrong.append(f"where element {child.place} differs, it shows element {at}")
    return wrong


def went_wrong(child):
    return f"transfer {child.transfer}, {child.function}, element {child.place}, {child.how}"


def rounded(out):
    """The numbers of the results that may be off by something: it prints a pair of lines for each that it reads."""
    pairs = re.findall(r"^expected .*$", out, re.MULTILINE)
    return {read for read, line in enumerate(pairs, 1) if ", allowed " in line}


@pytest.mark.thorough
def test_wrong_element(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    for size in known.CORRUPTED_SIZES:
        command = [running.program(chapter), *size]
        strides = "few" if known.FEW_PLACES else ",".join({"64", *size} - {"1"})
        with tempfile.TemporaryDirectory() as cache:
            out = on_basic(command, cache)[1]  # a program that remembers has nothing to search for from now on
            ways = [
                ("back", known.CHANGES, "elements changed on their way back"),
                ("there", ["1"], "elements changed on their way to the device"),
            ]
            for way, changes, what in ways:
                found, wrong, account = children(command, cache, way, changes, strides=strides)
                reads = [line for line in account.lines.get("command", []) if "clEnqueueReadBuffer" in line]
                for child in found:
                    if way == "back" and child.transfer in rounded(out) and child.how != "nan":
                        continue
                    report.count(what)
                    shown, usual = (text.count("\nresult ") for text in (child.out, out))
                    if shown < usual and child.code == 1 and not known.LEFT_OUT:
                        wrong.append(f"{went_wrong(child)}: it shows {shown} results, and {usual} where none is wrong")
                    told = wrong_end(child, known) or (
                        wrong_words(child, len(reads), known) if way == "back" and child.code else []
                    )
                    wrong += [f"{went_wrong(child)}: {how}" for how in told]
                changed = {child.transfer for child in found if child.function == "clEnqueueReadBuffer"}
                if way == "back" and len(changed) != len(reads):
                    wrong.append(f"of {len(reads)} results that it reads, {len(changed)} were changed")
                report.failed(" ".join([chapter, *size]), wrong[:20])
    if not report.counts.get("elements changed on their way back"):
        report.failed(chapter, ["nothing was changed"])
