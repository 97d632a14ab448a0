"""Does a chapter that searches take the fastest candidate, remember it, and not believe what is stale or
damaged?

Looks at what the search says on standard error, with a folder of its own to remember in.
"""

import pathlib
import re
import shutil
import tempfile

import facts
import harness


def one_run(must, size, what, program, cache, word=None, searches=True):
    """Runs the program, which must pass, and say `word` on standard error if it is not to believe what
    it finds. Returns the winner and standard error."""
    code, out, err = harness.run([program, *size], env=harness.remembering(cache))
    found = re.search(r"^time      (\w+ \d+x\d+x\d+, registers \d+x\d+):", out, re.MULTILINE)
    winner = found.group(1) if found else ""
    must(f"{what}: passes and names the winner", code == 0 and out.endswith("\nPASSED\n") and winner != "", out + err)
    must(
        f"{what}: {'says so' if word else 'has nothing to complain of'}",
        f"search    ignored, {word}: " in err if word else "ignored" not in err,
        err,
    )
    if searches:
        wrong = wrong_in_search(winner, err)
        must(f"{what}: searches, and the fastest wins", not wrong, "\n".join(wrong) + "\n" + err)
    else:
        must(f"{what}: does not search", "search    round " not in err, err)
    return winner, err


def lines_of(number, err):
    """The lines of a round: a list of (shape, rate)."""
    lines = re.findall(
        rf"^search    round {number}, \d+ of \d+: (.+): ([\d.]+) GFLOP/s(?:, the best so far)?$", err, re.MULTILINE
    )
    return [(shape, float(rate)) for shape, rate in lines]


def wrong_in_search(winner, err):
    """What is wrong with a search that ended with `winner`, as texts."""
    first, second = lines_of(1, err), lines_of(2, err)
    if not first or len(first) + len(second) != err.count("search    round "):
        return ["not every line of the search is understood"]
    if len(second) != min(4, len(first)):
        return [f"round 2 has {len(second)} lines"]
    wrong, best, rates = [], dict(second), [rate for _, rate in second]
    if min(rate for shape, rate in first if shape in best) < max(
        (rate for shape, rate in first if shape not in best), default=0
    ):
        wrong.append("round 2 does not have the best of round 1")
    if max(rates) != max(rate for _, rate in first + second):
        wrong.append("round 2 does not have the highest rate of all")
    if best.get(winner) != max(rates):
        wrong.append(f"round 2: the fastest one is not the winner, {winner}")
    return wrong


def search(report, chapter, size):
    program, must = harness.program(chapter), report.must

    def run(*arguments, **options):
        return one_run(must, size, *arguments, **options)

    with tempfile.TemporaryDirectory() as name:
        cache = pathlib.Path(name) / "cache"
        winner, err = run("nothing remembered", program, cache)
        files = [path for path in cache.rglob("*") if path.is_file()]
        must(
            "one file, which is named",
            len(files) == 1 and err.endswith(f"search    remembered in {files[0]}\n"),
            f"{files}\n{err}",
        )
        if report.failures:
            return
        other = next(shape for shape, _ in lines_of(1, err) if shape != winner)
        file, text = files[0], files[0].read_text()
        again, err = run("remembered", program, cache, searches=False)
        must("remembered: the same one", again == winner and err == f"search    remembered: {winner} ({file})\n", err)
        file.write_text(text.replace(f"\nwinner {winner}\n", f"\nwinner {other}\n"))
        again, _ = run("another one remembered", program, cache, searches=False)
        must("another one remembered: it is taken", again == other, f"{again}, where {other} was remembered")

        for what, content in [
            ("empty", ""),
            ("cut off", text[:-10]),
            ("more behind", text + "more\n"),
            ("none of the candidates", text.replace(winner, "tiles 1x1x1, registers 1x1")),
        ]:
            file.write_text(content)
            run(what, program, cache, "damaged")
            must(f"{what}: mended", file.read_text().startswith(text.partition("winner ")[0]), file.read_text())

        stale = "made with another driver or kernel"
        file.write_text(re.sub(r"\ndriver .*", "\ndriver 0.1", text))
        run("another driver", program, cache, stale)
        must("another driver: mended", text.partition("winner ")[0] in file.read_text(), file.read_text())
        home = pathlib.Path(name) / "copy"  # the program looks for its kernel beside itself first
        home.mkdir()
        shutil.copy(program, home)
        for kernel in sorted((harness.ROOT / chapter).glob("*.cl")):
            shutil.copy(kernel, home)
        for kernel in sorted(home.glob("*.cl")):
            kernel.write_text(kernel.read_text() + "// one line more\n")
            run(f"another {kernel.name}", home / chapter, cache, stale)
            run(f"another {kernel.name}, remembered", home / chapter, cache, searches=False)

        file.unlink()
        file.mkdir()
        _, err = run("a folder in the file's place", program, cache, "no file")
        must(
            "a folder in the file's place: not remembered",
            f"search    not remembered: cannot write {file}\n" in err,
            err,
        )
        left = [path for path in cache.rglob("*") if path != file and path != file.parent]
        must("nothing else is left behind", not left, str(left))


def check(report):
    """All chapters that search: one that does not has nothing to test."""
    for chapter in harness.CHAPTERS:
        if facts.of(chapter).SEARCH_SIZE:
            search(report, chapter, facts.of(chapter).SEARCH_SIZE)
