"""What the site does to finished pages, and to the search. MkDocs loads this file as a hook.

Tables get a box that they scroll in. The search finds lessons before listings, and knows CUDA's words: who looks for a
thread is led to work-items. It knows what people type, too, and brings up the paragraph that docs/questions.md links to.
"""

import json
import pathlib
import posixpath
import re

# How much a hit counts, by where it stands; the first that fits. A lesson before its exercises, listings last.
WEIGHTS = [
    (r".*#see-it-run$", 0.3),  # players, which have no words
    (r"[0-9][0-9]-[^/]*/(#|$)", 2.0),
    (r"docs/(concepts|start|calls|errors)/", 2.0),
    (r"(docs/(cuda|setup|tools|benchmarking)|labs)/", 1.5),
    (r"(.*/)?[^/]*\.(cl|cpp|h|py|txt|cmake|sh|json)/", 0.05),
    (r"(.*/)?(files|LICENSE)/", 0.05),
    (r"[0-9][0-9]-.*/exercises/", 0.7),
    (r"", 0.5),
]
# CUDA's words, and the sections that explain what OpenCL says instead; docs/cuda.md has them side by side.
CUDA = {
    "01-vector-add/": "cudaMalloc, cudaMemcpy, NVRTC",
    "02-device-query/": "streaming multiprocessor",
    "03-launch-geometry/": "thread, block, grid, threadIdx, blockIdx, blockDim, gridDim",
    "04-host-device-memory/": "cudaMalloc, cudaMemcpy",
    "06-dot-product-reduction/": "shared memory, __shared__, __syncthreads",
    "07-dot-product-profiling/": "cudaEvent",
    "13-sum-atomic/": "atomicAdd",
    "14-sum-sub-groups/": "warp, shuffle",
    "21-matmul-matrix-units/": "tensor cores",
    "22-overlap/": "stream, cudaStream, cudaMemcpyAsync",
}


def on_page_markdown(markdown, page, **_):
    """The first paragraph says what a page is about: to searches, and where somebody links to it."""
    text = re.sub(r"(?ms)^```.*?^```$|^<style.*?</style>", "", markdown)
    for paragraph in re.split(r"\n\s*\n", text):
        plain = re.sub(r"<[^>]*>", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
        plain = " ".join(re.sub(r"[*`]", "", plain).split()).replace('"', "'")
        if len(plain) > 60 and not re.match(r"[#|>!-]|Exercise of", paragraph.strip()):
            page.meta.setdefault("description", plain if len(plain) <= 200 else plain[:197].rsplit(" ", 1)[0] + " …")
            break


def on_page_content(html, **_):
    html = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html)  # a corner that heads nothing
    # The sign for a heading's address is for the mouse: not a stop of the keyboard, nor a part of the heading's name.
    html = html.replace('<a class="headerlink"', '<a class="headerlink" tabindex="-1" aria-hidden="true"')
    # On a phone a figure is small: it leads to itself, which can be made larger there.
    html = re.sub(r'<p>(<img [^>]*src="([^"]+\.svg)"[^>]*>)</p>', r'<p><a class="figure" href="\2">\1</a></p>', html)
    return re.sub(r"(?s)<table>.*?</table>", lambda m: f'<div class="table">{m.group()}</div>', html)


def on_post_page(output, **_):
    """Names for what the theme gives none: its dialog, and the lists of sections that have a page of their own."""
    dialog = 'data-md-component="search" role="dialog"'
    if dialog not in output:
        raise SystemExit(f"site/pages.py: the theme has changed, there is no {dialog}")
    output = output.replace(dialog, f'{dialog} aria-label="Search"')

    def named(match):
        words = " ".join(re.sub(r"<[^>]*>", "", match.group(4)).split())
        return f'{match.group(1)}aria-label="{words}"{match.group(3)}{match.group(4)}'

    pattern = r'(?s)(<nav class="md-nav" data-md-level="\d+" )aria-labelledby="(\w+)_label"([^>]*>\s*<label class="md-nav__title" for="\2">)(.*?</label>)'
    return re.sub(pattern, named, output)


def plain(text):
    """A text without its marks and links, in one line."""
    return " ".join(re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)).split())


def on_post_build(config, **_):
    path = pathlib.Path(config["site_dir"]) / "search" / "search_index.json"
    index = json.loads(path.read_text())
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("docs/exam_answers/")]
    # The theme's own (1000 and 1,000,000 beside the text's 1) would let one word in a title or a tag beat all the others.
    index["config"]["fields"]["title"]["boost"] = 10
    index["config"]["fields"]["tags"]["boost"] = 30
    words = {place: {"elsewhere": some.split(", ")} for place, some in CUDA.items()}
    # The glossary says which chapter introduces a word: that is where a search for it leads.
    concepts = (pathlib.Path(config["docs_dir"]) / "docs" / "concepts.md").read_text()
    answers = {}  # of a word or a question: the sentence that whoever asks wants to read; site.js shows it
    for word, means, number in re.findall(r"(?m)^\| ([^|]+?) \| (.*) \| \[(\d\d)\]\([^|]*\) \|$", concepts):
        place = next(e["location"] for e in index["docs"] if re.fullmatch(rf"{number}-[^/]*/", e["location"]))
        words.setdefault(place, {}).setdefault("introduces", []).append(plain(word))
        answers.setdefault(place, {})[plain(word)] = plain(means)
    questions = (pathlib.Path(config["docs_dir"]) / "docs" / "questions.md").read_text()
    for asked, answer in re.findall(r"(?ms)^- \*\*(.*?)\*\*(.*?)(?=^- |^#|\Z)", questions):
        for page, anchor in re.findall(r"\]\(([^)#]+?)(?:index)?\.md(#[^)]*)?\)", answer):
            place = posixpath.normpath(posixpath.join("docs", page)) + "/" + anchor
            words.setdefault(place, {})[plain(asked)] = []
            said = answer.partition("[")[0].strip()  # whole sentences, and what a colon puts before the link
            said = said if said[-1:] in ".:" else said[: said.rfind(". ") + 1]
            answers.setdefault(place, {})[plain(asked)] = re.sub(":$", ".", plain(said))
    for entry in index["docs"]:
        weight = next(weight for pattern, weight in WEIGHTS if re.match(pattern, entry["location"]))
        if weight != 1:
            entry["boost"] = weight
        if entry["location"] in answers:
            entry["answers"] = answers[entry["location"]]
        if entry["location"] in words:
            entry["tags"] = [
                f"{kind}: {' · '.join(some)}" if some else kind  # a comma would be part of the word
                for kind, some in sorted(words.pop(entry["location"]).items())
            ]
    if words:
        raise SystemExit(f"site/pages.py: no such pages: {', '.join(words)}")
    path.write_text(json.dumps(index, separators=(",", ":"), ensure_ascii=False))
