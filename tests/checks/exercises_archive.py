"""What students get: git archive, without solutions, and it still works.

Nothing of solution/ and wrong.txt is in it; with `full`, it configures and builds, and a starter can be
checked. Takes what is committed; skipped where this is no git checkout.
"""

import pathlib
import sys
import tarfile
import tempfile

import harness
from harness import ROOT


def run(command, cwd):
    code, out, err = harness.run(
        command, cwd=cwd, timeout=600, env={"BUILD_DIR": None, "OCLGRIND": harness.find_oclgrind()}
    )
    return code, out + err


def check(report, full):
    if not (ROOT / ".git").exists():
        raise harness.Skip("this is no git checkout")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "class"
        archive = pathlib.Path(name) / "class.tar"
        code, out = run(["git", "archive", "--format=tar", "--prefix=class/", "-o", archive, "HEAD"], ROOT)
        report.must("git archive", code == 0, out)
        with tarfile.open(archive) as tar:
            names = tar.getnames()
            tar.extractall(name)
        _, tracked = run(["git", "ls-tree", "-r", "--name-only", "HEAD"], ROOT)
        tracked = tracked.splitlines()
        hidden = [n for n in tracked if "/exercises/" in n and ("/solution/" in n or n.endswith("/wrong.txt"))]
        starters = [n for n in tracked if "/exercises/" in n and n not in hidden]
        report.must(f"{len(hidden)} files of solutions and wrong answers are in the repository", len(hidden) > 0)
        leaked = [n for n in names if "solution" in n.split("/") or n.endswith("/wrong.txt")]
        report.must("none of them is in the archive", not leaked, "\n".join(leaked))
        missing = [n for n in starters if f"class/{n}" not in names]
        report.must(f"all {len(starters)} files of the starters are", not missing, "\n".join(missing))
        texts = {(folder / n).read_bytes() for n in starters if n.endswith((".cl", ".cpp"))}
        same = [
            n
            for n in hidden
            if "/solution/" in n
            and (ROOT / n).read_bytes() in texts
            and (ROOT / n.replace("/solution/", "/")).read_bytes() != (ROOT / n).read_bytes()
        ]
        report.must("no starter is another exercise's solution", not same, "\n".join(same))
        if not full:
            return
        code, out = run(["cmake", "-S", folder, "-B", folder / "build"], folder)
        report.must(
            "it configures, and says that it is a copy for students",
            code == 0 and "without their solutions" in out,
            out,
        )
        code, out = run(["cmake", "--build", folder / "build", "-j", "2"], folder)
        report.must("it builds", code == 0, out)
        code, out = run([sys.executable, folder / "tests/answers.py", "06/1"], folder)
        report.must(
            "a starter is checked, and refused",
            code == 1 and "which barrier is missing?" in " ".join(out.split()) and "passed" not in out,
            out,
        )
