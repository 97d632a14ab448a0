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
    line = re.search(r"^(?:g\+\+|mpicxx) .* -o (\S+).*$", readme, re.MULTILINE)
    if line is None:
        return report.failed(chapter, ["the README has no line to build it, g++ … host.cpp -lOpenCL -o name"])
    folder = tmp_path / "one chapter" / chapter
    shutil.copytree(sources, folder)
    shutil.copytree(sources.parent / "common", folder.parent / "common")
    for path, text in MACOS.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text)
    check = "-fsyntax-only -Werror"
    for options in ["", f"{check} -DCL_TARGET_OPENCL_VERSION=300", f"{check} -D__APPLE__ -I{tmp_path}"]:
        code, out, err = running.run(["sh", "-c", f"{line[0]} {options}"], cwd=folder)
        must(f"the README's line with {options}: nothing to warn of", code == 0 and not out + err, err)
    # The default size is the chapter's own tests' affair; but at others a search may not need each kernel file.
    command = [folder / line[1], *([] if known.SEARCH_SIZE else known.TINY_SIZE)]
    report.ends("from the working directory /", running.run(command, cwd="/"), 0)
    for kernel in sorted(folder.glob("*.cl")):
        text = kernel.read_text()
        if "asm volatile(" in text:
            continue  # built on no device here
        kernel.write_text(text + "\nthis is no kernel\n")
        code = int("clBuildProgram" not in known.SEARCH_CALLS)
        report.ends(f"an edited {kernel.name}", running.run(command, cwd="/"), code, "CL_BUILD_PROGRAM_FAILURE")
        kernel.unlink()
        places = [f"  {kernel}  (not there)\n", f"  /{kernel.name}  (not there)\n"]
        report.ends(f"{kernel.name} is gone: each place is named", running.run(command, cwd="/"), 1, *places)
        kernel.write_text(text)
