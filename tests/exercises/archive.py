"""What students get: git archive, without solutions, and it still works.

    python3 tests/exercises/archive.py list     nothing of solution/ and wrong.txt is in it
    python3 tests/exercises/archive.py build    and it configures and builds, and a starter can be checked

Takes what is committed. Exit code 77: this is no git checkout, so there is nothing to look at.
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k != "BUILD_DIR"})
    return done.returncode, done.stdout + done.stderr


def must(condition, what, detail=""):
    if not condition:
        raise SystemExit(f"FAILED  {what}\n{detail}")
    print(f"ok      {what}")


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("list", "build"):
        print(__doc__, file=sys.stderr)
        return 2
    if not (ROOT / ".git").exists():
        print("not a git checkout: SKIPPED, not passed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "class"
        archive = pathlib.Path(name) / "class.tar"
        code, out = run(["git", "archive", "--format=tar", "--prefix=class/", "-o", archive, "HEAD"], ROOT)
        must(code == 0, "git archive", out)
        with tarfile.open(archive) as tar:
            names = tar.getnames()
            tar.extractall(name)
        _, tracked = run(["git", "ls-tree", "-r", "--name-only", "HEAD"], ROOT)
        tracked = tracked.splitlines()
        hidden = [n for n in tracked if "/exercises/" in n and ("/solution/" in n or n.endswith("/wrong.txt"))]
        starters = [n for n in tracked if "/exercises/" in n and n not in hidden]
        must(len(hidden) > 0, f"{len(hidden)} files of solutions and wrong answers are in the repository")
        leaked = [n for n in names if "solution" in n.split("/") or n.endswith("/wrong.txt")]
        must(not leaked, "none of them is in the archive", "\n".join(leaked))
        missing = [n for n in starters if f"class/{n}" not in names]
        must(not missing, f"all {len(starters)} files of the starters are", "\n".join(missing))
        texts = {(folder / n).read_bytes() for n in starters if n.endswith((".cl", ".cpp"))}
        same = [n for n in hidden if "/solution/" in n and (ROOT / n).read_bytes() in texts
                and (ROOT / n.replace("/solution/", "/")).read_bytes() != (ROOT / n).read_bytes()]
        must(not same, "no starter is another exercise's solution", "\n".join(same))
        if sys.argv[1] == "list":
            return 0
        code, out = run(["cmake", "-S", folder, "-B", folder / "build"], folder)
        must(code == 0 and "without their solutions" in out, "it configures, and says that it is a copy for students", out)
        code, out = run(["cmake", "--build", folder / "build", "-j", "2"], folder)
        must(code == 0, "it builds", out)
        code, out = run([sys.executable, folder / "tests/exercises/check.py", "06/1"], folder)
        must(code == 1 and "which barrier is missing?" in " ".join(out.split()) and "passed" not in out,
             "a starter is checked, and refused", out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
