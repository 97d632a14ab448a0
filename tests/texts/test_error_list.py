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
import subprocess
import tempfile

import pytest

from tests import running
from tests.texts import test_pages as pages

POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")


def table(which):
    """The entries of a table of clerr.h, as the compiler sees them: name -> (number, cause), in order."""
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name) / "table.cpp"
        source.write_text(
            f'#include "clerr.h"\nint main() {{ for (const clerr_entry &e : {which}) '
            'printf("%d\\t%s\\t%s\\n", e.code, e.name, e.cause); }\n'
        )
        subprocess.run(
            [
                os.environ.get("CXX", "c++"),
                "-std=c++17",
                "-I",
                pages.ROOT / "common",
                source,
                "-lOpenCL",
                "-o",
                source.with_suffix(""),
            ],
            check=True,
        )
        out = subprocess.run([source.with_suffix("")], capture_output=True, text=True, check=True).stdout
    return {name: (int(code), cause) for code, name, cause in (line.split("\t") for line in out.splitlines())}


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


def compile_programs(programs, folder):
    """One program out of all: its first argument says which lines to run; it prints the status."""
    setup = programs["setup"]
    parts = ['#include "clerr.h"\n#include <cstdint>\n#include <cstring>\n']
    names = [name for name in programs if name != "setup"]
    for i, name in enumerate(names):
        lines, options = programs[name]
        before = (
            ""
            if "alone" in options
            else "\n".join(setup[0]) + '\nif (status != CL_SUCCESS) { puts("setup failed"); exit(2); }\n'
        )
        parts.append(
            f"static cl_int run{i}() {{\n{before}"
            + ("{\n" + "\n".join(lines) + "\n}" if before else "\n".join(lines))
            + "\nreturn status;\n}\n"
        )
    parts.append(
        "int main(int, char **argv) {\n"
        + "".join(f'if (strcmp(argv[1], "{name}") == 0) printf("%d\\n", run{i}());\n' for i, name in enumerate(names))
        + "}\n"
    )
    source = folder / "provoke.cpp"
    source.write_text("".join(parts))
    done = subprocess.run(
        [
            os.environ.get("CXX", "c++"),
            "-std=c++17",
            "-O0",
            "-I",
            pages.ROOT / "common",
            source,
            "-lOpenCL",
            "-o",
            folder / "provoke",
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit("FAILED  the programs of docs/errors.md do not compile:\n" + done.stderr)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_error_list(report):
    wrong = []
    entries, rare = table("clerr_table"), table("clerr_rare")
    lines = (pages.ROOT / "docs" / "errors.md").read_text().splitlines()
    found = [h for h in pages.headings(lines) if h.startswith("CL_")]
    if found != list(entries):
        wrong.append(
            "the headings are not the table's names, in its order: "
            + ", ".join(sorted(set(found) ^ set(entries)) or ["another order"])
        )
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
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        compile_programs(programs, folder)
        for name, (_, options) in programs.items():
            if name == "setup" or name not in entries:
                continue
            env = {"OCL_ICD_VENDORS": str(POCL)} if POCL.exists() else {}  # PoCL alone
            env |= dict(option[4:].split("=", 1) for option in options if option.startswith("env "))
            code, out, err = running.run([folder / "provoke", name], env=env)
            ran += 1
            if code != 0 or out.strip() != str(entries[name][0]):
                wrong.append(
                    f"{name}: its program gives {out.strip() or 'nothing'} (exit code {code}), "
                    f"where {entries[name][0]} was expected\n{err[-500:]}"
                )
    report.failed("docs/errors.md", wrong)
    for what, number in [
        ("codes in the table", len(entries)),
        ("headings", len(found)),
        ("codes of the headers", len(codes)),
        ("programs run", ran),
    ]:
        report.count(what, number)
