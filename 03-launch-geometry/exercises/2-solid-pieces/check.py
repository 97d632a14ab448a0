from checker.behaviour import other_launch
from checker.shared_checks import solid_pieces


def check(attempt):
    return solid_pieces(attempt) or other_launch(attempt, ('{"pieces", 3, 1}', '{"pieces", 3, 5}'))
