"""What the checks of single exercises look at beyond the program's own PASSED.

Each function gets the Attempt (exercise.py) and returns a list of complaints, empty if there are none.
"""

import collections
import hashlib
import itertools
import math
import pathlib
import random
import re
import signal
import struct
import tempfile

import evidence
import findings
import references
from evidence import Trial, as_float, beside, floats, packed


def fields(run, name):
    """The texts after `name` at the start of a line, of one run's output."""
    return [line[10:].strip() for line in run.out.splitlines() if line[:10] == f"{name:<10}"]


def next_float(x):
    """The next float after x >= 0."""
    return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", x))[0] + 1))[0]


def beside_powers(count, most=2000000):
    """Those N of which the closed form of 06/3 is nearest to a power of two, above or below."""
    near = {}
    for exponent in range(20, 63):
        about = round((1.5 * 2.0**exponent) ** (1 / 3))
        for n in range(max(3, about - 2), min(most, about + 3)):
            near[n] = min(near.get(n, 1), abs(n * (n - 1) * (2 * n - 1) / (3 * 2**exponent) - 1))
    return sorted(near, key=near.get)[:count]


def closed_form(attempt):
    """06/3: expected is N(N-1)(2N-1)/3, and spacing that of the floats there."""
    for args in attempt.exercise.sizes + [[str(n)] for n in beside_powers(10)]:
        run = attempt.pocl(args)
        n = int(args[0])
        exact = n * (n - 1) * (2 * n - 1) // 3
        near = as_float(float(exact))
        got = (fields(run, "expected") or ["nothing"])[0].split(" ")[0]
        if got != f"{float(exact):.9g}":
            return [f"the closed form for N = {n} is {exact}, not {got}"]
        got, right = (fields(run, "spacing") or ["nothing"])[0], f"{next_float(near) - near:.9g}"
        if got != right:
            return [f"the spacing of floats at {exact} is {right}, not {got}"]
    # With another result the closed form is what it was.
    usual = Trial(attempt, args)
    if 1 not in usual.inputs:
        return evidence.missing(attempt, "the program was not to be given other numbers")
    other = Trial(attempt, args, {1: packed([8 * value for value in floats(usual.inputs[1])])}).run
    for name in ("expected", "spacing"):
        if (fields(other, name) or [""])[0].split()[:1] != (fields(usual.run, name) or [""])[0].split()[:1]:
            return [
                f"with a result that is eight times as large, `{name}` is another one: it is to follow from N alone"
            ]
    if line := evidence.added_up(attempt):
        return [f"host.cpp, line {line}: something is added up, term by term: the task asks for the closed form"]
    return []


def in_float(attempt):
    """11: the sum is to be good in float."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", attempt.kernel, flags=re.DOTALL)
    if re.search(r"\bdouble\b", code):
        return ["the kernel uses double, which some devices do not have: the task is to stay in float"]
    return []


def kahan(attempt):
    """11/1: what rounding takes away is never lost, however large or small the numbers are."""
    args = ["100000"]
    number = random.Random(attempt.exercise.digest(attempt.folder))
    # Rare ones, and between them much that an addition to one of them loses altogether.
    rare = [2.0**-25 if number.randrange(1000) else 1.0 for _ in range(int(args[0]))]
    rare[number.randrange(500)] = 1.0
    # Of each 16 that a work-item adds one is large, and takes away all of the others.
    runs = [[1.0 if i // step % 16 == 0 else 0.98 * 2.0**-24 for i in range(int(args[0]))] for step in (1, 32)]
    cases = [(rare, "1s and 2^-25s", exponent) for exponent in (0, 60, -60)]
    cases += [(x, "1s and 0.98·2^-24s", 0) for x in runs]
    # The total may be below zero, and what is added of the other sign: which is the larger one is no matter of signs.
    for large, small in ((-1, -1), (-1, 1), (1, -1)):
        of_signs = [value * (large if value == 1.0 else small) for value in rare]
        cases.append((of_signs, f"{large}s and {'-' * (small < 0)}2^-25s", 0))
    for values, what, exponent in cases:
        x = floats(packed([value * 2.0**exponent for value in values]))
        trial = Trial(attempt, args, {1: packed(x)})
        if (1, 1) not in trial.after:
            return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
        exact, all_in_all = math.fsum(x), math.fsum(map(abs, x))
        said = f"with {what}{f', times 2^{exponent}' * bool(exponent)}, in place of the program's numbers"
        if wrong := beside(said, [math.fsum(floats(trial.after[1, 1]))], [(exact, 4 * references.U * all_in_all)]):
            return wrong
    # Of so small numbers a long piece of the sum must not be large enough to change a 1.
    return (
        by_a_single_one(attempt, 2**21, 0.4 * 2.0**-36, 4)
        or small_and_smaller(attempt)
        or of_both_signs(attempt)
        or in_float(attempt)
    )


def by_a_single_one(attempt, n, small, allowed):
    """11: a work-item that has all elements to itself, a 1 and then small ones, loses none of them for good: its sum is off by
    so many roundings at most."""
    small = as_float(small)
    trial = Trial(attempt, [str(n)], {1: packed([1.0]) + packed([small]) * (n - 1)}, SPY_ITEMS=1)
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what a single work-item makes of many numbers could not be seen")
    exact = 1 + (n - 1) * small
    said = f"with a 1 and {n - 1} numbers of {small:.3g}, all of them for a single work-item"
    return beside(said, [math.fsum(floats(trial.after[1, 1]))], [(exact, allowed * references.U * exact)])


def of_both_signs(attempt):
    """11: sums may be below zero, or 0 at any time; those of small whole numbers are exact."""
    number = random.Random(attempt.exercise.digest(attempt.folder))
    x = [float(number.randrange(-4, 4)) for _ in range(20000)]
    trial = Trial(attempt, [str(len(x))], {1: packed(x)})
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
    if wrong := beside("with whole numbers from -4 to 3", [math.fsum(floats(trial.after[1, 1]))], [(math.fsum(x), 0)]):
        return wrong
    x[number.randrange(len(x))] = math.nan
    trial = Trial(attempt, [str(len(x))], {1: packed(x)})
    return beside(
        "with a NaN among the numbers", [references.sum_of(floats(trial.after.get((1, 1), b"")))], [(math.nan, 0)]
    )


def small_and_smaller(attempt):
    """11/1: what is lost of the numbers is added without loss itself: each of the second half is less than half of the last
    digit of what has been lost until then."""
    few = 2**20
    x = [1.0] + [as_float(0.9 * 2.0**-24)] * few + [as_float(0.9 * 2.0**-29)] * few
    trial = Trial(attempt, [str(len(x))], {1: packed(x)}, SPY_ITEMS=1)
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what a single work-item makes of many numbers could not be seen")
    said = f"with a 1, {few} numbers of {x[1]:.3g} and as many of {x[-1]:.3g}, all of them for a single work-item"
    exact = math.fsum(x)
    return beside(said, [math.fsum(floats(trial.after[1, 1]))], [(exact, 4 * references.U * exact)])


def each_product(attempt):
    """05/1: each element of `products` is that of a and b, and not their sum alone."""
    trial = Trial(attempt, ["5000"])
    if (1, 2) not in trial.after or len(trial.inputs) < 2:
        return evidence.missing(attempt, "what the kernel writes could not be seen")
    a, b = (struct.unpack(f"{len(trial.inputs[i]) // 4}i", trial.inputs[i]) for i in (1, 2))
    products = struct.unpack(f"{len(trial.after[1, 2]) // 8}q", trial.after[1, 2])
    for i, (x, y, product) in enumerate(zip(a, b, products)):
        if product != x * y:
            return [f"with N = 5000, products[{i}] is {product}, where {x} · {y} is {x * y}"]
    if re.search(r"= mul nsw i32 %[\w.]+, %", attempt.as_compiled(["10"])):
        return [
            "two ints are multiplied as ints: a product that does not fit into one is undefined, wherever it goes then"
        ]
    return []


def owners(attempt):
    """03/1: in grid_stride, work-item w does the elements w, w + T, w + 2·T and so on, as `owner` says."""
    for item, name, count, low, high in attempt.work.each if attempt.work else []:
        if name == "owner" and count > 1 and (low != item or (high - low) % (count - 1)):
            return [
                f"work-item {item} does {count} of the elements from {low} to {high}, and owner says that it does {item} and "
                "then every T-th: the loop is to be the one that owner tells of"
            ]
    return []


def names_of(kernel):
    """The names that A and B have, also in functions that bring their elements, and that of C; None where it has none."""
    words = " ".join(evidence.code_of(kernel))
    found = re.search(r"__kernel .*?(\w+) (?:, [^,]*){3}\)", words)  # the parameter before the three sizes
    result = found[1] if found else None
    return set(re.findall(r"__global\b[^,()]*?(\w+)\s*[,)]", words)) - {result}, result


def mirrored(attempt):
    """09/1: the work-item in row r and column c of its group brings what belongs to row c and column r of the tiles."""
    size, tile = 32, 16
    seen = evidence.work(attempt, [str(size)] * 3)
    names, result = names_of(attempt.kernel)
    brought = {}
    for name in names:
        for item, (count, _, _, which) in (seen.array(name) if seen else {}).items():
            old = brought.get(item, (0, 0))
            brought[item] = (old[0] + count, old[1] + which)
    for item, (count, _, _, which) in (seen.array(result) if seen and result else {}).items():
        if which % 2**64 != count * evidence.mixed(item) % 2**64:
            return [
                f"with 32×32×32, the work-item in row {item // size % tile} and column {item % tile} of its group "
                "computes another element of C than its own: who computes what is to stay"
            ]
    # Nothing is seen of what a function reads in its own `return`, nor of what is read by a pointer without []: then the
    # result and the counts have to do.
    if any(
        re.search(rf"\* \(? ?{name}\b", " ".join(evidence.code_of(attempt.kernel)).partition("{")[2]) for name in names
    ):
        return []
    for item, (count, which) in brought.items():
        row, col = divmod(item, size)
        places = []
        for first in range(0, size, tile):
            places.append((row // tile * tile + col % tile) * size + first + row % tile)  # of A
            places.append((first + col % tile) * size + col // tile * tile + row % tile)  # of B
        launches = count // len(places)
        if count % len(places) or which % 2**64 != launches * sum(map(evidence.mixed, places)) % 2**64:
            return [
                f"with 32×32×32, the work-item in row {row % tile} and column {col % tile} of its group does not bring "
                "the elements of A and B that belong to the mirrored place in the tile"
            ]
    return []


def first_smallest(attempt):
    """12/2: 0 and -0 are equal, and of equal ones the first counts; what is smaller by one bit is smaller."""
    n = 1000
    for zeros in [(0.0, -0.0), (-0.0, 0.0), (1 - 2.0**-24, 1.0), (1 - 2.0**-24, 1 - 2.0**-24)]:
        x = [1.0] * n
        x[333], x[700] = zeros
        trial = Trial(attempt, [str(n), "7"], {1: packed(x)})
        if 1 not in trial.results:
            return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
        got = struct.unpack("I", trial.results[1][:4])[0]
        if got != 333:
            return [f"with {zeros[0]} at place 333 and {zeros[1]} at place 700, the smallest, the place found is {got}"]
    usual = Trial(attempt, [str(n), "7"])
    if 2 in usual.inputs and struct.unpack(f"{n}I", usual.inputs[2]) == tuple(range(n)):
        far = 2**31 + 1  # the places of a vector as long as that
        trial = Trial(attempt, [str(n), "7"], {1: packed(x), 2: struct.pack(f"{n}I", *range(far, far + n))})
        got = struct.unpack("I", trial.results[1][:4])[0] if 1 in trial.results else None
        if got != far + 333:
            return [
                f"with {far + 333} written at the place of the smallest, as in a longer vector, the place found is {got}"
            ]
    return []


def extremes(attempt):
    """12/1: the largest element may be any float, also one that a program might have started with."""
    n, largest = 1000, struct.unpack("f", b"\xff\xff\x7f\x7f")[0]
    for value in (-largest, largest, -math.inf, math.inf, -1.0, 0.0, 2.0**-126, -(2.0**-149), -(2.0**31), -1e9):
        for others in (value, -math.inf):
            x = [others] * n
            x[333] = value
            trial = Trial(attempt, [str(n), "7"], {1: packed(x)})
            got = floats(trial.results[1])[0] if 1 in trial.results else None
            if got is None:
                return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
            if got != value:
                return [f"with {value:.9g} at place 333 and {others:.9g} everywhere else, the result is {got:.9g}"]
    # Wherever it is, also among more elements that are left over than there are work-items.
    for n, uf, places in [(5, 3, range(5)), (13, 7, range(7, 13)), (100, 64, (99, 65)), (127, 64, (126,))]:
        for place in places:
            x = [0.0] * n
            x[place] = 1.0
            trial = Trial(attempt, [str(n), str(uf)], {1: packed(x)})
            if trial.results.get(1) is not None and floats(trial.results[1])[0] != 1:
                return [f"with N = {n}, UF = {uf}, and 1 at place {place} and 0 everywhere else, the result is not 1"]
    return []


def histogram(attempt):
    """13/1: also where all numbers are the same."""
    n = 2**24 + 65536
    trial = Trial(attempt, [str(n)], {1: struct.pack("I", 5) * n})
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what the kernel counts could not be seen")
    many = attempt.pocl(["1000003"], spy=True, SPY_MORE=12500)
    if not many.passed():
        return ["with 100,000 groups: " + (attempt.broken(many) or attempt.first_wrong(many))]
    counts = struct.unpack("64I", trial.after[1, 1])
    right = [n if value == 5 else 0 for value in range(64)]
    wrong = next((value for value in range(64) if counts[value] != right[value]), None)
    return [] if wrong is None else [f"with {n} fives, counts[{wrong}] should be {right[wrong]} and is {counts[wrong]}"]


def any_factors(attempt):
    """17/1: alpha and beta of any size."""
    args = ["17", "33", "65"]
    usual = Trial(attempt, args)
    number = random.Random(attempt.exercise.digest(attempt.folder))
    m, n, k = map(int, args)
    for alpha, beta in [(1.5, 1e-9), (1e-9, -0.5)]:
        given = {i: packed([number.uniform(-1, 1) for _ in floats(data)]) for i, data in usual.inputs.items()}
        large = 3 if beta == 1e-9 else 1  # what the small factor belongs to
        given[large] = packed([value * 1e9 for value in floats(given[large])])
        if large == 1:
            given[3] = packed([0.5, math.inf, math.nan, *floats(given[3])[3:]])
        trial = Trial(attempt, args, given, SPY_FLOATS=f"6={alpha} 7={beta}")
        if (1, 2) not in trial.after or len(trial.inputs) < 3:
            return evidence.missing(attempt, "what the kernel makes of other factors could not be seen")
        inputs = [floats(trial.inputs[i]) for i in (1, 2, 3)]
        expected = []
        for place, old in enumerate(inputs[2]):
            terms = [as_float(alpha) * term for term in references.terms_of(inputs[:2], place, [m, n, k])]
            terms.append(as_float(beta) * old)
            expected.append((references.sum_of(terms), (k + 3) * references.U * references.sum_of(map(abs, terms))))
        said = f"with 17×33×65, real numbers, alpha = {alpha} and beta = {beta}"
        if wrong := beside(said, floats(trial.after[1, 2]), expected):
            return wrong
    return evidence.with_infinities(attempt, args, SPY_FLOATS="6=1 7=0")


def either_sign(attempt):
    """21/2: also where what is left in the unit at the end is negative, and with another CHUNK."""
    args = ["3", "5", "70"]
    number = random.Random(attempt.exercise.digest(attempt.folder))
    usual = Trial(attempt, args)
    given = {i: packed([number.randrange(-4, 5) for _ in floats(data)]) for i, data in usual.inputs.items()}
    trial = Trial(attempt, args, given)
    if (1, 2) not in trial.after or len(trial.inputs) < 2:
        return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
    inputs = [floats(trial.inputs[i]) for i in (1, 2)]
    expected = [(sum(references.terms_of(inputs, place, [3, 5, 70])), 0) for place in range(15)]
    return beside("with 3×5×70 and whole numbers of either sign", floats(trial.after[1, 2]), expected) or other_chunks(
        attempt
    )


def toward_zero(value):
    """The float nearest to it that is not further away from 0."""
    near = as_float(value)
    if abs(near) <= abs(value):
        return near
    return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", near))[0] - 1))[0]


def other_chunks(attempt):
    """21/2: numbers of either sign are rounded toward zero, and with any CHUNK, for the text lets one try others."""
    define = re.compile(r"(#[ \t]*define[ \t]+CHUNK[ \t]+)16\b")
    free = len(define.findall(attempt.kernel)) == 1 and evidence.code_of(attempt.kernel).count("CHUNK") > 1
    args, k = ["3", "5", "70"], 70
    number = random.Random(attempt.exercise.digest(attempt.folder))
    usual = Trial(attempt, args)
    # Of 8 bits: their products are floats.
    given = {
        i: packed([number.randrange(-255, 256) * 2.0 ** number.randrange(-14, -1) for _ in floats(data)])
        for i, data in usual.inputs.items()
    }
    for chunk in (16, 1, 12, 100) if free else (16,):  # whoever writes 16 has a kernel for 16
        other = define.sub(rf"\g<1>{chunk}", attempt.kernel)
        trial = evidence.with_kernel(attempt, other, lambda: Trial(attempt, args, given))
        if (1, 2) not in trial.after or len(trial.inputs) < 2:
            return evidence.missing(attempt, "what the kernel makes of another CHUNK could not be seen")
        inputs, expected = [floats(trial.inputs[i]) for i in (1, 2)], []
        for place in range(15):
            terms, total = references.terms_of(inputs, place, [3, 5, k]), 0.0
            for first in range(0, k, chunk):
                part = 0.0
                for term in terms[first : first + chunk]:
                    part = toward_zero(part + term)
                total = as_float(total + part)
            expected.append((total, 0))
        said = f"with {'×'.join(args)}, real numbers of either sign and CHUNK = {chunk}"
        if wrong := beside(said, floats(trial.after[1, 2]), expected):
            return wrong
    return []


def parts(attempt):
    """21/1: three parts of 8 bits, together exactly x, for large and small floats as well."""
    number = random.Random(attempt.exercise.digest(attempt.folder))
    args = ["8", "16", "24"]
    usual = Trial(attempt, args)
    x = [number.uniform(-1, 1) * 2.0 ** number.randrange(-60, 128) for _ in floats(usual.inputs[1])]
    x[0] = 2.0**-130  # subnormal, and its own first part
    # Where one of the parts is rounded the other way: the lower 16 bits at and around half of what goes, of either sign.
    turns = [at + by for at in (0, 0x80, 0x7F80, 0x8000, 0x8080, 0xFF80, 0xFFFF) for by in (-1, 0, 1)]
    edges = [sign | upper << 16 | low & 0xFFFF for low in turns for upper in (0x3F80, 0x3F81) for sign in (0, 1 << 31)]
    x[1 : 1 + len(edges)] = floats(struct.pack(f"{len(edges)}I", *edges))
    trial = Trial(attempt, args, {1: packed(x)})
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what the kernel makes of other numbers could not be seen")
    found, x = floats(trial.after[1, 1]), floats(trial.inputs[1])
    for i, value in enumerate(x):
        three = found[i :: len(x)]
        if any(struct.unpack("I", packed([part]))[0] & 0xFFFF for part in three) or sum(three) != value:
            return [
                f"the parts of {value:.9g} are {', '.join(f'{part:.9g}' for part in three)}: 8 bits each, and together x"
            ]
    # The third launch multiplies: six products of parts, whatever these are together.
    for k in (24, 520):
        ones = attempt.home / f"ones-{k}"
        ones.mkdir(exist_ok=True)
        for argument in (0, 1):
            (ones / f"3.{argument}").write_bytes(packed([1.0] * 3 * k * 16))
        trial = Trial(attempt, ["8", "16", str(k)], SPY_BEFORE=ones)
        if (3, 2) not in trial.after:
            return evidence.missing(attempt, "what matmul makes of other parts could not be seen")
        said = f"with parts that are all 1, of which {k} come together"
        if wrong := beside(said, floats(trial.after[3, 2]), [(6 * k, 0)] * 8 * 16):
            return wrong
    return []


def factor(attempt):
    """01/2: what the host expects is factor·a + b, with a[i] = i % 1021 + 1, b[i] = 3·(i % 1021) + 1."""
    for args in attempt.exercise.sizes:
        n, by = int(args[0]), int(args[1])
        i = (n - 1) % 1021
        got = (fields(attempt.pocl(args), "expected") or ["nothing"])[0]
        right = f"c[{n - 1}] = {by * (i + 1) + 3 * i + 1:g} (0 of {n} elements differ)"
        if got != right:
            return [
                f"with {' '.join(args)}, {got.split(' (')[0]} is printed as expected, but {right.split(' (')[0]} "
                "is right: is the host's own check as it was?"
            ]
    for by in (2.5, -3.0, 100000.0):
        trial = Trial(attempt, ["1000", "3"], SPY_FLOATS=f"4={by}")
        if (1, 2) not in trial.after or len(trial.inputs) < 2:
            return evidence.missing(attempt, "what the kernel makes of other factors could not be seen")
        a, b = floats(trial.inputs[1]), floats(trial.inputs[2])
        expected = [(by * x + y, 2 * references.U * (abs(by * x) + abs(y))) for x, y in zip(a, b)]
        if wrong := beside(f"with N = 1000 and {by} in place of the factor", floats(trial.after[1, 2]), expected):
            return wrong
    return []


def compaction(attempt):
    """13/2: NaN is not greater than 0, and what is hardly greater is."""
    n = 1000
    number = random.Random(attempt.exercise.digest(attempt.folder))
    x = [number.uniform(-1, 1) if number.randrange(5) else math.nan for _ in range(n)]
    x[:2] = 0.5, 1e-30
    trial = Trial(attempt, [str(n)], {1: packed(x)})
    if (1, 1) not in trial.after or (1, 2) not in trial.after:
        return evidence.missing(attempt, "what the kernel keeps could not be seen")
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
    if not {"atomic_dec", "atomic_sub"} & set(evidence.code_of(attempt.kernel)):
        return []
    x = [1.0 + i for i in range(1000)]
    trial = Trial(attempt, ["1000"], {1: packed(x)}, SPY_FIRST=evidence.MIRRORED + LATE)
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what the kernel does where places are given back late could not be seen")
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
    if "atomic_cmpxchg" not in evidence.code_of(attempt.kernel):
        return []
    x = [-1.0] * 1000
    x[::10] = [1.0 + i for i in range(100)]
    trial = Trial(attempt, ["1000"], {1: packed(x)}, SPY_FIRST=CROWD)
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what the kernel does in a crowd could not be seen")
    kept = sorted(value for value in floats(trial.after[1, 1]) if value > 0)
    if kept != x[::10]:
        return [
            f"where others take a place before each of the first 500 tries, {len(kept)} of 100 elements are kept: there is no "
            "bound to how often atomic_cmpxchg fails"
        ]
    return []


def fewer_additions(attempt):
    """11/2: a tree has no more additions than a plain sum."""
    n = 20000
    added = launched_once(attempt, [str(n)], r"fadd\b|fsub\b")
    complaints = in_float(attempt)
    if not complaints and added is not None and added > 1.5 * n:
        complaints = [
            f"with N = {n} there are {added} additions and subtractions of floats, where a tree has no more than {n}"
        ]
    if not complaints:  # more levels of the tree than somebody may have thought enough
        run = attempt.pocl([str(2**25 + 7)], spy=True, SPY_ITEMS=1)
        if not run.passed() and not evidence.too_large(run):
            why = attempt.broken(run) or attempt.first_wrong(run)
            complaints = [f"with a launch of one work-item in all, {why}"]
    # Even 2^15 of the small ones are lost when they are added to the 1; in a tree of 2^22 the way is short, at the end, too.
    return (
        complaints
        or by_a_single_one(attempt, 2**22, 0.98 * 2.0**-39, 46)
        or of_both_signs(attempt)
        or in_pairs(attempt, [2.0**24, 0.0, 1.0, 1.0])
        or in_pairs(attempt, [2.0**24, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    )


def in_pairs(attempt, x):
    """11/2: a work-item that has all of these elements adds neighbours, and then their sums: no 1 is ever alone."""
    trial = Trial(attempt, [str(len(x))], {1: packed(x)}, SPY_ITEMS=1)
    if (1, 1) not in trial.after:
        return evidence.missing(attempt, "what a single work-item makes of a few numbers could not be seen")
    said = f"with {', '.join(f'{value:.0f}' for value in x)}, all of them for a single work-item, which are to be added in pairs"
    return beside(said, [math.fsum(floats(trial.after[1, 1]))], [(math.fsum(x), 0)])


def halves(attempt):
    """23/1: each device gets a half of the vectors, and not all of them."""
    n = 1000
    trial = Trial(attempt, [str(n)])
    there = sum(map(len, trial.inputs.values()))
    if there > 8 * n:
        return [f"with N = {n} the vectors have {8 * n} bytes, and {there} go to the devices: each is to get its half"]
    for n in (65, 1000):
        pieces = [len(data) // 4 for number, data in sorted(Trial(attempt, [str(n)]).inputs.items())]
        if len(pieces) != 4 or max(pieces) > 0.75 * n:
            return [f"with N = {n} the devices get pieces of {pieces} elements of a and b: each is to get its half"]
    return at_the_same_time(attempt)


def part_of_k(attempt):
    """23/2: what the devices write adds up to A·B, without help from the host."""
    for args in (["9", "10", "7"], ["9", "8", "1"]):
        trial = Trial(attempt, args)
        written = [floats(data) for (_, argument), data in sorted(trial.after.items()) if argument == 2]
        if not written or len(trial.inputs) < 2:
            return evidence.missing(attempt, "what the devices write could not be seen")
        m, n, k = map(int, args)
        inputs = [floats(trial.inputs[i]) for i in sorted(trial.inputs)]
        # A device may have got no more than its part.
        each = [(a, b, len(a) // m) for a, b in zip(inputs[::2], inputs[1::2])]
        each = each[:1] if each[0][2] == k else each
        if sum(part for *_, part in each) != k or any(len(b) != part * n for _, b, part in each):
            return evidence.missing(attempt, "what the devices have of A and B")
        for place, parts in enumerate(zip(*written)):
            right = sum(sum(references.terms_of([a, b], place, [m, n, part])) for a, b, part in each)
            if sum(parts) != right:
                return [
                    f"with {'×'.join(args)}, what the devices write for element {place} of C adds up to {sum(parts):g}, and not "
                    f"to {right:g}: has each k its device?"
                ]
    return at_the_same_time(attempt)


def at_the_same_time(attempt):
    """23: each of the two devices is launched, and flushed, before the host waits for one of them."""
    run = attempt.pocl(attempt.exercise.sizes[-2], spy=True)
    launched = [call.split()[0] for call in run.calls]
    launched = run.calls[launched.index("EnqueueNDRangeKernel") :] if "EnqueueNDRangeKernel" in launched else []
    waits = next(
        (at for at, call in enumerate(launched) if evidence.blocks(call) or call.startswith("WaitForEvents")), 0
    )
    queues = {call.split()[2] for call in launched[:waits] if call.startswith("order launch")}
    begun = len({call.split()[1] for call in launched[:waits] if call.startswith("Flush")} & queues)
    launches = sum(call.startswith("EnqueueNDRangeKernel") for call in launched[:waits])
    if min(begun, launches) < 2:
        return [
            f"before the first device is waited for, {launches} of 2 devices are launched, and {begun} flushed: they do "
            "not work at the same time"
        ]
    # Whether the host asks until the first has ended, or only whether it has begun, shows where it does not end; and
    # whether the second device begins when the host is told of the first one's end, where nobody is told.
    asked = any(call.startswith(("PollEvent", "ask event")) for call in launched)
    if asked and "asks for ever" in attempt.pocl(run.args, spy=True, SPY_RUNS=2).calls:
        return [
            "the second device's kernel does not run before the host is told, or has asked, that the first one's has ended: "
            "that is a wait, too"
        ]
    device = {call.split()[1]: call.split()[2] for call in run.calls if call.startswith("on ")}
    divided = any(call.startswith("CreateSubDevices") for call in run.calls)
    if (divided or attempt.divisible()) and len({device.get(queue) for queue in queues}) < 2:
        return ["both queues are the same device's: the other half of the device has nothing to do"]
    return []


class Ordered:
    """A command of a program with several queues; `before`: the numbers of all that have ended before it begins."""

    def __init__(self, number, words, before):
        self.number, self.what, self.queue, self.before = number, words[1], words[2], before
        self.uses, self.waits = (set(word.split(",")[1:]) for word in words[3:5])

    def __str__(self):
        return f"the {self.what} that comes as command {self.number + 1}"


def in_order(run):
    """Of each two commands that use the same buffer, one must wait for the other: by its queue (if that keeps an order), by
    events, or since the host has waited in between. Complaints; and the commands, with the number of times that the
    host had waited before."""
    loose = {call.split()[1] for call in run.calls if call.startswith("on ") and call.endswith("without order")}
    barriers = {}  # of each of these queues, the last one: what comes later waits for it
    commands, giver, ended, waits, unflushed = [], {}, set(), [], []
    last, flushed = {}, {}  # of each queue: its last command; how many commands there were at its last flush
    complaints, run_blocks = [], False

    def finish(number):
        """The host has waited for it, which hands over what its queue holds, and nothing else."""
        flushed[commands[number].queue] = len(commands)
        ended.update({number} | commands[number].before)
        for one, other in unflushed:
            if flushed.get(commands[other].queue, 0) <= other and one in ended and not complaints:
                complaints.append(
                    f"{commands[one]} waits for {commands[other]}, whose queue was never flushed: it may wait for ever"
                )

    for call in run.calls:
        words = call.split()
        if words[0] == "order":
            now = Ordered(len(commands), words, set(ended))
            own = [last.get(now.queue)]
            if now.queue in loose:
                all_before = now.what in ("Barrier", "Marker") and not now.waits
                own = [command.number for command in commands if command.queue == now.queue] if all_before else []
                own.append(barriers.get(now.queue))
                if now.what == "Barrier":
                    barriers[now.queue] = now.number
            for other in [*own, *(giver.get(event) for event in now.waits)]:
                if other is not None:
                    now.before |= {other} | commands[other].before
            unflushed += [
                (now.number, giver[event])
                for event in now.waits
                if event in giver and commands[giver[event]].queue != now.queue and giver[event] not in ended
            ]
            for other in commands:
                shared = other.uses & now.uses and not {other.what, now.what} <= {"read", "map"}
                if shared and other.number not in now.before and not complaints:
                    complaints.append(
                        f"{now} may run before {other} has ended: both use the same buffer, and no event orders them"
                    )
            last[now.queue] = now.number
            giver[words[6]] = now.number
            commands.append(now)
            waits.append(len(ended))
            if run_blocks:
                finish(now.number)
        elif words[0] == "Flush":
            flushed[words[1]] = len(commands)
        elif words[0] in ("Finish", "WaitForEvents"):
            targets = [giver.get(event) for event in words[2:]]
            if words[0] == "Finish":
                targets = [command.number for command in commands if command.queue == words[1]]
            for number in [number for number in targets if number is not None]:
                finish(number)
        if words[0].startswith("Enqueue"):  # "order", which says more of it, comes a line or two later
            run_blocks = evidence.blocks(call)
    late = next(
        (command for command in commands if command.what in ("read", "map") and command.number not in ended), None
    )
    if late and not complaints:
        complaints.append(f"nothing waits for {late}: the host looks at data that may not be there")
    return complaints, commands, waits


def between_queues(attempt, honest):
    """Two commands of different queues, or of one that keeps no order, that use the same buffer are ordered, in whatever
    exercise."""
    queues = {call.split()[1] for call in honest.calls if call.startswith("on ")}
    loose = any(call.startswith("on ") and call.endswith("without order") for call in honest.calls)
    if len(queues) < 2 and not loose or attempt.exercise.look in ("ordered", "both_ways"):
        return []  # these two say more of it
    return in_order(honest)[0]


# What of a program's text is a long, names a long's limit or type, or prints one; and what is none of these.
LONGS = re.compile(
    r"""(?P<other>//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|'(?:\\.|[^'\\\n])*')
    |(?P<text>"(?:\\.|[^"\\\n])*")
    |(?P<type>\b(?:(?:unsigned|signed|int|long|double|const|volatile)\b\s*)+)
    |(?P<limit>\b(?:U?LONG_MAX|LONG_MIN|MPI_(?:UNSIGNED_)?LONG)\b)
    |(?P<number>(?<![\w.])(?:0[xX][\da-fA-F']+|\d[\d']*)(?:[uU]?[lL]|[lL][uU])\b)""",
    re.VERBOSE | re.DOTALL,
)
LIMITS = {
    "ULONG_MAX": "UINT_MAX",
    "LONG_MAX": "INT_MAX",
    "LONG_MIN": "INT_MIN",
    "MPI_UNSIGNED_LONG": "MPI_UNSIGNED",
    "MPI_LONG": "MPI_INT",
}


def without_long(text):
    """A program's text in which each long is an int, as far as their width goes."""

    def shorter(found):
        if found["text"]:
            return re.sub(r"(%[-+ #0]*[\d*]*(?:\.[\d*]*)?)l(?=[diouxX])", r"\1", found[0])
        if found["type"]:
            words = re.findall(r"\w+", found[0])
            if words.count("long") != 1 or "double" in words:
                return found[0]
            return re.sub(r"\blong\b", "" if "int" in words else "int", found[0])
        if found["limit"]:
            return LIMITS[found[0]]
        return re.sub(r"[lL]", "", found[0]) if found["number"] else found[0]

    return LONGS.sub(shorter, text)


def short_long(attempt, honest):
    """A host is right where a long has 32 bits, too. The same program is built with an int in place of each; what that
    makes of it may not compile, and then nothing is said."""
    exercise = attempt.exercise
    if "host.cpp" not in exercise.files:
        return []
    text = (attempt.place / "host.cpp").read_text(errors="replace")
    shorter = without_long(text)
    if shorter == text:
        return []
    unchecked = list(attempt.answer.unchecked)
    with attempt.with_host(shorter) as builds:
        complaints = short_long_once(attempt) if builds else []
    attempt.answer.unchecked = unchecked  # what could not be seen of this one counts for nothing
    return [f"on Windows, where a long has 32 bits: {complaint}" for complaint in complaints]


def short_long_once(attempt):
    """The same of the program that has been built so."""
    cases = [(run.args, run.processes if run.processes > 1 else None) for run in attempt.right]
    for run in attempt.at_once(attempt.in_processes, cases):
        if attempt.broken(run) or not run.passed():
            return [attempt.broken(run) or attempt.first_wrong(run)]
    return globals()[attempt.exercise.look](attempt) if attempt.exercise.look else []


def little_memory(run):
    """A complaint where all of the data fits into the buffers: it was to come in pieces."""
    made = sum(int(call.split()[2]) for call in run.calls if call.startswith("create buffer"))
    if made > 4 * int(run.args[0]):
        return [
            f"the buffers have {made} bytes, and all of the data has {4 * int(run.args[0])}: two pieces are to be there at a time"
        ]
    return []


def ordered(attempt):
    """22/1: no two commands of the two queues meet in a buffer by luck, and the host waits only at the end."""
    run = attempt.pocl(attempt.exercise.sizes[-1], spy=True)
    complaints, commands, waits = in_order(run)
    if len({command.queue for command in commands}) < 2:
        return ["all commands are in one queue: nothing can be copied while something is computed"]
    return (
        complaints
        or little_memory(run)
        or too_early(run, commands, waits)
        or one_by_one(commands)
        or evidence.released(run)
    )


def too_early(run, commands, waits):
    """A complaint where the host has waited, or has asked whether it need not, before everything was enqueued."""
    names = [call.split()[0] for call in run.calls]
    if "PollEvent" in names and "order" in names[names.index("PollEvent") :]:
        return ["the host asks whether a command has ended before everything is enqueued: that is a wait, too"]
    if not waits or waits[-1] == 0:
        return []
    first = next(number for number, ended in enumerate(waits) if ended)
    return [
        f"the host waits before it has enqueued {commands[first]}, of {len(commands)}: let the commands wait for each "
        "other"
    ]


def one_by_one(commands):
    """A complaint where no copy, of those after the first launch, may run beside a launch."""
    launches = [command for command in commands if command.what == "launch"]
    copies = [command for command in commands if command.what == "copy" and command.number > launches[0].number]
    for copy in copies:
        if any(launch.number not in copy.before and copy.number not in launch.before for launch in launches):
            return []
    return ["each copy waits, by queues or events, for all the launches before it: nothing happens at the same time"]


def both_ways(attempt):
    """22/2: three queues, ordered by events, and the host waits only when everything has been enqueued."""
    run = attempt.pocl(attempt.exercise.sizes[-1], spy=True)
    complaints, commands, waits = in_order(run)
    if early := too_early(run, commands, waits):
        return early
    queues = {
        what: {command.queue for command in commands if command.what == what} for what in ["copy", "launch", "read"]
    }
    if any(len(used) != 1 for used in queues.values()) or len(set.union(*queues.values())) != 3:
        return ["the copies, the kernels and the results are to have a queue each"]
    return complaints or one_by_one(commands) or kept_events(run) or evidence.released(run)


def kept_events(run):
    """A complaint where events are kept for as long as the program runs."""
    alive, made, most = 0, 0, 0
    for call in run.calls:
        alive += call.startswith("create event") - call.startswith("release event")
        made += call.startswith("create event")
        most = max(most, alive)
    if made >= 32 and most > made // 2:
        return [f"of {made} events {most} are alive at once: release each one when no later command needs it"]
    return []


MANY_PROCESSES = 17  # more than an array that somebody thought large enough has places for


def ring(attempt):
    """24/1: of five processes, each sends to the next one only, and passes on four parts, as long as these are."""
    m, n, k, processes = 17, 33, 64, 5
    args = [str(m), str(n), str(k)]
    run, logs = mpi_logs(attempt, args, processes)
    borders = [k * i // processes for i in range(processes + 1)]
    for rank in range(processes):
        if rank not in logs:
            return [f"with {processes} processes, process {rank} does not get as far as MPI_Finalize: {run.err[-200:]}"]
        calls = logs[rank]
        others = [call[0] for call in calls if call[0] in ("Bcast", "Ibcast", "Gather")]
        sends = [(int(call[1]), int(call[2])) for call in calls if call[0] == "send"]
        if others or any(to != (rank + 1) % processes for to, _ in sends):
            how = f"process {rank} calls MPI_{others[0]}" if others else f"process {rank} sends to {sends[0][0]}"
            return [f"in a ring each process sends to the next one only: {how}"]
        if any(call[0] == "overwritten" for call in calls):
            return [
                f"process {rank} writes to a part that is on its way to the next process: wait for its MPI_Isend first"
            ]
        if any(call[0] == "forgotten" for call in calls):
            return [f"process {rank} forgets an MPI_Isend: when may the part be written to again?"]
        if len(sends) != processes - 1:
            return [f"each process passes a part on {len(sends)} times, where {processes - 1} are enough"]
        parts = [(rank - step) % processes for step in range(processes - 1)]
        right = [4 * n * (borders[part + 1] - borders[part]) for part in parts]
        if [size for _, size in sends] != right:
            return [f"process {rank} sends {[size for _, size in sends]} bytes, and its parts have {right}"]
    if mpi_logs(attempt, args, processes, MPI_LAYER_CHANGE=1)[0].passed():
        return ["all numbers are changed on their way round, and C is still right: nobody computes with what arrives"]
    many = attempt.pocl(args, processes=MANY_PROCESSES)
    return room_for_all(attempt, args) if many.passed() else [attempt.broken(many) or attempt.first_wrong(many)]


def room_for_all(attempt, args):
    """No array is for so many processes as somebody thought enough. Nobody sends anything here: what comes of the program
    counts for nothing, but for the trap of an index outside of an array (exercise.BOUNDS)."""
    import exercise  # which imports this

    alone = {"LD_PRELOAD": exercise.mpi_library(attempt.home), "MPI_LAYER_PRETEND": 1000}
    if attempt.pocl(args, **alone).code in (-signal.SIGILL, 128 + signal.SIGILL):
        return ["as the first of 1000 processes, the program goes outside of an array: is it one for all of them?"]
    return []


# Numbers of very different size, by chunks, and the second half of the vector takes away what the first half has
# brought: what an addition in double rounds off is as large as the result then.
WIDE_REALS = """
inline void wide_real(std::vector<float> &v, const uint64_t seed) {
  fill_real(v, seed);
  const size_t half = v.size() / 512 * 256; // whole chunks
  for (size_t i = 0; i < v.size(); i++)
    v[i] = std::ldexp(v[i], seed == 1 && i < 2 * half ? static_cast<int>(scrambled(i / 256, 7) % 110) : 0);
  for (size_t i = 0; i < half; i++)
    v[half + i] = seed == 1 ? -v[i] : v[i];
}
#define fill_real wide_real
"""


# A std::reduce with an order of its own: from the last to the first.
REDUCE = """
#include <iterator>
#include <numeric>
namespace std {
template <typename I, typename T = typename iterator_traits<I>::value_type, typename F = plus<>>
T reduce_from_the_end(I first, I last, T init = T(), F add = F()) {
  while (last != first)
    init = add(init, *--last);
  return init;
}
}
#define reduce reduce_from_the_end
"""


def same_for_any_number(attempt):
    """24/2: the lines `result` are the same for any number of processes, also with numbers that no double adds
    exactly."""
    sizes = attempt.exercise.sizes[1:]
    if complaints := compared(attempt, sizes) or shared_by_processes(attempt, sizes[-1]):
        return complaints
    with attempt.with_header("compare.h", WIDE_REALS) as built:
        if built:
            complaints = compared(attempt, sizes[-1:], (3, 5), " and numbers of very different size")
            complaints = complaints or any_order(attempt, sizes[-1])
    complaints = complaints or in_every_process(attempt, sizes[-1]) or compared(attempt, sizes[:1], (MANY_PROCESSES,))
    return complaints or room_for_all(attempt, sizes[-1])


def any_order(attempt, size):
    """24/2: the chunks have an order, which std::reduce does not keep: each library, and each call, may have another one."""
    if not re.search(r"\breduce\b", (attempt.place / "host.cpp").read_text(errors="replace")):
        return []
    alone = fields(attempt.pocl(size), "result")
    with attempt.with_header("compare.h", WIDE_REALS + REDUCE, told=False) as built:
        if not built:
            return []
        other = fields(attempt.pocl(size), "result")
    if other == alone:
        return []
    return [
        f"for N = {size[0]} and numbers of very different size, the result is {' '.join(other)} where std::reduce adds from "
        f"the last to the first, and {' '.join(alone)} as it adds here: its order is not specified, and the chunks have one"
    ]


def shared_by_processes(attempt, size, processes=5):
    """24/2: the chunks are shared, so that all processes' launches together are hardly more than one's."""
    alone, each = sum(launched_by(attempt, size, 1)), launched_by(attempt, size, processes)
    if alone == 0 or len(each) != processes:
        return evidence.missing(attempt, "what each of the processes launches")
    if sum(each) > 1.5 * alone:
        return [
            f"for N = {size[0]}, {processes} processes launch {sum(each)} work-items in all, and one alone {alone}: each is "
            "to compute its own chunks only"
        ]
    if max(each) > 2 * alone / processes:
        return [
            f"for N = {size[0]}, one of {processes} processes launches {max(each)} of all {sum(each)} work-items: each is to "
            "have a piece, and these of about the same length"
        ]
    return []


def in_every_process(attempt, size):
    """24/2: each process has the result, and has it checked."""
    run, logs = mpi_logs(attempt, size, 3, MPI_LAYER_SPOIL=1)
    by_itself = any(call[0] in ("send", "Ibcast") for calls in logs.values() for call in calls)
    if run.passed() and not by_itself:
        return [
            f"for N = {size[0]}, with 3 processes of which only the first gets right numbers from the others, the program "
            "says PASSED: does each process have the result, and is the check that of all?"
        ]
    return []


def mpi_logs(attempt, args, processes, **settings):
    """(the run, {rank: its calls, split into words}) with the layer before MPI; a process that does not get as far as
    MPI_Finalize has none."""
    import exercise  # which imports this

    log = pathlib.Path(tempfile.mkdtemp(dir=attempt.home))
    log.chmod(0o777)
    layer = {"LD_PRELOAD": exercise.mpi_library(attempt.home), "MPI_LAYER_LOG": log, **settings}
    run = attempt.pocl(args, processes=processes, **layer)
    return run, {
        int(path.name[5:]): [line.split() for line in path.read_text().splitlines()] for path in log.glob("rank-*")
    }


def launched_by(attempt, args, processes):
    """How many work-items each of the processes launches."""
    _, calls = mpi_logs(attempt, args, processes)
    return [sum(int(call[2]) for call in calls[rank] if call[0] == "launch") for rank in sorted(calls)]


def compared(attempt, sizes, numbers=(2, 3, 5, 6), more=""):
    """Complaints about results that differ from one process to so many; `more`: what is said of the size besides."""
    for size in sizes:
        alone = fields(attempt.pocl(size), "result")
        for processes in numbers:
            got = fields(attempt.pocl(size, processes=processes), "result")
            if got != alone:
                return [
                    f"for N = {size[0]}{more}, with {processes} processes the result is {' '.join(got) or 'missing'}, and "
                    f"{' '.join(alone)} with one"
                ]
    return []


def one_barrier_a_step(attempt):
    """18/2: a barrier before the first step, and one for each step, of which K = 40 has five."""
    run = attempt.simulated(["16", "16", "40"], ["--inst-counts"])
    if run is None:
        return []
    reached = sum(int(number) for number in re.findall(r"(\d+) - call \w*barrier\w*\(", run.out + run.err))
    each = reached / (16 * 16)
    if each > 6:
        return [
            f"each work-item reaches {each:g} barriers where K has 5 steps: one before the first and one for each are "
            "enough. Is there a half that nobody is reading?"
        ]
    seen = evidence.work(attempt, ["16", "16", "40"])
    if seen is None:
        return evidence.missing(attempt, "what is read between the barriers could not be seen")
    inputs, result = names_of(attempt.kernel)
    words_of_kernel = " ".join(evidence.code_of(attempt.kernel)).partition("__kernel")[2]
    # What a function of its own reads is not counted by barriers.
    if not any(re.search(rf"\b{name} \[", words_of_kernel) for name in inputs):
        return []
    early, first = ({name for name, times in what.items() if times > 0} for what in (seen.early, seen.first))
    if early - inputs - {result} and not first & inputs:
        return [
            "between the first barrier and the second, tiles are read and nothing of A and B before them: so the next tiles are "
            "not on their way while the present ones are multiplied"
        ]
    return []


# What a call is to write must fit into the variable that it is given, as far as the compiler knows how large that is.
ROOM = """
#include <cstdio>
#include <cstdlib>
inline cl_int ask_with_room(const size_t room, cl_device_id device, cl_device_info what, size_t size, void *to,
                            size_t *size_ret) {
  if (room != static_cast<size_t>(-1) && size > room) {
    fprintf(stderr, "clGetDeviceInfo: %zu bytes for a variable of %zu\\n", size, room);
    exit(EXIT_FAILURE);
  }
  return clGetDeviceInfo(device, what, size, to, size_ret);
}
#define clGetDeviceInfo(device, what, size, to, size_ret) \\
  ask_with_room(__builtin_object_size(to, 1), device, what, size, to, size_ret)
"""


def too_little_room(attempt):
    """A complaint about a variable that is smaller than what is to be written into it."""
    with attempt.with_header("opencl.h", ROOM) as built:
        said = attempt.pocl(attempt.exercise.sizes[-1]).err if built else ""
    return [line for line in said.splitlines() if line.startswith("clGetDeviceInfo: ")]


def limits(attempt):
    """02/1: the two limits, compared with those that Oclgrind was told to have."""
    if complaints := too_little_room(attempt):
        return complaints
    usual = fields(attempt.pocl([]), "items")
    for in_one_dimension in (77, 1000003):
        if fields(attempt.pocl([], spy=True, SPY_INFO=f"1005={in_one_dimension}"), "items") != usual:
            return ["items is how many work-items one dimension can have, and not how many a group can have in all"]
    for items, local in [(256, 4096), (96, 40000), (1024, 1000), (512, 1003)]:
        run = attempt.simulated([], ["--max-wgsize", str(items), "--local-mem-size", str(local)])
        if run is None:
            return []
        if run.code != 0:
            return [attempt.broken(run) or f"on another device it ends with exit code {run.code}"]
        for name, right in [("items", items), ("floats", local // 4)]:
            got = (fields(run, name) or ["nothing"])[0]
            if got != str(right):
                return [
                    f"on a device with {items} work-items in a group and {local} bytes of local memory, {name} should "
                    f"be {right} and is {got}"
                ]
    return []


def group_size(attempt):
    """02/2: the largest power of two that fits the device and its local memory."""
    for items, local, each in [
        (256, 32768, 1),
        (96, 32768, 1),
        (1024, 1000, 1),
        (1024, 32768, 10),
        (512, 512, 4),
        (256, 32768, 2**30),
        (256, 32768, 2**32),
        (256, 32768, 2**61),  # times 8: 2^64
    ]:
        run = attempt.simulated([str(each)], ["--max-wgsize", str(items), "--local-mem-size", str(local)])
        if run is None:
            return []
        if run.code != 0:
            return [attempt.broken(run) or f"on another device it ends with exit code {run.code}"]
        right = 1
        while right * 2 <= items and right * 2 * each * 4 <= local:
            right *= 2
        got = (fields(run, "group") or ["nothing"])[0]
        none_fits = each * 4 > local
        if got != str(right) and not (none_fits and got == "0"):
            return [
                f"on a device with {items} work-items in a group and {local} bytes of local memory, with {each} float{'s' * (each > 1)} "
                f"for each work-item, the group should have {right} work-items and has {got}"
            ]
    for exponent in range(1, 31):
        for items in (2**exponent, 2 ** (exponent + 1) - 1):
            run = attempt.pocl(["1"], spy=True, SPY_INFO=f"1004={items} 1023={2**40}")
            got = (fields(run, "group") or ["nothing"])[0]
            if got != str(2**exponent):
                return [
                    f"on a device with {items} work-items in a group and 2^40 bytes of local memory, the group should have "
                    f"{2**exponent} work-items and has {got}"
                ]
    if complaints := too_little_room(attempt):
        return complaints
    for local, each, right in [
        (2**40, 2**32, 64),
        (2**40, 2**33, 32),
        (2**40, 2**38, 1),
        (2**26 + 7, 2**23 + 1, 1),  # by one byte, which a float does not show
        (2**30 - 1, 2**18, 512),
    ]:
        run = attempt.pocl([str(each)], spy=True, SPY_INFO=f"1004=4096 1023={local}")
        if (got := (fields(run, "group") or ["nothing"])[0]) != str(right):
            return [
                f"on a device with {local} bytes of local memory, with {each} floats for each work-item, the group should have "
                f"{right} work-items and has {got}"
            ]
    return []


def mapping(attempt):
    """04/2: the kernel's buffer is mapped, and every one that is mapped is unmapped."""
    run = attempt.pocl(["1000"], spy=True)
    if evidence.not_awaited(run):
        return evidence.not_awaited(run)
    if any(call.startswith("EnqueueWriteBuffer") for call in run.calls):
        return ["the data still goes there with clEnqueueWriteBuffer: map the buffer instead"]
    if sum(call.startswith("EnqueueMapBuffer") - call.startswith("EnqueueUnmapMemObject") for call in run.calls):
        return ["a buffer was mapped and never unmapped"]
    mapped, launched = (
        {buffer for what, _, uses in evidence.orders(run) if what == wanted for buffer in uses}
        for wanted in ("map", "launch")
    )
    if mapped - launched:
        return [
            "a buffer was mapped that is not the kernel's: map the one that the kernel reads, and nothing is copied"
        ]
    large = attempt.pocl([str(2**21 + 3)], spy=True)  # the smaller sizes, evidence.own_memory has seen
    return evidence.own_memory(attempt, large) or evidence.released(run)


def part(attempt):
    """04/1: no more is read back than was asked for, and the read waits."""
    run = attempt.pocl(["1000", "10"], spy=True)
    reads = [int(call.split()[3]) for call in run.calls if call.startswith("EnqueueReadBuffer")]
    maps = [call.split() for call in run.calls if call.startswith("EnqueueMapBuffer")]
    reads += [int(size) for _, _, flags, size, _ in maps if int(flags) & 1]  # CL_MAP_READ
    if sum(reads) > 40:
        return [f"10 floats are 40 bytes, and {sum(reads)} bytes were read back"]
    if complaints := evidence.not_awaited(run):
        return complaints
    # Who reads in pieces may wait for the last of them, or take it for a whole one: here all are whole, and then not.
    for n in (2**21, 2**25 + 3):
        run = attempt.pocl([str(n)] * 2, spy=True)
        if complaints := evidence.not_awaited(run):
            return complaints
        if not run.passed() and not evidence.too_large(run):
            return [attempt.broken(run) or attempt.first_wrong(run)]
    return evidence.released(run)


def commands(run, call):
    """What each of the calls that begin with `call` put into the queue took by its own event, in ms; None where the
    program did not ask for both its start and its end."""
    found, of_event, last = [], {}, None
    for line in run.calls:
        word = line.split()
        if word[0].startswith("Enqueue"):
            last = {} if word[0] == call else None
            if last is not None:
                found.append(last)
        elif word[:2] == ["create", "event"]:
            of_event[word[2]] = last if last is not None else {}
        elif word[0] == "profile" and word[1] in of_event:
            of_event[word[1]][word[3]] = int(word[4])
    return [(t["end"] - t["start"]) * 1e-6 if {"start", "end"} <= set(t) else None for t in found]


def starting(run, words):
    """The calls that begin with these words."""
    return [call for call in run.calls if call.startswith(words)]


def median(values):
    return sorted(values)[len(values) // 2]


def near(ms, right):
    """Is a time that was printed with three digits or more this one?"""
    return ms is not None and abs(ms - right) <= 0.00051 + 0.001 * right


def timed_lines(run, name):
    """The lines `time` about something: those that speak of a median, or of a best, else those that begin with the
    name, else all; each as (ms, rate)."""
    lines = fields(run, "time")
    for good in (lambda t: "median" in t.lower(), lambda t: t.startswith(name), lambda t: True):
        chosen = [milliseconds(t) for t in lines if good(t)]
        chosen = [(ms, rate) for ms, rate in chosen if ms is not None]
        if chosen:
            return chosen
    return []


def launches_median(run, what):
    """(complaints, median in ms) of the launches after the first, which is a warm-up."""
    each = commands(run, "EnqueueNDRangeKernel")
    if len(each) < 6:
        return [f"there have to be six launches, of which the first does not count; there are {len(each)}"], 0
    if None in each[1:]:
        return [
            "a kernel's time runs from CL_PROFILING_COMMAND_START to CL_PROFILING_COMMAND_END; of launch "
            f"{each.index(None, 1) + 1} of {len(each)}, nobody asked for both"
        ], 0
    launches = list(zip(starting(run, "EnqueueNDRangeKernel"), starting(run, "with ")))
    for number, one in enumerate(launches):
        if one != launches[0]:
            return [
                f"launch {number + 1} of {len(each)} is another one than the first, by its arguments or its work-items: what is "
                "timed is not what was computed"
            ], 0
    right = median(each[1:])
    printed = [ms for ms, _ in timed_lines(run, "kernel")]
    if not printed:
        return [f"there is no line `time      kernel ... {what}`"], right
    if not near(printed[-1], right) and not near(printed[-1], median(each[-5:])):
        return [
            f"the five times after the warm-up are, in order, {', '.join(f'{t:.3f}' for t in sorted(each[-5:]))} ms: "
            f"their median is {median(each[-5:]):.3f}, and the program prints {printed[-1]:.3f}"
        ], right
    return [], printed[-1]


def milliseconds(text):
    """The first number with ms behind it, and the first with GB/s; None where there is none."""
    ms, rate = re.search(r"([\d.]+) ms", text), re.search(r"([\d.]+|inf|nan) GB/s", text)
    return float(ms.group(1)) if ms else None, float(rate.group(1)) if rate else None


# What launches, or other commands, take by the clock that the spy has set, in ms: more than 32 bits of nanoseconds hold,
# and the warm-up the least of all.
LONG = "1000 9000 5000 8000 6000 7000"

# And so little that it is lost where the two moments, in ns since 1970, are put into doubles before they are subtracted.
SHORT = "0.00348"

# The five after the warm-up, of which the second and the third in order are equal, the third and the fourth, or all three.
EQUAL = ["1000 5000 1000 2000 2000 3000", "1000 5000 1000 3000 2000 3000", "1000 1000 2000 2000 2000 3000"]


# Times that could be those of the host's clock, and are not.
LIKE_THE_HOSTS = [" ".join(f"{ms * turn:.6f}" for turn in (1, 1.5, 0.7, 1.2, 0.9, 0.8)) for ms in (0.05, 0.2, 0.8)]


def any_of(several):
    """The first complaints of several, and nothing more is asked for."""
    return next(filter(None, several), [])


def transfers(attempt):
    """07/1: the time of the write, from its own event."""
    return transfers_once(attempt) or (
        transfers_once(attempt, SPY_CLOCK="9000 5000 7000 6000")
        or transfers_once(attempt, 4000, SPY_CLOCK="0.001999 0.001499 0.001999 0.001499")
        or transfers_once(attempt, 4000, SPY_CLOCK="0.0003")
        or any_of(transfers_once(attempt, SPY_CLOCK=clock) for clock in LIKE_THE_HOSTS)
    )


def transfers_once(attempt, n=400000, **settings):
    """The same in one run."""
    run = attempt.pocl([str(n)], spy=True, **settings)
    if evidence.unwaited(run):
        return evidence.unwaited(run)
    lines = [milliseconds(text) for text in fields(run, "time")]
    lines = [(ms, rate) for ms, rate in lines if ms is not None and rate is not None]
    if not lines:
        return ["there is no line `time      write ... ms, ... GB/s`"]
    writes = commands(run, "EnqueueWriteBuffer")
    if len(writes) < 2 or writes[-1] is None:
        return ["nobody asked for the start and the end of the second clEnqueueWriteBuffer: ask its event"]
    warm_up = sum(int(call.split()[3]) for call in starting(run, "EnqueueWriteBuffer ")[:-1])
    if warm_up < 4 * n and not starting(run, "EnqueueFillBuffer"):
        return [
            f"before the write that is timed, {warm_up} of {4 * n} bytes were written: it pays for the memory of the rest"
        ]
    right = writes[-1]
    fit = [rate for ms, rate in lines if near(ms, right)]
    if not fit:
        shown = min((ms for ms, _ in lines), key=lambda ms: abs(ms - right))
        return [f"the write took {right:.3f} ms from start to end by its event, and the program prints {shown:.3f} ms"]
    right_rate = 4 * n / (right * 1e6)
    if not any(abs(rate - right_rate) <= 0.1 + 0.05 * right_rate for rate in fit):
        return [f"{4 * n} bytes in {right:.4f} ms are {right_rate:.1f} GB/s, and the program prints {fit[0]:.1f} GB/s"]
    return evidence.released(run)


def kernel_median(attempt):
    """07/2: the median of five kernel times, without the warm-up. In one run in many another of the five
    is as good as equal to it: so five runs are looked at."""
    complaints = []
    for clock in (LONG, SHORT, *EQUAL, *LIKE_THE_HOSTS):
        complaints = complaints or median_once(attempt, SPY_CLOCK=clock)
    for _ in range(5):
        complaints = complaints or median_once(attempt)
    return complaints


def median_once(attempt, **settings):
    """The same in one run."""
    run = attempt.pocl(["100000"], spy=True, **settings)
    if evidence.unwaited(run):
        return evidence.unwaited(run)
    return launches_median(run, "ms")[0] or evidence.released(run)


def choose_uf(attempt):
    """12/3: the best UF is the one with the shortest time that was printed; and not that with the shortest of all runs."""
    complaints, order = uf_once(attempt)
    if complaints:
        return complaints
    # The launches of one end when they begin, as on a coarse clock: it has no time, and is not the best. (Where the UFs take
    # turns, how many runs there are is another matter then.)
    in_turns = order[0][0] != order[1][0]
    for dead in [] if in_turns else [2, 16, 64]:
        clock = " ".join("0" if uf == dead else str(uf / 1000) for uf, levels, _ in order for _ in range(levels))
        run = attempt.pocl(["200000"], spy=True, SPY_CLOCK=clock)
        known = {
            int(uf): float(ms) for uf, ms in re.findall(r"UF\D*(\d+)\D*?([\d.]+) ms", "\n".join(fields(run, "time")))
        }
        best = (re.findall(r"\d+", (fields(run, "best") or [""])[0]) or ["nothing"])[0]
        if known and (not best.isdigit() or known.get(int(best), math.inf) > min(known.values())):
            return [f"where UF = {dead} has no time, as on a clock that is too coarse, the line best says {best!r}"]
    # 4 is the best; 8 has a run, the third, and 16 a warm-up that is shorter. The differences are less than a microsecond,
    # or than what might be called noise. All take longer than anybody expects.
    totals = {4: [20] * 99, 8: [40, 40, 1] + [40] * 96, 16: [1] + [40] * 98}
    lengths = {uf: levels for uf, levels, _ in order}
    close, closer = (
        {uf: [most - 0.0001 * place] * 99 for place, uf in enumerate(sorted(lengths))} for most in (0.0054, 5)
    )
    long = {uf: [300000 + uf] * 99 for uf in lengths}
    for took, wanted in ((totals, 4), (close, max(lengths)), (closer, max(lengths)), (long, min(lengths))):
        if took is long:  # fewer runs
            complaints, order = uf_once(attempt, SPY_CLOCK="300000")
            if complaints:
                return complaints
        clock = [took.get(uf, [60] * 99)[turn] / levels for uf, levels, turn in order for _ in range(levels)]
        complaints, _ = uf_once(attempt, wanted, SPY_CLOCK=" ".join(f"{ms:.6f}" for ms in clock))
        if complaints:
            return complaints
    for uf in (2, 64):  # which need not be the best
        spoilt = attempt.kernel.replace("data[i] = sum;", f"data[i] = UF == {uf} ? sum + 1.0f : sum;")
        run = evidence.with_kernel(attempt, spoilt, lambda: attempt.pocl(["5000"]))
        if run.passed():
            return [f"with a kernel that is wrong for UF = {uf} alone, the program still says PASSED"]
    run = attempt.pocl([str(2**25)])  # more levels than somebody may have kept events for
    return [] if run.passed() or evidence.too_large(run) else [attempt.broken(run) or attempt.first_wrong(run)]


def uf_once(attempt, wanted=None, **settings):
    """The same in one run, in which the UF `wanted` is the fastest: complaints; and of each of its runs, in their order, the UF,
    how many launches it is, and how many runs this UF had before."""
    run = attempt.pocl(["200000"], spy=True, **settings)
    if evidence.unwaited(run):
        return evidence.unwaited(run), []
    found = {}
    for text in fields(run, "time"):
        of = re.match(r"UF\D*(\d+)", text)
        if of and milliseconds(text)[0] is not None:
            found[int(of[1])] = milliseconds(text)[0]
    best = (re.findall(r"\d+", (fields(run, "best") or [""])[0]) or ["nothing"])[0]
    if sorted(found) != [2, 4, 8, 16, 32, 64]:
        return [f"times for UF = 2, 4, 8, 16, 32 and 64 are wanted; there are those of {sorted(found)}"], []
    if not best.isdigit() or int(best) not in found:
        return [f"the line best says {best!r}, which is none of them"], []
    each = commands(run, "EnqueueNDRangeKernel")
    levels = {}  # launches of a run
    for uf in found:
        left, levels[uf] = 200000, 0
        while left > 1:
            left, levels[uf] = max(1, left // uf), levels[uf] + 1
    runs, rest = divmod(len(each), sum(levels.values()))
    if None in each or rest or runs < 2:
        return [
            f"a run is {levels[2]} launches with UF = 2, {levels[4]} with UF = 4 and so on, {sum(levels.values())} with "
            f"all six, and each launch has a time; there are {len(each)} launches"
            + (f", and of {each.count(None)} nobody asked for start and end" if None in each else "")
        ], []
    # One UF after the other, or all of them in turns, each with a kernel of its own: in the order of the lines.
    first = [call.split()[1] for call in starting(run, "with ")][: sum(levels.values())]
    turns = len(set(first)) > 1 and [len(list(same)) for _, same in itertools.groupby(first)] == list(levels.values())
    order = [(uf, levels[uf], turn) for uf in found for turn in range(runs)]
    order.sort(key=lambda one: one[2] if turns else 0)
    times, at = {uf: [] for uf in found}, 0
    for uf, length, _ in order:
        times[uf].append(sum(each[at : at + length]))
        at += length
    for uf, sums in times.items():
        if not any(abs(found[uf] - right) <= 0.001 + 0.001 * right for right in (median(sums[1:]), median(sums))):
            return [
                f"a run with UF = {uf} is {levels[uf]} launches, which take {median(sums[1:]):.3f} ms together (the median "
                f"of {runs - 1}); the program prints {found[uf]:.3f} ms: is the sum of all levels in it?"
            ], []
    if found[int(best)] > min(found.values()):
        fastest = min(found, key=found.get)
        return [
            f"UF = {fastest} took {found[fastest]:.6f} ms, less than the {found[int(best)]:.6f} ms of the UF = {best} "
            "that is called the best"
        ], []
    if wanted and int(best) != wanted:
        return [
            f"by its events UF = {wanted} was the fastest, if only by a little, and UF = {best} is called the best"
        ], []
    if any(ms <= 0 for ms in found.values()):
        return ["a time of 0 ms: what was measured?"], []
    return evidence.released(run), order


def triad(attempt):
    """15/1: the bytes and operations of a = b + s * c, and the rate that follows from its own events."""
    for args in [*attempt.exercise.sizes, [str(2**23 + 7)]]:  # of the last, no float holds the bytes
        run = attempt.pocl(args)
        bytes_moved = 12 * int(args[0])
        said = (fields(run, "moved") or ["nothing"])[0]
        if said != f"{bytes_moved} bytes":
            return [
                f"with N = {args[0]}, {bytes_moved} bytes at least come from memory or go there, and the program says "
                f"{said!r}"
            ]
        said = (fields(run, "intensity") or ["nothing"])[0]
        if said != "0.167 FLOP per byte":
            return [f"2 operations for each 12 bytes are 0.167 FLOP per byte, and the program says {said!r}"]
    return (
        other_factor(attempt)
        or triad_once(attempt)
        or any_of(triad_once(attempt, SPY_CLOCK=clock) for clock in ("1 9 5 8 6 7", *LIKE_THE_HOSTS))
    )


def other_factor(attempt):
    """The kernel multiplies by the s that it is given."""
    trial = Trial(attempt, ["1000"], SPY_FLOATS="3=2.5")
    given = next((call for call in trial.run.calls if call.startswith("with ")), "")
    if not re.search(r" 3=[0-9a-f]{8}\b", given) or (1, 2) not in trial.after or len(trial.inputs) < 2:
        return []  # its arguments come in another order
    b, c = floats(trial.inputs[1]), floats(trial.inputs[2])
    expected = [(x + 2.5 * y, 2 * references.U * (abs(x) + abs(2.5 * y))) for x, y in zip(b, c)]
    return beside("with N = 1000 and 2.5 in place of s", floats(trial.after[1, 2]), expected)


def triad_once(attempt, **settings):
    """Its time and rate in one run."""
    n = 400000
    run = attempt.pocl([str(n)], spy=True, **settings)
    if evidence.unwaited(run):
        return evidence.unwaited(run)
    complaints, right = launches_median(run, "ms, ... GB/s")
    if complaints:
        return complaints
    rate = timed_lines(run, "kernel")[-1][1]
    if rate is None:
        return ["there is no GB/s on the line `time`"]
    right_rate = 12 * n / (right * 1e6)
    if abs(rate - right_rate) > 0.06 + 0.01 * right_rate:
        return [f"{12 * n} bytes in {right:.3f} ms are {right_rate:.1f} GB/s, and the program prints {rate:.1f} GB/s"]
    return evidence.released(run)


def search(attempt):
    """20/1: what has no room is pruned, what is wrong is left out, and the fastest of the rest is the best."""
    names = {
        "TILE = 8, everything": (8, 0),
        "TILE = 16, everything": (16, 0),
        "TILE = 32, everything": (32, 0),
        "TILE = 16, whole steps of K": (16, 1),
        "TILE = 16, whole tiles of C": (16, 2),
    }

    def verdicts(run):
        """{candidate: (line, rest of that line)}"""
        return {text.split(":")[0]: (line, text) for line in ("pruned", "wrong", "time") for text in fields(run, line)}

    for args in [["32", "48", "20"], ["20", "32", "48"]]:  # version 1 is wrong at the first, 2 at the second
        run = attempt.pocl(args, spy=True)
        if evidence.unwaited(run):
            return evidence.unwaited(run)
        said = verdicts(run)
        m, n, k = map(int, args)
        at = f"with {'×'.join(args)}, "
        for name, (tile, version) in names.items():
            right = version == 0 or (k % tile == 0 if version == 1 else m % tile == 0 and n % tile == 0)
            line = said.get(name, ("nothing", ""))[0]
            if line == "nothing":
                return [f"{at}there is no line time, wrong or pruned that names {name}"]
            if line == "pruned":
                return [f"{at}{name} is pruned, and it fits this device"]
            if not right and line == "time":
                return [
                    f"{at}{name} computes a wrong product there, and is not left out: is C full of NaN before it runs, "
                    "and is all of C looked at?"
                ]
            if right and line == "wrong":
                return [f"{at}{name} computes the right product there, and is called wrong"]
        found = {name: milliseconds(text)[0] for name, (line, text) in said.items() if line == "time"}
        each = [ms for ms in commands(run, "EnqueueNDRangeKernel") if ms is not None]
        for name, ms in found.items():
            if ms is None or not any(abs(ms - one) < 1e-6 for one in each):
                return [f"{at}the time of {name} is {ms} ms, and no launch took that long"]
        best, fastest = (fields(run, "best") or ["nothing"])[0], min(found, key=found.get)
        if best not in found:
            return [f"{at}the line best says {best!r}, which is none of the right ones"]
        if found[best] > found[fastest]:
            return [
                f"{at}{fastest} took {found[fastest]:.6f} ms, less than the {found[best]:.6f} ms of {best} that is "
                "called the best"
            ]
        left = evidence.released(run) or wrong_and_fast(attempt, run, said) or spoiled(attempt, args)
        if left:
            return left
    if left := spoiled(attempt, ["32", "64", "96"]):  # which all tiles divide
        return left
    # Some runs end when they begin, as on a coarse clock: such a candidate has no time, and is not the fastest.
    clock = " ".join(str(ms) for ms in (5, 0, 9, 0, 7, 8) for _ in range(7))
    run = attempt.pocl(["32", "64", "96"], spy=True, SPY_CLOCK=clock)
    times = {text.split(":")[0]: milliseconds(text)[0] for text in fields(run, "time")}
    known = {name: ms for name, ms in times.items() if ms is not None and math.isfinite(ms)}
    best = (fields(run, "best") or ["nothing"])[0]
    if known and known.get(best, math.inf) > min(known.values()):
        said = ", ".join(f"{name}: {ms}" for name, ms in times.items())
        return [f"where some runs have no time ({said}), {best} is called the best"]
    # What nobody writes must not pass where it happens to be right.
    unwritten = verdicts(attempt.pocl(["1", "1", "1012578"])).get("TILE = 16, whole tiles of C", ("wrong",))[0]
    if unwritten == "time":
        return [
            "with 1×1×1012578, where C is 0, a candidate that writes nothing counts as right: is C full of NaN before it runs?"
        ]
    # On a device without times none is faster than another, and a wrong one is no better for that.
    timeless = attempt.pocl(["17", "33", "65"], spy=True, SPY_CLOCK="0")
    taken = (fields(timeless, "best") or ["nothing"])[0]
    if "everything" not in taken:
        return [f"where the device reports no times, the line best says {taken!r}, which is none of the right ones"]
    for items, local in [(256, 32768), (64, 32768), (1024, 2048), (1024, 4096)]:
        run = attempt.simulated(["20", "17", "20"], ["--max-wgsize", str(items), "--local-mem-size", str(local)])
        if run is None:
            return []
        device = f"on a device with {items} work-items in a group and {local} bytes of local memory, "
        said = verdicts(run)
        for name, (tile, _) in names.items():
            fits = tile * tile <= items and 8 * tile * tile <= local
            pruned = said.get(name, ("nothing", ""))[0] == "pruned"
            if fits and pruned:
                return [f"{device}{name} is pruned, and it fits"]
            if not fits and not pruned:
                return [
                    f"{device}{name} has no room, and is not pruned"
                    + (f": {attempt.broken(run)}" if attempt.broken(run) else "")
                ]
        if not run.passed():
            return [device + (attempt.broken(run) or attempt.first_wrong(run))]
    for items, local in [(32, 32768), (1024, 511)]:
        run = attempt.pocl(["20", "17", "20"], spy=True, SPY_INFO=f"1004={items} 1023={local}")
        said = verdicts(run)
        device = f"on a device with {items} work-items in a group and {local} bytes of local memory, "
        left = [name for name in names if said.get(name, ("nothing", ""))[0] != "pruned"]
        launched = len(starting(run, "EnqueueNDRangeKernel"))
        if left or launched:
            return [
                f"{device}no candidate has room, and {left[0] + ' is not pruned' if left else f'{launched} are launched'}"
            ]
    return []


# Candidates, and when a kernel is theirs.
SPOILED = {
    "TILE = 32, everything": "TILE == 32",
    "TILE = 16, whole steps of K": "VERSION == 1",
    "TILE = 16, whole tiles of C": "VERSION == 2",
}


def spoiled(attempt, args):
    """A complaint where a candidate is taken that is wrong for no reason that anybody could have foretold."""
    path = attempt.place / "kernel.cl"
    text = path.read_text()
    write = "c[row * N + col] = sum;"
    cases = [
        (name, "gets a column of C wrong", f"c[row * N + col] = sum + ({when} && col == 5);")
        for name, when in SPOILED.items()
    ]
    cases += [
        (name, "leaves out a row of C", f"{{ if (!({when} && row == 3)) {write} }}") for name, when in SPOILED.items()
    ]
    for name, what, instead in cases:
        path.write_text(text.replace(write, instead))
        try:
            run = attempt.pocl(args)
        finally:
            path.write_text(text)
        if not any(line.startswith(name) for line in fields(run, "wrong")):
            return [
                f"with {'×'.join(args)} and a kernel.cl whose {name.replace(', ', ' with ')}, {what}, that candidate is not "
                "called wrong: does the program look at what a candidate has computed, and is C full of NaN before?"
            ]
    return []


def blocks_of(run):
    """How many launches each kernel has in a row, [3, 3, 6]; a new kernel may lie where one was that is gone."""
    counts, kernel = [], None
    for call in run.calls:
        word = call.split()
        if word[:2] == ["create", "kernel"]:
            kernel = None
        elif word[0] == "with":
            counts = counts + [1] if word[1] != kernel else counts[:-1] + [counts[-1] + 1]
            kernel = word[1]
    return counts


def wrong_and_fast(attempt, run, said):
    """A complaint where a wrong candidate that is faster than the right ones has anything to say in which of these is the
    best. The spy's clock makes it so; and all take long."""
    right = [name for name in said if said[name][0] == "time"]
    wrong = [name for name in said if said[name][0] == "wrong"]
    # Which candidate's launches are these? The time that is printed tells.
    each, counts, order = commands(run, "EnqueueNDRangeKernel"), blocks_of(run), []
    for at, count in enumerate(counts[: len(right + wrong)]):
        times = each[sum(counts[:at]) :][:count]
        names = [name for name in right if any(ms and abs(ms - milliseconds(said[name][1])[0]) < 1e-6 for ms in times)]
        order.append(names[0] if names else None)
    if len(wrong) != 1 or sorted(filter(None, order)) != sorted(right):
        return []  # it goes about it in another way
    best = next((name for name in order[order.index(None) :] if name), order[0])
    took = {name: 20000 if name == best else 50000 if name else 10000 for name in order}
    counts = blocks_of(attempt.pocl(run.args, spy=True, SPY_CLOCK="20000"))  # fewer, since they take long
    clock = [str(took[name]) for name, count in zip(order, counts) for _ in range(count)]
    again = attempt.pocl(run.args, spy=True, SPY_CLOCK=" ".join(clock))
    found = {text.split(":")[0]: milliseconds(text)[0] for text in fields(again, "time")}
    got = (fields(again, "best") or ["nothing"])[0]
    if got == best or any(found.get(name) != took[name] for name in right):
        return []
    return [
        f"with {'×'.join(run.args)} and another clock, {best} takes {took[best]} ms, the other right ones 50000 and the wrong "
        f"one 10000, and the line best says {got!r}"
    ]


def ways(attempt):
    """14/1: the way of devices that the student has not seen."""
    both = "__opencl_c_subgroups __opencl_c_work_group_collective_functions"
    many = " ".join(f"cl_vendor_number_{i}" for i in range(600))  # a GPU has some 2000 characters of them
    cases = [
        (f"OpenCL {version} m", extensions, features, 1 if version[0] == "2" else 3)
        for version in ("1.0", "1.1", "1.2", "2.0", "2.1", "2.2")
        for extensions in ("", "cl_khr_subgroups", "cl_khr_fp64 cl_khr_subgroups_like")
        for features in ("", "__opencl_c_subgroups", both)
    ]
    cases += [
        ("OpenCL 3.0 p", "cl_khr_fp64", both, 1),
        ("OpenCL 3.1 q", "cl_khr_subgroups", "__opencl_c_fp64", 2),
        ("OpenCL 3.0 r", "cl_khr_subgroups_more", "__opencl_c_subgroups_more", 3),
        ("OpenCL 2.2 s", "", "", 1),
        ("OpenCL 1.2 t", "cl_khr_subgroups", "", 3),
        ("OpenCL 3.0 u", "", "__opencl_c_fp64 __opencl_c_subgroups", 2),
        ("OpenCL 4.0 v", "", "__opencl_c_subgroups", 2),
        ("OpenCL 3.0 w", "", "__opencl_c_work_group_something", 3),
        ("OpenCL 3.0 x", "cl_khr_subgroups_like cl_khr_subgroups", "", 2),
        ("OpenCL 3.0 z", "vendor_cl_khr_subgroups", "my__opencl_c_subgroups", 3),
        ("OpenCL 2.0 pocl 1.8", "", "", 1),
        ("OpenCL 1.2 pocl 3.0", "cl_khr_subgroups", both, 3),
        ("OpenCL 3.0 pocl 1.8 on 2.1", "", both, 1),
        # Behind the number is whatever the vendor likes, another version, too.
        ("OpenCL 3.0 (as OpenCL 1.2)", "cl_khr_subgroups", "", 2),
        ("OpenCL 3.0 (as OpenCL 2.1)", "", "", 3),
        ("OpenCL 1.2 (as OpenCL 2.0)", "", "", 3),
        ("OpenCL 1.2 (as OpenCL 3.0)", "cl_khr_subgroups", both, 3),
        ("OpenCL 2.0 (as OpenCL 1.2)", "", "", 1),
        ("OpenCL 2.0 (as OpenCL 3.0)", "", "", 1),
        ("OpenCL 3.0 y", "", "__opencl_c_subgroups_like __opencl_c_subgroups", 2),
        ("OpenCL 3.0 each in the other's list", "__opencl_c_subgroups", "cl_khr_subgroups", 3),
        ("OpenCL 2.0 each in the other's list", "", "cl_khr_subgroups", 1),
        ("OpenCL 3.0 other letters", "CL_KHR_SUBGROUPS", "__OPENCL_C_SUBGROUPS", 3),
        ("OpenCL 3.0 many extensions", f"{many} cl_khr_subgroups", "", 2),
        ("OpenCL 3.0 many features", "", f"{many} {both}", 1),
        ("OpenCL 3.0 many without", f"{many} cl_khr_subgroup", f"{many} __opencl_c_subgroup", 3),
    ]
    for version, extensions, features, right in cases:
        got = (fields(attempt.pocl([version, extensions, features]), "way") or ["nothing"])[0]
        if got != str(right):
            said = f"'{version}', '{extensions}', '{features}'".replace(
                many, f"{len(many)} characters of other names, and"
            )
            return [f"for {said} the way should be {right} and is {got}"]
    # This device, if its version were one that the program has seen before, with other extensions.
    for version in re.findall(r'"(OpenCL [3-9]\.\d[^"]*)"', (attempt.place / "host.cpp").read_text(errors="replace")):
        run = attempt.pocl([], spy=True, SPY_TEXT=f"102f={version}\n1030=cl_khr_subgroups")
        got = (fields(run, "way") or ["nothing"])[-1]
        if run.code == 0 and got not in ("1", "2"):
            return [
                f"on a device of version '{version}' that has cl_khr_subgroups, the way should be 2, or 1 with work-group "
                f"functions, and is {got}"
            ]
    return []


def solid_pieces(attempt):
    """03/2, 05/2: what a work-item writes lies side by side, in each launch."""
    for item, name, count, low, high in attempt.work.each if attempt.work else []:
        if name in ("owner", "products") and count < high - low + 1:
            return [f"work-item {item} does {count} of the elements from {low} to {high}: its piece is to be solid"]
    return []


def neighbours_first(attempt):
    """06/2: no work-item adds what is half a group away, as in the chapter's tree."""
    touched = attempt.work.array("sums") if attempt.work else {}
    most, item = max(
        ((one[2], one[0]) for one in (attempt.work.each if attempt.work else []) if one[1] == "sums"), default=(0, 0)
    )
    if most > 48:  # six steps, of which none has more than one pair for a work-item
        return [
            f"work-item {item} touches sums {most} times: each work-item is to add one pair in a step, and not more"
        ]
    if touched.get(1, (0, 0, 0, 0))[2] == 33:
        return ["work-item 1 adds sums[33] to its own, which is 32 apart: this tree is to begin with neighbours"]
    if touched.get(0, (0, 0, 0, 0))[2] > 32:
        return [
            f"work-item 0 touches sums[{touched[0][2]}], of a pair that is not its own: it is to take the first in each step"
        ]
    return []


def launched_once(attempt, args, what, device=()):
    """How often the kernel, in one launch on Oclgrind, executes instructions whose name matches; None where that cannot be
    seen. `device`: options of Oclgrind for another one than usual."""
    run = attempt.simulated(args, ["--inst-counts", *device], watched=False)
    launch = (run.out + run.err).split("Instructions executed for kernel")[1:2] if run else []  # the first of several
    counts = re.findall(rf"(\d+) - (?:{what})", "".join(launch))
    return sum(map(int, counts)) if launch else None


def local_reads(attempt, each):
    """A complaint where a step of k has more than so many reads: each = {(TILE, WPT): reads}."""
    m, n, k = 40, 36, 70
    for (tile, wpt), reads in each.items():
        items, up = tile * tile // wpt, [-(-size // tile) for size in (m, n, k)]
        enough = up[0] * up[1] * items * up[2] * tile * reads  # groups, work-items, steps of k with those past the edge
        found = launched_once(attempt, [str(m), str(n), str(k)], "load local", ["--max-wgsize", str(items)])
        if found is not None and found > enough:
            return [
                f"with {m}×{n}×{k}, tiles of {tile} and WPT = {wpt}, local memory is read {found} times, and {enough} are "
                f"enough: {reads} for each k of a work-item"
            ]
    return []


def a_row_each(attempt):
    """10/1: a value of A is read once for WPT products, and work-item `number` has the columns number % STEP, + STEP, ..."""
    if complaints := local_reads(attempt, {(32, 8): 9, (16, 4): 5}):
        return complaints
    size, tile, wpt = 64, 32, 8
    step = tile // wpt
    seen = evidence.work(attempt, [str(size)] * 3)
    for item, (count, _, _, which) in (seen.array("c") if seen else {}).items():
        y, x = divmod(item, size)
        number = y % step * tile + x % tile
        row, col = y // step * tile + number // step, x // tile * tile + number % step
        places = [row * size + col + w * step for w in range(wpt)]
        launches = count // wpt
        if count % wpt or which != launches * sum(map(evidence.mixed, places)) % 2**64:
            return [
                f"with 64×64×64 and tiles of 32, work-item {number} of a group does not write the elements of C in row "
                f"{number // step} and columns {number % step}, {number % step + step}, ... of the tile"
            ]
    return []


def a_block_each(attempt):
    """10/2: for each k, 2 elements of B and 4 of A are read, or 2 of each where WPT is 4."""
    return local_reads(attempt, {(32, 8): 6, (16, 4): 4}) or dealt_out(attempt)


def dealt_out(attempt):
    """10/2: with TILE = 32 and WPT = 8, as on Oclgrind, each work-item writes the block that it has been given: four rows,
    8 apart, and two columns, 16 apart."""
    m, n, tile = 40, 65, 32
    seen = evidence.work(attempt, [str(m), str(n), "9"])
    for item, (count, _, _, which) in (seen.array("c") if seen else {}).items():
        across, down = item % 96, item // 96  # three groups of 32, in each direction groups of 4
        number = down % 4 * tile + across % tile
        rows = [down // 4 * tile + number // 16 + 8 * i for i in range(4)]
        cols = [across // tile * tile + number % 16 + 16 * j for j in range(2)]
        block = [row * n + col for row in rows for col in cols if row < m and col < n]
        launches, more = divmod(count, max(1, len(block)))
        if not more and which != launches * sum(map(evidence.mixed, block)) % 2**64:
            return [
                f"with {m}×{n}×9, work-item ({across},{down}) does not write the elements in the rows {rows} and the columns "
                f"{cols}: its block begins at my_row and my_col, and goes on in steps of STEP_M and STEP_N"
            ]
    return []


def brought_once(attempt):
    """09/2: a group brings each element of its tiles once from global memory."""
    m, n, k, tile = 20, 17, 20, 16
    seen = evidence.work(attempt, [str(m), str(n), str(k)])
    names = re.findall(r"__global\b[^,()]*?(\w+)\s*[,)]", " ".join(evidence.code_of(attempt.kernel)))
    found = [one for one in seen.each if one[1] in names] if seen else []
    launches = max(collections.Counter((item, name) for item, name, *_ in found).values(), default=1)
    touched = sum(count for _, _, count, *_ in found) // launches
    enough = m * k * -(-n // tile) + k * n * -(-m // tile) + m * n
    if touched > enough:
        return [
            f"with {m}×{n}×{k} the groups touch elements of a, b and c {touched} times, and {enough} are enough: who has "
            "no element of the tile to bring, brings none"
        ]
    return []


def from_the_functions(attempt):
    """14/2: the sub-group's size comes from its functions, as on a device."""
    code = evidence.code_of(attempt.kernel)
    if "SIZE" in code:
        return ["SIZE is the host's, which stands for a device here: a device with sub-groups has no such name"]
    if not {"barrier", "work_group_barrier"} & set(code):
        return [
            "the sub-groups' totals cross from one sub-group to the next, and there is no barrier of the work-group: a "
            "sub-group function waits for the work-items of its own sub-group only"
        ]
    run = evidence.with_kernel(
        attempt,
        OWN_SUB_GROUP + attempt.kernel,
        lambda: attempt.simulated(["300", "32"], ["--data-races"], watched=False),
    )
    races = (
        [what for kind, what in findings.translate(run.err + run.out, attempt.kernel) if kind == "race"] if run else []
    )
    if races:
        return [f"where a sub-group function waits for its own sub-group only, {what}" for what in races]
    if not evidence.with_kernel(
        attempt, LEAVES_NOTHING + attempt.kernel, lambda: attempt.pocl(["1000", "32"])
    ).passed():
        return [
            "where the emulation leaves nothing in scratch, it is wrong: scratch is the emulation's own, leave it alone"
        ]
    dealt = evidence.with_kernel(attempt, DEALT_OUT + attempt.kernel, lambda: attempt.pocl(["1000", "32"]))
    if dealt.passed():
        return []
    return [
        "where a device deals its work-items out to the sub-groups in turn, from the last on, it is wrong: ask which of them "
        "is the first"
    ]


# The emulation, which clears its memory at its end.
LEAVES_NOTHING = """
#undef sub_group_reduce_add
#define sub_group_reduce_add(value) check_reduce_add(value, scratch)
float check_reduce_add(const float value, __local float *scratch) {
  const float sum = emulated_reduce_add(value, scratch);
  scratch[get_local_id(0)] = NAN;
  return sum;
}
#line 1
"""


# The emulation, where the work-items of a sub-group do not have their numbers side by side, and the first is in the last
# sub-group: both are for the device to say.
DEALT_OUT = """
#undef get_sub_group_id
#undef get_sub_group_local_id
#undef get_sub_group_size
#undef sub_group_reduce_add
#define get_sub_group_id() (get_num_sub_groups() - 1 - (uint)get_local_id(0) % get_num_sub_groups())
#define get_sub_group_local_id() ((uint)get_local_id(0) / get_num_sub_groups())
#define get_sub_group_size() SIZE
#define sub_group_reduce_add(value) check_reduce_add(value, scratch)
float check_reduce_add(const float value, __local float *scratch) {
  scratch[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = 0; i < SIZE; i++)
    sum += scratch[get_local_id(0) % get_num_sub_groups() + i * get_num_sub_groups()];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
#line 1
"""


# The emulation, whose barriers are none for the kernel's local memory; its own is left to atomic functions.
OWN_SUB_GROUP = """
#undef sub_group_reduce_add
#define sub_group_reduce_add(value) check_reduce_add(value, scratch)
float check_reduce_add(const float value, volatile __local float *scratch) {
  atomic_xchg(scratch + get_local_id(0), value);
  barrier(CLK_GLOBAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = get_sub_group_id() * SIZE, n = get_sub_group_size(); n > 0; n--, i++)
    sum += as_float(atomic_or((volatile __local int *)scratch + i, 0));
  barrier(CLK_GLOBAL_MEM_FENCE);
  return sum;
}
#line 1
"""


def vectors(attempt):
    """16/1: elements are read as vectors. What N / 4 vectors are called goes no higher than that."""
    n = max(int(size[0]) for size in attempt.exercise.sizes if int(size[0]) <= 5000)
    touched = attempt.work.touched if attempt.work else {}
    single = [item for (item, _), (_, _, high, _) in touched.items() if high >= n // 4]
    if len(single) > 4:
        return [f"with N = {n} there are {n // 4} vectors of 4, and {len(single)} work-items read single floats"]
    return []


MATMUL_OF_19 = "ca7488a9dfda1ca6"  # the words of `matmul` in the starter


def packs_only(attempt):
    """19/1: `matmul` is left alone."""
    code = " ".join(evidence.code_of(attempt.kernel))
    found = re.search(r"(?<=__kernel void )matmul \([^{]*\{", code)
    end = evidence.matching(code, found.end() - 1) if found else None
    text = code[found.start() : end + 1] if end else ""
    if hashlib.sha256(text.encode()).hexdigest()[:16] != MATMUL_OF_19:
        return [
            "`matmul` is another one than in the file that you were given: it is to be left alone, and to read panels"
        ]
    m, n, k, tn = 17, 33, 65, 8
    # Infinities: what is filled up is 0, and not 0 times something.
    trial = Trial(attempt, [str(m), str(n), str(k)], {2: packed([math.inf if i % 3 else -1.0 for i in range(n * k)])})
    if (2, 1) not in trial.after or 2 not in trial.inputs:
        return evidence.missing(attempt, "the panels could not be seen")
    b, panels = floats(trial.inputs[2]), floats(trial.after[2, 1])
    for at, got in enumerate(panels):
        panel, within = divmod(at, k * tn)
        row, col = within // tn, panel * tn + within % tn
        right = b[col * k + row] if col < n else 0.0
        if got != right or math.copysign(1, got) != math.copysign(1, right):
            return [
                f"with 17×33×65, infinities among them, what the panels of B hold for k = {row} and column {col} is {got:g}, not {right:g}"
            ]
    return []


def placed(attempt):
    """18/1: each group computes the part that `place` says, without a loop."""
    m, n, k, tile, band = 40, 18, 3, 4, 8
    down, across = m // tile, -(-n // tile)
    seen = evidence.work(attempt, [str(m), str(n), str(k)])
    for item, (count, _, _, which) in (seen.array("c") if seen else {}).items():
        group, within = divmod(item, tile * tile)
        first, in_band = group // (band * across) * band, group % (band * across)
        rows = min(band, down - first)
        row = (first + in_band % rows) * tile + within // tile
        col = in_band // rows * tile + within % tile
        if which != count * evidence.mixed(row * n + col) % 2**64:
            return [
                f"with {m}×{n}×{k}, group {group} does not write the part of C in row {row // tile} and column {col // tile}, "
                "which `place` is to give it"
            ]
    return far_places(attempt) or no_loop(attempt)


# In place of the kernel: only `place`, in a C with 60001×70003 parts, of the last and the first group of each 58th band.
PLACES = """#define get_group_id(d) ((d) == 0 ? ((uint)get_group_id(0) / 2 + 1) * 32481392u - (uint)get_group_id(0) % 2 : 0u)
#define matmul not_called
{}
#undef matmul
#undef get_group_id
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, __global uint2 *parts,
                     const uint M, const uint N, const uint K) {{
  const uint group = ((uint)get_group_id(0) / 2 + 1) * 32481392u - (uint)get_group_id(0) % 2;
  parts[get_group_id(0)] = place(group, 60001u, 70003u);
}}
"""


def far_places(attempt):
    """18/1: `place` is right for groups up to 2^32, too."""
    path = attempt.place / "kernel.cl"
    path.write_text(PLACES.format(attempt.kernel))
    try:
        trial = Trial(attempt, ["64", "64", "1"])
    finally:
        path.write_text(attempt.kernel)
    found = trial.after.get((1, 3))
    if found is None:
        return evidence.missing(attempt, "what `place` says of other groups could not be seen")
    down, across, band = 60001, 70003, 8
    for number, got in enumerate(zip(*[iter(struct.unpack(f"{len(found) // 4}I", found))] * 2)):
        group = (number // 2 + 1) * 58 * band * across - number % 2
        first, in_band = group // (band * across) * band, group % (band * across)
        rows = min(band, down - first)
        right = (first + in_band % rows, in_band // rows)
        if got != right:
            return [f"in a C of {down}×{across} parts, `place` gives group {group} the part {got}, and not {right}"]
    return []


def no_loop(attempt):
    """K = 20 rounds for each element of C, and none to find out which part it is in."""
    if "goto" in evidence.code_of(attempt.kernel):
        return ["there is a goto in it: `place` may not loop, by that either"]
    most = max(attempt.work.rounds.values(), default=0) if attempt.work else 0
    return [f"with K = 20 a work-item goes through {most} rounds of loops: `place` may not loop"] if most > 20 else []
