// What the players share: a frame with its buttons and keys, the source with the line in hand, play and pause, a verdict.
// player.js (work-items of a kernel) and queues.js (commands of a host) each make one of it. No library, no other host.
"use strict";

const Frame = (() => {
  function make(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes))
      if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
      else if (value !== false && value !== null) e.setAttribute(key, value === true ? "" : value);
    e.append(...children);
    return e;
  }

  const show = (x) => x === undefined || Number.isNaN(x) ? "?" : Number.isInteger(x) ? String(x).replace("-", "−")
    : x.toFixed(2).replace("-", "−");

  const WORDS = /\b(const|restrict|volatile|void|float\d*|double|int|uint|ulong|size_t|cl_\w+|__\w+|if|else|for|while|do|return|unsigned|bool)\b/;

  // A piece of source without comments, with its words of the language and its numbers coloured; it may break after "(".
  const colored = (text) => text.split(new RegExp(`${WORDS.source}|(\\b\\d[\\w.]*)`)).filter(Boolean)
    .map((piece) => WORDS.test(piece) ? make("b", {}, piece) : /^\d/.test(piece) ? make("em", {}, piece) : piece)
    .flatMap((piece) => typeof piece === "string" ? piece.split(/(?<=\()/).flatMap((part) => [part, make("wbr")]).slice(0, -1) : [piece]);

  // Whoever extends it has steps, go(to), and a stage; and calls frame() once.
  class Player {
    constructor(root, recording) {
      this.root = root;
      this.recording = recording;
      this.launch = recording.launch;
      this.at = 0;
      this.timer = null;
      this.jumps = []; // buttons that lead to the next step of a kind
      // What the address asks for; this.options and `step` have it, where it is something that there is.
      this.asked = new URLSearchParams(location.search);
      this.speed = this.ask("pace", [3, 1, 12]); // steps a second
    }

    // One of `values` that the address asks for under `name`, else the first of them.
    ask(name, values) {
      return values.find((value) => String(value) === this.asked.get(name)) ?? values[0];
    }

    address() {
      return `?${new URLSearchParams({ ...this.state_words(), ...(this.speed === 3 ? {} : { pace: this.speed }), step: this.at })}#see-it-run`;
    }

    // The state goes into the address once the reader has done something, so that a link leads to it.
    remember() {
      if (!this.touched) return;
      clearTimeout(this.remembering);
      this.remembering = setTimeout(() => history.replaceState(null, "", this.address()), 300);
    }

    button(label, text, action, more = {}) {
      return make("button", { type: "button", "aria-label": label, title: label, onclick: () => { this.pause(); action(); }, ...more }, text);
    }

    select(options, chosen, action) {
      const select = make("select", { onchange: () => action(select.value) },
        ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
      return select;
    }

    // A button and a key that lead to the next step of a kind, by which the reader would else step for long.
    jump(what, key, is) {
      const button = this.button(`next ${what} (key ${key})`, `next ${what}`, () => {
        if (this.leap(is)) this.reveal();
        else this.say.textContent = `From here on there is no ${what}.`;
      }, { "aria-keyshortcuts": key });
      this.jumps.push({ button, key, is });
      return button;
    }

    // False where there is none.
    leap(is) {
      const next = this.steps.findIndex((step, i) => i > this.at && is(step));
      if (next >= 0) this.go(next);
      return next >= 0;
    }

    // What is red comes into sight, where it is below the window.
    reveal() {
      const red = this.stage.querySelector(".player-cell.player-wrong") || this.stage.querySelector(".player-race");
      if (red) red.scrollIntoView({ block: "nearest" });
    }

    // The source; choices: {line: a list, which lies over the line}.
    code(what, choices = {}) {
      this.lines = new Map();
      const list = make("ol", { class: "player-lines" });
      let previous = null;
      this.indent = Math.min(...this.recording.source.filter(([, text]) => text.trim()).map(([, text]) => text.search(/\S/)));
      for (const [number, whole] of this.recording.source) {
        if (previous !== null && number !== previous + 1) list.append(make("li", { class: "player-cut", "aria-hidden": "true" }, "⋯"));
        previous = number;
        const line = make("li", {}, make("span", { class: "player-number" }, String(number)), make("code"));
        this.lines.set(number, line);
        this.write(number, whole);
        if (choices[number]) {
          line.classList.add("player-choice");
          line.append(choices[number]);
        }
        list.append(line);
      }
      this.pane = make("div", { class: "player-code", tabindex: 0, role: "region", "aria-label": what }, list);
      return this.pane;
    }

    // What stands in a line; its comment as an <i>, an <s> where it is not true any more, or not at all.
    write(number, whole, comments = "i") {
      const [plain, comment] = whole.slice(this.indent).replace(/^ {9,}/, "        ").split(/(?=\/\/)/); // a narrow column
      this.lines.get(number).querySelector("code").replaceChildren(...colored(plain || ""), ...(comment && comments ? [make(comments, {}, comment)] : []));
    }

    mark(numbers) {
      for (const [number, line] of this.lines) {
        line.classList.toggle("player-now", numbers.has(number));
        if (numbers.has(number)) line.setAttribute("aria-current", "step");
        else line.removeAttribute("aria-current");
      }
      const first = this.lines.get(Math.min(...numbers));
      if (first) this.scroll(first.offsetTop - this.pane.clientHeight / 2);
    }

    // The listing from the first whole line at or below `to`: at its end, too, no half a line stands at the top.
    scroll(to) {
      const { pane, lines } = this, list = pane.firstChild;
      list.style.paddingBottom = "";
      const most = pane.scrollHeight - pane.clientHeight;
      const top = to <= 4 ? 0 : Math.max(0, ...[...lines.values()].map((line) => line.offsetTop).filter((at) => at >= Math.min(to, most)).slice(0, 1));
      if (top > most) list.style.paddingBottom = `${4 + top - most}px`;
      pane.scrollTop = top;
    }

    // Everything from the head to what the reader may try; `stage` is the moving part.
    frame({ options, gates, code, stage, about, tasks = [] }) {
      const { launch } = this;
      this.playButton = make("button", { type: "button", class: "player-play", onclick: () => this.toggle() }, "▶ Play");
      this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "step",
        oninput: () => { this.pause(); this.go(Number(this.slider.value)); } });
      this.count = make("span", { class: "player-count" });
      this.say = make("p", { class: "player-say", "aria-live": "polite" });
      this.verdict = make("p", { class: "player-verdict", role: "status" });
      this.counts = make("dl", { class: "player-counts" });
      const speed = this.select([[1, "slow"], [3, "calm"], [12, "fast"]], this.speed, (value) => {
        this.speed = Number(value);
        if (this.timer) { this.pause(); this.play(); }
      });
      const copied = make("span", { role: "status" });
      const link = this.button("Copy link to what is shown", "Copy link", async () => {
        const address = new URL(this.address(), location.href).href;
        try { await navigator.clipboard.writeText(address); copied.textContent = "Copied"; }
        catch { history.replaceState(null, "", address); copied.textContent = "It is in the address"; }
        setTimeout(() => { copied.textContent = ""; }, 4000);
      });
      for (const kind of ["click", "change", "input", "keydown"])
        this.root.addEventListener(kind, () => { this.touched = true; this.remember(); });
      const answered = ([question, answer]) => make("li", {}, question, make("details", {}, make("summary", {}, "Answer"), make("p", {}, answer)));
      this.stage = stage;
      const skip = make("a", { class: "player-skip", href: "#after-player" }, "Skip the player");
      this.root.after(make("div", { id: "after-player", tabindex: -1 }));
      this.root.append(
        skip, make("div", { class: "player-head" }, ...this.root.childNodes, ` ${launch.say}`, ...tasks.slice(0, 1)), // the page has its heading
        ...tasks.slice(1),
        // On a phone folded: the code and the stage have to be in sight.
        make("div", { class: "player-set" },
          make("details", { class: "player-settings", open: !matchMedia("(max-width: 44em)").matches },
            make("summary", {}, `Order, ${gates.length ? `${gates[0].toLowerCase()}, ` : ""}pace`),
            make("div", { class: "player-options" }, ...options, make("label", {}, "Pace ", speed),
              ...(gates.length ? [make("fieldset", {}, make("legend", {}, gates[0]), ...gates.slice(1))] : []))),
          link, copied),
        // Where listing and memories stand one below the other, this stays in sight (player.css).
        make("div", { class: "player-drive" },
          make("div", { class: "player-controls" },
            this.button("to the beginning", "|◀", () => this.go(0)), this.button("one step back", "−1", () => this.go(this.at - 1)),
            this.playButton, this.button("one step forward", "+1", () => this.go(this.at + 1)),
            this.button("to the end", "▶|", () => this.go(this.steps.length - 1)), ...this.jumps.map((jump) => jump.button),
            make("span", { class: "player-where" }, this.slider, this.count)),
          make("div", { class: "player-said" }, this.say, this.verdict)),
        make("div", { class: "player-panes" }, code, make("div", {}, stage, this.more = make("ul", { class: "player-more", "aria-live": "polite" }))), make("p", { class: "player-key-counts" }, "So far, of the whole run:"), this.counts,
        ...(launch.try && !this.root.dataset.puzzle ? [make("p", { class: "player-try" }, "Try this"), make("ul", {}, ...launch.try.map(answered))] : []),
        make("details", {}, make("summary", {}, "What this is, and how it is counted"), ...about.map((text) => make("p", {}, text))));
      const keys = this.jumps.map(({ button, key }) => `, ${key} for the ${button.textContent}`).join("")
        + (this.check_button ? ", Control and Enter to check a puzzle" : "");
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", `See it run: ${launch.say}. Left and right arrow keys step${keys}.`);
      this.root.addEventListener("keydown", (event) => {
        if (event.target.closest("select, input, .player-code, summary") || event.altKey || event.ctrlKey || event.metaKey) return;
        const jump = this.jumps.find(({ key }) => key === event.key);
        const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 }[event.key];
        if (to === undefined && !jump) return;
        event.preventDefault();
        event.stopPropagation();
        this.pause();
        if (jump) jump.button.click();
        else this.go(to);
      });
      new ResizeObserver(() => this.arrows()).observe(this.stage);
    }

    // Another run, of these steps.
    restart(steps) {
      this.steps = steps;
      this.slider.max = steps.length - 1;
      for (const { button, is } of this.jumps) button.hidden = !steps.some(is);
      this.state = null;
      this.go(Number(this.asked.get("step")) || 0);
      this.asked = new URLSearchParams(); // of another run it says nothing
    }

    toggle() { if (this.timer) this.pause(); else this.play(); }

    play() {
      if (this.at === this.steps.length - 1) this.go(0);
      this.timer = setInterval(() => {
        if (this.at >= this.steps.length - 1) this.pause();
        else this.go(this.at + 1);
      }, 1000 / this.speed);
      this.playButton.textContent = "Pause";
      this.say.setAttribute("aria-live", "off"); // nobody can listen that fast
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.playButton.textContent = "▶ Play";
      this.say.setAttribute("aria-live", "polite");
    }

    drawWhere() {
      const last = this.steps.length - 1;
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", `step ${this.at} of ${last}`);
      this.count.textContent = `step ${this.at} of ${last}`;
      this.remember();
      // Not `disabled`: a button that has the keyboard would lose it.
      for (const { button, is } of this.jumps)
        button.setAttribute("aria-disabled", !this.steps.some((step, i) => i > this.at && is(step)));
    }

    // What this run has come to, once it is over. kind: good, lucky, bad; more: what there is to say of it.
    judge(kind, text, more = []) {
      const over = this.at === this.steps.length - 1;
      this.verdict.className = `player-verdict player-${kind}`;
      this.verdict.textContent = over ? text : "";
      this.more.replaceChildren(...(over ? more : []).map((one) => make("li", {}, ...[].concat(one))));
      this.more.hidden = !over || !more.length;
    }

    // [[key, name, so far, of], ...]
    drawCounts(counts) {
      this.counts.replaceChildren(...counts.map(([key, name, now, of]) =>
        make("div", { "data-count": key, class: ["races", "outside", "unwritten"].includes(key) ? "player-bad" : null }, make("dt", {}, name), make("dd", {}, make("b", {}, String(now)), ` of ${of}`))));
    }
  }

  // What may be wider than a phone, and then scrolls: the site's own script sees to the keyboard.
  const wide = (e) => { if (window.scrolls) window.scrolls(e); };

  // A line from a box to what it touches or waits for, on an SVG that lies over the stage.
  function line(svg, d, name, end) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", d);
    path.setAttribute("class", `player-line player-${name}`);
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    dot.setAttribute("cx", end[0]);
    dot.setAttribute("cy", end[1]);
    dot.setAttribute("r", 3.5);
    dot.setAttribute("class", `player-${name}`);
    svg.append(path, dot);
  }

  function overlay() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "player-arrows");
    svg.setAttribute("aria-hidden", "true");
    return svg;
  }

  // Who came by a link to the player stands too high once figures and player are there: once more, unless the reader has moved.
  let moved = false;
  for (const kind of ["wheel", "touchmove", "keydown"]) addEventListener(kind, () => { moved = true; }, { once: true, passive: true });
  function arrive(root) {
    const go = () => { if (location.hash === "#see-it-run" && !moved) root.querySelector("h3").scrollIntoView(); };
    go();
    if (document.readyState !== "complete") addEventListener("load", go);
  }

  // What is far below on the page is fetched when it comes near.
  function begin(selector, Kind) {
    const start = async (root) => {
      try {
        const answer = await fetch(root.dataset.recording);
        if (!answer.ok) throw new Error(`${root.dataset.recording}: ${answer.status}`);
        new Kind(root, await answer.json());
        arrive(root);
      } catch (error) {
        root.append(make("p", {}, "The player cannot run here; the figure above shows the same, standing still."));
        console.error(error);
      }
    };
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) { near.unobserve(entry.target); start(entry.target); }
    }, { rootMargin: "800px" });
    document.querySelectorAll(selector).forEach((root) => near.observe(root));
  }

  return { make, show, wide, line, overlay, begin, Player };
})();
