"""A chapter built alone, in the two other ways than from the top, and run.

Works on a copy of the chapter and of common/, in a path with a space, so that nothing is found by
chance. Each program must pass from the working directory /, notice an edited kernel without being
rebuilt, name the places it looked at when the kernel is gone, and find it in the working directory in the end.
"""

import pathlib
import re
import shutil
import tempfile

import pytest

from tests import chapter_facts, running


def check_program(must, chapter, program, folder, way):
    known = chapter_facts.of(chapter)
    left_out = "clBuildProgram" in known.SEARCH_CALLS
    # The default size is the chapter's own tests' affair; but at others a search may not need each kernel file.
    command = [program, *([] if known.SEARCH_SIZE else known.TINY_SIZE)]
    code, out, err = running.run(command, cwd="/")
    must(f"{way}: passes from the working directory /", code == 0 and out.endswith("PASSED\n"), out + err)
    for kernel in sorted(folder.glob("*.cl")):
        text = kernel.read_text()
        kernel.write_text(text + "\nthis is no kernel\n")
        code, out, err = running.run(command, cwd="/")
        must(
            f"{way}: an edited {kernel.name} takes effect",
            code == (0 if left_out else 1) and "CL_BUILD_PROGRAM_FAILURE" in err,
            err,
        )
        kernel.unlink()
        code, out, err = running.run(command, cwd="/")
        places = {str(program.parent / kernel.name), str(kernel), f"/{kernel.name}"}
        named = {line.removesuffix("  (not there)").strip() for line in err.splitlines()[1:]}
        must(f"{way}: {kernel.name} is gone: each place is named", code == 1 and named == places, err)
        kernel.write_text(text)
    in_working_directory(must, command, folder, way)


def in_working_directory(must, command, folder, way):
    """Kernels that are nowhere but in the working directory, whose path is the end of the program's path."""
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name) / "here"
        beside = pathlib.Path(name) / "stage" / here.relative_to("/")
        here.mkdir()
        beside.mkdir(parents=True)
        kernels = sorted(folder.glob("*.cl"))
        for kernel in kernels:
            kernel.rename(here / kernel.name)
        code, out, err = running.run([shutil.copy(command[0], beside), *command[1:]], cwd=here)
        must(f"{way}: the kernel in the working directory", code == 0 and out.endswith("PASSED\n"), out + err)
        for kernel in kernels:
            (here / kernel.name).rename(kernel)


# macOS's headers, as far as a compiler here can tell: each call is deprecated unless that is silenced.
MACOS = {
    "OpenCL/opencl.h": """#ifndef CL_SILENCE_DEPRECATION
#define CL_API_SUFFIX_USER __attribute__((deprecated("define CL_SILENCE_DEPRECATION to silence this")))
#endif
#include <CL/cl.h>
""",
    "mach-o/dyld.h": '#include <cstdint>\nextern "C" int _NSGetExecutablePath(char *, uint32_t *);\n',
}


def other_headers(must, line, folder):
    """Nothing to warn of with another version of OpenCL asked for by -D, nor on macOS."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in MACOS.items():
            (pathlib.Path(name) / path).parent.mkdir()
            (pathlib.Path(name) / path).write_text(text)
        for options in [*(f"-DCL_TARGET_OPENCL_VERSION={v}" for v in (100, 110, 200, 300)), f"-D__APPLE__ -I{name}"]:
            command = f"{line} -fsyntax-only -Werror {options}"
            code, out, err = running.run(["sh", "-c", command], cwd=folder)
            must(
                f"one line, with {options.split('=')[-1].split(' -')[0]}: no warning", code == 0 and not out + err, err
            )


@pytest.mark.thorough
def test_build_ways(report, chapter):
    must, number = report.must, chapter[:2]
    readme = running.ROOT / chapter / "README.md"
    sources = running.sources(chapter)
    line = readme.exists() and re.search(r"^(?:g\+\+|mpicxx) .*$", readme.read_text(), re.MULTILINE)
    if not must("the README gives one compiler line", line, "no line that begins with g++ or mpicxx"):
        return
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "one chapter"
        folder = root / chapter
        shutil.copytree(sources, folder)
        shutil.copy(running.ROOT / chapter / "CMakeLists.txt", folder)
        shutil.copytree(sources.parent / "common", root / "common")

        code, out, err = running.run(["sh", "-c", line.group()], cwd=folder)
        if must(f"one line: {line.group()}", code == 0 and err == "", err):
            program = folder / re.search(r" -o (\S+)", line.group()).group(1)
            check_program(must, chapter, program, folder, "one line")
            program.unlink()
        other_headers(must, line.group(), folder)

        build = root / "build" / number
        code, out, err = running.run(["cmake", "-S", chapter, "-B", f"build/{number}"], cwd=root)
        must(f"alone: cmake -S {chapter} -B build/{number}", code == 0, out + err)
        code, out, err = running.run(["cmake", "--build", f"build/{number}"], cwd=root)
        if must(f"alone: cmake --build build/{number}", code == 0 and "warning" not in out + err, out + err):
            check_program(must, chapter, build / chapter, folder, "alone")
            code, out, err = running.run(["ctest", "--test-dir", f"build/{number}", "-R", "default"], cwd=root)
            must("alone: ctest", code == 0 and "100% tests passed" in out, out + err)
