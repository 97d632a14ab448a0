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
    "atomics": "atomic changes", "segments": "memory transactions", "conflicts": "bank conflicts", "outside": "reads and writes outside",
    "unwritten": "reads of what nobody wrote", "races": "data races" };
  const SHUFFLES = 24; // orders in which a puzzle is tried, besides the other two
  const mistake = (a) => a.race || a.outside || a.unwritten;
  const bare = (line) => line.replace(/\/\/.*/, "").trim();

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
      this.options = { order: this.ask("order", Object.keys(ORDERS)), seed: Number(this.asked.get("seed")) || recording.launch.seed || 1 };
      this.group = 0;
      const own = Machine.compare(recording, Machine.run(recording));
      if (own) throw new Error(`the player does not do what Oclgrind recorded: ${own}`);
      const right = Machine.run(recording);
      this.right = right.memory;
      this.results = new Set(right.steps.flatMap((step) => step.filter((a) => "wx".includes(a.kind)).map((a) => a.variable)));
      const { places = [], puzzles = [] } = recording.what_if || {};
      this.places = places;
      this.puzzles = puzzles;
      this.said = ""; // of the puzzle, when it was checked
      this.puzzle = puzzles[Number(this.asked.get("puzzle") || root.dataset.puzzle) - 1] || null;
      this.chosen = this.puzzle ? [...this.puzzle.start] : places.map(() => 0);
      for (const word of (this.asked.get("lines") || "").split(",")) { // 23-2: the second alternative for line 23
        const [line, which] = word.split("-").map(Number), i = places.findIndex((place) => place.line === line);
        if (i >= 0 && which <= places[i].choices.length) this.chosen[i] = which;
      }
      if (!this.known()) this.chosen = places.map(() => 0);
      const group = Number(this.asked.get("group"));
      this.build();
      this.rerun();
      if (group > 0 && group < this.result.numGroups) { this.group = group; this.draw(); }
      root.player = this; // for tests/site/test_players.py
    }

    state_words() {
      const { order, seed } = this.options;
      const start = this.puzzle ? this.puzzle.start : [];
      const lines = this.places.flatMap(({ line }, i) => this.chosen[i] === (start[i] || 0) ? [] : `${line}-${this.chosen[i]}`).join();
      return { ...(this.puzzle ? { puzzle: this.puzzles.indexOf(this.puzzle) + 1 } : {}), order, ...(order === "shuffled" ? { seed } : {}),
        ...(lines ? { lines } : {}), ...(this.group ? { group: this.group } : {}) };
    }

    // ---- The lines that can be chosen -----------------------------------------------------------------------------

    // Has the kernel been compiled with these lines?
    known() {
      const lines = this.chosen.join(".");
      return /^[0.]*$/.test(lines) || lines in this.recording.what_if.programs;
    }

    choose(place, which) {
      this.chosen[place] = which;
      this.latest = [place, ...(this.latest || []).filter((i) => i !== place)];
      this.note.textContent = "";
      while (!this.known()) { // one that was changed before goes back
        const back = this.places.map((_, i) => i).filter((i) => i !== place && this.chosen[i])
          .sort((a, b) => this.latest.indexOf(b) - this.latest.indexOf(a))[0];
        this.chosen[back] = 0;
        this.note.textContent = `Line ${this.places[back].line} is the kernel's own again: two lines can be others at a time.`;
      }
      this.said = "";
      this.rerun();
    }

    // The list of what may stand in a line. In a puzzle nothing tells which of them is the kernel's own.
    fill(place) {
      const { line, choices } = this.places[place];
      const own = this.recording.source.find(([number]) => number === line)[1];
      const entries = [{ lines: {} }, ...choices].map(({ lines }, which) => {
        const [other] = Object.keys(lines);
        const text = line in lines || other === undefined ? bare(lines[line] ?? own) || "(nothing)" : `with line ${other}: ${bare(lines[other])}`;
        return [which, text];
      });
      if (this.puzzle) entries.sort(([, a], [, b]) => a < b ? -1 : 1);
      this.lists[place].replaceChildren(...entries.map(([which, text]) => make("option", { value: which }, text)));
    }

    // The comments that speak of a line: behind it, and that at the beginning of its paragraph.
    about_line(number) {
      const own = new Map(this.recording.source), found = [number], comment = (n) => /^ *\/\//.test(own.get(n));
      const ends = (n) => !bare(own.get(n) || "") || own.get(n).trim() === "}" && own.get(n).search(/\S/) <= own.get(number).search(/\S/);
      let above = number - 1;
      while (!ends(above)) above--;
      for (; comment(above); above--) found.push(above);
      return found;
    }

    showLines() {
      const own = new Map(this.recording.source), texts = new Map(own), changed = new Set(), { puzzle } = this;
      this.places.forEach(({ choices }, i) => {
        if (!this.chosen[i]) return;
        for (const [number, text] of Object.entries(choices[this.chosen[i] - 1].lines)) {
          texts.set(Number(number), text);
          changed.add(Number(number));
        }
      });
      // What a comment says of a line need not be true of another one. In a puzzle it would tell which is the kernel's own.
      const untrue = new Set(puzzle
        ? puzzle.places.flatMap((i) => this.places[i].choices.flatMap(({ lines }) => Object.keys(lines).flatMap((number) => this.about_line(Number(number)))))
        : this.places.flatMap(({ choices }, i) => this.chosen[i] ? choices[this.chosen[i] - 1].untrue : []));
      for (const [number, text] of texts) {
        const nothing = changed.has(number) && !bare(text), line = this.lines.get(number);
        this.write(number, nothing ? `${own.get(number).match(/^ */)[0]}// (nothing)` : text, nothing || !untrue.has(number) ? "i" : puzzle ? "" : "s");
        line.hidden = Boolean(puzzle) && untrue.has(number) && !bare(own.get(number));
        line.classList.toggle("player-changed", changed.has(number) && !puzzle);
      }
      this.places.forEach(({ line }, i) => {
        const offered = !puzzle || puzzle.places.includes(i);
        this.lists[i].hidden = !offered;
        this.lines.get(line).classList.toggle("player-choice", offered);
        this.lists[i].value = this.chosen[i];
      });
    }

    // ---- Puzzles --------------------------------------------------------------------------------------------------

    solved(puzzle, now) { // kept in the browser, where that is allowed
      const key = "opencl-puzzles", name = `${this.launch.chapter} ${puzzle.title}`;
      try {
        const done = JSON.parse(localStorage.getItem(key) || "[]");
        if (now && !done.includes(name)) localStorage.setItem(key, JSON.stringify([...done, name]));
        return now || done.includes(name);
      } catch { return now || false; }
    }

    task() {
      if (!this.puzzles.length) return [];
      this.tabs = [null, ...this.puzzles].map((puzzle) =>
        this.button("", "", () => this.enter(puzzle)));
      this.about_task = make("span");
      this.answer = make("p", { class: "player-answer", role: "status" });
      this.hints = make("ul", { class: "player-hints", "aria-live": "polite" });
      this.check_button = this.button("Check in all orders", "Check in all orders", () => this.check(),
        { class: "player-check", "aria-keyshortcuts": "Control+Enter" });
      this.check_button.title += " (Ctrl+Enter)";
      this.root.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.puzzle) this.check();
      });
      this.hint_button = this.button("A hint", "A hint", () => {
        const hint = this.puzzle.hints[this.hints.children.length];
        this.hints.append(make("li", {}, hint));
        if (/“(shuffled|one after the other)”/.test(hint)) this.root.querySelector(".player-settings").open = true; // where that is chosen
        this.hint_button.hidden = this.hints.children.length === this.puzzle.hints.length;
        if (this.hint_button.hidden) this.check_button.focus();
        this.check_button.scrollIntoView({ block: "nearest" });
      });
      const lead = this.button("Choose other lines where a ▾ is: to the first of them", "Choose other lines where a ▾ is.",
        () => this.lists[this.puzzle.places[0]].focus(), { class: "player-lead" });
      // The task comes first; what is done about it stands below the lines that are chosen, one or two stops of the keyboard on.
      this.task_box = make("p", { class: "player-task" }, this.about_task, " ", lead);
      this.answer_box = make("div", { class: "player-puzzle" }, this.hints,
        make("div", { class: "player-controls" }, this.check_button, this.hint_button), this.answer);
      return [make("div", { class: "player-tabs", role: "group", "aria-label": "What to do" }, ...this.tabs), this.task_box];
    }

    enter(puzzle) {
      this.puzzle = puzzle;
      this.chosen = puzzle ? [...puzzle.start] : this.places.map(() => 0);
      this.hints.replaceChildren();
      this.said = "";
      this.note.textContent = "";
      this.latest = undefined;
      if (puzzle) this.orderSelect.value = this.options.order = "lockstep"; // of which its text speaks
      this.places.forEach((_, i) => this.fill(i));
      this.rerun();
    }

    showTask() {
      this.lead.hidden = Boolean(this.puzzle);
      if (!this.puzzles.length) return;
      const { puzzle } = this;
      [null, ...this.puzzles].forEach((one, i) => {
        const done = one && this.solved(one), name = one ? `Puzzle: ${one.title}${done ? ", solved" : ""}` : "What if?";
        this.tabs[i].textContent = one ? `${done ? "✓ " : ""}${one.title}` : name;
        this.tabs[i].setAttribute("aria-label", name);
        this.tabs[i].title = name;
        this.tabs[i].setAttribute("aria-pressed", one === puzzle);
      });
      this.task_box.hidden = this.answer_box.hidden = !puzzle;
      this.root.classList.toggle("player-solving", Boolean(puzzle));
      if (!puzzle) return;
      const solved = this.said.startsWith("Solved");
      this.about_task.textContent = puzzle.task;
      this.hint_button.hidden = solved || this.hints.children.length === puzzle.hints.length;
      this.hints.hidden = solved;
      this.answer.className = `player-answer player-${solved ? "good" : "bad"}`;
      this.answer.textContent = this.said;
      if (solved)
        this.answer.append(" ", make("a", { href: `${this.root.dataset.root}/${puzzle.exercise}/` }, `Next: exercise ${puzzle.exercise.replace(/^(\d\d).*\/(\d+).*$/, "$1/$2")}`));
    }

    // Right is what gives the right result in every order that is tried, without a mistake that an order hides.
    check() {
      this.pause();
      const hides = ({ counts }) => counts.races + counts.outside + counts.unwritten;
      const results = this.inAllOrders();
      const worst = results.find(({ result }) => !this.isRight(result)) || results.find(({ result }) => hides(result));
      if (!worst) {
        this.solved(this.puzzle, true);
        this.said = `Solved: right in ${results.length} orders, and nothing races.`;
        this.showTask();
        this.go(this.steps.length - 1);
        return;
      }
      const { order, seed, result } = worst;
      Object.assign(this.options, { order, seed });
      this.orderSelect.value = order;
      const first = result.steps.findIndex((step) => step.some(mistake));
      this.said = this.isRight(result) ? `The results are right in every order that was tried, but only by luck: step ${first} is a mistake.`
        : `Not yet: in the order “${ORDERS[order]}” ${first < 0 ? result.ended === "done" ? "the result is wrong" : "it never ends" : `step ${first} is the first mistake`}.`;
      this.rerun();
      if (!this.leap((step) => step.some(mistake))) this.go(this.steps.length - 1);
      if (matchMedia("(max-width: 68.74em)").matches) this.pane.scrollIntoView(); // from the listing on: the work-items stand below it
      this.reveal();
    }

    inAllOrders() {
      const orders = [["lockstep", 1], ["serial", 1], ...Array.from({ length: SHUFFLES }, (_, i) => ["shuffled", i + 1])];
      return orders.map(([order, seed]) => ({ order, seed, result: Machine.run(this.recording, { order, seed, lines: this.chosen.join(".") }) }));
    }

    isRight(result) {
      return result.ended === "done" && Object.entries(this.right).every(([name, values]) => values.every((v, i) => show(v) === show(result.memory[name][i])));
    }

    // ---- The frame: made once -------------------------------------------------------------------------------------

    build() {
      const { recording, launch } = this;
      this.orderSelect = this.select(Object.entries(ORDERS), this.options.order, (order) => { this.options.order = order; this.rerun(); });
      this.seedButton = make("button", { type: "button", onclick: () => { this.options.seed++; this.rerun(); } });
      this.groupSelect = this.select([], 0, (group) => { this.group = Number(group); this.follow = false; this.draw(); });
      // Another line is chosen in the listing itself: over the line lies a list.
      const choices = {};
      this.lists = this.places.map(({ line }, i) => choices[line] = make("select", { "data-line": line, "aria-label": `what stands in line ${line}`,
        title: `choose what stands in line ${line}`, onchange: () => this.choose(i, Number(this.lists[i].value)) }));
      this.places.forEach((_, i) => this.fill(i));
      this.note = make("p", { class: "player-note", role: "status" });
      this.lead = make("p", { class: "player-change" }, "Change a line at ▾ and see what happens.");
      if (recording.variables.some((v) => v.space === "local")) this.jump("barrier", "b", (step) => step.some((a) => a.kind === "go"));
      this.jump("mistake", "m", (step) => step.some(mistake));
      this.items = make("div", { class: "player-items", role: "list" });
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
      const tasks = this.task();
      this.frame({
        options: [make("label", {}, "Work-items ", this.orderSelect), this.seedButton, this.groupLabel = make("label", {}, "Group ", this.groupSelect)],
        gates: [], code: make("div", { class: "player-edit" }, ...(this.places.length ? [this.lead] : []), this.code("the kernel's source", choices), this.note, ...(this.answer_box ? [this.answer_box] : [])), stage, about: this.about(), tasks,
      });
      this.root.style.setProperty("--shown", (launch.show || []).length);
      this.root.classList.toggle("player-dense", Object.values(launch.grid || {}).some(([, columns]) => columns >= 16)); // large matrices
    }

    about() {
      const { recording } = this;
      const accesses = recording.accesses.reduce((n, run) => n + run.split("; ").length, 0);
      return [
        `This runs the kernel as Clang compiled it, instruction by instruction, in your browser. ${recording.recorded}`
          + ` ran the same launch, and all ${accesses} reads, writes and arrivals at barriers that it recorded are those of`
          + " the player, value by value; that was compared just now. Another order, or another line, which Clang has compiled, too,"
          + " has the effect that it has by the rules of the language. Each read and write happens as a whole, one after the other: on a"
          + " device two of them may also overlap.",
        "“All at once”: each work-item makes its next access at the same moment, first all that read. So"
          + " nobody is ever late, and a missing barrier does no harm; no device promises that. “One after the other”: a"
          + " work-item runs to the next barrier before the next one starts, and a group to its end before the next. PoCL, OpenCL on your CPU, runs"
          + " them like that, but adds barriers of its own around a loop that has one in it."
          + " “Shuffled”: whose turn it is, is drawn anew at each access.",
        "A data race: two work-items touch the same word, one of them at least writes, and no barrier that both"
          + " have passed stands between the two. Unless both are atomic, it is one whoever came first, and whatever the result is.",
        `Reads and writes are counted in floats, as in the lesson. For transactions and conflicts the work-items of a`
          + ` group go in rows of ${Machine.WARP}, and the n-th time that a row comes to an instruction is one access of the row:`
          + ` it costs a transaction for each ${Machine.SEGMENT} floats of global memory (32 bytes) that it touches, and a conflict`
          + ` for each further word that it wants of the busiest of ${Machine.BANKS} banks of local memory. On a GPU a row has`
          + " 32 or 64 work-items and 32 banks.",
      ];
    }

    // ---- Running ----------------------------------------------------------------------------------------------------

    rerun() {
      this.pause();
      const result = Machine.run(this.recording, { ...this.options, lines: this.chosen.join(".") });
      this.result = result;
      this.seedButton.hidden = this.options.order !== "shuffled";
      this.seedButton.textContent = `another order (this is ${this.options.seed})`;
      if (this.groupSelect.options.length !== result.numGroups)
        this.groupSelect.replaceChildren(...Array.from({ length: result.numGroups }, (_, g) => make("option", { value: g }, String(g))));
      this.groupLabel.hidden = result.numGroups === 1;
      this.showLines();
      this.showTask();
      this.shape();
      this.follow = true;
      this.restart(result.steps);
      if (this.at === 0 && this.puzzle) // on a small screen the lines in question would be out of sight
        this.scroll(this.lines.get(this.places[this.puzzle.places[0]].line).offsetTop - 30);
    }

    // In a puzzle the lines to choose stay in sight: all of them, or at least that which is nearest to the line in hand.
    mark(numbers) {
      super.mark(numbers);
      if (!this.puzzle) return;
      const now = Math.min(...numbers), { pane } = this;
      const all = this.puzzle.places.map((i) => this.lines.get(this.places[i].line)), ends = (line) => line.offsetTop + line.offsetHeight;
      const fit = ends(all[all.length - 1]) - all[0].offsetTop <= pane.clientHeight;
      const near = fit ? all : [this.lines.get(this.puzzle.places.map((i) => this.places[i].line).sort((a, b) => Math.abs(a - now) - Math.abs(b - now))[0])];
      this.scroll(Math.min(Math.max(pane.scrollTop, ends(near[near.length - 1]) - pane.clientHeight), near[0].offsetTop));
    }

    // A race or a barrier of another group: that one comes into view.
    leap(is) {
      const found = super.leap(is);
      const groups = this.steps[this.at].filter((a) => is([a])).map((a) => a.group);
      if (found && !groups.includes(this.group)) { this.group = groups[0]; this.draw(); }
      return found;
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
        if (a.kind !== "w" && a.kind !== "x" || a.outside) continue;
        const key = a.space === "local" ? `${a.variable} ${a.group}` : a.variable;
        if (!memory.has(key)) memory.set(key, []);
        (a.now || a.values).forEach((v, i) => { memory.get(key)[a.at + i] = v; });
      }
    }

    // ---- Drawing ------------------------------------------------------------------------------------------------------

    // The boxes of the stage, which only change with the launch.
    shape() {
      const { recording, launch } = this;
      const three = (sizes) => [...sizes, 1, 1].slice(0, 3);
      this.size = three(launch.local);
      this.items.style.setProperty("--columns", this.size[0]);
      this.boxes = Array.from({ length: this.result.perGroup }, () => make("div", { class: "player-item", role: "listitem" }));
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
        cells.box = box;
        Frame.wide(box);
        if (space === "local" || !this.results.has(v.name) || v.elements <= 4) return [box];
        // Beside what it is, what it should be, when it is over and the two differ.
        cells.beside = make("div", { class: "player-buffer player-beside", hidden: true, role: "img",
          "aria-label": `${v.name} should be: ${this.right[v.name].map(show).join(" ")}` }, make("b", {}, `${v.name}, as it should be`),
          make("div", { class: body.className, style: body.getAttribute("style") }, ...this.right[v.name].map((x) => make("span", { class: `player-cell${show(x).length > 2 ? " player-long" : ""}` }, show(x)))));
        Frame.wide(cells.beside);
        return [box, cells.beside];
      }).flat();
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
      const lines = new Set((mine.length ? mine : step).filter((a) => a.kind !== "start").map((a) => a.line));
      this.mark(lines);
      // The work-items.
      const several = this.result.numGroups > 1;
      this.heading.textContent = `Work-items${this.size[1] > 1 ? " (row, column)" : ""}${several ? ` of group ${this.group}` : ""}`;
      if (this.localHeading) this.localHeading.textContent = `Local memory${several ? ` of group ${this.group}` : ""}`;
      const acts = new Map(mine.map((a) => [a.item, a]));
      let waiting = 0, at = 0, done = 0;
      this.boxes.forEach((box, l) => {
        const number = this.itemNumber(l), item = state.items.get(number), act = acts.get(number);
        waiting += item.state === "waiting";
        done += item.state === "done";
        at = item.state === "waiting" ? item.line : at;
        const kind = act && act.kind in VERBS ? ` player-${act.kind}${mistake(act) ? " player-race" : ""}` : "";
        box.className = `player-item player-${item.state}${kind}`;
        const name = this.size[1] > 1 ? `${Math.floor(l / this.size[0])}, ${l % this.size[0]}` : String(l);
        box.setAttribute("aria-label", [`work-item ${name}${item.state === "ready" ? "" : `, ${item.state}`}`, ...Object.entries(item.variables)
          .map(([k, v]) => `${k} ${[].concat(v).map(show).join(" ")}`)].join(": "));
        box.replaceChildren(make("b", {}, name), ...Object.entries(item.variables).map(([k, v]) =>
          make("span", {}, `${k} `, make("i", {}, [].concat(v).slice(0, 4).map(show).join(" ") + ([].concat(v).length > 4 ? "…" : "")))));
      });
      const opened = mine.some((a) => a.kind === "go");
      this.bar.className = `player-bar${waiting ? " player-closed" : opened ? " player-open" : ""}`;
      this.bar.replaceChildren(make("span", {}, waiting ? `barrier, line ${at}: ${waiting} of ${this.boxes.length} wait here`
        : opened ? "barrier: all are here, it opens" : done === this.boxes.length ? "done" : ""));
      // Memory.
      const held = new Set();
      for (const [key, [name, i]] of state.copies) if (key.startsWith(`${this.group} `)) held.add(`${name} ${i}`);
      for (const [name, cells] of this.cells) {
        const isLocal = this.recording.variables.find((v) => v.name === name).space === "local";
        const values = state.memory.get(isLocal ? `${name} ${this.group}` : name) || [];
        const touched = new Map(), raced = new Set();
        for (const a of isLocal ? mine : step)
          if (a.variable === name) for (let i = 0; i < a.values.length; i++) {
            if (mistake(a)) raced.add(a.at + i);
            touched.set(a.at + i, touched.get(a.at + i) === "w" ? "w" : a.kind);
          }
        cells.forEach((cell, i) => {
          const wrong = last && !isLocal && show(values[i]) !== show(this.right[name][i]);
          cell.className = `player-cell${touched.has(i) ? ` player-${touched.get(i)}` : ""}${wrong || raced.has(i) ? " player-wrong" : ""}${values[i] === undefined ? " player-empty" : ""}${held.has(`${name} ${i}`) ? " player-held" : ""}`;
          cell.textContent = values[i] === undefined ? "·" : show(values[i]);
          cell.classList.toggle("player-long", cell.textContent.length > 2);
        });
        if (cells.beside) {
          const wrong = last && this.right[name].some((v, i) => show(v) !== show(values[i]));
          cells.beside.hidden = !wrong;
        }
        cells.box.setAttribute("aria-label", `${name}: ${Array.from(cells, (_, i) => values[i] === undefined ? "nothing" : show(values[i])).join(" ")}`);
      }
      const races = step.filter((a) => a.race);
      this.say.textContent = this.sentence(step) + (step.some((a) => this.unknown(a)) ? " A “?” was computed from memory that nobody had written." : "");
      if (races.length) {
        const { item, group, variable, space, at: element, race } = races.find((a) => a.group === this.group) || races[0];
        const before = { r: "read", w: "wrote", x: "changed" }[race.kind];
        this.say.append(" ", make("b", { class: "player-bad" }, `A race: ${this.name(race.item, race.group)} ${before} ${variable}[${element}] earlier (line ${race.line}),`
          + ` and ${race.group !== group ? "nothing orders different groups: here" : space !== "local" ? "nothing orders the two: here"
            : `no barrier ${this.wrongFence() ? "that orders local memory " : ""}lies between that and`} ${this.name(item, group)}`
          + `${races.length > 1 ? `; and ${races.length - 1} more ${races.length > 2 ? "races" : "race"}` : ""}.`));
      }
      if (this.result.numGroups > 1 && !mine.length && step[0].kind !== "start") this.say.append(` You are looking at group ${this.group}.`);
      const [out] = step.filter((a) => a.outside);
      const [early] = step.length === 1 || !races.length ? step.filter((a) => a.unwritten) : [];
      if (early) this.say.append(" ", make("b", { class: "player-bad" }, `Nobody has written ${early.variable}[${early.at}] yet!`));
      if (out) this.say.append(" ", make("b", { class: "player-bad" }, this.outside(out)));
      this.showVerdict();
      this.drawCounts(Object.entries(COUNTERS).filter(([k]) => this.result.counts[k]).map(([k, name]) => [k, name, step.counts[k], this.result.counts[k]]));
      this.arrows(mine);
    }

    outside({ variable, space }) {
      const { elements } = this.recording.variables.find((v) => v.name === variable);
      return `That is outside: ${variable} has ${elements} element${elements > 1 ? "s" : ""}${space === "local" ? " in each group" : ""}. What lies there is anything.`;
    }

    showVerdict() {
      const { ended, counts, memory } = this.result, parts = [];
      let bad = ended !== "done";
      for (const [name, values] of Object.entries(memory)) {
        if (!this.results.has(name) || this.right[name].every((v) => show(v) === "?")) continue; // set back to NaN, for the next run
        const right = this.right[name], wrong = values.filter((v, i) => show(v) !== show(right[i])).length;
        bad = bad || wrong > 0;
        const few = values.length <= 4;
        parts.push(wrong === 0 ? few ? `${name} is ${values.map(show).join(", ")}` : `all of ${name} is right`
          : few ? `${name} is ${values.map(show).join(", ")}, where ${right.map(show).join(", ")} is right`
            : `${wrong} of ${values.length} elements of ${name} are wrong`);
      }
      const over = this.at === this.steps.length - 1;
      const elsewhere = over && !bad && this.chosen.some(Boolean) && this.inAllOrders().find(({ result }) => !this.isRight(result));
      const lucky = !bad && (counts.races + counts.outside + counts.unwritten || Boolean(elsewhere));
      const head = { stuck: "Stuck: ", endless: "It does not end: " }[ended] || (bad ? "Wrong: " : lucky ? "Right, by luck: " : "Right: ");
      this.judge(bad ? "bad" : lucky ? "lucky" : "good", `${head}${parts.join("; ")}.`, this.findings(bad, lucky, elsewhere, over));
    }

    // Is there a barrier in the place of another one, that orders global memory only?
    wrongFence() {
      return this.places.some((p, i) => this.chosen[i] && /barrier\(CLK_GLOBAL_MEM_FENCE\)/.test(Object.values(p.choices[this.chosen[i] - 1].lines).join()));
    }

    // What ./check.sh would say, but for the numbers of work-items, which are the player's; what PoCL says; and, but for puzzles, what the lines are about.
    findings(bad, lucky, elsewhere, over) {
      const { race, outside, unwritten, stuck } = this.result.found, said = [];
      const lines = (...numbers) => { const all = [...new Set(numbers)].sort((a, b) => a - b); return `, line${all.length > 1 ? "s" : ""} ${all.join(" and ")}`; };
      const who = ({ item, group }) => this.name(item, group);
      // "work-items 3 and 7 of group 0", or each by itself where their groups differ.
      const both = (a, b) => {
        const [first, second] = [a, b].sort((x, y) => x.group - y.group || x.item - y.item).map(who);
        return a.group === b.group ? `${first.replace("work-item", "work-items").replace(/ of group.*/, "")} and ${second.replace("work-item ", "")}` : `${first} and ${second}`;
      };
      const size = (name) => { const n = this.recording.variables.find((v) => v.name === name).elements; return `${n} element${n > 1 ? "s" : ""}`; };
      if (outside) said.push(`${who(outside)} ${outside.kind === "r" ? "reads" : "writes"} ${outside.variable}[${outside.at}], outside its ${outside.space} memory${lines(outside.line)}`
        + `${outside.space === "global" ? `: that buffer has ${size(outside.variable)}` : ""}. Is the index wrong, or should something keep it out?`);
      if (stuck) said.push(`only ${stuck.waiting} of ${stuck.of} work-items of a group reach the barrier${lines(stuck.line)}: all of them have to. `
        + "Is it inside an “if”, behind a “return”, or in a loop that not all go through equally often?");
      if (race) {
        const { race: first } = race, place = `race on ${race.variable}[${race.at}]${lines(first.line, race.line)}`;
        const how = "wx".includes(first.kind) && "wx".includes(race.kind) ? "both write it" : "one writes it while the other reads it";
        said.push(race.space === "local"
          ? `${both(first, race)} ${place}: which barrier is missing?${this.wrongFence() ? " Or does the one between them fence the wrong memory?" : ""}`
          : `${both(first, race)} ${place}: ${how}. ${race.kind === "x" || first.kind === "x" || race.variable === "done" ? "Is each of these accesses atomic?" : "Which work-item should this element belong to?"}`);
      }
      if (unwritten) said.push(`${who(unwritten)} computes with a value that nobody has written${lines(unwritten.line)}: ${unwritten.variable}[${unwritten.at}]. Who should have written that value?`);
      const more = said.map((text) => [make("b", {}, "An exercise's check would find: "), text]);
      if (elsewhere) more.push(`In another order the result is wrong: “${ORDERS[elsewhere.order]}”${elsewhere.order === "shuffled" ? `, order ${elsewhere.seed}` : ""}.`);
      else if (lucky && race) more.push(over && this.chosen.some(Boolean) ? "No order that was tried here shows it. A device may."
        : "In this order nobody was late, or nothing came of it. Try another one.");
      const { passes = [], pocl } = this.recording.what_if || {};
      if ((bad || lucky) && passes.includes(this.chosen.join("."))) more.push([make("b", {}, "Your CPU may hide it: "),
        `with PoCL, which is OpenCL on your CPU, the chapter's program said PASSED all the same (run with ${pocl}). What is wrong here did not show there.`]);
      if (!this.puzzle) this.places.forEach(({ line, choices }, i) => { if (this.chosen[i]) more.push([make("b", {}, `Line ${line}: `), choices[this.chosen[i] - 1].why]); });
      return more;
    }

    sentence(step) {
      const several = this.result.numGroups > 1;
      const who = (a) => "W" + this.name(a.item, a.group).slice(1);
      if (step[0].kind === "start") return (this.latest && !this.said ? `Line ${this.places[this.latest[0]].line} has changed. ` : "") + "No work-item has touched memory that others see, yet.";
      if (step[0].kind === "go") {
        const groups = [...new Set(step.map((a) => a.group))];
        return `All ${this.result.perGroup} work-items of ${groups.length > 1 ? `groups ${list(groups)}, each for itself,` : several ? `group ${groups[0]}` : "the group"} have reached the barrier in line ${step[0].line}: it opens.`;
      }
      if (step.length === 1) {
        const [a] = step, place = `${a.variable}[${a.at}${a.values && a.values.length > 1 ? `…${a.at + a.values.length - 1}` : ""}]`;
        if (a.kind === "b") return `${who(a)} reaches the barrier in line ${a.line} and waits.`;
        if (a.kind === "r") return `${who(a)} reads ${place}${a.unwritten || a.outside ? "" : `: ${a.values.map(show).join(", ")}`} (line ${a.line}).`;
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

    // Does it write NaN? (Some kernels do so on purpose.)
    unknown({ kind, variable, at, values, now }) {
      const right = this.right[variable] || [];
      return "wx".includes(kind) && (now || values).some((v, i) => Number.isNaN(v) && !Number.isNaN(right[at + i]));
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
        if (!this.cells.get(a.variable)[a.at]) continue; // outside
        const box = this.boxes[l].getBoundingClientRect(), cell = this.cells.get(a.variable)[a.at].getBoundingClientRect();
        // To a cell that is below, from above; to one beside, from below.
        const below = cell.top >= box.bottom, x2 = cell.left + cell.width / 2 - stage.left;
        const x1 = (below ? box.left + box.width / 2 : box.right) - stage.left, y1 = box.bottom - (below ? 0 : 6) - stage.top;
        const y2 = below ? cell.top - 3 - stage.top : cell.bottom + 3 - stage.top, bend = below ? (y2 - y1) / 2 : -30;
        Frame.line(svg, `M${x1} ${y1} C${below ? x1 : (x1 + x2) / 2} ${y1 + Math.abs(bend)} ${x2} ${y2 - bend} ${x2} ${y2}`, a.race ? "race" : a.kind,
          a.kind === "r" ? [x1, y1] : [x2, y2]);
      }
    }
  }

  Frame.begin(".player[data-recording]:not(.player-queues)", Player);
})();
