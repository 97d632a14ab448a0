"""The container of .devcontainer/ builds, and what README.md says works in it (container.sh)."""

import pytest

from tests import running


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_container():
    code, out, err = running.run([running.ROOT / "tests" / "systems" / "container.sh"], timeout=3600)
    if code == running.SKIPPED:
        pytest.skip((out + err).strip().splitlines()[-1])
    assert code == 0, out + err
