"""The lines of a kernel that a reader may choose in the page: site/what-if/CHAPTER.txt, in the notation of tests/defects.py.

An alternative changes lines and neither adds nor takes away any, so a line keeps its number. Those that touch a line in
common are for one place, of which one is chosen. `untrue: how a comment begins` strikes that comment of the kernel out: with the
alternative it is not true any more. Before the alternatives stand the puzzles:

    # puzzle EXERCISE: what it is called
    start: an alternative; another one            what is chosen in the beginning
    also: an alternative                          whose place can be chosen, too
    hint: a line for each
    any other line: the task
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "site" / "what-if"
TOGETHER = 2  # so many places may differ from the kernel at once, and all of a puzzle's
RUNS = 3  # on PoCL: what is right by chance once is not called PASSED

sys.path.insert(0, str(ROOT))
from tests import defects  # noqa: E402


def read(chapter):
    """(places, puzzles): [[{name, why, lines: {number: text}}, ...], ...] in the order of their last lines, and dictionaries."""
    path = FOLDER / f"{chapter}.txt"
    if not path.exists():
        return [], []
    folder = ROOT / chapter
    right = (folder / "kernel.cl").read_text().splitlines()
    places = []
    for defect in defects.read(path):
        lines = defects.changed(defect, folder)["kernel.cl"].splitlines()
        if len(lines) != len(right):
            raise SystemExit(f"{defect.where}: the kernel has {len(right)} lines, and {len(lines)} with it")
        changed = {i: new for i, (old, new) in enumerate(zip(right, lines), 1) if old != new}
        words = [word for word in defect.words if not word.startswith("untrue: ")]
        begins = [word.removeprefix("untrue: ") for word in defect.words if word not in words]
        untrue = [number for begin in begins for number in comment(right, begin, defect.where)]
        choice = {"name": defect.name, "why": " ".join(words), "lines": changed, "untrue": untrue}
        near = [place for place in places if any(changed.keys() & other["lines"].keys() for other in place)]
        places = [place for place in places if place not in near] + [[*itertools.chain(*near), choice]]
    places.sort(key=line_of)
    number = {choice["name"]: i for i, place in enumerate(places) for choice in place}
    puzzles = []
    for exercise, title, text in re.findall(r"(?ms)^# puzzle (\S+): (.*?)\n(.*?)(?=^#)", path.read_text()):
        take = lambda word: re.findall(rf"(?m)^{word}: (.*)$", text)  # noqa: E731, B023
        start = [name.strip() for names in take("start") for name in names.split(";")]
        chosen = [0] * len(places)
        for name in start:
            chosen[number[name]] = 1 + [choice["name"] for choice in places[number[name]]].index(name)
        also = [name.strip() for names in take("also") for name in names.split(";")]
        task = " ".join(line for line in text.splitlines() if line and not re.match("(start|also|hint): ", line))
        puzzles.append({
            "exercise": exercise, "title": title, "task": task, "start": chosen,
            "places": sorted({number[name] for name in start + also}), "hints": take("hint"),
        })  # fmt: skip
    return places, puzzles


def comment(lines, begin, where):
    """The lines of the comment that begins so: one behind code, or one of whole lines."""
    found = [i for i, line in enumerate(lines, 1) if line.partition("//")[2].strip().startswith(begin)]
    if len(found) != 1:
        raise SystemExit(f"{where}: {len(found)} comments of the kernel begin with {begin!r}")
    if not lines[found[0] - 1].lstrip().startswith("//"):
        return found
    more = itertools.takewhile(lambda i: lines[i - 1].lstrip().startswith("//"), itertools.count(found[0] + 1))
    return [*found, *more]


def line_of(place):
    """The line at which a place is chosen: one that all of its alternatives change, if there is one."""
    sets = [set(choice["lines"]) for choice in place]
    return max(set.intersection(*sets) or set.union(*sets))


def choices(places, puzzles):
    """What may be chosen at once: tuples of an alternative for each place, 0 being the kernel's own line."""
    found = set()
    for chosen in itertools.combinations(range(len(places)), min(TOGETHER, len(places))):
        found.update(itertools.product(*(range(len(p) + 1) if i in chosen else [0] for i, p in enumerate(places))))
    for puzzle in puzzles:
        sizes = (range(len(p) + 1) if i in puzzle["places"] else [0] for i, p in enumerate(places))
        found.update(itertools.product(*sizes))
    return sorted(found - {(0,) * len(places)})


def text_with(source, places, chosen):
    """The kernel with what is chosen."""
    lines = source.splitlines()
    for place, which in zip(places, chosen):
        if which:
            for number, text in place[which - 1]["lines"].items():
                lines[number - 1] = text
    return "\n".join(lines) + "\n"


def compiled(source, places, chosen, used, programs):
    """(blocks, {"0.2.0": [the blocks of each function in `used`, by number]}): the kernels with what is chosen, compiled as one
    file by `programs`. A block is numbered among those of the kernel as it is, and after these those that others have."""
    names = re.findall(r"(?m)^(?:(?:__kernel )?\w+ )?((?!__)\w+)\(", source)
    text = source
    for i, which in enumerate(chosen):
        renamed = "".join(f"#define {name} {name}__v{i}\n" for name in names)
        back = "".join(f"#undef {name}\n" for name in names)
        text += f"{renamed}#line 1\n{text_with(source, places, which)}{back}"
    functions = {}
    for function in map(json.loads, programs(text)):
        blocks = (re.sub(r"__v\d+", "", json.dumps(block, separators=(",", ":"))) for block in function["blocks"])
        functions[function["name"]] = [*blocks]
    blocks = [block for name in used for block in functions[name]]
    own = len(blocks)
    for name, of_function in functions.items():
        if "__v" in name and name.partition("__v")[0] in used:
            blocks += of_function
    more = [block for block in dict.fromkeys(blocks[own:]) if block not in blocks[:own]]
    number = {block: i for i, block in reversed([*enumerate([*blocks[:own], *more])])}
    return more, {
        ".".join(map(str, which)): [[number[block] for block in functions[f"{name}__v{i}"]] for name in used]
        for i, which in enumerate(chosen)
    }


def passes_on_pocl(chapter, arguments, texts):
    """What the chapter's own program says with each of the kernels: does it print PASSED, again and again?"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ["g++", "-std=c++17", "-O1", ROOT / chapter / "host.cpp", "-o", folder / "program", "-lOpenCL"]
        subprocess.run(command, check=True)
        env = {**os.environ, "OCL_DEVICE": "0:0", "POCL_CACHE_DIR": str(folder / "cache")}

        def passes(text):
            (folder / "kernel.cl").write_text(text)  # beside the program: it takes this one
            command = [folder / "program", *arguments.split()]
            try:
                done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=20)
            except subprocess.TimeoutExpired:
                return False
            return done.returncode == 0 and done.stdout.rstrip().endswith("PASSED")

        return [all(passes(text) for _ in range(RUNS)) for text in texts]


def recorded(chapter, source, arguments, used, programs):
    """What a recording says of the lines that may be chosen; `arguments` are those of the chapter's program on PoCL."""
    places, puzzles = read(chapter)
    chosen = choices(places, puzzles)
    blocks, listed = compiled(source, places, chosen, used, programs)
    # PoCL is asked about each alternative on its own, and about what the puzzles begin with.
    starts = [puzzle["start"] for puzzle in puzzles]
    asked = [which for which in chosen if sum(map(bool, which)) == 1 or [*which] in starts]
    passed = passes_on_pocl(chapter, arguments, [text_with(source, places, which) for which in asked])
    head = {
        "pocl": arguments,
        "places": [{"line": line_of(place), "choices": place} for place in places],
        "puzzles": puzzles,
        "passes": [".".join(map(str, which)) for which, right in zip(asked, passed) if right],
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in head.items()]
    lines.append('"blocks": [\n' + ",\n".join(blocks) + "\n]")
    lines.append('"programs": {\n' + ",\n".join(f'"{k}": {json.dumps(v, separators=(",", ":"))}' for k, v in listed.items()) + "\n}")  # fmt: skip
    return '"what_if": {\n' + ",\n".join(lines) + "\n}"
