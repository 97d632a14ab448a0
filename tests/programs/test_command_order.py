"""Does a program order its commands by events, or only by luck?

A layer (layers/queues_layer.cpp) keeps back each command until the program waits, and runs then, of all that queues and
events leave open, what is worst: the newest first, or nothing but what is waited for. The result must be the same. A
command that waits for one of another queue that was never flushed ends the program, since it may wait for ever.

Where a program has several queues, some command must have run before an older one; else nothing was shown.
"""

import pathlib
import tempfile

import pytest

from tests import chapter_facts, running

ORDERS = ["late", "newest"]


def run(command, order, folder):
    """Runs a command under the layer; returns (exit code, output, error, its commands, those that overtook one)."""
    report = pathlib.Path(folder) / "report"
    report.unlink(missing_ok=True)
    env = {"OPENCL_LAYERS": running.QUEUES_LAYER, "QUEUES_ORDER": order, "QUEUES_REPORT": str(report)}
    code, out, err = running.run(command, env={**env, **running.remembering(folder)})
    if code == 0 and not report.exists():
        raise SystemExit(f"FAILED  the ICD loader did not load the layer {running.QUEUES_LAYER}\n{err}")
    commands, overtaking = map(int, report.read_text().split()) if report.exists() else (0, 0)
    return code, out, err, commands, overtaking


@pytest.mark.thorough
def test_command_order(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    overtaking = 0
    for arguments in known.SMALL_SIZES:
        for order in ORDERS:
            with tempfile.TemporaryDirectory() as folder:
                *ended, commands, before = run([running.program(chapter), *arguments], order, folder)
            report.failed(f"{' '.join([chapter, *arguments])}, {order}", running.not_passed(*ended))
            report.count("commands", commands)
            overtaking += before
    if known.SEVERAL_QUEUES and not overtaking:
        report.failed(chapter, ["it has several queues, and no command ran before an older one"])
    if overtaking:
        report.count("of them before an older one", overtaking)
