"""Where the tutorial runs: the table in the top README, made of records of runs and never by hand.

    python3 tests/run.py support-table                        is the README's table that of docs/where.json?
    python3 tests/run.py support-table --run [NAME...]        runs what the rows say, or these of them, and takes their records;
                                                      a row that fails, or whose machine this is not, stays as it was
    python3 tests/run.py support-table --record NAME JUNIT    writes build/where/NAME.json about a run of CTest on this machine:
                                                      ctest -L '^(chapters|exercises)$' --output-junit JUNIT
    python3 tests/run.py support-table --update               takes build/where/*.json into docs/where.json and the README

The row of a machine that is only lent, as that of the H200, takes --record there, and --update with its file. Other
checks write such records too. A record says what was run: a chapter counts if each of its tests that CTest was to run
passed.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import sys
import xml.etree.ElementTree

from tests import running

RECORDS = running.BUILD / "where"
KEPT = running.ROOT / "docs" / "where.json"
README = running.ROOT / "README.md"
COLUMNS = ["system", "implementation", "chapters", "exercises", "command", "date"]
# The rows that any machine can run, where it has what they need: {name: command}. The first one is of this machine.
JUNIT = running.BUILD / "where.xml"
CTEST = ["--preset", "full", "-L", "^(chapters|exercises)$", "-LE", "^full$", "--output-junit", JUNIT]
RUN = [sys.executable, running.ROOT / "tests" / "run.py"]
ROWS = {
    "here": [os.environ.get("CTEST", "ctest"), *CTEST],
    **{name: [*RUN, "implementations", name] for name in ("intel", "rusticl", "oclgrind")},
    "windows": [*RUN, "windows"],
    **{f"fresh-{name}": [*RUN, "fresh", name] for name in ("bookworm", "trixie", "noble")},
    "arm64": [running.ROOT / "tests" / "fresh_systems" / "arm64.sh"],
}
BLOCK = re.compile("(<!-- where:.*?-->\n\n).*?(\n<!-- end of where -->)", re.DOTALL)


def os_release():
    """What /etc/os-release says: {"ID": "debian", ...}; nothing where there is none."""
    file = pathlib.Path("/etc/os-release")
    return dict(re.findall(r'^(\w+)="?(.*?)"?$', file.read_text() if file.exists() else "", re.MULTILINE))


def system():
    """ "Debian GNU/Linux 12 (bookworm)"; with the processor's kind where it is not the usual one."""
    kind = platform.machine()
    return os_release().get("PRETTY_NAME", platform.platform()) + ("" if kind == "x86_64" else f", {kind}")


def probe(env=None):
    """What layers/implementation.cpp says: (name of the implementation, rounds that a loop makes, of how many)."""
    code, out, err = running.run([running.BUILD / "tests" / "implementation"], env=env)
    said = re.fullmatch(r"implementation  (.*)\nrounds +(\d+) of (\d+)\n", out)
    if code or not said:
        raise SystemExit(f"FAILED  no implementation to ask, exit code {code}: {out}{err}")
    return said.group(1), int(said.group(2)), int(said.group(3))


def tests_of(junit):
    """What CTest wrote about a run: {name of the test: (status, what it printed)}; "run" means passed."""
    tests = {}
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        why = "".join(f"{failure.get('message')}\n" for failure in case.iter("failure"))  # "Timeout"
        tests[case.get("name")] = (case.get("status"), why + (case.findtext("system-out") or ""))
    return tests


def passed_of(names, tests):
    """ "3 of 20": of so many chapters or exercises, those with tests that all passed; "-" if none was to run."""
    told = {name: [status for test, (status, _) in tests.items() if test.startswith(name + ".")] for name in names}
    good = sum(all(status == "run" for status in all_of) for all_of in told.values() if all_of)
    return f"{good} of {len(names)}" if any(told.values()) else "-"


def write(name, tests, command, implementation):
    """Writes the record of a run on this machine."""
    exercises = [
        f"exercises.{p.parts[-4][:2]}.{p.parts[-2]}" for p in running.ROOT.glob("[0-9]*/exercises/*/exercise.json")
    ]
    record = {
        "system": system(),
        "implementation": implementation,
        "chapters": passed_of(running.CHAPTERS, tests),
        "exercises": passed_of(exercises, {f"{test}.": told for test, told in tests.items()}),
        "command": command,
        "date": datetime.date.today().isoformat(),
    }
    RECORDS.mkdir(parents=True, exist_ok=True)
    (RECORDS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    print(" | ".join(record.values()))


def record_ctest(name, junit=JUNIT):
    """Writes the record of CTest's run of chapters, and perhaps exercises, on this machine."""
    tests = tests_of(junit)
    kinds = "'chapters|exercises'" if any(test.startswith("exercises.") for test in tests) else "chapters"
    write(name, tests, "ctest -L " + kinds, probe()[0])


def table(records):
    """The lines of the README's table."""
    head = ["system", "implementation", "chapters", "exercises", "what was run", "when"]
    rows = [
        ["`" + r[c].replace("|", "\\|") + "`" if c == "command" else r[c] for c in COLUMNS] for r in records.values()
    ]
    rows.sort(key=lambda row: [[int(x) if x.isdigit() else x for x in re.split(r"(\d+)", cell)] for cell in row[:2]])
    lines = [head, *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines).replace("\n", "\n" + "|---" * len(head) + "|\n", 1)


def wrong_with(name, record):
    """What is wrong with a record, as texts."""
    if sorted(record) != sorted(COLUMNS):
        yield f"{name} has the keys {', '.join(record)}, not {', '.join(COLUMNS)}"
        return
    for key in "chapters", "exercises":
        amount = re.fullmatch(r"(\d+) of (\d+)|-", record[key])
        if not amount or (amount.group(1) and int(amount.group(1)) > int(amount.group(2))):
            yield f"{name}: {key} are {record[key]!r}, not as in '20 of 20' or '-'"
    if record["chapters"] == record["exercises"] == "-":
        yield f"{name}: nothing was run"
    try:
        datetime.date.fromisoformat(record["date"])
    except ValueError:
        yield f"{name}: {record['date']!r} is no date"


def run(report, names):
    """Runs the rows of these names, each of which writes its record; what fails is reported, what is missing skipped."""
    unknown = sorted(set(names) - set(ROWS))
    if unknown:
        raise SystemExit(f"no such row: {', '.join(unknown)}; there are {', '.join(ROWS)}")
    release = os_release()
    own = release.get("ID", "here") + release.get("VERSION_ID", "")  # debian12
    for name in names or ROWS:
        (RECORDS / f"{own if name == 'here' else name}.json").unlink(missing_ok=True)
        print(f"---- {name}: {' '.join(map(str, ROWS[name]))}", flush=True)
        JUNIT.unlink(missing_ok=True)
        code, out, err = running.run(ROWS[name], cwd=running.ROOT, timeout=None)
        if code == running.SKIPPED:
            report.count("rows left as they were")
            print(f"SKIPPED {name}: {(out + err).strip()[-300:]}")
            continue
        if name == "here" and JUNIT.exists():
            record_ctest(own)
        report.must(f"{name}: {(out.strip().splitlines() or [err])[-1]}", code == 0, (out + err)[-3000:])


def check(report, words):
    if words[:1] == ["--run"]:
        run(report, words[1:])
        words = ["--update"]
    if words[:1] == ["--record"] and len(words) == 3:
        report.count("tests", len(tests_of(words[2])))
        record_ctest(words[1], words[2])
        return
    if words not in ([], ["--update"]):
        raise SystemExit(__doc__)
    records = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    text = README.read_text()
    if words:
        records.update({path.stem: json.loads(path.read_text()) for path in sorted(RECORDS.glob("*.json"))})
    unfit = False
    for name, record in records.items():
        report.count("records")
        unfit |= report.failed("docs/where.json", list(wrong_with(name, record)))
    if unfit:
        return
    if words:
        KEPT.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n")
        README.write_text(BLOCK.sub(lambda block: block.group(1) + table(records) + block.group(2), text))
        return
    block = BLOCK.search(text)
    same = block and block.group() == block.group(1) + table(records) + block.group(2)
    report.failed(
        "README.md", [] if same else ["the table is not that of docs/where.json: run.py support-table --update"]
    )
