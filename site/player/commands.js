// Runs the commands of a recorded host (site/recordings/, commands.py) in an order that can be chosen, and without some
// of what it waits for. Each command happens as a whole. Nothing may run before the command in front of it in its queue,
// nor before the commands in its wait list; beyond that the order decides.
//
//   run(recording, {queues: 3, order: "recorded" | "newest" | "shuffled", seed: 1, without: ["kernel", ...]})
//     gives {steps, total, races, ended}. A step is {kind: "start" | "host" | "run" | "wait" | "add" | "stuck", ...}.
//   without: "kernel", "result": their wait lists; "host": its wait for the result; "flush": clFlush.
//   compare(recording): what a run of the recorded order gives beside what was recorded; null if equal.
"use strict";

const Commands = (() => {
  const number = (x) => x === null ? NaN : x;

  // What a command reads and writes: places that others may touch, too.
  const TOUCHES = {
    copy: (slot) => ({ reads: [], writes: [`slot ${slot}`] }),
    kernel: (slot) => ({ reads: [`slot ${slot}`], writes: [`partial sum ${slot}`] }),
    result: (slot) => ({ reads: [`partial sum ${slot}`], writes: [`sums[${slot}]`] }),
    add: (slot) => ({ reads: [`sums[${slot}]`], writes: [] }),
  };

  // The memory before the first step: what the runs before have left there. The device's partial sums have been filled.
  function memory(recording) {
    const { slots, sums } = recording.before;
    return { slots: slots.map((slot) => slot.map(number)), partial: slots.map(() => NaN), sums: sums.map(number), total: 0 };
  }

  function apply(m, recording, { what, slot, piece, length }) {
    if (what === "copy") recording.pieces[piece].forEach((value, i) => { m.slots[slot][i] = value; });
    if (what === "kernel") {
      let sum = 0;
      for (let i = 0; i < length; i++) sum = Math.fround(sum + m.slots[slot][i] * m.slots[slot][length + i]);
      m.partial[slot] = sum;
    }
    if (what === "result") m.sums[slot] = m.partial[slot];
    if (what === "add") m.total += m.sums[slot];
  }

  // The host's calls of a run, and its commands by number.
  function program(recording, queues, without) {
    const { calls, times } = recording.runs.find((r) => r.queues === queues);
    const commands = [], host = [];
    let piece = -1;
    for (const [line, what, ...more] of calls) {
      if (what === "flush") { if (!without.includes("flush")) host.push({ line, what, queue: more[0] }); }
      else if (what === "wait") { if (!without.includes("host")) host.push({ line, what, ids: more }); }
      else if (what === "add") host.push({ line, what, slot: more[0] });
      else {
        const [id, queue, waits, slot, last] = more;
        piece += what === "copy";
        const it = { line, what, id, queue, slot, piece, length: last, waits: without.includes(what) ? [] : waits, listed: waits };
        commands[id] = { ...it, times: times[id], name: `${what} ${piece}` };
        host.push({ line, what, id });
      }
    }
    return { commands, host };
  }

  function run(recording, { queues = 3, order = "recorded", seed = 1, without = [] } = {}) {
    const { commands, host } = program(recording, queues, without), m = memory(recording);
    const steps = [{ kind: "start" }];
    const enqueued = [], flushed = new Set(), done = new Set(), ran = [];
    let at = 0, draw = seed * 7919 % 2147483647, races = 0;
    const random = (n) => { draw = draw * 48271 % 2147483647; return Math.floor(draw / 2147483647 * n); };

    // What must have ended before: by the queue, by the wait list, and by what the host had waited for.
    const known = new Set(); // what the host has waited for, with all that this rests on
    const before = new Map();
    const front = new Map(); // the last command of each queue
    const from = (ids, set = new Set()) => {
      for (const id of ids) if (!set.has(id)) { set.add(id); before.get(id).forEach((b) => set.add(b)); }
      return set;
    };

    // Its accesses beside all that have been made: two that touch one place, one of them writing, and nothing orders them.
    const made = []; // {id or null for the host's own, name, reads, writes, before}
    function touch(it, behind) {
      const { reads, writes } = TOUCHES[it.what](it.slot);
      const name = it.name || `the sum of piece ${it.piece}`, found = [];
      for (const other of made) {
        const place = writes.find((p) => other.reads.includes(p) || other.writes.includes(p)) || reads.find((p) => other.writes.includes(p));
        const ordered = behind.has(other.id) || other.before.has(it.id) || other.at !== undefined && it.id !== undefined && commands[it.id].enqueuedAt > other.at;
        if (place && !ordered) found.push({ place, name: other.name, did: other.writes.includes(place) ? "written" : "read" });
      }
      made.push({ id: it.id, at: it.id === undefined ? at : undefined, name, reads, writes, before: behind });
      races += found.length;
      apply(m, recording, it);
      return { races: found, ...(it.what === "add" ? { added: m.sums[it.slot] } : {}) };
    }
    const execute = (id) => {
      const it = commands[id];
      done.add(id);
      ran.push(id);
      steps.push({ kind: "run", id, line: it.line, ...touch(it, before.get(id)) });
    };
    const mayRun = (id) => {
      const it = commands[id], ahead = enqueued.filter((other) => commands[other].queue === it.queue && other < id);
      return !done.has(id) && flushed.has(id) && [...ahead, ...it.waits].every((other) => done.has(other));
    };
    const flush = (queue) => { for (const id of enqueued) if (commands[id].queue === queue) flushed.add(id); };
    let pieceAdded = 0;
    function act(call) { // one of the host's own
      at++;
      if (call.what === "flush") { flush(call.queue); steps.push({ kind: "host", ...call }); }
      else if (call.what === "wait") {
        call.ids.forEach((id) => flush(commands[id].queue)); // to wait for a command is to flush its queue
        steps.push({ kind: "wait", ...call });
      } else if (call.what === "add") steps.push({ kind: "add", line: call.line, slot: call.slot, ...touch({ ...call, piece: pieceAdded++ }, new Set(known)) });
      else {
        const it = commands[call.id];
        before.set(it.id, from([...(front.has(it.queue) ? [front.get(it.queue)] : []), ...it.waits], new Set(known)));
        it.enqueuedAt = at;
        front.set(it.queue, it.id);
        enqueued.push(it.id);
        if (order === "recorded") flushed.add(it.id); // PoCL sends commands at once
        steps.push({ kind: "host", ...call });
      }
    }
    const over = (call) => { from(call.ids, known); };

    let ended = "done";
    if (order === "recorded") {
      // The host acts when its commands were queued, and waits from then until what it waits for has ended.
      const moments = [];
      let now = 0;
      for (const call of host) {
        if (call.id !== undefined) now = Math.max(now, commands[call.id].times[0]);
        moments.push([now, call]);
        if (call.what === "wait") now = Math.max(now, ...call.ids.map((id) => commands[id].times[3]));
      }
      const ends = commands.map((it) => [it.times[3], it]).sort((a, b) => a[0] - b[0]);
      let waiting = null;
      for (const [time, call] of moments) {
        while (ends.length && ends[0][0] <= time && enqueued.includes(ends[0][1].id)) execute(ends.shift()[1].id);
        if (waiting) over(waiting);
        waiting = call.what === "wait" ? call : null;
        act(call);
      }
      while (ends.length) execute(ends.shift()[1].id);
    } else {
      let next = 0, waiting = null;
      while (done.size < commands.length || next < host.length) {
        if (waiting && waiting.ids.every((id) => done.has(id))) { over(waiting); waiting = null; }
        if (next === host.length && !waiting) enqueued.forEach((id) => flushed.add(id)); // the queues are released
        const can = enqueued.filter(mayRun), acts = !waiting && next < host.length;
        if (acts && (order === "newest" || !can.length || random(can.length + 1) === 0)) {
          const call = host[next++];
          act(call);
          waiting = call.what === "wait" ? call : null;
        } else if (can.length) execute(order === "newest" ? can[can.length - 1] : can[random(can.length)]);
        else { // the host waits, and nothing may run
          ended = "stuck";
          steps.push({ kind: "stuck", line: waiting.line, ids: waiting.ids });
          break;
        }
      }
    }
    // Waits for another queue that was never flushed: the standard does not promise that they end.
    const unsent = without.includes("flush") && commands.some((it) => it.waits.some((id) => commands[id].queue !== it.queue));
    return { steps, commands, total: m.total, races, ended, ran, unsent };
  }

  function compare(recording) {
    for (const { queues, times } of recording.runs) {
      const result = run(recording, { queues });
      const came = result.steps.filter((s) => s.kind === "add").map((s) => s.added);
      if (result.total !== recording.total) return `with ${queues} queues the sum is ${result.total}, not ${recording.total}`;
      if (String(came) !== String(recording.partial_sums)) return `with ${queues} queues ${came} came back, not ${recording.partial_sums}`;
      if (result.races) return `with ${queues} queues there are races`;
      for (const it of result.commands) {
        const ahead = result.commands.filter((other) => other.queue === it.queue && other.id < it.id).map((other) => other.id);
        const early = [...ahead, ...it.waits].find((id) => times[id][3] > times[it.id][2]);
        if (early !== undefined) return `with ${queues} queues ${it.name} began before ${result.commands[early].name} had ended`;
      }
    }
    return null;
  }

  return { run, compare, memory, apply };
})();
if (typeof module !== "undefined") module.exports = Commands;
