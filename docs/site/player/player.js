// The player of a recording (docs/recordings/): each <div class="player" data-recording="URL"> becomes one. It shows
// what machine.js makes of the recording's program, step by step, forwards and back. No library, no other host.
"use strict";

(() => {
  const ORDERS = {
    lockstep: "all at once",
    serial: "one after the other",
    shuffled: "shuffled",
  };
  const VERBS = { r: "reads", w: "writes", x: "changes", b: "waits" };
  const COUNTERS = { "global loads": "global reads", "global stores": "global writes", "local loads": "local reads",
    "local stores": "local writes", "barriers": "arrivals at barriers", "multiply-adds": "multiply-adds",
    "atomics": "atomic changes", "segments": "memory segments", "conflicts": "bank conflicts", "races": "data races" };

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
  const list = (numbers) => {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    const runs = [];
    for (const n of sorted)
      if (runs.length && runs[runs.length - 1][1] === n - 1) runs[runs.length - 1][1] = n;
      else runs.push([n, n]);
    const texts = runs.map(([a, b]) => a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a} to ${b}`);
    return texts.length > 4 ? `${texts.slice(0, 4).join(", ")} and ${sorted.length} in all` : texts.join(", ");
  };

  class Player {
    constructor(root, recording) {
      this.root = root;
      this.recording = recording;
      this.launch = recording.launch;
      this.at = 0;
      this.options = { order: "lockstep", seed: recording.launch.seed || 1, without: [] };
      this.group = 0;
      this.timer = null;
      const own = Machine.compare(recording, Machine.run(recording));
      if (own) throw new Error(`the player does not do what Oclgrind recorded: ${own}`);
      this.right = Machine.run(recording).memory;
      const found = recording.program.flatMap((f) => f.blocks.flat()).filter((i) => i[0] === "call barrier");
      this.barriers = [...new Set(found.map((i) => i[1]))].sort((a, b) => a - b);
      this.build();
      this.rerun();
      root.player = this; // for the check `players`
    }

    // ---- The frame: made once -------------------------------------------------------------------------------------

    build() {
      const { recording, launch } = this;
      const button = (label, text, action) => make("button", { type: "button", "aria-label": label, title: label,
        onclick: () => { this.pause(); action(); } }, text);
      this.playButton = make("button", { type: "button", class: "player-play", onclick: () => this.toggle() }, "▶ Play");
      this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "step",
        oninput: () => { this.pause(); this.go(Number(this.slider.value)); } });
      this.count = make("span", { class: "player-count" });
      const order = make("select", { onchange: () => { this.options.order = order.value; this.rerun(); } },
        ...Object.entries(ORDERS).map(([value, text]) => make("option", { value }, text)));
      this.orderSelect = order;
      this.seedButton = make("button", { type: "button", onclick: () => { this.options.seed++; this.rerun(); } });
      const speed = make("select", { onchange: () => { this.speed = Number(speed.value); if (this.timer) { this.pause(); this.play(); } } },
        ...[[1, "slow"], [3, "calm"], [12, "fast"]].map(([value, text]) => make("option", { value, selected: value === 3 }, text)));
      this.speed = 3;
      this.groupSelect = make("select", { onchange: () => { this.group = Number(this.groupSelect.value); this.follow = false; this.draw(); } });
      this.follow = true;
      const gates = this.barriers.map((line) => make("label", { class: "player-gate" },
        make("input", { type: "checkbox", checked: true, "data-line": line, onchange: (event) => {
          this.options.without = this.barriers.filter((l) => this.root.querySelector(`[data-line="${l}"]`).checked === false);
          void event;
          this.rerun();
        } }), ` line ${line}`));
      this.code = make("ol", { class: "player-lines" });
      this.lines = new Map();
      let previous = null;
      for (const [number, text] of recording.source) {
        if (previous !== null && number !== previous + 1) this.code.append(make("li", { class: "player-cut", "aria-hidden": "true" }, "⋯"));
        previous = number;
        const [plain, comment] = text.split(/(?=\/\/)/);
        const line = make("li", {}, make("span", { class: "player-number" }, String(number)),
          make("code", {}, plain || "", ...(comment ? [make("i", {}, comment)] : [])));
        this.lines.set(number, line);
        this.code.append(line);
      }
      this.pane = make("div", { class: "player-code", tabindex: 0, role: "region", "aria-label": "the kernel's source" }, this.code);
      this.say = make("p", { class: "player-say", "aria-live": "polite" });
      this.verdict = make("p", { class: "player-verdict", role: "status" });
      this.items = make("div", { class: "player-items" });
      this.bar = make("p", { class: "player-bar" });
      this.local = make("div", { class: "player-memory" });
      this.global = make("div", { class: "player-memory" });
      this.lines_svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      this.lines_svg.setAttribute("class", "player-arrows");
      this.lines_svg.setAttribute("aria-hidden", "true");
      this.counts = make("dl", { class: "player-counts" });
      const local = recording.variables.some((v) => v.space === "local");
      this.stage = make("div", { class: "player-stage" },
        make("div", { class: "player-room" }, this.heading = make("p", { class: "player-title" }), this.items, this.bar),
        ...(local ? [make("div", { class: "player-room" }, this.localHeading = make("p", { class: "player-title" }), this.local)] : []),
        make("div", { class: "player-room player-wide" }, make("p", { class: "player-title" }, "Global memory",
          ...(launch.copies ? [make("span", { class: "player-key" }, "copied into the local memory above")] : [])), this.global), this.lines_svg);
      this.root.append(
        make("div", { class: "player-head" }, make("strong", {}, "See it run"), ` ${launch.say}`),
        make("div", { class: "player-controls" },
          button("to the beginning", "|◀", () => this.go(0)), button("one step back", "−1", () => this.go(this.at - 1)),
          this.playButton, button("one step forward", "+1", () => this.go(this.at + 1)),
          button("to the end", "▶|", () => this.go(this.steps.length - 1)), this.slider, this.count),
        make("div", { class: "player-options" }, make("label", {}, "Work-items ", order), this.seedButton,
          make("label", {}, "Pace ", speed), this.groupLabel = make("label", {}, "Group ", this.groupSelect),
          ...(gates.length ? [make("fieldset", {}, make("legend", {}, "Barriers"), ...gates)] : [])),
        this.say, this.pane, this.stage, this.verdict, this.counts,
        ...(launch.try ? [make("p", { class: "player-try" }, "Try this"), make("ul", {}, ...launch.try.map((text) => make("li", {}, text)))] : []),
        make("details", {}, make("summary", {}, "What this is, and how it is counted"), ...this.about()));
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", `See it run: ${launch.say}. Left and right arrow keys step.`);
      this.root.addEventListener("keydown", (event) => {
        if (event.target.closest("select, input, .player-code, summary") || event.altKey || event.ctrlKey || event.metaKey) return;
        const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.pause();
        this.go(to);
      });
      new ResizeObserver(() => this.arrows()).observe(this.stage);
    }

    about() {
      const { recording } = this;
      const accesses = recording.accesses.reduce((n, run) => n + run.split("; ").length, 0);
      return [
        make("p", {}, `This runs the kernel as Clang compiled it, instruction by instruction, in your browser. ${recording.recorded}`
          + ` ran the same launch, and all ${accesses} reads, writes and arrivals at barriers that it recorded are those of`
          + " the player, value by value; that was compared just now. Another order, or a barrier taken out, has the effect"
          + " that it has by the rules of the language. Each read and write happens as a whole, one after the other: on a"
          + " device two of them may also overlap."),
        make("p", {}, "“All at once”: each work-item makes its next access at the same moment, first all that read. So"
          + " nobody is ever late, and a missing barrier does no harm; no device promises that. “One after the other”: a"
          + " work-item runs to the next barrier before the next one starts, and a group to its end before the next. PoCL runs"
          + " them like that, but adds barriers of its own around a loop that has one in it."
          + " “Shuffled”: whose turn it is, is drawn anew at each access."),
        make("p", {}, "A data race: two work-items touch the same word, one of them at least writes, and no barrier that both"
          + " have passed stands between the two. It is one whoever came first, and whatever the result is."),
        make("p", {}, `Reads and writes are counted in floats, as in the lesson. For segments and conflicts the work-items of a`
          + ` group go in rows of ${Machine.WARP}, and the n-th time that a row comes to an instruction is one access of the row:`
          + ` it costs a segment for each ${Machine.SEGMENT} floats of global memory (32 bytes) that it touches, and a conflict`
          + ` for each further word that it wants of the busiest of ${Machine.BANKS} banks of local memory. On a GPU a row has`
          + " 32 or 64 work-items and 32 banks."),
      ];
    }

    // ---- Running ----------------------------------------------------------------------------------------------------

    rerun() {
      this.pause();
      const result = Machine.run(this.recording, this.options);
      this.result = result;
      this.steps = result.steps;
      this.slider.max = this.steps.length - 1;
      this.seedButton.hidden = this.options.order !== "shuffled";
      this.seedButton.textContent = `another order (this is ${this.options.seed})`;
      if (this.groupSelect.options.length !== result.numGroups)
        this.groupSelect.replaceChildren(...Array.from({ length: result.numGroups }, (_, g) => make("option", { value: g }, String(g))));
      this.groupLabel.hidden = result.numGroups === 1;
      for (const [number, line] of this.lines) {
        line.classList.toggle("player-barrier", this.barriers.includes(number));
        line.classList.toggle("player-out", this.options.without.includes(number));
      }
      this.shape();
      this.state = null;
      this.follow = true;
      this.go(0);
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

    // The state after step `to`: forwards by one step, else from the beginning.
    go(to) {
      to = Math.max(0, Math.min(this.steps.length - 1, to));
      if (!this.state || to < this.state.at) {
        this.state = { at: -1, items: new Map(), memory: new Map(), copies: new Map() };
        this.launch.arguments.forEach((value, i) => {
          if (Array.isArray(value)) this.state.memory.set(this.recording.variables[i].name, value.map((v) => v === null ? undefined : v));
        });
      }
      while (this.state.at < to) this.apply(this.steps[++this.state.at]);
      this.at = to;
      const groups = new Set(this.steps[to].map((a) => a.group));
      if (this.follow && (to === 0 || groups.size === 1)) this.group = to === 0 ? 0 : [...groups][0];
      this.draw();
    }

    apply(step) {
      const { items, memory, copies } = this.state;
      for (const a of step) {
        const item = items.get(a.item) || { variables: {}, group: a.group };
        Object.assign(item.variables, a.variables);
        item.state = a.kind === "b" ? "waiting" : a.state;
        item.line = a.line;
        items.set(a.item, item);
        // Which elements of global memory lie in local memory: a work-item stores what it has read, in that order.
        if (a.kind === "r" && a.space === "global") a.values.forEach((v, i) => { (item.read = item.read || []).push([a.variable, a.at + i, v]); });
        if (a.kind === "w" && a.space === "local" && this.launch.copies)
          a.values.forEach((v, i) => {
            const key = `${a.group} ${a.variable} ${a.at + i}`, from = (item.read || [])[0];
            if (from && from[2] === v) copies.set(key, item.read.shift());
            else copies.delete(key);
          });
        if (a.kind !== "w" && a.kind !== "x") continue;
        const key = a.space === "local" ? `${a.variable} ${a.group}` : a.variable;
        if (!memory.has(key)) memory.set(key, []);
        (a.now || a.values).forEach((v, i) => { memory.get(key)[a.at + i] = Number.isNaN(v) ? undefined : v; });
      }
    }

    // ---- Drawing ------------------------------------------------------------------------------------------------------

    // The boxes of the stage, which only change with the launch.
    shape() {
      const { recording, launch } = this;
      const three = (sizes) => [...sizes, 1, 1].slice(0, 3);
      this.size = three(launch.local);
      this.items.style.setProperty("--columns", this.size[0]);
      this.boxes = Array.from({ length: this.result.perGroup }, () => make("div", { class: "player-item" }));
      this.items.replaceChildren(...this.boxes);
      this.cells = new Map();
      const grids = launch.grid || {};
      const memory = (space) => recording.variables.filter((v) => v.space === space && v.elements).map((v) => {
        const grid = grids[v.name];
        const columns = grid ? grid[1] : 0;
        const cells = Array.from({ length: v.elements }, () => make("span", { class: "player-cell" }));
        this.cells.set(v.name, cells);
        const body = make("div", { class: columns ? "player-grid" : "player-row", style: columns ? `--columns: ${columns}` : null }, ...cells);
        const box = make("div", { class: "player-buffer", role: "img" }, make("b", {}, v.name), body);
        this.cells.get(v.name).box = box;
        return box;
      });
      this.local.replaceChildren(...memory("local"));
      this.global.replaceChildren(...memory("global"));
    }

    itemNumber(l) {
      const { launch, group, size } = this;
      const global = [...launch.global, 1, 1], groups = global.slice(0, 3).map((n, d) => n / size[d]);
      const g = [group % groups[0], Math.floor(group / groups[0]) % groups[1]];
      const x = g[0] * size[0] + l % size[0], y = g[1] * size[1] + Math.floor(l / size[0]) % size[1];
      return x + y * global[0];
    }

    // "work-item 3 of group 1", "work-item (0, 2)": by local id, as the boxes have it.
    name(item, group) {
      const wide = this.launch.global[0], x = item % wide % this.size[0], y = Math.floor(item / wide) % this.size[1];
      return `work-item ${this.size[1] > 1 ? `(row ${y}, column ${x})` : x}${this.result.numGroups > 1 ? ` of group ${group}` : ""}`;
    }

    draw() {
      const step = this.steps[this.at], { state } = this, last = this.at === this.steps.length - 1;
      this.groupSelect.value = this.group;
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", `step ${this.at} of ${this.steps.length - 1}`);
      this.count.textContent = `${this.at} / ${this.steps.length - 1}`;
      const mine = step.filter((a) => a.group === this.group);
      // The source.
      const lines = new Set(step.filter((a) => a.kind !== "start").map((a) => a.line));
      for (const [number, line] of this.lines) {
        line.classList.toggle("player-now", lines.has(number));
        if (lines.has(number)) line.setAttribute("aria-current", "step");
        else line.removeAttribute("aria-current");
      }
      const first = this.lines.get(Math.min(...lines));
      if (first) this.pane.scrollTop = Math.max(0, first.offsetTop - this.pane.clientHeight / 2);
      // The work-items.
      const several = this.result.numGroups > 1;
      this.heading.textContent = `Work-items${several ? ` of group ${this.group}` : ""}, private memory`;
      if (this.localHeading) this.localHeading.textContent = `Local memory${several ? ` of group ${this.group}` : ""}`;
      const acts = new Map(mine.map((a) => [a.item, a]));
      let waiting = 0, at = 0, done = 0;
      this.boxes.forEach((box, l) => {
        const number = this.itemNumber(l), item = state.items.get(number), act = acts.get(number);
        waiting += item.state === "waiting";
        done += item.state === "done";
        at = item.state === "waiting" ? item.line : at;
        const kind = act && act.kind in VERBS ? ` player-${act.kind}${act.race ? " player-race" : ""}` : "";
        box.className = `player-item player-${item.state}${kind}`;
        const name = this.size[1] > 1 ? `${l % this.size[0]}, ${Math.floor(l / this.size[0])}` : String(l);
        box.replaceChildren(make("b", {}, name), ...Object.entries(item.variables).map(([k, v]) =>
          make("span", {}, `${k} `, make("i", {}, [].concat(v).slice(0, 4).map(show).join(" ") + ([].concat(v).length > 4 ? "…" : "")))));
      });
      const opened = mine.some((a) => a.kind === "go");
      this.bar.className = `player-bar${waiting ? " player-closed" : opened ? " player-open" : ""}`;
      this.bar.textContent = waiting ? `barrier, line ${at}: ${waiting} of ${this.boxes.length} wait here`
        : opened ? "barrier: all are here, it opens" : done === this.boxes.length ? "done" : "";
      // Memory.
      const held = new Set();
      for (const [key, [name, i]] of state.copies) if (key.startsWith(`${this.group} `)) held.add(`${name} ${i}`);
      for (const [name, cells] of this.cells) {
        const isLocal = this.recording.variables.find((v) => v.name === name).space === "local";
        const values = state.memory.get(isLocal ? `${name} ${this.group}` : name) || [];
        const touched = new Map(), raced = new Set();
        for (const a of isLocal ? mine : step)
          if (a.variable === name) for (let i = 0; i < a.values.length; i++) {
            if (a.race) raced.add(a.at + i);
            touched.set(a.at + i, touched.get(a.at + i) === "w" ? "w" : a.kind);
          }
        cells.forEach((cell, i) => {
          const wrong = last && !isLocal && show(values[i]) !== show(this.right[name][i]);
          cell.className = `player-cell${touched.has(i) ? ` player-${touched.get(i)}` : ""}${wrong || raced.has(i) ? " player-wrong" : ""}${values[i] === undefined ? " player-empty" : ""}${held.has(`${name} ${i}`) ? " player-held" : ""}`;
          cell.textContent = values[i] === undefined ? "·" : show(values[i]);
        });
        cells.box.setAttribute("aria-label", `${name}: ${Array.from(cells, (_, i) => values[i] === undefined ? "nothing" : show(values[i])).join(" ")}`);
      }
      const races = step.filter((a) => a.race);
      this.say.textContent = this.sentence(step);
      if (races.length) {
        const [{ item, group, variable, at: element, race }] = races;
        const before = { r: "read", w: "wrote", x: "changed" }[race.kind];
        this.say.append(" ", make("b", { class: "player-bad" }, `A race: ${this.name(race.item, race.group)} ${before} ${variable}[${element}] earlier (line ${race.line}),`
          + ` and no barrier lies between that and ${this.name(item, group)}${races.length > 1 ? `; and ${races.length - 1} more` : ""}.`));
      }
      this.showVerdict(last);
      this.counts.replaceChildren(...Object.entries(COUNTERS).filter(([k]) => this.result.counts[k]).map(([k, name]) =>
        make("div", { "data-count": k, class: k === "races" ? "player-bad" : null }, make("dt", {}, name), make("dd", {}, make("b", {}, String(step.counts[k])), ` of ${this.result.counts[k]}`))));
      this.arrows(mine);
    }

    showVerdict(last) {
      this.verdict.className = "player-verdict";
      if (!last) { this.verdict.textContent = ""; return; }
      if (this.result.ended !== "done") {
        this.verdict.classList.add("player-bad");
        this.verdict.textContent = this.result.ended[0].toUpperCase() + this.result.ended.slice(1) + ".";
        return;
      }
      const written = new Set(this.steps.flatMap((s) => s.filter((a) => a.kind === "w" || a.kind === "x").map((a) => a.variable)));
      const parts = [];
      let bad = false;
      for (const [name, values] of Object.entries(this.result.memory)) {
        if (!written.has(name)) continue;
        const right = this.right[name], wrong = values.filter((v, i) => show(v) !== show(right[i])).length;
        bad = bad || wrong > 0;
        const few = values.length <= 4;
        parts.push(wrong === 0 ? few ? `${name} is ${values.map(show).join(", ")}` : `all of ${name} is right`
          : few ? `${name} is ${values.map(show).join(", ")}, where ${right.map(show).join(", ")} is right`
            : `${wrong} of ${values.length} elements of ${name} are wrong`);
      }
      const lucky = !bad && this.options.without.length;
      this.verdict.classList.add(bad ? "player-bad" : lucky ? "player-lucky" : "player-good");
      this.verdict.textContent = (bad ? "Wrong: " : lucky ? "Right, by luck: " : "Right: ") + parts.join("; ") + "."
        + (lucky ? " There were races, and in this order nobody was late. Try another one." : "");
    }

    sentence(step) {
      const several = this.result.numGroups > 1;
      const who = (a) => "W" + this.name(a.item, a.group).slice(1);
      if (step[0].kind === "start") return "No work-item has touched memory that others see, yet.";
      if (step[0].kind === "go") {
        const groups = [...new Set(step.map((a) => a.group))];
        return `All ${this.result.perGroup} work-items of ${groups.length > 1 ? `groups ${list(groups)}, each for itself,` : several ? `group ${groups[0]}` : "the group"} have reached the barrier in line ${step[0].line}: it opens.`;
      }
      if (step.length === 1) {
        const [a] = step, place = `${a.variable}[${a.at}${a.values && a.values.length > 1 ? `…${a.at + a.values.length - 1}` : ""}]`;
        if (a.kind === "b") return `${who(a)} reaches the barrier in line ${a.line} and waits.`;
        if (a.kind === "r") return `${who(a)} reads ${place}: ${a.values.map(show).join(", ")} (line ${a.line}).`
          + (a.values.some(Number.isNaN) ? " Nobody has written it yet!" : "");
        if (a.kind === "w") return `${who(a)} writes ${a.values.map(show).join(", ")} to ${place}${Number.isNaN(a.before[0]) ? "" : `, where ${a.before.map(show).join(", ")} was`} (line ${a.line}).`;
        return `${who(a)} changes ${place} from ${show(a.before[0])} to ${show(a.now[0])}, in one piece (line ${a.line}).`;
      }
      const kinds = new Map();
      for (const a of step) {
        const key = `${a.kind} ${a.variable} ${a.line}`;
        if (!kinds.has(key)) kinds.set(key, []);
        kinds.get(key).push(a);
      }
      return [...kinds.values()].map((some) => {
        const [a] = some, number = `${some.length} work-item${some.length > 1 ? "s" : ""}`;
        const s = some.length > 1 ? "" : "s";
        if (a.kind === "b") return `${number} reach${some.length > 1 ? "" : "es"} the barrier in line ${a.line}.`;
        const places = list(some.flatMap((x) => x.values.map((_, i) => x.at + i)));
        return `${number} ${a.kind === "r" ? `read${s}` : a.kind === "w" ? `write${s}` : `change${s}`} ${a.variable}${a.space === "local" && several ? " of their group" : ""}, element${places.match(/\D/) ? "s" : ""} ${places} (line ${a.line}).`;
      }).join(" ");
    }

    // From the work-items to what they touch; only as many as can be told apart.
    arrows(mine) {
      this.drawn = mine || this.drawn || [];
      const svg = this.lines_svg, stage = this.stage.getBoundingClientRect();
      const shown = this.drawn.filter((a) => a.variable !== undefined);
      svg.replaceChildren();
      svg.setAttribute("viewBox", `0 0 ${stage.width} ${stage.height}`);
      if (shown.length > (this.size[1] > 1 ? 2 : 16) || !stage.width) return;
      for (const a of shown) {
        const l = this.boxes.findIndex((_, i) => this.itemNumber(i) === a.item);
        if (l < 0) continue;
        const box = this.boxes[l].getBoundingClientRect(), cell = this.cells.get(a.variable)[a.at].getBoundingClientRect();
        const below = cell.top > box.top;
        const x1 = box.left + box.width / 2 - stage.left, y1 = (below ? box.bottom : box.top) - stage.top;
        const x2 = cell.left + cell.width / 2 - stage.left, y2 = (below ? cell.top : cell.bottom) - stage.top;
        const beside = Math.abs(y2 - y1) < 30 && !below;
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        const bend = beside ? 0 : (y2 - y1) / 2;
        path.setAttribute("d", `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
        path.setAttribute("class", `player-line player-${a.race ? "race" : a.kind}`);
        svg.append(path);
        const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        const [x, y] = a.kind === "r" ? [x1, y1] : [x2, y2];
        dot.setAttribute("cx", x);
        dot.setAttribute("cy", y);
        dot.setAttribute("r", 3.5);
        dot.setAttribute("class", `player-${a.race ? "race" : a.kind}`);
        svg.append(dot);
      }
    }
  }

  async function start(root) {
    try {
      const answer = await fetch(root.dataset.recording);
      if (!answer.ok) throw new Error(`${root.dataset.recording}: ${answer.status}`);
      new Player(root, await answer.json());
    } catch (error) {
      root.textContent = "The player cannot run here; the figure above shows the same, standing still.";
      console.error(error);
    }
  }

  // What is far below on the page is fetched when it comes near.
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) { near.unobserve(entry.target); start(entry.target); }
  }, { rootMargin: "800px" });
  document.querySelectorAll(".player[data-recording]").forEach((root) => near.observe(root));
})();
