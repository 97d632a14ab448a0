// The player of a host's queues: each <div class="player player-queues" data-recording="URL"> becomes one. It shows what
// commands.js makes of the recorded commands, step by step: which queue they stand in, what they wait for, when they run.
"use strict";

(() => {
  const { make, show } = Frame;
  const ORDERS = { recorded: "as it ran here", newest: "the newest first", shuffled: "shuffled" };
  const GATES = {
    kernel: "the kernel for its copy",
    result: "the result for its kernel",
    host: "the host for the result",
    flush: "flushes",
  };
  const NAMES = { copy: "copies", kernel: "kernels", result: "results" };
  const and = (words) => words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0];

  class Queues extends Frame.Player {
    constructor(root, recording) {
      super(root, recording);
      const own = Commands.compare(recording);
      if (own) throw new Error(`the player does not do what was recorded: ${own}`);
      this.options = { queues: this.ask("queues", [...recording.launch.queues].reverse()), order: this.ask("order", Object.keys(ORDERS)),
        seed: Number(this.asked.get("seed")) || recording.launch.seed || 1,
        without: Object.keys(GATES).filter((gate) => (this.asked.get("without") || "").split(",").includes(gate)) };
      this.build();
      this.rerun();
      root.player = this; // for tests/site/test_players.py
    }

    state_words() {
      const { queues, order, seed, without } = this.options;
      return { queues, order, ...(order === "shuffled" ? { seed } : {}), ...(without.length ? { without } : {}) };
    }

    // ---- The frame: made once -------------------------------------------------------------------------------------

    build() {
      const { recording, launch } = this;
      const at = (kind) => recording.runs[0].calls.find((call) => call[1] === { host: "wait" }[kind] || call[1] === kind)[0];
      const queues = launch.queues.map((n) => [n, ["", "one", "two", "three"][n]]);
      this.queuesSelect = this.select(queues, this.options.queues, (n) => { this.options.queues = Number(n); this.rerun(); });
      this.orderSelect = this.select(Object.entries(ORDERS), this.options.order, (order) => { this.options.order = order; this.rerun(); });
      this.seedButton = make("button", { type: "button", onclick: () => { this.options.seed++; this.rerun(); } });
      const gates = Object.entries(GATES).map(([gate, text]) => make("label", { class: "player-gate" },
        make("input", { type: "checkbox", checked: !this.options.without.includes(gate), "data-gate": gate, onchange: () => {
          this.options.without = Object.keys(GATES).filter((g) => !this.root.querySelector(`[data-gate="${g}"]`).checked);
          this.rerun();
        } }), ` ${text}${gate === "flush" ? "" : ` (line ${at(gate)})`}`));
      this.jump("race", "r", (step) => Boolean(step.races && step.races.length));
      this.lanes = make("div", { class: "player-lanes" });
      this.hostLane = make("p", { class: "player-host" });
      this.slots = make("div", { class: "player-memory player-slots" });
      this.host = make("div", { class: "player-memory" });
      this.scale = make("div", { class: "player-scale" });
      this.lines_svg = Frame.overlay();
      const stage = make("div", { class: "player-stage" },
        make("div", { class: "player-room player-wide" }, make("p", { class: "player-title" }, "The host"), this.hostLane),
        make("div", { class: "player-room player-wide" }, this.lanes),
        make("div", { class: "player-room" }, make("p", { class: "player-title" }, "The device's memory: three slots"), this.slots),
        make("div", { class: "player-room" }, make("p", { class: "player-title" }, "The host's memory"), this.host),
        make("div", { class: "player-room player-wide" }, this.scaleTitle = make("p", { class: "player-title" }), this.scale), this.lines_svg);
      this.frame({
        options: [make("label", {}, "Queues ", this.queuesSelect), make("label", {}, "Order ", this.orderSelect), this.seedButton],
        gates: ["Who waits", ...gates],
        code: this.code("the host's source"), stage, about: this.about(),
      });
      this.cells = new Map();
      const buffer = (key, title, n) => {
        const cells = Array.from({ length: n }, () => make("span", { class: "player-cell" }));
        const box = make("div", { class: "player-buffer", role: "img" }, make("b", {}, title), make("div", { class: "player-row" }, ...cells));
        this.cells.set(key, Object.assign(cells, { box, title }));
        return box;
      };
      const slots = recording.before.slots;
      this.slots.append(...slots.flatMap((slot, s) => [buffer(`slot ${s}`, `slot ${s}: a piece`, slot.length), buffer(`partial sum ${s}`, "its sum", 1)]));
      this.host.append(...slots.map((_, s) => buffer(`sums[${s}]`, `sums[${s}]`, 1)), buffer("total", "total", 1));
    }

    about() {
      const { recording, launch } = this;
      return [
        `The program of this chapter ran with N = ${launch.arguments[0]} in pieces of ${launch.arguments[1]}, on ${recording.recorded}, with`
          + " one, two and three queues; a layer between it and OpenCL wrote down its calls, and the events told when each command was queued,"
          + " submitted, started and ended. What is shown is the last of its runs, after the warm-up: the slots still hold what the run before has left there."
          + " That the player's commands give the recorded sums, and that none began before what it waits for had ended, was compared just now.",
        "A command happens as a whole. It may run when the command in front of it in its queue has ended, and those in its wait list. “As it ran here”:"
          + " in the order of the recorded times. A gate that is taken out changes no times, so the result may be right by luck. “The newest first”: commands"
          + " are kept back until the host waits; then, of those that may run, the one that was enqueued last. It is the order of this project's test"
          + " queues. “Shuffled”: host and queues take turns, drawn by lot.",
        "A race: two commands, or a command and the host, touch the same place, one of them writes, and no queue, no event and no wait of the host"
          + " orders the two. It is one whatever the result is.",
        "Without flushes, a command that waits for one of another queue may wait for ever, says the standard. PoCL sends commands at once, and so it"
          + " went well here. In the other two orders it does wait for ever.",
      ];
    }

    // ---- Running ----------------------------------------------------------------------------------------------------

    rerun() {
      this.pause();
      this.result = Commands.run(this.recording, this.options);
      this.right = this.recording.total;
      this.seedButton.hidden = this.options.order !== "shuffled";
      this.seedButton.textContent = `another order (this is ${this.options.seed})`;
      this.shape();
      this.restart(this.result.steps);
    }

    go(to) {
      to = Math.max(0, Math.min(this.steps.length - 1, to));
      if (!this.state || to < this.state.at)
        this.state = { at: -1, memory: Commands.memory(this.recording), enqueued: new Set(), flushed: new Set(), done: [], races: 0, added: 0, waits: null };
      while (this.state.at < to) this.apply(this.steps[++this.state.at]);
      this.at = to;
      this.draw();
    }

    apply(step) {
      const { state, result } = this;
      if (step.kind !== "run" && step.kind !== "start") state.waits = step.kind === "wait" || step.kind === "stuck" ? step.ids : null;
      if (step.kind === "host" && step.id !== undefined) state.enqueued.add(step.id);
      if (step.kind === "run") {
        Commands.apply(state.memory, this.recording, result.commands[step.id]);
        state.done.push(step.id);
      }
      if (step.kind === "add") { Commands.apply(state.memory, this.recording, { what: "add", slot: step.slot }); state.added++; }
      if (step.races) state.races += step.races.length;
    }

    // ---- Drawing ------------------------------------------------------------------------------------------------------

    // A lane for each queue, with a box for each command, in the order in which they are enqueued.
    shape() {
      const { commands } = this.result, { queues } = this.options;
      this.boxes = commands.map(() => make("div", { class: "player-command" }));
      this.bars = commands.map((it) => make("span", { class: `player-bar-of player-of-${it.what}`, title: it.name }));
      const lanes = Array.from({ length: queues }, (_, q) => commands.filter((it) => it.queue === q));
      this.lanes.replaceChildren(...lanes.map((lane, q) => make("div", { class: "player-lane", role: "group", "aria-label": `queue ${q}` },
        make("p", { class: "player-title" }, `Queue ${q}: ${and([...new Set(lane.map((it) => NAMES[it.what]))])}`),
        make("div", { class: "player-boxes" }, ...lane.map((it) => this.boxes[it.id])))));
      this.scale.replaceChildren(...lanes.map((lane, q) => make("div", { class: "player-track", role: "img", "aria-label": `when the commands of queue ${q} ran` }, ...lane.map((it) => this.bars[it.id]))),
        make("div", { class: "player-axis" }, this.axisBegin = make("span", {}), this.axisEnd = make("span", {})));
      const real = this.options.order === "recorded";
      const turn = new Map(this.result.ran.map((id, i) => [id, i]));
      const end = real ? Math.max(...commands.map((it) => it.times[3])) : commands.length;
      commands.forEach((it, id) => {
        const [from, to] = real ? [it.times[2], it.times[3]] : turn.has(id) ? [turn.get(id), turn.get(id) + 1] : [0, 0];
        this.bars[id].style.left = `${100 * from / end}%`;
        this.bars[id].style.width = `${100 * (to - from) / end}%`;
      });
      this.scaleTitle.textContent = real ? "When they ran, by their events" : "In which order they ran";
      this.axisBegin.textContent = real ? "0: copy 0 is queued" : "0";
      this.axisEnd.textContent = real ? `${Math.round(end / 1000)} µs` : `${commands.length} commands`;
    }

    draw() {
      const step = this.steps[this.at], { state, result } = this, { commands } = result, last = this.at === this.steps.length - 1;
      this.drawWhere();
      this.mark(new Set(step.line ? [step.line] : []));
      const done = new Set(state.done);
      const waitsFor = (it) => [...commands.filter((other) => other.queue === it.queue && other.id < it.id && !done.has(other.id)).slice(-1).map((o) => o.id),
        ...it.waits.filter((id) => !done.has(id))];
      commands.forEach((it, id) => {
        const now = step.kind === "run" && step.id === id;
        const kind = now ? "now" : done.has(id) ? "done" : state.enqueued.has(id) ? waitsFor(it).length ? "waiting" : "ready" : "later";
        const gate = !it.listed.length ? "" : !it.waits.length ? " player-gate-out" : it.waits.every((w) => done.has(w)) ? " player-gate-open" : " player-gate-shut";
        this.boxes[id].className = `player-command player-${kind}${gate}${now && step.races.length ? " player-race" : ""}`;
        const text = { now: "runs", done: `${state.done.indexOf(id) + 1}.`, waiting: "waits", ready: "may run", later: "" }[kind];
        this.boxes[id].replaceChildren(make("b", {}, it.name), make("span", {}, text));
        this.bars[id].classList.toggle("player-seen", done.has(id));
      });
      const doing = state.waits ? `waits for ${and(state.waits.map((id) => commands[id].name))}` : step.kind === "start" ? "has not begun"
        : state.added === this.recording.pieces.length ? "has all results" : "goes on";
      this.hostLane.textContent = `It ${doing}. Pieces added: ${state.added} of ${this.recording.pieces.length}.`;
      this.hostLane.className = `player-host${state.waits ? " player-waiting" : ""}`;
      // Memory.
      const m = state.memory, it = step.kind === "run" ? commands[step.id] : null;
      const touched = new Map();
      if (it) {
        const places = { copy: [["slot", "w"]], kernel: [["slot", "r"], ["partial sum", "w"]], result: [["partial sum", "r"]] }[it.what];
        for (const [place, kind] of places) touched.set(`${place} ${it.slot}`, kind);
        if (it.what === "result") touched.set(`sums[${it.slot}]`, "w");
      }
      if (step.kind === "add") { touched.set(`sums[${step.slot}]`, "r"); touched.set("total", "w"); }
      const raced = new Set((step.races || []).map((race) => race.place));
      const many = it && it.what === "copy" ? this.recording.pieces[it.piece].length : it && it.what === "kernel" ? 2 * it.length : Infinity;
      const put = (key, values) => {
        const cells = this.cells.get(key), kind = touched.get(key);
        cells.forEach((cell, i) => {
          const wrong = raced.has(key) || key === "total" && last && values[i] !== this.right;
          cell.className = `player-cell${kind && i < many ? ` player-${kind}` : ""}${wrong ? " player-wrong" : ""}${Number.isNaN(values[i]) ? " player-empty" : ""}`;
          cell.textContent = show(values[i]);
        });
        cells.box.setAttribute("aria-label", `${cells.title}: ${values.map(show).join(" ")}`);
      };
      m.slots.forEach((slot, s) => { put(`slot ${s}`, slot); put(`partial sum ${s}`, [m.partial[s]]); put(`sums[${s}]`, [m.sums[s]]); });
      put("total", [m.total]);
      this.say.textContent = this.sentence(step);
      if (step.races && step.races.length) {
        const [{ place, name, did }] = step.races;
        this.say.append(" ", make("b", { class: "player-bad" }, `A race: ${name} has ${did} ${place} before, and nothing orders the two`
          + `${step.races.length > 1 ? `; and ${step.races.length - 1} more` : ""}.`));
      }
      this.showVerdict();
      this.drawCounts([["commands", "commands done", state.done.length, commands.length], ["pieces", "pieces added", state.added, this.recording.pieces.length],
        ...(result.races ? [["races", "races", state.races, result.races]] : [])]);
      this.arrows();
    }

    showVerdict() {
      const { result, right, options } = this;
      if (result.ended === "stuck") return this.judge("bad", "Stuck: the host waits for a command that waits for another queue, which was never flushed.");
      const bad = result.total !== right, lucky = !bad && (result.races || result.unsent);
      const without = result.races ? " There were races, and in this order nobody was too early. Try another one."
        : " Waits for queues that were never flushed need not end. Try another order.";
      const text = bad ? `Wrong: total is ${show(result.total)}, where ${show(right)} is right.`
        : lucky ? `Right, by luck: total is ${show(right)}.${without}`
          : `Right: total is ${show(right)}.${options.without.length ? " The queues keep the order by themselves." : ""}`;
      this.judge(bad ? "bad" : lucky ? "lucky" : "good", text);
    }

    sentence(step) {
      const { commands } = this.result;
      if (step.kind === "start") return "The slots hold what the run before has left there. Nothing is enqueued yet.";
      if (step.kind === "wait") return `The host waits for ${and(step.ids.map((id) => commands[id].name))} (line ${step.line}).`;
      if (step.kind === "stuck") return `The host waits for ${and(step.ids.map((id) => commands[id].name))}, and nothing that may run is left.`;
      if (step.kind === "add") return `The host adds sums[${step.slot}], which is ${show(step.added)} (line ${step.line}).`;
      if (step.what === "flush") return `The host flushes queue ${step.queue}: what stands there is handed over (line ${step.line}).`;
      const it = commands[step.id], waits = it.waits.map((id) => commands[id].name);
      if (step.kind === "host") return `The host enqueues ${it.name} in queue ${it.queue}${waits.length ? `; it has to wait for ${and(waits)}`
        : it.listed.length ? "; its wait list has been taken out" : ""} (line ${step.line}).`;
      const times = this.options.order === "recorded" ? `, from ${(it.times[2] / 1000).toFixed(1)} to ${(it.times[3] / 1000).toFixed(1)} µs; it was queued at ${(it.times[0] / 1000).toFixed(1)}, submitted at ${(it.times[1] / 1000).toFixed(1)}` : "";
      const what = { copy: `piece ${it.piece} comes into slot ${it.slot}`, kernel: `the sum of ${it.length} products of slot ${it.slot}`, result: `its sum comes to sums[${it.slot}]` }[it.what];
      return `${it.name[0].toUpperCase()}${it.name.slice(1)} has run${times}: ${what}.`;
    }

    // From what is waited for to who waits, where these are in different queues: of what is enqueued and not done.
    arrows() {
      const svg = this.lines_svg, stage = this.stage.getBoundingClientRect();
      svg.replaceChildren();
      svg.setAttribute("viewBox", `0 0 ${stage.width} ${stage.height}`);
      if (!stage.width || !this.state) return;
      const { commands } = this.result, now = this.steps[this.at].id;
      for (const it of commands)
        for (const id of it.waits) {
          if (commands[id].queue === it.queue || !this.state.enqueued.has(it.id) || this.state.done.includes(it.id) && it.id !== now) continue;
          const a = this.boxes[id].getBoundingClientRect(), b = this.boxes[it.id].getBoundingClientRect();
          const x1 = a.left + a.width / 2 - stage.left, y1 = a.bottom - stage.top, x2 = b.left + b.width / 2 - stage.left, y2 = b.top - stage.top;
          const open = this.state.done.includes(id);
          Frame.line(svg, `M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`, open ? "w" : "gate", [x2, y2]);
        }
    }
  }

  Frame.begin(".player-queues[data-recording]", Queues);
})();
