"""The benchmark runs, at small sizes; nothing is asserted about times."""

import sys

import pytest

from tests import running


@pytest.mark.thorough
def test_bench(tmp_path):
    command = [sys.executable, running.ROOT / "tools/bench/run.py", "--quick", "--sizes", "64", "--lengths", "10"]
    command += ["--build", running.BUILD, "--out", tmp_path]
    code, out, err = running.run(command, env=running.remembering(tmp_path), timeout=300)
    assert code == 0, out + err
