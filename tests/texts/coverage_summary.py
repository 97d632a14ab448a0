"""What green means, in figures: the block in the top README, made of records of checks and never by hand.

python3 tests/run.py coverage-summary             is the README's block that of docs/green.json?
python3 tests/run.py coverage-summary --update    takes build*/green/*.json, which the checks write, into docs/green.json and the README
"""

import json
import re

from tests import running

KEPT = running.ROOT / "docs" / "green.json"
README = running.ROOT / "README.md"
BLOCK = re.compile("(<!-- green:.*?-->\n\n).*?(\n<!-- end of green -->)", re.DOTALL)


def record(check, about, **numbers):
    """Called by a check that has found nothing wrong: what it counted in a chapter, or as a whole."""
    folder = running.BUILD / "green"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{check}.{about}.json").write_text(json.dumps(numbers))


def text(records):
    """The sentences; of what has no record, none."""

    def total(check, number):
        return sum(each[number] for each in records[check].values())

    def chapters(check):
        with_kernel = [one for one in running.CHAPTERS if check != "kernel-coverage" or running.has_kernel(one)]
        there = len(records[check])
        return "" if there == len(with_kernel) else f" of {there} of {len(with_kernel)} chapters"

    lines = []
    if "host-coverage" in records:
        lines.append(
            f"- The hosts and `common/` have {total('host-coverage', 'sides'):,} branches; the tests run all but "
            f"{total('host-coverage', 'named')} of them."
        )
    if "kernel-coverage" in records:
        lines.append(
            f"- The kernels{chapters('kernel-coverage')} have {total('kernel-coverage', 'places'):,} functions and branches; the tests run "
            f"all but {total('kernel-coverage', 'named')} of them."
        )
    if lines:
        lines.append("  Why the rest is not run is said in [tests/coverage/not-run.txt](tests/coverage/not-run.txt).")
    if "generated" in records:
        tried, same, nothing = (total("generated", number) for number in ("tried", "same_code", "nothing"))
        lines.append(
            f"- Of {tried} mutants{chapters('generated')} that a rule made and nobody thought of, a check noticed "
            f"{tried - same - nothing}; {same} compile to the same code, and {nothing} change nothing that can be observed "
            "([why](tests/mutants/generated.txt))."
        )
    return "\n".join(lines) + "\n"


def check(report, words):
    if words not in ([], ["--update"]):
        raise SystemExit(__doc__)
    records = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    whole = README.read_text()
    if words:
        for path in sorted(running.ROOT.glob("build*/green/*.json")):
            name, about = path.stem.split(".")
            records.setdefault(name, {})[about] = json.loads(path.read_text())
        KEPT.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n")
        whole = BLOCK.sub(lambda block: block.group(1) + text(records) + block.group(2), whole)
        README.write_text(whole)
    report.count("records", sum(map(len, records.values())))
    block = BLOCK.search(whole)
    same = block and block.group() == block.group(1) + text(records) + block.group(2)
    report.failed("README.md", [] if same else ["the block is not that of docs/green.json: run.py coverage-summary --update"])
