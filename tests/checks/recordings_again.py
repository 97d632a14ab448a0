"""Records every launch of docs/recordings/ anew, with Oclgrind, and compares with what is checked in, to the letter.

    python3 tests/run.py recordings-again

Skipped by name without Oclgrind 21.10 and its headers (Debian 12: apt install oclgrind liboclgrind-dev llvm-14-dev).
"""

from checks.recordings import FOLDER, maker, recorded


def first_difference(old, new):
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            start = max(0, at - 30)
            return f"line {number}: ...{a[start : at + 50]!r} is checked in, ...{b[start : at + 50]!r} is recorded"
    return "one is longer than the other"


def check(report):
    for launch in maker().LAUNCHES:
        name = f"{launch['chapter']}.json"
        new = recorded(launch)
        path = FOLDER / name
        old = path.read_text() if path.exists() else ""
        if old != new:
            report.failed(name, [f"{first_difference(old, new)}; python3 docs/recordings/make.py {name[:2]}"])
        else:
            print(f"ok      {name}: {len(new.encode())} bytes, the same again")
        report.count("recordings")
