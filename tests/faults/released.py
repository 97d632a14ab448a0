"""After an unharmed run: is every object released, every command finished, every region unmapped?

    python3 tests/faults/released.py 06-dot-product-reduction
    python3 tests/faults/released.py total
"""
import layer  # beside this file
from layer import chapters


def left_behind(chapter, arguments):
    """Runs the chapter once; returns what it leaves behind, and its account."""
    code, out, err, account = layer.run([chapters.program(chapter)] + arguments)
    wrong = chapters.crashed(code, err)
    if code != 0 or "PASSED" not in out.splitlines():
        wrong.append(f"it does not pass, exit code {code}\n{out}{err}")
    wrong += [f"never released: a {words.split()[0]} made by {words.split()[1]}" for words in account.lines.get("alive", [])]
    wrong += [f"released once too often: {words}" for words in account.lines.get("misuse", [])]
    wrong += [f"unfinished: {words}" for words in account.lines.get("unfinished", [])]
    wrong += [f"never unmapped: a region mapped by {words}" for words in account.lines.get("mapped", [])]
    created, released = account.amount("created"), account.amount("released")
    if created != released:
        wrong.append(f"{created} objects created, {released} released")
    if not account.calls:
        wrong.append("it made no OpenCL call at all")
    return wrong, account


def check(chapter):
    failures = objects = commands = 0
    for arguments in chapters.small_sizes(chapter):
        wrong, account = left_behind(chapter, arguments)
        objects += account.amount("created")
        commands += account.amount("commands")
        failures += chapters.failed(f"{chapter} {' '.join(arguments)}", wrong)
    print(f"{chapter}: {objects} objects created and released, {commands} commands finished, {failures} failures")
    return failures, {"objects": objects, "commands": commands}


chapters.test("released", check, "{chapters} chapters, {objects} objects created, all of them released; "
                                 "{commands} commands, all of them finished")
