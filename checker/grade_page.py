"""class.html: the state of a class on one page, for the teacher. It loads nothing from elsewhere."""

import collections
import difflib
import html
import itertools
import re

SIGNS = {"passed": ("good", "✓"), "not yet": ("bad", "✗"), "not started": ("none", "·")}
ALIKE = 0.9  # of two answers' own lines, so much is the same
FEW = 60  # characters of one's own: less says nothing
MOST_ALIKE = 3  # others: where it is more, it is the task that makes them alike
MOST_PAIRS = 60
BEYOND = r"\b(system|popen|exec[lv]p?e?|fork|kill|unlink|remove|rmdir|rename|socket)\s*\("  # no business of an answer's

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --back: #fff; --line: #d0d7de; --good: #1a7f37;
  --good-back: #dafbe1; --bad: #a40e26; --bad-back: #ffebe9; --warn: #7d4e00; --warn-back: #fff8c5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9ea7b3; --back: #0d1117; --line: #3d444d;
  --good: #56d364; --good-back: #12351d; --bad: #ff8f87; --bad-back: #4a1417; --warn: #e3b341; --warn-back: #3a2d0a; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 1.5rem auto;
  padding: 0 1rem; max-width: 75rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; } caption { text-align: left; color: var(--soft); }
th, td { border: 1px solid var(--line); padding: .15rem .5rem; text-align: left; vertical-align: top; }
.state td { text-align: center; padding: .1rem .2rem; min-width: 1.4rem; }
.state th.up { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; padding: .4rem .1rem; }
.state th { white-space: nowrap; } .state th:first-child { position: sticky; left: 0; background: var(--back); }
.good { color: var(--good); background: var(--good-back); } .bad { color: var(--bad); background: var(--bad-back); }
.warn { color: var(--warn); background: var(--warn-back); } .none, .note { color: var(--soft); }
td.number { text-align: right; }
pre { overflow: auto; max-height: 30rem; border: 1px solid var(--line); padding: .5rem; font-size: 13px; margin: 0; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; } .two > * { min-width: 0; }
@media (max-width: 50rem) { .two { grid-template-columns: 1fr; } }
"""


def text(what):
    return html.escape(str(what), quote=True)


def table(head, rows, caption=""):
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    titles = "".join(f"<th>{title}</th>" for title in head)
    return f'<div class="wide"><table><caption>{caption}</caption><tr>{titles}</tr>{cells}</table></div>'


def state(students, exercises):
    titles = "".join(f'<th class="up">{text(e.id)} ({e.points:g})</th>' for e in exercises)
    rows, passed = [f"<tr><th>student</th><th>points</th>{titles}</tr>"], collections.Counter()
    for name, student in students.items():
        cells = []
        each = student["points"][-len(exercises) :]
        total = f"{sum(p or 0 for p in each):g}" * any(p is not None for p in each) + "?" * (None in each)
        for exercise, points in zip(exercises, each):
            answer = student["answers"].get(exercise)
            if points is None:
                look, sign, said = "warn", "?", (answer and answer.trouble) or "to be looked at by hand"
            elif answer is None:
                look, sign, said = "none", "", "not handed in"
            else:
                look, sign = SIGNS.get(answer.result["verdict"], ("warn", "?"))
                said = answer.result["message"] or answer.result["verdict"]
                passed[exercise] += answer.result["verdict"] == "passed"
            cells.append(f'<td class="{look}" title="{text(f"{exercise.id}: {said}")}">{sign}</td>')
        rows.append(f'<tr><th>{text(name)}</th><td class="number">{total}</td>{"".join(cells)}</tr>')
    rows.append("<tr><th>passed</th><td></td>" + "".join(f"<td>{passed[e]}</td>" for e in exercises) + "</tr>")
    legend = "✓ passed &nbsp; ✗ not yet &nbsp; · the starter, unchanged &nbsp; ? to be looked at by hand &nbsp; empty: not handed in &nbsp; a number with ?: points so far"
    return f'<p class="note">{legend}</p><div class="wide"><table class="state">{"".join(rows)}</table></div>'


def failures(exercises, answers):
    """The commonest first failures of each exercise; numbers in them are no difference."""
    rows = []
    for exercise in exercises:
        found = {}
        for answer in answers:
            if answer.exercise is exercise and answer.result and answer.result["verdict"] == "not yet":
                message = answer.result["message"]
                found.setdefault(re.sub(r"[-+]?\d[\d.e+]*", "#", message), (message, []))[1].extend(answer.students)
        for message, names in sorted(found.values(), key=lambda one: -len(one[1]))[:3]:
            who = ", ".join(names[:6]) + " …" * (len(names) > 6)
            rows.append([text(exercise.id), len(names), text(message), text(who)])
    return table(["exercise", "how many", "the first thing that is wrong", "who"], rows) if rows else "<p>None.</p>"


def own_lines(answer):
    """The lines of an answer that are not the starter's."""
    lines = []
    for name, content in sorted(answer.files.items()):
        starter = {line.strip() for line in (answer.exercise.folder / name).read_text().splitlines()}
        lines += [line.strip() for line in content.decode(errors="replace").splitlines() if line.strip() not in starter]
    return lines


def without_names(answer):
    """The code with each name as a number, in the order in which they come: who renames copies the rest."""
    numbers = {}
    return tuple(
        numbers.setdefault(word, len(numbers)) if re.match(r"[A-Za-z_]", word) else word for word in answer.code
    )


def alike(answers):
    """Pairs of answers, by students, whose own lines are nearly the same, or all but the names: (how, one, another)."""
    pairs = []
    for exercise in {a.exercise.id: a.exercise for a in answers}.values():
        group = [a for a in answers if a.exercise is exercise]
        lines = {a: own_lines(a) for a in group}
        size = {a: sum(map(len, lines[a])) for a in group}
        own = [a for a in group if FEW <= size[a] < 50000]
        close = [("the same file", a, a) for a in own if len(a.students) > 1]
        for a, b in itertools.combinations(own, 2):
            matcher = difflib.SequenceMatcher(None, lines[a], lines[b], autojunk=False)
            if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                close.append((f"{matcher.ratio():.0%}", a, b))
        alike_to = collections.Counter(one for pair in close for one in pair[1:])
        pairs += [p for p in close if max(alike_to[a] for a in p[1:]) <= MOST_ALIKE]
        shapes = {}  # one answer of each code, by what is left of it without names
        for a in sorted(group, key=size.get):
            shapes.setdefault(without_names(a), {}).setdefault(a.code, a)
        for first, *others in map(list, map(dict.values, shapes.values())):
            pairs += [("the same but for names", first, a) for a in others if size[a] >= FEW]
    return sorted(pairs, key=lambda pair: pair[0].rjust(5), reverse=True)


def side_by_side(answers):
    pairs = alike(answers)
    if not pairs:
        return "<p>None.</p>"
    shown = []
    for how, a, b in pairs[:MOST_PAIRS]:
        names = ", ".join(a.students) if a is b else f"{', '.join(a.students)} and {', '.join(b.students)}"
        sides = []
        for answer in [a] if a is b else [a, b]:
            content = "\n".join(
                f"// {name}\n{code.decode(errors='replace')}" for name, code in sorted(answer.files.items())
            )
            sides.append(f"<div><b>{text(', '.join(answer.students))}</b><pre>{text(content[:20000])}</pre></div>")
        shown.append(
            f"<details><summary>{text(a.exercise.id)}: {text(names)} ({how})</summary>"
            f'<div class="two">{"".join(sides)}</div></details>'
        )
    return "".join(shown)


def page(students, exercises, answers, absent=()):
    """`students`: with their "points", as grade.points_of has them; `absent`: whom the roster has and the submissions have not."""
    read = [s["points"][0] for s in students.values() if s["points"][0] is not None]
    most = sum(e.points for e in exercises)
    wrong = [[text(name), text(what)] for name, s in students.items() for what in s["wrong"]]
    for answer in answers:
        beyond = sorted(set(re.findall(BEYOND, "\n".join(own_lines(answer)))))
        what = [f"not checked: {answer.trouble}"] * bool(answer.trouble)
        what += [f"calls {name}(): what for?" for name in beyond]
        wrong += [[text(", ".join(answer.students)), text(f"{answer.exercise.id}: {one}")] for one in what]
    sections = [
        (
            "The class",
            f"<p>{len(exercises)} exercises; {len(read)} students have points, {sum(read) / max(len(read), 1):.1f} of {most:g} on average.</p>"
            + state(students, exercises)
            + f"<p>Nothing handed in, and not in the average: {text('; '.join(absent))}.</p>" * bool(absent),
        ),
        ("The commonest failures", failures(exercises, answers)),
        (
            "Answers that are alike",
            "<p class='note'>A hint to look, and no more: small tasks have few right answers. Only lines that differ from the "
            f"starter are compared, from {FEW} characters on. An answer that is like more than {MOST_ALIKE} others is left "
            "out: then it is the task that makes them alike. Whole answers are compared, too, with all names taken "
            "out, so renamed copies are found.</p>" + side_by_side(answers),
        ),
    ]
    if wrong:
        sections.insert(1, ("To look at by hand", table(["who", "what"], wrong)))
    body = "".join(f"<section><h2>{title}</h2>{content}</section>" for title, content in sections)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>The class</title><style>{STYLE}</style></head><body><h1>OpenCL, step by step: the class</h1>{body}</body></html>\n"
    )
