"""Does each chapter's host still fit on a few screens, and is the difference from the one it continues still the lesson?

At most HOST_LINES lines; and of the host of the chapter CONTINUES at most 40 change, as git counts them: those that
come and those that go.
"""

from tests import chapter_facts, running

CHANGED = 40


def changed(before, after):
    """How many lines git shows as added or removed."""
    git = running.need_tool("git", "git")
    _, out, err = running.run([git, "diff", "--no-index", "--numstat", before, after], cwd=running.ROOT)
    if not out:
        raise SystemExit(f"FAILED  git compares nothing: {err}")
    return sum(map(int, out.split()[:2]))


def check(report):
    for chapter in running.CHAPTERS:
        known, host = chapter_facts.of(chapter), running.ROOT / chapter / "host.cpp"
        lines = len(host.read_text().splitlines())
        report.count("hosts")
        more = f"{lines} lines, more than the {known.HOST_LINES} of HOST_LINES"
        report.failed(f"{chapter}/host.cpp", [more] if lines > known.HOST_LINES else [])
        if known.CONTINUES:
            number = changed(running.ROOT / known.CONTINUES / "host.cpp", host)
            report.count("differences")
            more = f"{number} lines change from {known.CONTINUES}, more than {CHANGED}"
            report.failed(f"{chapter}/host.cpp", [more] if number > CHANGED else [])
