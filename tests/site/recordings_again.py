"""Records every launch of site/recordings/ anew, with Oclgrind, and compares with what is checked in, to the letter.

    python3 tests/run.py recordings-again

Of the queues, all but the times and the version of OpenCL, which are of the moment and of the machine: the calls, in their
order, with what each waits for, and all numbers.

Skipped by name without Oclgrind 21.10 and its headers (Debian 12: apt install oclgrind liboclgrind-dev llvm-14-dev).
"""

import json
import re

from tests.site.recordings import FOLDER, maker, problems_of_queues, recorded


def first_difference(old, new):
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            start = max(0, at - 30)
            return f"line {number}: ...{a[start : at + 50]!r} is checked in, ...{b[start : at + 50]!r} is recorded"
    return "one is longer than the other"


def without_times(text):
    return re.sub(r'("times":)\[\[.*?\]\]|("recorded": ).*', r"\1\2", text)


def check_queues(report, launch):
    make = maker()
    name = f"{launch['chapter']}.json"
    new = make.record_commands(launch)
    old = (FOLDER / name).read_text()
    wrong = problems_of_queues(launch, json.loads(new), make.commands.files(launch))
    if without_times(old) != without_times(new):
        wrong.append(first_difference(without_times(old), without_times(new)))
    if not report.failed(name, [f"{what}; python3 site/recordings/make.py {name[:2]}" for what in wrong]):
        print(f"ok      {name}: {len(new.encode())} bytes, the same calls and numbers again")
    report.count("recordings")


def check(report):
    for launch in maker().QUEUES:
        check_queues(report, launch)
    for launch in maker().LAUNCHES:
        name = f"{launch['chapter']}.json"
        new = recorded(launch)
        path = FOLDER / name
        old = path.read_text() if path.exists() else ""
        if old != new:
            report.failed(name, [f"{first_difference(old, new)}; python3 site/recordings/make.py {name[:2]}"])
        else:
            print(f"ok      {name}: {len(new.encode())} bytes, the same again")
        report.count("recordings")
