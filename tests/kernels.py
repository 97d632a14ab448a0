"""The kernel files of a chapter: copies that are changed, and what its program builds of them."""

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
