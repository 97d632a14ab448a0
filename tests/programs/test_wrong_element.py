"""Does a program notice one wrong element?

The layer changes it on its way back from the device, at the first, the middle and the last place (`corrupt`): each time the
program must print FAILED and end with exit code 1. (Where rounding is allowed, only NaN; test_other_inputs.py looks at the
bounds.) The same with what goes to the device: the host's expectation must come from the host's own data. Each change is
made in a child process, which computes on to its end, on PoCL's "basic", without threads. 15 is too slow for all three.
"""

import os
import re
import tempfile
from pathlib import Path

import pytest

from tests import chapter_facts, running

CHAPTERS = running.WITH_KERNEL


def children(command, cache, way, changes):
    """Runs a program with one element changed in each child. Returns them, (transfer, function, place, change, [exit code,
    output, standard error]), and how the program itself ended."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"corrupt": folder, "way": way, "changes": " ".join(changes)}
        ended = running.under_layer(command, timeout=600, cache=cache, **settings)
        found = []
        log = Path(folder) / "log"  # which is not there where nothing goes that way
        for line in log.read_text().splitlines() if log.exists() else []:
            number, transfer, function, place, change, status = line.split()
            said = [(Path(folder) / f"{number}.{end}").read_text(errors="replace") for end in ("out", "err")]
            found.append((int(transfer), function, place, change, [os.waitstatus_to_exitcode(int(status)), *said]))
        return found, ended


@pytest.mark.thorough
def test_wrong_element(report, chapter, tmp_path, monkeypatch):
    known = chapter_facts.of(chapter)
    monkeypatch.setenv("POCL_DEVICES", "basic")
    command = [running.program(chapter), *known.WRONG_SIZE]
    out = running.under_layer(command, timeout=600, cache=tmp_path)[1]  # what is remembered need not be searched for
    # The numbers of the results that may be off by something: a pair of lines is printed for each that is read.
    rounded = [i for i, line in enumerate(re.findall("^expected .*", out, re.MULTILINE), 1) if ", allowed " in line]
    for way, changes in [("back", ["1", "sign", "nan"][:: 2 if known.TIME_FLOOR else 1]), ("there", ["1"])]:
        found, ended = children(command, tmp_path, way, changes)
        report.ends(f"{chapter} unharmed", ended, 0)
        for transfer, function, place, change, (code, out, err) in found:
            may_be_off = way == "back" and change != "nan" and transfer in rounded
            if may_be_off or (way == "there" and transfer in known.FOR_A_TRY):
                continue
            what = f"{way}: transfer {transfer}, {function}, element {place}, {change}"
            if known.SEARCH_SIZE and re.search("WRONG at .*, left out", err):
                report.failed(what, running.crashed(code, err))  # a candidate's, and the search has gone on
            else:
                none_right = known.SEARCH_SIZE and "no candidate computes the right product" in err
                report.ends(what, (code, out, err), 1, *[] if none_right else ["FAILED\n"])
        reads = [command for command in ended[3].commands if command.function == "clEnqueueReadBuffer"]
        changed = {transfer for transfer, function, *_ in found if function == "clEnqueueReadBuffer"}
        if way == "back":
            report.must(f"all {len(reads)} results were changed, each once", len(changed) == len(reads), str(found))
        elif known.REFERENCES:
            report.must("some input was changed", found)
