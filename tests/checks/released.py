"""After an unharmed run: is every object released, every command finished, every region unmapped?"""

import facts
import harness


def left_behind(account):
    """What a run leaves behind, by the layer's account: a list of sentences."""
    wrong = [
        f"never released: a {words.split()[0]} made by {words.split()[1]}" for words in account.lines.get("alive", [])
    ]
    wrong += [f"released once too often: {words}" for words in account.lines.get("misuse", [])]
    wrong += [f"unfinished: {words}" for words in account.lines.get("unfinished", [])]
    wrong += [f"never unmapped: a region mapped by {words}" for words in account.lines.get("mapped", [])]
    created, released = account.amount("created"), account.amount("released")
    if created != released:
        wrong.append(f"{created} objects created, {released} released")
    if not account.calls:
        wrong.append("it made no OpenCL call at all")
    return wrong


def check(report, chapter):
    for arguments in facts.of(chapter).SMALL_SIZES:
        code, out, err, account = harness.under_layer([harness.program(chapter)] + arguments)
        report.failed(" ".join([chapter, *arguments]), harness.not_passed(code, out, err) + left_behind(account))
        report.count("calls looked at", len(account.calls))
        report.count("objects created and released", account.amount("created"))
        report.count("commands finished", account.amount("commands"))
