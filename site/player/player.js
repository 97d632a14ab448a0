// The player of a recording (site/recordings/): each <div class="player" data-recording="URL"> becomes one. It shows
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

  const { make, show } = Frame;
  const list = (numbers) => {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    const runs = [];
    for (const n of sorted)
      if (runs.length && runs[runs.length - 1][1] === n - 1) runs[runs.length - 1][1] = n;
      else runs.push([n, n]);
    const texts = runs.map(([a, b]) => a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a} to ${b}`);
    return texts.length > 4 ? `${texts.slice(0, 4).join(", ")} and ${sorted.length} in all` : texts.join(", ");
  };

  class Player extends Frame.Player {
    constructor(root, recording) {
      super(root, recording);
      this.options = { order: this.ask("order", Object.keys(ORDERS)), seed: Number(this.asked.get("seed")) || recording.launch.seed || 1, without: [] };
      this.group = 0;
      const own = Machine.compare(recording, Machine.run(recording));
      if (own) throw new Error(`the player does not do what Oclgrind recorded: ${own}`);
      this.right = Machine.run(recording).memory;
      const found = recording.program.flatMap((f) => f.blocks.flat()).filter((i) => i[0] === "call barrier");
      this.barriers = [...new Set(found.map((i) => i[1]))].sort((a, b) => a - b);
      this.options.without = this.barriers.filter((line) => (this.asked.get("without") || "").split(",").includes(String(line)));
      const group = Number(this.asked.get("group"));
      this.build();
      this.rerun();
      if (group > 0 && group < this.result.numGroups) { this.group = group; this.draw(); }
      root.player = this; // for tests/site/test_players.py
    }

    state_words() {
      const { order, seed, without } = this.options;
      return { order, ...(order === "shuffled" ? { seed } : {}), ...(without.length ? { without } : {}), ...(this.group ? { group: this.group } : {}) };
    }

    // ---- The frame: made once -------------------------------------------------------------------------------------

    build() {
      const { recording, launch } = this;
      this.orderSelect = this.select(Object.entries(ORDERS), this.options.order, (order) => { this.options.order = order; this.rerun(); });
      this.seedButton = make("button", { type: "button", onclick: () => { this.options.seed++; this.rerun(); } });
      this.groupSelect = this.select([], 0, (group) => { this.group = Number(group); this.follow = false; this.draw(); });
      // A barrier is taken out in the listing itself: its whole line is the box's label.
      const gates = {};
      for (const line of this.barriers)
        gates[line] = make("input", { type: "checkbox", checked: !this.options.without.includes(line), "data-line": line,
          "aria-label": `barrier of line ${line}`, title: "take this barrier out, or put it back", onchange: () => {
            this.options.without = this.barriers.filter((l) => !gates[l].checked);
            this.rerun();
          } });
      if (this.barriers.length) {
        this.jump("barrier", "b", (step) => step.some((a) => a.kind === "go"));
        this.jump("race", "r", (step) => step.some((a) => a.race));
      }
      this.items = make("div", { class: "player-items" });
      this.bar = make("p", { class: "player-bar" });
      this.local = make("div", { class: "player-memory" });
      this.global = make("div", { class: "player-memory" });
      this.lines_svg = Frame.overlay();
      const local = recording.variables.some((v) => v.space === "local");
      const stage = make("div", { class: "player-stage" },
        make("div", { class: "player-room" }, this.heading = make("p", { class: "player-title" }), this.items, this.bar),
        ...(local ? [make("div", { class: "player-room" }, this.localHeading = make("p", { class: "player-title" }), this.local)] : []),
        make("div", { class: "player-room player-wide" }, make("p", { class: "player-title" }, "Global memory",
          ...(launch.copies ? [make("span", { class: "player-key" }, "copied into the local memory above")] : [])), this.global), this.lines_svg);
      this.frame({
        options: [make("label", {}, "Work-items ", this.orderSelect), this.seedButton, this.groupLabel = make("label", {}, "Group ", this.groupSelect)],
        gates: [], code: this.code("the kernel's source", gates), stage, about: this.about(),
      });
      for (const line of this.barriers)
        this.lines.get(line).addEventListener("click", (event) => { if (event.target !== gates[line]) gates[line].click(); });
      this.root.style.setProperty("--shown", (launch.show || []).length);
    }

    about() {
      const { recording } = this;
      const accesses = recording.accesses.reduce((n, run) => n + run.split("; ").length, 0);
      return [
        `This runs the kernel as Clang compiled it, instruction by instruction, in your browser. ${recording.recorded}`
          + ` ran the same launch, and all ${accesses} reads, writes and arrivals at barriers that it recorded are those of`
          + " the player, value by value; that was compared just now. Another order, or a barrier taken out, has the effect"
          + " that it has by the rules of the language. Each read and write happens as a whole, one after the other: on a"
          + " device two of them may also overlap.",
        "“All at once”: each work-item makes its next access at the same moment, first all that read. So"
          + " nobody is ever late, and a missing barrier does no harm; no device promises that. “One after the other”: a"
          + " work-item runs to the next barrier before the next one starts, and a group to its end before the next. PoCL runs"
          + " them like that, but adds barriers of its own around a loop that has one in it."
          + " “Shuffled”: whose turn it is, is drawn anew at each access.",
        "A data race: two work-items touch the same word, one of them at least writes, and no barrier that both"
          + " have passed stands between the two. It is one whoever came first, and whatever the result is.",
        `Reads and writes are counted in floats, as in the lesson. For segments and conflicts the work-items of a`
          + ` group go in rows of ${Machine.WARP}, and the n-th time that a row comes to an instruction is one access of the row:`
          + ` it costs a segment for each ${Machine.SEGMENT} floats of global memory (32 bytes) that it touches, and a conflict`
          + ` for each further word that it wants of the busiest of ${Machine.BANKS} banks of local memory. On a GPU a row has`
          + " 32 or 64 work-items and 32 banks.",
      ];
    }

    // ---- Running ----------------------------------------------------------------------------------------------------

    rerun() {
      this.pause();
      const result = Machine.run(this.recording, this.options);
      this.result = result;
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
      this.follow = true;
      this.restart(result.steps);
    }

    // A race or a barrier of another group: that one comes into view.
    leap(is) {
      super.leap(is);
      const groups = this.steps[this.at].map((a) => a.group);
      if (groups.length && !groups.includes(this.group) && groups[0] !== undefined) { this.group = groups[0]; this.draw(); }
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
      // One group after the other: the one at work is shown. Shuffled they take turns at each step, and one stays in view.
      const groups = new Set(this.steps[to].map((a) => a.group));
      if (this.follow && (to === 0 || groups.size === 1 && this.options.order !== "shuffled")) this.group = to === 0 ? 0 : [...groups][0];
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
        Frame.wide(box);
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
      this.drawWhere();
      const mine = step.filter((a) => a.group === this.group);
      // The source.
      const lines = new Set(step.filter((a) => a.kind !== "start").map((a) => a.line));
      this.mark(lines);
      // The work-items.
      const several = this.result.numGroups > 1;
      this.heading.textContent = `Work-items${several ? ` of group ${this.group}` : ""}${this.size[1] > 1 ? " (row, column)" : ""}, private memory`;
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
        const name = this.size[1] > 1 ? `${Math.floor(l / this.size[0])}, ${l % this.size[0]}` : String(l);
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
      if (this.result.numGroups > 1 && !mine.length && step[0].kind !== "start") this.say.append(` You are looking at group ${this.group}.`);
      this.showVerdict();
      this.drawCounts(Object.entries(COUNTERS).filter(([k]) => this.result.counts[k]).map(([k, name]) => [k, name, step.counts[k], this.result.counts[k]]));
      this.arrows(mine);
    }

    showVerdict() {
      if (this.result.ended !== "done") {
        this.judge("bad", this.result.ended[0].toUpperCase() + this.result.ended.slice(1) + ".");
        return;
      }
      const written = new Set(this.steps.flatMap((s) => s.filter((a) => a.kind === "w" || a.kind === "x").map((a) => a.variable)));
      const parts = [];
      let bad = false;
      for (const [name, values] of Object.entries(this.result.memory)) {
        if (!written.has(name) || this.right[name].every((v) => show(v) === "?")) continue; // set back to NaN, for the next run
        const right = this.right[name], wrong = values.filter((v, i) => show(v) !== show(right[i])).length;
        bad = bad || wrong > 0;
        const few = values.length <= 4;
        parts.push(wrong === 0 ? few ? `${name} is ${values.map(show).join(", ")}` : `all of ${name} is right`
          : few ? `${name} is ${values.map(show).join(", ")}, where ${right.map(show).join(", ")} is right`
            : `${wrong} of ${values.length} elements of ${name} are wrong`);
      }
      const lucky = !bad && this.options.without.length;
      this.judge(bad ? "bad" : lucky ? "lucky" : "good", (bad ? "Wrong: " : lucky ? "Right, by luck: " : "Right: ") + parts.join("; ") + "."
        + (lucky ? " There were races, and in this order nobody was late. Try another one." : ""));
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
        const bend = beside ? 0 : (y2 - y1) / 2;
        Frame.line(svg, `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, a.race ? "race" : a.kind,
          a.kind === "r" ? [x1, y1] : [x2, y2]);
      }
    }
  }

  Frame.begin(".player[data-recording]:not(.player-queues)", Player);
})();
