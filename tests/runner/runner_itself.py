"""Is tests/run.py red when it should be? A repository of two chapters, with checks of a few lines, tried with
a copy of run.py, running.py and chapter_facts.py."""

import pathlib
import shutil
import sys
import tempfile

from tests import running

CHECKS = {
    "fine": "def check(report, chapter):\n    report.count('runs', 2)",
    "empty": "def check(report, chapter):\n    pass",
    "zero": "def check(report, chapter):\n    report.count('runs', 0)",
    "excused": "def check(report, chapter):\n    report.nothing_to_do('it has no kernel')",
    "wrong": "def check(report, chapter):\n    report.count('runs', 2)\n    report.failed(chapter, ['no result'])",
    "case": "def check(report):\n    report.must('one', True)\n    report.must('two', False, 'three')",
    "breaks": "def check(report):\n    report.count('runs')\n    1 / 0",
    "ends": "import os\ndef check(report):\n    print('it ends', flush=True)\n    os._exit(1)",
    "tool": "from tests import running\ndef check(report, chapter):\n    if chapter == '01-one':\n"
    "        running.need_tool('no-such-tool', 'a package')\n    report.count('runs')",
    "tool-late": "from tests import running\ndef check(report):\n    report.failed('it', ['bad'])\n    running.need_tool('no-such-tool', 'it')",
    "two-ways": "def check(report, chapter, full):\n    report.count('runs', 3 if full else 2)",
    "words": "from tests import running\ndef check(report, words):\n    report.count(' '.join(running.named(words, '(full)?')[0]))",
    "asks": "from tests import chapter_facts\ndef check(report, chapter):\n    report.count(f'of {chapter_facts.of(chapter).TINY_SIZE}')",
}


def check(report):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for file in "tests/run.py", "tests/running.py", "tests/chapter_facts.py", "checker/machine.py":
            (root / file).parent.mkdir(exist_ok=True)
            shutil.copy(running.ROOT / file, root / file)
        (root / "tests" / "programs").mkdir()
        for check_name, text in CHECKS.items():
            (root / "tests" / "programs" / f"{check_name.replace('-', '_')}.py").write_text(text + "\n")
        for chapter in "01-one", "02-two":
            (root / chapter).mkdir()
            (root / chapter / "host.cpp").write_text(f'"usage: {chapter} [N]\\n"')

        def run(code, said, *arguments):
            got, out, err = running.run(
                [sys.executable, root / "tests" / "run.py", *arguments], env={"PYTHONPATH": None}
            )
            last = (out + err).strip().splitlines()[-1] if code < 2 else out + err
            report.must(
                f"run.py {' '.join(arguments)}: exit code {code}, {said!r}",
                got == code and said in last,
                f"exit code {got}: {out}{err}",
            )

        for arguments in (
            [],
            ["no-such-check"],
            ["fine", "03"],
            ["fine", "0"],
            ["fine", "01", "full"],
            ["case", "01"],
            ["fine", "full"],
        ):
            run(2, "no such", *arguments)
        run(0, "fine 01-one: 2 runs; 0 failures", "fine", "01-one")
        run(0, "fine 02-two: 2 runs; 0 failures", "fine", "02")
        run(0, "fine 02-two: 2 runs; 0 failures", "fine")
        run(1, "empty 01-one: nothing; 1 failures", "empty", "01")
        run(1, "zero 01-one: 0 runs; 1 failures", "zero", "01")
        run(0, "it has no kernel; 0 failures", "excused", "01")
        run(1, "wrong 01-one: 2 runs; 1 failures", "wrong", "01")
        run(1, "wrong 02-two: 2 runs; 1 failures", "wrong")
        run(1, "case: 2 cases; 1 failures", "case")
        run(1, "ZeroDivisionError", "breaks")
        run(1, "", "ends")
        run(running.SKIPPED, "SKIPPED: no-such-tool is missing", "tool", "01")
        run(running.SKIPPED, "tool 02-two: 1 runs; 0 failures", "tool")
        run(1, "SKIPPED", "tool-late")
        run(0, "two-ways 01-one: 2 runs", "two-ways", "01")
        run(0, "two-ways full 01-one: 3 runs", "two-ways", "01", "full")
        run(0, "words: 1 01-one 02-two; 0 failures", "words")
        run(0, "words: 1 01-one 02-two; 0 failures", "words", "full")
        run(0, "words: 1 02-two; 0 failures", "words", "02-two", "full")
        run(0, "words: 1 02-two; 0 failures", "words", "02")
        run(1, "neither a chapter nor anything else that is known here: ful", "words", "02", "ful")
        run(0, "1 of ['5']", "asks", "01")
        file = root / "01-one" / "chapter_test.py"
        file.write_text("from tests.running import BUILD\n_OWN = 1\nTINY_SIZE = ['7']\n")
        run(0, "1 of ['7']", "asks", "01")
        file.write_text("TINY_SIZES = ['7']\n")
        run(1, "no check asks for TINY_SIZES", "asks", "01")
    if report.failures or not report.counts:  # not left to what is tested here
        raise SystemExit(f"FAILED  {report.failures} of {report.counts}")
