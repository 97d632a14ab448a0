"""The student's command, tested as a student uses it, on copies of the exercises of chapter 06.

Needs the solutions.
"""

import csv
import json
import pathlib
import shutil
import sys
import tempfile

import pytest

from tests.running import ROOT, find_oclgrind, run


@pytest.mark.thorough
def test_student(report):
    with tempfile.TemporaryDirectory(prefix="a student's ") as name:
        root = pathlib.Path(name) / "opencl"
        for part in ["common", "checker", "tools", "06-dot-product-reduction"]:
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        one = root / "06-dot-product-reduction/exercises/1-missing-barrier"

        def answers(*arguments, cwd=root, **env):
            return run(
                [sys.executable, "-m", "checker.cli", *arguments],
                cwd=cwd,
                timeout=300,
                env={"PYTHONPATH": str(root), "BUILD_DIR": str(root / "build"), "OCLGRIND": find_oclgrind(), **env},
            )

        def files():
            return {p: p.read_bytes() for p in (root / "06-dot-product-reduction").rglob("*") if p.is_file()}

        before = files()
        code, out, err = answers("06/1")
        report.must(
            "a starter: exit code 1, the race, not passed",
            code == 1 and "race on sums[" in out and "passed" not in out and "hint  " not in out,
            out + err,
        )
        code, out, err = answers("1-missing-barrier", "--hint", cwd=one.parent)
        report.must(
            "--hint, by a path from another folder: a hint that fits",
            code == 1 and "  hint  " in out and "What stands" in out,
            out + err,
        )
        report.must("nothing was written into the student's folders", files() == before, "")
        code, out, err = answers()
        report.must(
            "overview: none done, and what to go on with",
            code == 1
            and "0 of 3 done" in out
            and "go on with: 06-dot-product-reduction/exercises/1-missing-barrier" in out
            and "passed" not in out,
            out + err,
        )
        shutil.copy(one / "solution/kernel.cl", one / "kernel.cl")
        code, out, err = answers("6/1")
        report.must("a solution passes", code == 0 and "passed" in out, out + err)
        code, out, err = answers("--report", str(root / "results.csv"))
        rows = list(csv.DictReader(open(root / "results.csv")))
        report.must(
            "overview and report: one done",
            code == 1
            and "1 of 3 done" in out
            and [r["result"] for r in rows] == ["passed", "not started", "not started"],
            out + err + str(rows),
        )
        (root / "build/exercises/state.json").write_text('{"06/2-interleaved": {"grade": "passed"}, "06/3": 1}')
        answers("--json", str(root / "results.json"))
        found = json.loads((root / "results.json").read_text())["answers"]
        report.must(
            "for programs: what was found now, whatever is remembered",
            [(a["verdict"], a["points"], a["of"]) for a in found]
            == [("passed", 1, 1), ("not started", 0, 1), ("not started", 0, 1)]
            and found[2]["message"] == "",  # a starter that nobody has touched is not checked
            str(found),
        )
        elsewhere = root.parent / "handed in"
        shutil.copytree(one / "solution", elsewhere / one.relative_to(root))
        code, out, err = answers("06", "--answers", str(elsewhere))
        report.must(
            "--answers: those of another folder, and what is not there is not started",
            code == 1 and out.count("passed") == 1 and out.count("=>        not started") == 2 and "1 of 3 done" in out,
            out + err,
        )
        for arguments, line in (
            (["06/1"], "=>        right on PoCL; races not looked for"),
            (
                ["--again"],
                "[?] 1-missing-barrier            right on PoCL",
            ),
        ):
            code, out, err = answers(*arguments, OCLGRIND="/nowhere")
            report.must(
                f"without Oclgrind, {arguments}: right on PoCL, and not passed",
                code == (3 if arguments == ["06/1"] else 1) and line in out and "passed" not in out,
                out + err,
            )
        report.must("... counted as such", "0 of 3 done, 1 right on PoCL; races not looked for, because" in out, out)
        code, out, err = answers("06/1", OCL_DEVICE="no such device", OCL_ICD_VENDORS="/nowhere")
        report.must("the student's own OCL_DEVICE does not disturb", code == 0 and "passed" in out, out + err)
        (one / "kernel.cl").write_text(
            (one / "kernel.cl").read_text().replace("sum += a[i] * b[i]", "sum += a[i] * c[i]")
        )
        code, out, err = answers("06/1")
        report.must(
            "a kernel that does not compile: the line and the reason",
            code == 1 and "line 12: " in out and "undeclared identifier 'c'" in out,
            out + err,
        )
        (one / "kernel.cl").unlink()
        code, out, err = answers("06/1")
        report.must("a kernel that is gone", code == 1 and "kernel.cl is missing" in out, out + err)
        for wish in ["99", "06/9", "nowhere/at-all", "", "common", "..", "06/1/2", "/"]:
            code, out, err = answers(wish)
            report.must(
                f"no exercise {wish!r}: exit code 2, and the list",
                code == 2
                and "no exercise" in err
                and "06-dot-product-reduction/exercises/1-missing-barrier" in err
                and out == "",
                out + err,
            )
        code, out, err = answers("--report", "/nowhere/at/all.csv")
        report.must("a report that cannot be written: exit code 2", code == 2 and "no such folder" in err, out + err)
        (root / "build/exercises/state.json").write_text("{ this is no JSON")
        code, out, err = answers("06/3")
        report.must(
            "a broken memory of earlier checks is no reason to stop", code == 1 and "not started" in out, out + err
        )
