from checker.behaviour import other_launch
from checker.shared_checks import solid_pieces


def check(attempt):
    return solid_pieces(attempt) or other_launch(attempt, ("std::min<size_t>(32, (n", "std::min<size_t>(3, (n"))
