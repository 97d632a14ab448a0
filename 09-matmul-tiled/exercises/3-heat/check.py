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
    code = behaviour.code_of(attempt.kernel)
    if "barrier" in code and "before" in code[-code[::-1].index("barrier") :]:
        return ["after the barrier `before` is read again: from there on, read from the tile and its border only"]
    return []
