"""Is every OpenCL call that the chapters make in docs/calls.md, with a chapter that makes it?"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent.parent)


def calls_in(path):
    code = re.sub(r"//.*", "", path.read_text())
    return set(re.findall(r"\b(cl[A-Z]\w+)\(", code))


def main():
    text = (ROOT / "docs/calls.md").read_text()
    hosts = {path.parent.name: calls_in(path) for path in sorted(ROOT.glob("[0-9][0-9]-*/host.cpp"))}
    used = set().union(*hosts.values(), *(calls_in(path) for path in ROOT.glob("common/*.h")))
    wrong = [f"{call} is not in docs/calls.md" for call in sorted(used) if f"`{call}" not in text]
    headings = re.findall(r"^### `(cl\w+)\(.*\)` · \[\d\d\]\(\.\./([^)]+)\)$", text, re.MULTILINE)
    wrong += [f"docs/calls.md has {call}, which nobody makes" for call, _ in headings if call not in used]
    for call, chapter in headings:
        makers = [name for name, calls in hosts.items() if call in calls]
        if makers and chapter not in makers:
            wrong.append(f"docs/calls.md says that {chapter} teaches {call}, which {', '.join(makers)} make")
    print("\n".join(f"FAILED  {what}" for what in wrong) or f"{len(headings)} calls explained, {len(used)} made")
    return 1 if wrong or not headings else 0


if __name__ == "__main__":
    sys.exit(main())
