"""A chapter built alone, in the two other ways than from the top, and run.

    python3 tests/build-ways/build_ways.py 06-dot-product-reduction

Works on a copy of the chapter and of common/, in a path with a space, so that nothing is found by
chance. Each program must pass from the working directory /, notice an edited kernel without being
rebuilt, and name the places it looked at when the kernel is gone.
"""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402


def must(condition, what, detail=""):
    if not condition:
        raise SystemExit(f"FAILED  {what}\n{detail}")
    print(f"ok      {what}")


def check_program(program, folder, way):
    code, out, err = chapters.run([program], cwd="/")
    must(code == 0 and out.endswith("PASSED\n"), f"{way}: passes from the working directory /", out + err)
    kernel = folder / "kernel.cl"
    if not kernel.exists():
        return
    text = kernel.read_text()
    kernel.write_text(text + "\nthis is no kernel\n")
    code, out, err = chapters.run([program], cwd="/")
    must(code == 1 and "CL_BUILD_PROGRAM_FAILURE" in err, f"{way}: an edited kernel takes effect", err)
    kernel.unlink()
    code, out, err = chapters.run([program], cwd="/")
    places = {str(program.parent / "kernel.cl"), str(kernel), "/kernel.cl"}
    named = {line.removesuffix("  (not there)").strip() for line in err.splitlines()[1:]}
    must(code == 1 and named == places, f"{way}: a kernel that is gone: each place is named", err)
    kernel.write_text(text)


def main():
    chapter = sys.argv[1]
    readme = chapters.ROOT / chapter / "README.md"
    line = readme.exists() and re.search(r"^g\+\+ .*$", readme.read_text(), re.MULTILINE)
    must(line, "the README gives one compiler line", "no line that begins with g++")
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "one chapter"
        folder = root / chapter
        shutil.copytree(chapters.ROOT / chapter, folder)
        shutil.copytree(chapters.ROOT / "common", root / "common")
        (root / "tests").mkdir()
        shutil.copy(chapters.ROOT / "tests" / "run_chapter.cmake", root / "tests")

        code, out, err = chapters.run(["sh", "-c", line.group()], cwd=folder)
        must(code == 0 and err == "", f"one line: {line.group()}", err)
        program = folder / re.search(r" -o (\S+)", line.group()).group(1)
        check_program(program, folder, "one line")
        program.unlink()

        build = root / "build" / chapter[:2]
        code, out, err = chapters.run(["cmake", "-S", chapter, "-B", f"build/{chapter[:2]}"], cwd=root)
        must(code == 0, f"alone: cmake -S {chapter} -B build/{chapter[:2]}", out + err)
        code, out, err = chapters.run(["cmake", "--build", f"build/{chapter[:2]}"], cwd=root)
        must(code == 0 and "warning" not in out + err, f"alone: cmake --build build/{chapter[:2]}", out + err)
        check_program(build / chapter, folder, "alone")
        code, out, err = chapters.run(["ctest", "--test-dir", f"build/{chapter[:2]}", "-R", "default"], cwd=root)
        must(code == 0 and "100% tests passed" in out, "alone: ctest", out + err)


main()
