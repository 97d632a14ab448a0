"""Does a program of several queues order its commands by events, or only by luck?

The layer (checker/layer/order.cpp) keeps back each command until the program waits, and runs then, of all that queues and
events leave open, what is worst: the newest first, or nothing but what is waited for. The result must be the same. A
command that waits for one of another queue that was never flushed ends the program, since it may wait for ever.
"""

import re

import pytest

from tests import chapter_facts, running

CHAPTERS = ["22-overlap", "23-several-devices", "24-several-machines"]


@pytest.mark.thorough
def test_command_order(report, chapter):
    for arguments in chapter_facts.of(chapter).SMALL_SIZES:
        for order in ["late", "newest"]:
            *ended, _ = running.under_layer([running.program(chapter), *arguments], order=order)
            report.ends(f"{chapter} {arguments}, {order}", ended, 0)
            unwaited = re.search(r"^time .*(reports no times|\bnan\b).*", ended[1], re.MULTILINE)
            report.must("it asks for no times of commands that it has not waited for", not unwaited, ended[1])
