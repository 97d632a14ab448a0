"""A chapter built alone, by the one line that its lesson gives, and run.

Works on a copy of the chapter and of common/, in a path with a space, so that nothing is found by chance. The program must
pass from the working directory /, notice an edited kernel without being rebuilt, and name the places it looked at when
the kernel is gone.
"""

import re
import shutil

import pytest

from tests import chapter_facts, running

# macOS's headers, as far as a compiler here can tell: each call is deprecated unless that is silenced.
MACOS = {
    "OpenCL/opencl.h": """#ifndef CL_SILENCE_DEPRECATION
#define CL_API_SUFFIX_USER __attribute__((deprecated("define CL_SILENCE_DEPRECATION to silence this")))
#endif
#include <CL/cl.h>
""",
    "mach-o/dyld.h": '#include <cstdint>\nextern "C" int _NSGetExecutablePath(char *, uint32_t *);\n',
}


@pytest.mark.thorough
def test_build_ways(report, chapter, tmp_path):
    must, known, sources = report.must, chapter_facts.of(chapter), running.sources(chapter)
    readme = (running.ROOT / chapter / "README.md").read_text()
    line = re.search(r"^(?:g\+\+|mpicxx) .*$", readme, re.MULTILINE)
    if not must("the README gives one compiler line", line, "no line that begins with g++ or mpicxx"):
        return
    folder = tmp_path / "one chapter" / chapter
    shutil.copytree(sources, folder)
    shutil.copytree(sources.parent / "common", folder.parent / "common")
    code, out, err = running.run(["sh", "-c", line.group()], cwd=folder)
    if not must(f"one line: {line.group()}", code == 0 and err == "", err):
        return
    for path, text in MACOS.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text)
    for options in ("-DCL_TARGET_OPENCL_VERSION=100", "-DCL_TARGET_OPENCL_VERSION=300", f"-D__APPLE__ -I{tmp_path}"):
        code, out, err = running.run(["sh", "-c", f"{line.group()} -fsyntax-only -Werror {options}"], cwd=folder)
        must(f"nothing to warn of with {options[:30]}", code == 0 and not out + err, err)
    # The default size is the chapter's own tests' affair; but at others a search may not need each kernel file.
    command = [folder / re.search(r" -o (\S+)", line.group())[1], *([] if known.SEARCH_SIZE else known.TINY_SIZE)]
    code, out, err = running.run(command, cwd="/")
    must("passes from the working directory /", code == 0 and out.endswith("PASSED\n"), out + err)
    for kernel in sorted(folder.glob("*.cl")):
        if "asm volatile(" in kernel.read_text():
            continue  # built on no device here
        text = kernel.read_text()
        kernel.write_text(text + "\nthis is no kernel\n")
        code, out, err = running.run(command, cwd="/")
        good = code == (0 if "clBuildProgram" in known.SEARCH_CALLS else 1) and "CL_BUILD_PROGRAM_FAILURE" in err
        must(f"an edited {kernel.name} takes effect", good, err)
        kernel.unlink()
        code, out, err = running.run(command, cwd="/")
        named = {line.removesuffix("  (not there)").strip() for line in err.splitlines()[1:]}
        must(
            f"{kernel.name} is gone: each place is named", code == 1 and named == {str(kernel), f"/{kernel.name}"}, err
        )
        kernel.write_text(text)
