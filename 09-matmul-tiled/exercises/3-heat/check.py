from checker import behaviour
from checker.shared_checks import launched_once


def check(attempt):
    """09/3: a group reads its tile with the border once from global memory."""
    height, width, tile = 32, 48, 16
    enough = height * width // tile**2 * (tile + 2) ** 2
    found = launched_once(attempt, [str(height), str(width), "1"], "load global")
    if found is None:
        return behaviour.missing(attempt, "how often global memory is read")
    if found > enough:
        return [
            f"with a plate of {height}×{width}, global memory is read {found} times, and {enough} are enough: each group "
            f"needs {tile + 2}×{tile + 2} elements, its tile and the border, once"
        ]
    return []
