"""Do common/clerr.h's table and docs/errors.md say the same, and are the programs there true?

Every code of the table has a heading in docs/errors.md, in the same order, with the same number and the same line on its
cause. The rarer codes stand in a table with the same words. Each entry has a few lines of C++ that provoke the error, or says
why not: all of them are compiled into one program and run, one process each, on PoCL, where each must end with the status
that it stands under.
"""

import os
import pathlib

import pytest

from tests import running
from tests.texts import test_pages as pages

POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
PRINT = r'for (const clerr_entry &e : {}) printf("%d\t%s\t%s\n", e.code, e.name, e.cause);'


def compiled(text, folder):
    """A program of C++ that includes clerr.h."""
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text(f'#include "clerr.h"\n#include <cstdint>\n#include <cstring>\n{text}')
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O0", "-I", pages.ROOT / "common", source, "-lOpenCL"]
    code, _, err = running.run([*command, "-o", source.with_suffix("")])
    assert code == 0, f"the programs of docs/errors.md do not compile:\n{err}"
    return source.with_suffix("")


def all_in_one(programs, setup):
    """One program out of all: its first argument says which lines to run; it prints the status."""
    setup = "\n".join([*setup, 'if (status != CL_SUCCESS) { puts("setup failed"); exit(2); }'])
    functions = ""
    for name, (lines, options) in programs.items():
        body = "\n".join(lines if "alone" in options else [setup, "{", *lines, "}"])
        functions += f"static cl_int run_{name}() {{\n{body}\nreturn status;\n}}\n"
    calls = "".join(f'if (strcmp(argv[1], "{name}") == 0) printf("%d\\n", run_{name}());\n' for name in programs)
    return f"{functions}int main(int, char **argv) {{\n{calls}}}\n"


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_error_list(report, tmp_path):
    both = f'{PRINT.format("clerr_table")} puts(""); {PRINT.format("clerr_rare")}'
    printer = compiled(f"int main() {{ {both} }}", tmp_path)
    entries, rare = (
        {name: (code, cause) for code, name, cause in (line.split("\t") for line in table.strip().splitlines())}
        for table in running.run([printer])[1].split("\n\n")
    )
    page = (pages.ROOT / "docs" / "errors.md").read_text()
    found = [heading for heading in pages.headings(page) if heading.startswith("CL_")]
    report.must("the headings are the table's names, in its order", found == list(entries), set(found) ^ set(entries))
    blocks = [(block.text.split("; "), block) for block in pages.blocks_of(page) if block.kind == "provokes"]
    programs = {name: (block.content, options) for (name, *options), block in blocks}
    setup, _ = programs.pop("setup")
    sections = {part.split("\n", 1)[0]: part for part in page.split("\n## ")[1:]}
    for name, (code, cause) in entries.items():
        section = sections.get(name, "")
        report.must(f"{name} has the cause of common/clerr.h", f"\n`{code}`: {cause}\n" in section, cause)
        provoked = [f"<!-- provokes: {name}" in section, name in programs, "\nNot provoked here: " not in section]
        report.must(f'{name} has either a program or a line "Not provoked here: …"', len(set(provoked)) == 1)
    for name, (code, cause) in rare.items():
        row = f"\n| `{code}` | `{name}` | {cause} |\n".replace("`NVIDIA's own code`", "NVIDIA's own code")
        report.must(f"{name} has the row of common/clerr.h", row in page, row)
    program = compiled(all_in_one(programs, setup), tmp_path)
    for name, (_, options) in programs.items():
        env = {"OCL_ICD_VENDORS": str(POCL)} if POCL.exists() else {}  # PoCL alone
        env |= dict(option[4:].split("=", 1) for option in options if option.startswith("env "))
        code, out, err = running.run([program, name], env=env)
        right = code == 0 and out.strip() == entries.get(name, ("no entry",))[0]
        report.must(f"the program of {name} ends with it", right, f"{out}(exit code {code})\n{err[-500:]}")
