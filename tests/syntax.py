"""Kernel files as Clang's syntax tree, as their programs build them. Each node is a dictionary of Clang's own
(-ast-dump=json)."""

import json
import pathlib
import re
import shutil
import tempfile

from tests import running


def kernel_files(chapter):
    """The kernel files that a chapter's program takes: those beside it, where a mutant's lie, else the chapter's."""
    return [*running.program(chapter).parent.glob("*.cl")] or [*(running.ROOT / chapter).glob("*.cl")]


def changed_copy(chapter, folder, texts):
    """Puts a copy of a chapter's program and its kernel files into a folder, some of these with another text,
    {path: text}; returns the program."""
    folder.mkdir(exist_ok=True)
    for path in kernel_files(chapter):
        (folder / path.name).write_text(texts.get(path, path.read_text()))
    return pathlib.Path(shutil.copy(running.program(chapter), folder))


def forced_copy(chapter, folder, change):
    """A copy whose kernel files have lines at their beginning and at that of each kernel; none without a change."""
    top, inside = change or ("", "")
    texts = {path: path.read_text() for path in kernel_files(chapter)}
    ways = {path: top + re.sub(r"(__kernel\b[^{;]*\{)", lambda match: match[1] + inside, texts[path]) for path in texts}
    return changed_copy(chapter, folder, ways)


def builds_of(known, cache):
    """What a chapter's program builds: (source, options), each with every switch, a -D of 0 or 1 and nothing else, both
    ways; shapes, which are other numbers, once."""
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [running.program(known.chapter), *known.INPUT_SIZES[0]]
        *_, account = running.under_layer(command, cache=cache, sources=folder)
        made = [call.made[0] for call in account.log if call.name == "CreateProgramWithSource"]
        for build in (call for call in account.log if call.name == "BuildProgram"):
            source = pathlib.Path(folder) / str(made.index(build.arguments[0]) + 1)
            options = build.arguments[3].strip('"') if build.arguments[3] != "null" else ""
            seen[source.read_text(encoding="utf-8"), options] = None
    numbers = {name for _, options in seen for name in re.findall(r"(\w+)=(?![01]\b)", options)}
    switch = rf"\b(?!(?:{'|'.join(numbers) or '='})=)(\w+)=[01]\b"
    builds = {}
    for source, options in seen:
        for one in {options, re.sub(switch, r"\1=1", options), re.sub(switch, r"\1=0", options)}:
            shapeless = re.sub(r"=(?![01]\b)\w+", "", one)
            builds.setdefault((source, shapeless), one)
    return [(source, options) for (source, _), options in builds.items()]


def trees(path, *options):
    """What Clang makes of a file: several trees where it is to show only a part of it."""
    tool = running.need_tool("clang", "clang")
    code, out, err = running.run([tool, *options, "-fsyntax-only", "-Xclang", "-ast-dump=json", path])
    if code:
        raise SystemExit(f"FAILED  clang does not compile {path} with {options}:\n{err}")
    found, place = [], 0
    while place < len(out):  # with a filter there are several
        tree, place = json.JSONDecoder().raw_decode(out, place)
        place += len(out[place:]) - len(out[place:].lstrip())
        found.append(tree)
    return found


def body_of(function):
    """None of one that is only declared."""
    return next((part for part in function.get("inner", []) if part["kind"] == "CompoundStmt"), None)


def bodies(source, options):
    """The bodies of all functions in a kernel file, built with these options."""
    standard = [] if "-cl-std" in options else ["-cl-std=CL1.2"]
    options = options.replace("CL3.0", "CL2.0")  # of which Clang 14 knows all that there is
    target = ["-target", "spir64"]
    if "asm(" in source:  # which needs a device that has the registers, and in Clang another word
        target, options = ["-target", "nvptx64-nvidia-nvcl", "-D", "asm=__asm__"], options.partition(" -cl-nv-")[0]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.cl"
        path.write_text(source)
        [tree] = trees(path, "-x", "cl", *target, *standard, *options.split())
    return [body for node in tree["inner"] if node["kind"] == "FunctionDecl" and (body := body_of(node))]


def body_of_main(path):
    """The body of a host's main, without all that the host includes."""
    mpi = running.compiler(path.parent.name) == "mpicxx"
    options = running.run(["mpicxx", "--showme:compile"])[1].split() if mpi else []
    found = trees(path, "-std=c++17", *options, "-Xclang", "-ast-dump-filter=main")
    return next(body_of(tree) for tree in found if tree.get("name") == "main" and body_of(tree))


def nodes(node):
    yield node
    for child in node.get("inner", []):
        yield from nodes(child)


def named(node):
    """What the expression names: the declarations of variables and functions."""
    return [each["referencedDecl"] for each in nodes(node) if each.get("kind") == "DeclRefExpr"]


def is_constant(node):
    """Nothing but literals and what is computed from them."""
    return not any(each.get("kind") in ("DeclRefExpr", "CallExpr", "MemberExpr") for each in nodes(node))


def text_of(node, source):
    """The code of a node, without needless blanks. Where a macro was put in: that of the place where it stands."""
    begin, end = (node["range"][side].get("expansionLoc", node["range"][side]) for side in ("begin", "end"))
    return " ".join(source.encode()[begin["offset"] : end["offset"] + end["tokLen"]].decode().split())
