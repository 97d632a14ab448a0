"""Mutants made by rule from Clang's syntax tree: what nobody had to think of.

    python3 -m tests.mutants.generator 06           lists all that can be made of a chapter, with their names

Each is one small change of a kernel file, a host or a header of the chapter:

- an operator exchanged (+ and -, * and /, < and <=, == and !=, && and ||, ++ and --, += and =, ...)
- a number one more, one less
- a statement left out: a call, an assignment, a return
- two neighbouring arguments of the same type exchanged
- a type narrowed: 64 bits to 32, double to float
- one of several flags left out; a constant of OpenCL exchanged for its neighbour
- a variable in place of another one of the same type

Their names stay the same while the statement and its function do.
"""

import hashlib
import itertools
import re
import sys
import tempfile

from tests import chapter_facts, running, syntax

EXCHANGED = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "&&": "||", "||": "&&",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "++": "--", "--": "++",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "=": "+=",
}  # fmt: skip
CONSTANTS = {
    "CL_TRUE": "CL_FALSE", "CL_FALSE": "CL_TRUE", "true": "false", "false": "true",
    "CL_MEM_READ_ONLY": "CL_MEM_WRITE_ONLY", "CL_MEM_WRITE_ONLY": "CL_MEM_READ_ONLY",
    "CL_MEM_READ_WRITE": "CL_MEM_READ_ONLY", "CL_MAP_READ": "CL_MAP_WRITE", "CL_MAP_WRITE": "CL_MAP_READ",
    "CL_PROFILING_COMMAND_START": "CL_PROFILING_COMMAND_SUBMIT", "CL_PROFILING_COMMAND_END": "CL_PROFILING_COMMAND_START",
    "CL_QUEUE_PROFILING_ENABLE": "0", "EXIT_FAILURE": "EXIT_SUCCESS", "EXIT_SUCCESS": "EXIT_FAILURE",
    "CLK_LOCAL_MEM_FENCE": "CLK_GLOBAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE": "CLK_LOCAL_MEM_FENCE", "NAN": "0", "INFINITY": "0",
    "CL_SUCCESS": "1",
}  # fmt: skip
NARROWER = {"size_t": "unsigned", "ulong": "uint", "cl_ulong": "cl_uint", "long": "int", "double": "float"}
NARROWER["float"] = "int"
DELETED = {"CallExpr", "BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "ReturnStmt", "ContinueStmt",
           "BreakStmt", "ExprWithCleanups", "CXXMemberCallExpr", "CXXOperatorCallExpr"}  # fmt: skip
FUNCTION = re.compile(r"^(?!(?:struct|using|typedef)\b)\w[\w:<>*&\[\] ]*?\b(\w+)\(", re.MULTILINE)


class Mutant:
    """A change of one file: `begin` to `end` (bytes) becomes `new`. Its name is made of what stands around it."""

    def __init__(self, file, function, source, statement, begin, end, new):
        self.file, self.begin, self.end, self.new = file, begin, end, new
        first, last = statement
        pieces = source[first:begin], source[begin:end], source[end:last]
        before, old, after = (" ".join(piece.decode().split()) for piece in pieces)
        self.text = f"{file} {function}: {before}[[{old} -> {new or 'nothing'}]]{after}"
        self.name = hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def made(self, raw):
        """The file with the change, its lines where they were, since programs print their numbers."""
        lines = raw[self.begin : self.end].count(b"\n") - self.new.count("\n")
        return (raw[: self.begin] + self.new.encode() + b"\n" * lines + raw[self.end :]).decode()


def type_of(node):
    return re.sub(r"\b(const|__private)\b", "", node.get("type", {}).get("qualType", "")).strip()


def places(node):
    """Where a node begins and ends; None inside a macro, or where Clang does not say."""
    sides = [node.get("range", {}).get(side, {}) for side in ("begin", "end")]
    if any("offset" not in side.get("expansionLoc", side) or "includedFrom" in side for side in sides):
        return None
    return syntax.place_of(node)


def operator_between(raw, left, right, opcode):
    """Where the operator stands between two operands, as (begin, end); None where something else does."""
    if not left or not right or left[1] > right[0]:
        return None
    between = re.sub(rb"(?s)//[^\n]*|/\*.*?\*/", lambda match: b" " * len(match[0]), raw[left[1] : right[0]])
    between = between.translate(bytes.maketrans(b"()", b"  "))
    if between.decode().strip() != opcode:
        return None
    begin = left[1] + between.index(opcode.encode())
    return begin, begin + len(opcode)


def changes_at(node, raw, variables):
    """What can be changed at a node itself: (begin, end, new)."""
    kind, inner, place = node.get("kind"), node.get("inner", []), places(node)
    if place is None:
        return
    text = raw[place[0] : place[1]].decode()
    if kind in ("BinaryOperator", "CompoundAssignOperator"):
        opcode = node["opcode"]
        at = operator_between(raw, places(inner[0]), places(inner[1]), opcode)
        if at and opcode in EXCHANGED:
            yield *at, EXCHANGED[opcode]
        if at and opcode == "|":  # flags
            yield place[0], places(inner[1])[0], ""
            yield places(inner[0])[1], place[1], ""
    elif kind == "UnaryOperator" and node["opcode"] in ("++", "--"):
        begin = place[1] - 2 if node.get("isPostfix") else place[0]
        yield begin, begin + 2, EXCHANGED[node["opcode"]]
    elif kind == "UnaryOperator" and node["opcode"] == "!":
        yield place[0], place[0] + 1, ""
    elif text in CONSTANTS:
        yield *place, CONSTANTS[text]
    elif kind == "IntegerLiteral" and re.fullmatch(r"\d+", text):
        yield *place, str(int(text) + 1)
        if int(text):
            yield *place, str(int(text) - 1)
    elif kind == "FloatingLiteral" and re.fullmatch(r"[\d.]+f?", text):
        yield *place, f"({text} + 1)"
    elif kind == "DeclRefExpr" and text in variables and variables[text][1] is not None:
        yield *place, variables[text][1]
    elif kind in ("CallExpr", "CXXMemberCallExpr"):
        for one, other in zip(inner[1:], inner[2:]):
            first, second = places(one), places(other)
            if first and second and first[1] <= second[0] and type_of(one) == type_of(other):
                pieces = [raw[first[0] : first[1]], raw[first[1] : second[0]], raw[second[0] : second[1]]]
                if pieces[0] != pieces[2]:
                    yield first[0], second[1], b"".join(pieces[::-1]).decode()
    elif kind == "VarDecl":
        declared = re.match(rf"(?:const )?(\w+) (?=\*?{re.escape(node.get('name', ' '))}\b)", text)
        if declared and declared[1] in NARROWER and type_of(node) == declared[1]:
            yield place[0] + declared.start(1), place[0] + declared.end(1), NARROWER[declared[1]]


def end_of_statement(raw, end):
    rest = re.match(rb"\s*;", raw[end:])
    return end + rest.end() if rest else end


def changes_in(function, raw):
    """Everything in a function: (the statement's place, begin, end, new), each once."""
    declared = {}  # variable: its type, and the one of that type that was declared before it
    for node in syntax.nodes(function):
        if node.get("kind") in ("VarDecl", "ParmVarDecl") and "name" in node and places(node):
            same = [name for name, (kind, _) in declared.items() if kind == type_of(node)]
            declared.setdefault(node["name"], (type_of(node), same[-1] if same else None))

    def walk(node, statement):
        place = places(node) if node.get("kind") else None
        for begin, end, new in changes_at(node, raw, declared):
            yield statement, begin, end, new
        block = node.get("kind") in ("CompoundStmt", "IfStmt", "ForStmt", "WhileStmt", "CXXForRangeStmt")
        for child in node.get("inner", []):
            within = places(child) if block and child.get("kind") else None
            if within and node["kind"] == "CompoundStmt":
                within = within[0], end_of_statement(raw, within[1])
                if child["kind"] in DELETED:
                    yield within, *within, ";"
            yield from walk(child, within or statement or place)

    body = syntax.body_of(function)
    if body:
        yield from walk(body, None)


def functions_of(path):
    """The functions of a C++ file, through Clang: {name: tree}."""
    found = {}
    for name in dict.fromkeys(FUNCTION.findall(path.read_text())):
        for tree in syntax.trees(path, "-x", "c++", *syntax.host_options(path), "-Xclang", f"-ast-dump-filter={name}"):
            if tree["kind"] == "FunctionDecl" and tree["name"] == name and "includedFrom" not in tree["loc"]:
                found[name] = tree
    return found


def mutants_of(chapter):
    """All of a chapter, in the order of the sample: of each file the first, of each the second, ..."""
    folder = running.ROOT / chapter
    files = [(path, functions_of(path)) for path in sorted([*folder.glob("*.cpp"), *folder.glob("*.h")])]
    if running.has_kernel(chapter):
        with tempfile.TemporaryDirectory() as cache:
            for source, options in syntax.builds_of(chapter_facts.of(chapter), cache):
                path = next(path for path in folder.glob("*.cl") if path.read_text() == source)
                files.append((path, {tree["name"]: tree for tree in syntax.kernel_trees(source, options)}))
    found = {}
    for path, functions in files:
        raw = path.read_bytes()
        for function, tree in functions.items():
            for change in changes_in(tree, raw):
                mutant = Mutant(path.name, function, raw, *change)
                found.setdefault((path.name, *change[1:]), mutant)
    by_file, names = {}, set()
    for mutant in sorted(found.values(), key=lambda one: hashlib.sha256(f"{chapter} {one.name}".encode()).hexdigest()):
        if mutant.name not in names:  # else the same words once more
            by_file.setdefault(mutant.file, []).append(mutant)
            names.add(mutant.name)
    return [mutant for row in itertools.zip_longest(*by_file.values()) for mutant in row if mutant]


if __name__ == "__main__":
    for given in sys.argv[1:]:
        for name in running.CHAPTERS:
            if name.startswith(given):
                for mutant in mutants_of(name):
                    print(mutant.name, mutant.text)
