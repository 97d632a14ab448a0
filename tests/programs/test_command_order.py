"""Does a program order its commands by events, or only by luck?

The layer (checker/layer/order.cpp) keeps back each command until the program waits, and runs then, of all that queues and
events leave open, what is worst: the newest first, or nothing but what is waited for. The result must be the same. A
command that waits for one of another queue that was never flushed ends the program, since it may wait for ever.

Where a program has several queues, some command must have run before an older one; else nothing was shown.
"""

import re

import pytest

from tests import chapter_facts, running

ORDERS = ["late", "newest"]


@pytest.mark.thorough
def test_command_order(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    overtaking = 0
    for arguments in known.SMALL_SIZES:
        for order in ORDERS:
            *ended, account = running.under_layer([running.program(chapter), *arguments], order=order)
            wrong = running.not_passed(*ended)
            if re.search(r"^time .*(reports no times|\bnan\b)", ended[1], re.MULTILINE):
                wrong.append("it asks for times of commands that it has not waited for")
            report.failed(f"{' '.join([chapter, *arguments])}, {order}", wrong)
            report.count("commands", len(account.commands))
            overtaking += account.overtaken
    if known.SEVERAL_QUEUES and not overtaking:
        report.failed(chapter, ["it has several queues, and no command ran before an older one"])
    if overtaking:
        report.count("of them before an older one", overtaking)
