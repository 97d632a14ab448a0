"""Do neighbours touch neighbouring memory, and does each work-item do its share and no more?

The counts of `costs` are those of whole launches: they do not show that a single work-item does the work of all, or
that neighbours read floats that lie far apart, which a GPU cannot join to long accesses. So every place in a chapter's
kernels that touches global memory is made to print which element that is, and the program runs on Oclgrind. In each
launch most of the elements that two neighbours of a work-group touch at the same time must be the same one or
neighbours, and nobody may touch more than twice their share, that is of what is touched in all. APART in the
chapter's facts names what is meant otherwise, with the reason.
"""

import collections
import pathlib
import tempfile

from tests import chapter_facts, running
from tests.syntax import bodies, builds_of, changed_copy, kernel_files, nodes, place_of, text_of

FEW = 8  # so many elements are no work
NOTE = """
ulong touched_by(const ulong at, const int place) {
  printf("touched %d %u %u %u %u %u\\n", place, (uint)get_local_size(0), (uint)get_local_id(0), (uint)get_global_id(0),
         (uint)get_global_id(1), (uint)at);
  return at;
}
"""


def is_global(node):
    return "__global" in node.get("type", {}).get("qualType", "")


def touching(source, options):
    """Where global memory is touched: {place in the file: (its end, place of what says which element, its end, code,
    is it a pointer and not an index?)}."""
    found = {}
    for body in bodies(source, options):
        for node in nodes(body):
            inner = node.get("inner", [])
            if node.get("kind") == "ArraySubscriptExpr" and is_global(inner[0]):
                found[place_of(node)[0]] = (*place_of(node), *place_of(inner[1]), text_of(node, source), False)
            elif node.get("kind") == "UnaryOperator" and node["opcode"] == "*" and is_global(inner[0]):
                found[place_of(node)[0]] = (*place_of(node), *place_of(inner[0]), text_of(node, source), True)
    return found


def noting(source, places):
    """The kernel file, with every access noting its element."""
    raw = source.encode()
    for begin in sorted(places, key=lambda place: places[place][2], reverse=True):
        _, _, first, last, _, pointer = places[begin]
        code = raw[first:last]
        of = b"touched_by((ulong)(%s)%s, %d)" % (code, b" / sizeof(*(%s))" % code if pointer else b"", begin)
        raw = raw[:first] + (b"(%s, %s)" % (of, code) if pointer else of) + raw[last:]
    return NOTE + raw.decode()


def launches_of(out):
    """{(launch, place, its work-items): {work-item (y, x): [(its number in the group, element), ...]}}."""
    launch, found = 0, collections.defaultdict(lambda: collections.defaultdict(list))
    for line in out.splitlines():
        if line.startswith("Instructions executed for kernel"):
            launch += 1
        elif line.startswith("touched "):
            place, items, local_id, x, y, element = map(int, line.split()[1:])
            found[launch, place, items][y, x].append((local_id, element))
    return found


def wrong_with(items, touched):
    """What is wrong with how a launch of so many work-items touches something: a list of sentences."""
    wrong, pairs = [], collections.Counter()
    for (y, x), mine in touched.items():
        for (local_id, element), (next_id, next_element) in zip(mine, touched.get((y, x + 1), [])):
            if next_id == local_id + 1:
                pairs[next_element - element in (0, 1)] += 1
    if pairs[False] > pairs[True]:
        wrong.append(f"in {pairs[False]} of {pairs.total()} times neighbours touch what lies apart")
    most, all_of_it = max(map(len, touched.values())), sum(map(len, touched.values()))
    if most > max(FEW, 2 * all_of_it / items):
        wrong.append(f"one of {items} work-items touches {most} of {all_of_it} elements")
    return wrong


def check(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    if not known.ACCESS_SIZE:
        return report.nothing_to_do("its facts name no size to look at (ACCESS_SIZE)")
    files = {}  # kernel file: where it touches global memory
    with tempfile.TemporaryDirectory() as cache:
        for source, options in builds_of(known, cache):
            path = next(p for p in kernel_files(chapter) if p.read_text() == source)
            files.setdefault(path, {}).update(touching(source, options))
    apart = set()
    for path, places in files.items():
        with tempfile.TemporaryDirectory() as folder:
            program = changed_copy(chapter, pathlib.Path(folder), {path: noting(path.read_text(), places)})
            code, out, err, log = running.on_oclgrind(
                [program, *known.ACCESS_SIZE], "--inst-counts", "--num-threads", "1", *known.OCLGRIND_OPTIONS
            )
        if code not in (0, 1):
            words = f"noting what it touches it does not run, exit code {code}\n{out[-400:]}{err}{log}"
            report.failed(chapter, [words])
        seen = set()
        for (_, place, items), touched in launches_of(out).items():
            what = places[place][4]
            seen.add(what)
            for wrong in wrong_with(items, touched):
                apart.add(what)
                if what not in known.APART:
                    report.failed(f"{chapter}/{path.name}", [f"{what}: {wrong}"])
        report.count("places that touch global memory", len(seen))
    report.failed(chapter, [f"APART allows what is not there: {what}" for what in sorted(known.APART.keys() - apart)])
