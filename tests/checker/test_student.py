"""The student's command, tested as a student uses it, on copies of the exercises of chapter 06.

Needs the solutions.
"""

import csv
import json
import shutil
import sys

import pytest

from tests.running import ROOT, find_oclgrind, run


@pytest.mark.thorough
def test_student(tmp_path):
    root = tmp_path / "a student's opencl"  # with a blank and an apostrophe
    for part in ["common", "checker", "tools", "06-dot-product-reduction"]:
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    one = root / "06-dot-product-reduction/exercises/1-missing-barrier"

    def check(*arguments, code, said="", never="\0", cwd=root, **env):
        """Runs ./check.sh; returns all that it said."""
        usual = {"PYTHONPATH": str(root), "BUILD_DIR": str(root / "build"), "OCLGRIND": find_oclgrind()}
        command = [sys.executable, "-m", "checker.cli", *arguments]
        got, out, err = run(command, cwd=cwd, timeout=300, env={**usual, **env})
        assert got == code and said in out + err and never not in out, f"{arguments}: {got}\n{out}{err}"
        return out + err

    def files():
        return {p: p.read_bytes() for p in (root / "06-dot-product-reduction").rglob("*") if p.is_file()}

    before = files()
    assert "hint  " not in check("06/1", code=1, said="race on sums[", never="passed")
    assert "  hint  " in check("1-missing-barrier", "--hint", cwd=one.parent, code=1, said="What stands")
    assert files() == before, "something was written into the student's folders"
    go_on = "go on with: 06-dot-product-reduction/exercises/1-missing-barrier"
    assert go_on in check(code=1, said="0 of 3 done", never="passed")

    shutil.copy(one / "solution/kernel.cl", one / "kernel.cl")
    check("6/1", code=0, said="passed")
    check("--report", str(root / "results.csv"), code=1, said="1 of 3 done")
    rows = list(csv.DictReader(open(root / "results.csv", encoding="utf-8")))
    assert [row["result"] for row in rows] == ["passed", "not started", "not started"]

    # What was found now, whatever is remembered; a starter that nobody has touched is not checked.
    (root / "build/exercises/state.json").write_text('{"06/2-interleaved": {"grade": "passed"}, "06/3": 1}')
    check("--json", str(root / "results.json"), code=1)
    found = json.loads((root / "results.json").read_text())["answers"]
    verdicts = [(answer["verdict"], answer["points"], answer["of"]) for answer in found]
    assert verdicts == [("passed", 1, 1), ("not started", 0, 1), ("not started", 0, 1)]
    assert found[2]["message"] == ""

    out = check("06", code=1, said="1 of 3 done")
    assert out.count("passed") == 1 and out.count("=>        not started") == 2

    unproven = "right on PoCL; races not looked for"
    check("06/1", OCLGRIND="/nowhere", code=3, said=f"=>        {unproven}", never="passed")
    out = check("--again", OCLGRIND="/nowhere", code=1, said=f"0 of 3 done, 1 {unproven}, because", never="passed")
    assert "[?] 1-missing-barrier            right on PoCL" in out
    deaf = root.parent / "oclgrind"  # as with a loader that does not find it
    deaf.write_text('#!/bin/sh\nOCL_ICD_VENDORS=/nowhere exec "$@"\n')
    deaf.chmod(0o755)
    check(OCLGRIND=str(deaf), code=1, said="1 right on PoCL; races not looked for, because the OpenCL loader")

    check("06/1", OCL_DEVICE="no such device", OCL_ICD_VENDORS="/nowhere", code=0, said="passed")
    kernel = one / "kernel.cl"
    kernel.write_text(kernel.read_text().replace("sum += a[i] * b[i]", "sum += a[i] * c[i]"))
    assert "line 12: " in check("06/1", code=1, said="undeclared identifier 'c'")
    kernel.unlink()
    check("06/1", code=1, said="kernel.cl is missing")
    for wish in ["99", "06/9", "nowhere/at-all", "", "common", "..", "06/1/2", "/"]:
        assert "no exercise" in check(wish, code=2, said="06-dot-product-reduction/exercises/1-missing-barrier")
    check("--report", "/nowhere/at/all.csv", code=2, said="no such folder")
    (root / "build/exercises/state.json").write_text("{ this is no JSON")
    check("06/3", code=1, said="not started")
