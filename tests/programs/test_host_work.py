"""Is what the host does within a time that it prints in that time?"""

import re

import pytest

from tests import running


@pytest.mark.parametrize("chapter", ["07-dot-product-profiling"])
def test_host_work(report, chapter):
    """What the host adds is in the time that 07 prints for it, which the known clock cannot show: with reads that bring
    nothing and take no time, only this work is left, and no processor adds faster than four numbers in a nanosecond."""
    n = 16777216
    _, out, err, _ = running.under_layer([running.program(chapter), str(n)], drop="reads")
    found = re.search(r"naive: kernel[^$]*?read back and add ([\d.]+) ms", out)
    report.must("the adding is in its time", found and float(found[1]) >= n * 0.25e-6, out + err)
