"""What this task asks beyond PASSED."""

import math
import random
import struct

from checker import behaviour
from checker.behaviour import Trial, floats, packed


def check(attempt):
    """13/2: NaN is not greater than 0, and what is hardly greater is."""
    n = 1000
    number = random.Random(attempt.exercise.digest(attempt.folder))
    x = [number.uniform(-1, 1) if number.randrange(5) else math.nan for _ in range(n)]
    x[:2] = 0.5, 1e-30
    trial = Trial(attempt, [str(n)], {1: packed(x)})
    if (1, 1) not in trial.after or (1, 2) not in trial.after:
        return behaviour.missing(attempt, "what the kernel keeps could not be seen")
    right = sorted(value for value in floats(packed(x)) if value > 0)
    count = struct.unpack("I", trial.after[1, 2])[0]
    if count != len(right) or sorted(floats(trial.after[1, 1])[:count]) != right:
        return [
            f"of {n} numbers with NaN among them, {len(right)} are greater than 0, and {count} are kept, or other ones"
        ]
    usual = Trial(attempt, [str(n)])  # whose x holds no NaN, which is what the host has put into kept
    count = struct.unpack("I", usual.after[1, 2])[0]
    if any(not math.isnan(value) for value in floats(usual.after[1, 1])[count:]):
        return [f"of {n} numbers {count} are kept, and more than that is written: kept has room for those {count}"]
    return in_a_crowd(attempt) or given_back(attempt)


# Others come before a place is given back: here this is left out, as if it happened after everything else.
LATE = """
#define CHECK_LATE(T) T __attribute__((overloadable)) check_dec(volatile __global T *p) { return *p; } \\
  T __attribute__((overloadable)) check_dec(volatile __local T *p) { return atomic_dec(p); } \\
  T __attribute__((overloadable)) check_sub(volatile __global T *p, T value) { return *p; } \\
  T __attribute__((overloadable)) check_sub(volatile __local T *p, T value) { return atomic_sub(p, value); }
CHECK_LATE(int) CHECK_LATE(uint)
#define atomic_dec(p) check_dec(p)
#define atomic_sub(p, value) check_sub(p, value)
"""


def given_back(attempt):
    """13/2: nobody takes a place for a while, for another one may take the next meanwhile."""
    if not {"atomic_dec", "atomic_sub"} & set(behaviour.code_of(attempt.kernel)):
        return []
    x = [1.0 + i for i in range(1000)]
    trial = Trial(attempt, ["1000"], {1: packed(x)}, SPY_FIRST=behaviour.MIRRORED + LATE)
    if (1, 1) not in trial.after:
        return behaviour.missing(attempt, "what the kernel does where places are given back late could not be seen")
    if sorted(floats(trial.after[1, 1])) != x:
        return [
            "a place is taken and given back later: where others come in between, the places that they take are too high, "
            "and some of the first 1000 stay empty"
        ]
    return []


# Up to the place 500, another work-item has always come first: it takes a place before each try.
CROWD = """
#define CHECK_CROWD(T) T __attribute__((overloadable)) check_cmpxchg(volatile __global T *p, T old, T other) { \\
  if (atomic_add(p, 0) < 500) atomic_inc(p); return atomic_cmpxchg(p, old, other); } \\
  T __attribute__((overloadable)) check_cmpxchg(volatile __local T *p, T old, T other) { \\
  return atomic_cmpxchg(p, old, other); }
CHECK_CROWD(int) CHECK_CROWD(uint)
#define atomic_cmpxchg(...) check_cmpxchg(__VA_ARGS__)
"""


def in_a_crowd(attempt):
    """13/2: however often others come first, no element is lost."""
    if "atomic_cmpxchg" not in behaviour.code_of(attempt.kernel):
        return []
    x = [-1.0] * 1000
    x[::10] = [1.0 + i for i in range(100)]
    trial = Trial(attempt, ["1000"], {1: packed(x)}, SPY_FIRST=CROWD)
    if (1, 1) not in trial.after:
        return behaviour.missing(attempt, "what the kernel does in a crowd could not be seen")
    kept = sorted(value for value in floats(trial.after[1, 1]) if value > 0)
    if kept != x[::10]:
        return [
            f"where others take a place before each of the first 500 tries, {len(kept)} of 100 elements are kept: there is no "
            "bound to how often atomic_cmpxchg fails"
        ]
    return []
