"""Do common/clerr.h's table and docs/errors.md say the same, and are the programs there true?

Every code of the table has a heading in docs/errors.md, in the same order, with the same number and the
same line on its cause; the page has no other. The rarer codes stand in a table with the same words. Every code of the
headers on this machine is in one of them, or in a range that the page names. Each entry has a few lines of C++ that provoke the error, or
says why not. All of them are compiled into one program and run, one process each, on PoCL: each must end
with the status that it stands under.
"""

import os
import pathlib
import re

import pytest

from tests import running
from tests.texts import test_pages as pages

POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")


def compiled(text, folder):
    """A program of C++ that includes clerr.h."""
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text('#include "clerr.h"\n' + text)
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O0", "-I", pages.ROOT / "common", source, "-lOpenCL"]
    code, _, err = running.run([*command, "-o", source.with_suffix("")])
    assert code == 0, f"the programs of docs/errors.md do not compile:\n{err}"
    return source.with_suffix("")


def table(which, folder):
    """The entries of a table of clerr.h, as the compiler sees them: name -> (number, cause), in order."""
    printed = r'printf("%d\t%s\t%s\n", e.code, e.name, e.cause);'
    program = compiled(f"int main() {{ for (const clerr_entry &e : {which}) {printed} }}\n", folder)
    rows = [line.split("\t") for line in running.run([program])[1].splitlines()]
    return {name: (int(code), cause) for code, name, cause in rows}


def header_codes():
    """The codes of errors in OpenCL's headers: name -> number. (The numbers from -20 to -29 are nobody's; from -1000 on
    they are the extensions'.)"""
    folder = pathlib.Path(os.environ.get("CL_HEADERS", "/usr/include")) / "CL"
    found = {}
    for header in folder.glob("cl*.h"):
        for name, code in re.findall(r"^#define\s+(CL_\w+)\s+\(?(-\d+)\)?\s*$", header.read_text(), re.MULTILINE):
            if not re.match(r"CL_(FLT|DBL|HALF|BUILD_(NONE|ERROR|IN_PROGRESS)|PARTITION_BY)", name):
                found[name] = int(code)
    return found


def all_in_one(programs, folder):
    """One program out of all: its first argument says which lines to run; it prints the status."""
    setup = "\n".join(programs["setup"][0]) + '\nif (status != CL_SUCCESS) { puts("setup failed"); exit(2); }\n'
    functions, calls = [], []
    for name, (lines, options) in programs.items():
        if name != "setup":
            begin = "" if "alone" in options else setup
            body = "\n".join(["{", *lines, "}"] if begin else lines)
            functions.append(f"static cl_int run_{name}() {{\n{begin}{body}\nreturn status;\n}}\n")
            calls.append(f'if (strcmp(argv[1], "{name}") == 0) printf("%d\\n", run_{name}());\n')
    main = "int main(int, char **argv) {\n" + "".join(calls) + "}\n"
    return compiled("#include <cstdint>\n#include <cstring>\n" + "".join(functions) + main, folder)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_error_list(report, tmp_path):
    wrong = []
    entries, rare = table("clerr_table", tmp_path), table("clerr_rare", tmp_path)
    lines = (pages.ROOT / "docs" / "errors.md").read_text().splitlines()
    found = [h for h in pages.headings(lines) if h.startswith("CL_")]
    if found != list(entries):
        others = ", ".join(sorted(set(found) ^ set(entries)) or ["another order"])
        wrong.append(f"the headings are not the table's names, in its order: {others}")
    sections = {part.split("\n", 1)[0]: part for part in "\n".join(lines).split("\n## ")[1:]}
    programs = {}
    for block in pages.blocks_of(lines):
        if block.kind == "provokes":
            name, *options = [part.strip() for part in block.text.split(";")]
            if name in programs:
                wrong.append(f"{name}: two programs")
            programs[name] = (block.content, options)
    for name, (code, cause) in entries.items():
        section = sections.get(name, "")
        if f"\n`{code}`: {cause}\n" not in section:
            wrong.append(f'{name}: the line "`{code}`: {cause}" of common/clerr.h is not there')
        if (name in programs) == ("\nNot provoked here: " in section):
            wrong.append(f'{name}: needs either a program or a line "Not provoked here: …"')
        if name in programs and f"<!-- provokes: {name}" not in section:
            wrong.append(f"{name}: its program stands under another heading")
    page = "\n".join(lines)
    for name, (code, cause) in rare.items():
        if f"\n| `{code}` | `{name}` | {cause} |\n".replace("`NVIDIA's own code`", "NVIDIA's own code") not in page:
            wrong.append(f"{name}: the row of common/clerr.h is not there")
    ranges = [
        range(int(b or a), int(a) + 1) for a, b in re.findall(r"^\| `(-\d+)`(?: to `(-\d+)`)? \|", page, re.MULTILINE)
    ]
    codes = header_codes()
    for name, code in codes.items():
        known = {**entries, **rare}.get(name, (None,))[0] == code
        if not known and not (code <= -1000 and any(code in numbers for numbers in ranges)):
            wrong.append(f"{name} ({code}) of the headers is in no table")
    program, ran = all_in_one(programs, tmp_path), 0
    for name, (_, options) in programs.items():
        if name == "setup" or name not in entries:
            continue
        env = {"OCL_ICD_VENDORS": str(POCL)} if POCL.exists() else {}  # PoCL alone
        env |= dict(option[4:].split("=", 1) for option in options if option.startswith("env "))
        code, out, err = running.run([program, name], env=env)
        ran += 1
        if code != 0 or out.strip() != str(entries[name][0]):
            got = f"{out.strip() or 'nothing'} (exit code {code})"
            wrong.append(f"{name}: its program gives {got}, where {entries[name][0]} was expected\n{err[-500:]}")
    report.failed("docs/errors.md", wrong)
    report.count("codes in the table", len(entries))
    report.count("programs run", ran)
