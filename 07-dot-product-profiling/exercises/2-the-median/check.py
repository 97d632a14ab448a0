import functools

from checker import behaviour
from checker.timing import launches_median

# What launches, or other commands, take by the clock that the layer has set, in ms: more than 32 bits of nanoseconds hold,
# and the warm-up the least of all.
LONG = "1000 9000 5000 8000 6000 7000"

# And so little that it is lost where the two moments, in ns since 1970, are put into doubles before they are subtracted.
SHORT = "0.00348"

# The five after the warm-up, of which the second and the third in order are equal, the third and the fourth, or all three.
EQUAL = ["1000 5000 1000 2000 2000 3000", "1000 5000 1000 3000 2000 3000", "1000 1000 2000 2000 2000 3000"]


def check(attempt):
    """07/2: the median of five kernel times, without the warm-up. In one run in many another of the five
    is as good as equal to it: so five runs are looked at."""
    clocks = [{"durations": clock} for clock in (LONG, SHORT, *EQUAL)] + [{}] * 5
    found = attempt.at_once(functools.partial(median_once, attempt), clocks)
    return next(filter(None, found), [])


def median_once(attempt, settings):
    """The same in one run."""
    run = attempt.pocl(["100000"], layer=settings)
    if behaviour.unwaited(run):
        return behaviour.unwaited(run)
    return launches_median(run, "ms")[0] or behaviour.released(run)
