// Runs the program of a recording, work-item by work-item, in an order that can be chosen, and with other lines in place
// of some. What runs is the kernel as Clang compiled it (the recording's "program"), instruction by
// instruction; site/recordings/README.md describes it. Nothing here knows any kernel.
//
//   run(recording, {order: "serial" | "lockstep" | "shuffled", seed: 1, lines: "0.2.0"})
//     gives {steps, memory, counts, ended, found}. A step is a list of accesses, one for each work-item that did something in
//     it: {item, group, line, kind: "r" | "w" | "x" | "b" | "go", variable, at, values, before, variables, ...}.
//   compare(recording, result): the accesses of a serial run beside those that Oclgrind recorded; null if equal.
"use strict";

const Machine = (() => {
  const BYTES = { f: 4, i1: 1, i8: 1, i32: 4, i64: 8, p: 8 };
  const ELEMENT = { float: "f", int: "i32", uint: "u32", ulong: "i64" };
  const remember = (f) => { // what is asked of few different texts, and often
    const known = new Map();
    return (text) => {
      if (!known.has(text)) known.set(text, f(text));
      return known.get(text);
    };
  };
  const words = remember((op) => op.split(" "));
  const lanes = remember((type) => parseInt(type, 10) || 1);
  const scalar = remember((type) => type.replace(/^\d+/, ""));
  const bytesOf = (type) => lanes(type) * BYTES[scalar(type)];

  // ---- Memory: regions of bytes. A pointer is {region, offset}; one that lies in memory lies in `pointers`. --------

  function region(name, space, bytes, group) {
    const data = new DataView(new ArrayBuffer(bytes));
    for (let i = 0; i + 4 <= bytes; i += 4) data.setUint32(i, 0x7fc00000, true); // what nobody wrote is NaN
    return { name, space, group, bytes, data, pointers: new Map(), written: new Uint8Array(Math.ceil(bytes / 4)) };
  }

  const isInside = ({ region, offset }, bytes) => offset >= 0 && offset + bytes <= region.bytes;
  function inside(pointer, bytes) {
    if (!pointer || !isInside(pointer, bytes)) throw new Error(`an access outside ${pointer ? pointer.region.name : "all memory"}`);
  }

  function readOne(place, offset, type) {
    const d = place.data;
    switch (type) {
      case "f": return d.getFloat32(offset, true);
      case "i32": return d.getInt32(offset, true);
      case "u32": return d.getUint32(offset, true);
      case "i64": return d.getUint32(offset, true) + d.getInt32(offset + 4, true) * 4294967296;
      case "i1": case "i8": return d.getUint8(offset);
      case "p": return place.pointers.get(offset);
    }
    throw new Error(`no such type: ${type}`);
  }

  function writeOne(place, offset, type, value) {
    const d = place.data;
    switch (type) {
      case "f": d.setFloat32(offset, value, true); return;
      case "i32": case "u32": d.setInt32(offset, value, true); return;
      case "i64":
        d.setUint32(offset, value % 4294967296 >>> 0, true);
        d.setInt32(offset + 4, Math.floor(value / 4294967296), true);
        return;
      case "i1": case "i8": d.setUint8(offset, value); return;
      case "p": place.pointers.set(offset, value); return;
    }
    throw new Error(`no such type: ${type}`);
  }

  // Has nobody written it, or a part of it?
  const unwritten = ({ region, offset }, type) => region.written.subarray(offset >> 2, (offset + bytesOf(type) + 3) >> 2).includes(0);

  function read(pointer, type) {
    const n = lanes(type), one = scalar(type), size = BYTES[one];
    inside(pointer, n * size);
    if (n === 1) return readOne(pointer.region, pointer.offset, one);
    return Array.from({ length: n }, (_, i) => readOne(pointer.region, pointer.offset + i * size, one));
  }

  function write(pointer, type, value) {
    const n = lanes(type), one = scalar(type), size = BYTES[one];
    inside(pointer, n * size);
    pointer.region.written.fill(1, pointer.offset >> 2, (pointer.offset + n * size + 3) >> 2);
    if (n === 1) writeOne(pointer.region, pointer.offset, one, value);
    else value.forEach((v, i) => writeOne(pointer.region, pointer.offset + i * size, one, v));
  }

  // ---- Arithmetic ------------------------------------------------------------------------------------------------

  const float = Math.fround;
  const wrap = (type, x) => type === "i32" ? x | 0 : type === "i1" ? x & 1 : type === "i8" ? x & 255 : x;
  const unsigned = (type, x) => {
    if (type === "i32") return x >>> 0;
    return x < 0 ? x + 2 ** 64 : x;
  };
  const whole = {
    add: (t, a, b) => wrap(t, a + b),
    sub: (t, a, b) => wrap(t, a - b),
    mul: (t, a, b) => t === "i32" ? Math.imul(a, b) : a * b,
    udiv: (t, a, b) => wrap(t, Math.floor(unsigned(t, a) / unsigned(t, b))),
    urem: (t, a, b) => wrap(t, unsigned(t, a) % unsigned(t, b)),
    shl: (t, a, b) => wrap(t, a * 2 ** b),
    lshr: (t, a, b) => wrap(t, Math.floor(unsigned(t, a) / 2 ** b)),
    and: (t, a, b) => t === "i64" ? Number(BigInt(a) & BigInt(b)) : a & b,
    or: (t, a, b) => t === "i64" ? Number(BigInt(a) | BigInt(b)) : a | b,
    xor: (t, a, b) => t === "i64" ? Number(BigInt(a) ^ BigInt(b)) : wrap(t, a ^ b),
  };
  const real = { fadd: (a, b) => a + b, fsub: (a, b) => a - b, fmul: (a, b) => a * b, fdiv: (a, b) => a / b };
  const each = (type, f, ...operands) =>
    lanes(type) === 1 ? f(...operands) : Array.from({ length: lanes(type) }, (_, i) => f(...operands.map((o) => o[i])));
  const compares = {
    eq: (a, b) => a === b, ne: (a, b) => a !== b,
    gt: (a, b) => a > b, ge: (a, b) => a >= b, lt: (a, b) => a < b, le: (a, b) => a <= b,
  };
  const scratch = new DataView(new ArrayBuffer(8));
  function bitcast(value, from, to) {
    if (from === to || to === "p") return value;
    writeOne({ data: scratch }, 0, from, value);
    return readOne({ data: scratch }, 0, to);
  }
  const asFloat = (x) => x === "nan" ? NaN : x === "inf" ? Infinity : x === "-inf" ? -Infinity : x;

  // ---- A launch ----------------------------------------------------------------------------------------------------

  // What lies outside a buffer: nobody knows.
  const anything = (type) => lanes(type) > 1 ? new Array(lanes(type)).fill(NaN) : scalar(type) === "f" ? NaN : 0x7fc00000;

  function random(seed) { // mulberry32: the same order for the same seed, everywhere
    let a = seed >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) | 0;
      let t = Math.imul(a ^ (a >>> 15), 1 | a);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  // The functions with the chosen alternative of each place, "0.2.0"; their blocks lie in one list for all.
  function programWith(recording, lines) {
    const { what_if: known, program } = recording;
    if (!lines || /^[0.]*$/.test(lines)) return program;
    const blocks = [...program.flatMap((f) => f.blocks), ...known.blocks];
    return known.programs[lines].map((list, i) => ({ ...program[i], blocks: list.map((b) => blocks[b]) }));
  }

  function launch(recording, program) {
    const { launch: asked, variables } = recording;
    const three = (sizes) => [...sizes, 1, 1].slice(0, 3);
    const global = three(asked.global), local = three(asked.local);
    const groups = global.map((size, d) => size / local[d]);
    const functions = new Map(program.map((f) => [f.name, f]));
    const elementType = new Map(variables.map((v) => [v.name, ELEMENT[v.type]]));
    const buffers = new Map();
    asked.arguments.forEach((value, i) => {
      if (!Array.isArray(value)) return;
      const { name, type } = variables[i];
      const one = ELEMENT[type], place = region(name, "global", value.length * BYTES[one.replace("u", "i")], -1);
      value.forEach((v, k) => {
        if (v === null) return;
        writeOne(place, k * BYTES[one.replace("u", "i")], one, v);
        place.written.fill(1, (k * BYTES[one.replace("u", "i")]) >> 2, ((k + 1) * BYTES[one.replace("u", "i")]) >> 2);
      });
      buffers.set(name, place);
    });
    const numGroups = groups[0] * groups[1] * groups[2], perGroup = local[0] * local[1] * local[2];
    const counts = {
      "global loads": 0, "global stores": 0, "local loads": 0, "local stores": 0, "barriers": 0, "multiply-adds": 0,
      "additions": 0, "multiplications": 0, "conversions": 0, "atomics": 0,
    };
    const items = [];
    const groupMemory = [];
    for (let g = 0; g < numGroups; g++) {
      const memory = new Map();
      for (const v of variables)
        if (v.space === "local") memory.set(v.name, region(v.name, "local", v.elements * 4, g));
      groupMemory.push(memory);
    }
    const gid = (g) => [g % groups[0], Math.floor(g / groups[0]) % groups[1], Math.floor(g / groups[0] / groups[1])];
    const lid = (l) => [l % local[0], Math.floor(l / local[0]) % local[1], Math.floor(l / local[0] / local[1])];
    for (let g = 0; g < numGroups; g++)
      for (let l = 0; l < perGroup; l++) {
        const inGroup = lid(l), group = gid(g), id = group.map((x, d) => x * local[d] + inGroup[d]);
        const item = {
          number: id[0] + global[0] * (id[1] + global[1] * id[2]), group: g, lid: l, frames: [], state: "ready", line: 0,
          ids: { get_global_id: id, get_local_id: inGroup, get_group_id: group, get_global_size: global,
            get_local_size: local, get_num_groups: groups, get_global_offset: [0, 0, 0] },
          executions: new Map(), shown: [],
        };
        const values = asked.arguments.map((value, i) => {
          const { name, space } = variables[i];
          if (space === "value") return value;
          return { region: space === "local" ? groupMemory[g].get(name) : buffers.get(name), offset: 0 };
        });
        enter(item, functions.get(program[0].name), values, -1);
        items.push(item);
      }

    function enter(item, f, values, result) {
      const registers = [];
      values.forEach((v, i) => { registers[i] = v; });
      item.frames.push({ f, registers, block: 0, from: -1, at: 0, result });
    }

    function value(item, frame, operand) {
      if (typeof operand === "number") return frame.registers[operand];
      const [constant] = operand;
      if (typeof constant === "string" && constant[0] === "@") {
        const name = constant.slice(1).split(".").pop();
        return { region: groupMemory[item.group].get(name), offset: 0 };
      }
      return Array.isArray(constant) ? constant.map(asFloat) : asFloat(constant);
    }

    const instruction = (item) => {
      const frame = item.frames[item.frames.length - 1];
      return frame.f.blocks[frame.block][frame.at];
    };

    // Would others see the next instruction? An access to memory that is shared, an atomic, or a barrier.
    function visible(item) {
      const it = instruction(item), op = it[0];
      if (op === "load" || op === "store") {
        const pointer = value(item, item.frames[item.frames.length - 1], it[op === "load" ? 4 : 5]);
        return pointer && pointer.region.space !== "private";
      }
      return op === "call barrier" || op.startsWith("call atomic_");
    }

    // Executes one instruction; returns the access that it made, if others see it.
    function execute(item) {
      const frame = item.frames[item.frames.length - 1], it = instruction(item);
      const [op, line, result, type] = it, operands = it.slice(4);
      const get = (i) => value(item, frame, operands[i]);
      const one = scalar(type);
      let made = null, out;
      frame.at++;
      const [word, more] = words(op);
      if (word in whole) out = each(type, (a, b) => whole[word](one, a, b), get(0), get(1));
      else if (word in real) {
        out = each(type, (a, b) => float(real[word](a, b)), get(0), get(1));
        counts[word === "fadd" || word === "fsub" ? "additions" : "multiplications"]++;
      } else if (op === "alloca") {
        const name = operands[1];
        const place = region(name, "private", operands[0], item.group);
        place.type = type;
        out = { region: place, offset: 0 };
        if (name && !name.endsWith(".addr")) frame.variables = [...(frame.variables || []), place];
      } else if (op === "load") {
        const pointer = get(0);
        const shared = pointer.region.space !== "private", within = !shared || isInside(pointer, bytesOf(type));
        out = within ? read(pointer, type) : anything(type);
        if (shared) made = access(item, line, "r", pointer, type, out);
        if (shared && within) made.unwritten = unwritten(pointer, type);
      } else if (op === "store") {
        const pointer = get(1), stored = get(0);
        const shared = pointer.region.space !== "private", within = !shared || isInside(pointer, bytesOf(type));
        const blank = !shared || !within || unwritten(pointer, type);
        const before = !blank ? read(pointer, type) : lanes(type) > 1 ? new Array(lanes(type)).fill(NaN) : NaN;
        if (within) write(pointer, type, stored);
        if (shared) made = access(item, line, "w", pointer, type, stored, before);
      } else if (op === "gep") {
        const base = get(0);
        let offset = base.offset;
        for (let i = 1; i < operands.length; i += 2) offset += get(i) * operands[i + 1];
        out = { region: base.region, offset };
      } else if (op === "br") {
        const by = operands.length === 1 ? operands[0] : get(0) ? operands[1] : operands[2];
        frame.from = frame.block;
        frame.block += by;
        frame.at = 0;
      } else if (op === "phi") {
        for (let i = 0; i < operands.length; i += 2) if (frame.block + operands[i] === frame.from) out = get(i + 1);
      } else if (word === "icmp") {
        const sign = more[0] === "u" ? unsigned : (t, x) => x;
        out = compares[more.replace(/^[us]/, "")](sign(type, get(0)), sign(type, get(1))) ? 1 : 0;
      } else if (word === "fcmp") {
        const [a, b] = [get(0), get(1)], nan = Number.isNaN(a) || Number.isNaN(b);
        out = more === "uno" ? nan : more === "ord" ? !nan : more[0] === "o"
          ? !nan && compares[more.slice(1)](a, b) : nan || compares[more.slice(1)](a, b);
        out = out ? 1 : 0;
      } else if (op === "select") out = get(0) ? get(1) : get(2);
      else if (["zext", "sext", "trunc", "bitcast", "addrspacecast", "fptosi", "sitofp", "uitofp"].includes(word)) {
        const x = get(0);
        if (word === "zext") out = more === "i32" ? x >>> 0 : x;
        else if (word === "sext") out = more === "i1" ? -x : x;
        else if (word === "trunc") out = one === "i32" ? Number(BigInt.asIntN(32, BigInt(x))) : wrap(one, x);
        else if (word === "fptosi") { out = Math.trunc(x); counts.conversions++; }
        else if (word.endsWith("tofp")) { out = float(word[0] === "u" ? unsigned(more, x) : x); counts.conversions++; }
        else out = lanes(type) > 1 || typeof x === "object" ? x : bitcast(x, more, type);
      } else if (op === "extractelement") out = get(0)[get(1)];
      else if (op === "insertelement") {
        out = Array.from({ length: lanes(type) }, (_, i) => (get(0) || [])[i]);
        out[get(2)] = get(1);
      } else if (op === "shufflevector") {
        const [a, b] = [get(0) || [], get(1) || []], n = lanes(type);
        out = operands.slice(2).map((i) => i < 0 ? undefined : i < Math.max(a.length, n) ? a[i] : b[i - a.length]);
      } else if (op === "ret") {
        item.frames.pop();
        const back = item.frames[item.frames.length - 1];
        if (!back) item.state = "done";
        else if (frame.result >= 0) back.registers[frame.result] = get(0);
        return null;
      } else if (word === "call" && more[0] === "@") {
        enter(item, functions.get(more.slice(1)), operands.map((_, i) => get(i)), result);
        return null;
      } else if (word === "call") {
        [out, made] = call(item, more, line, type, operands.map((_, i) => get(i)));
      } else throw new Error(`no such instruction: ${op}`);
      if (result >= 0) frame.registers[result] = out;
      return made;
    }

    function call(item, name, line, type, args) {
      if (name in item.ids) return [item.ids[name][args[0]], null];
      if (name.startsWith("llvm.fmuladd") || name === "fma" || name === "mad") {
        counts["multiply-adds"] += lanes(type);
        return [each(type, (a, b, c) => float(a * b + c), ...args), null];
      }
      if (name === "barrier") {
        counts.barriers++;
        item.state = "waiting";
        item.line = line;
        item.fences = args[0];
        return [undefined, { item: item.number, group: item.group, line, kind: "b" }];
      }
      if (name.startsWith("llvm.memset")) {
        for (let i = 0; i < args[2]; i++) args[0].region.data.setUint8(args[0].offset + i, args[1]);
        args[0].region.written.fill(1);
        return [undefined, null];
      }
      if (name.startsWith("llvm.lifetime") || name === "mem_fence") return [undefined, null];
      if (name === "isnan") return [Number.isNaN(args[0]) ? 1 : 0, null];
      if (name === "min") return [Math.min(...args), null];
      if (name === "as_float") return [bitcast(args[0], "i32", "f"), null];
      if (name === "as_uint") return [bitcast(args[0], "f", "i32"), null];
      if (/^vstore\d+$/.test(name)) { // into private memory; the recorder would have refused another
        const n = args[0].length;
        write({ region: args[2].region, offset: args[2].offset + args[1] * n * 4 }, `${n}f`, args[0]);
        return [undefined, null];
      }
      if (name.startsWith("atomic_")) {
        const pointer = args[0], place = elementType.get(pointer.region.name), t = place === "f" ? "f" : "i32";
        const old = read(pointer, t);
        const now = { atomic_add: () => wrap(t, old + args[1]), atomic_xchg: () => args[1],
          atomic_cmpxchg: () => old === args[1] ? args[2] : old }[name]();
        write(pointer, t, now);
        counts.atomics++;
        return [old, { ...access(item, line, "x", pointer, t, old), now: [now], before: [old] }];
      }
      throw new Error(`no such function: ${name}`);
    }

    function access(item, line, kind, pointer, type, stored, before) {
      const list = (x) => lanes(type) === 1 ? [x] : x;
      const size = pointer.region.space === "global" && elementType.get(pointer.region.name) === "i64" ? 8 : 4;
      const floats = bytesOf(type) / 4;
      if (kind !== "x") counts[`${pointer.region.space} ${kind === "r" ? "loads" : "stores"}`] += floats;
      const frame = item.frames[item.frames.length - 1];
      const site = `${frame.f.name} ${frame.block} ${frame.at} ${kind}`;
      const turn = (item.executions.get(site) || 0) + 1;
      item.executions.set(site, turn);
      return { item: item.number, group: item.group, line, kind, space: pointer.region.space, variable: pointer.region.name,
        at: Math.floor(pointer.offset / size), outside: !isInside(pointer, bytesOf(type)), words: pointer.offset / 4, floats, values: list(stored),
        before: before === undefined ? null : list(before), access: `${site} ${turn}` };
    }

    // Goes on to where others would see something.
    function settle(item) {
      for (let n = 0; item.state === "ready" && !visible(item); n++) {
        execute(item);
        if (n > 100000) item.state = "endless";
      }
    }

    // What is private and stands in the line of the access: the variables are shown as they are after that.
    function finishLine(item, line) {
      while (item.state === "ready" && instruction(item)[1] === line && !visible(item)) execute(item);
    }

    const show = new Set(asked.show || []);
    function variablesOf(item) {
      const found = {};
      for (const frame of item.frames)
        for (const place of frame.variables || [])
          if (show.has(place.name) && place.written[0]) {
            const n = place.bytes / BYTES[scalar(place.type)];
            found[place.name] = n === 1 ? readOne(place, 0, place.type) :
              Array.from({ length: n }, (_, i) => readOne(place, i * BYTES[scalar(place.type)], scalar(place.type)));
          }
      return found;
    }

    return { items, counts, buffers, groupMemory, perGroup, numGroups, settle, finishLine, execute, variablesOf, instruction };
  }

  // Counters of a GPU in small, by rules that say nothing of time: the work-items of a group in rows of WARP; the n-th
  // time that a row comes to the same instruction is one access of the row.
  const WARP = 8, SEGMENT = 8, BANKS = 8; // work-items; floats of a transaction (32 bytes); banks of 4 bytes
  function watch(perGroup) {
    const seen = new Map();
    return {
      segments: 0, conflicts: 0,
      take(access, lid) {
        if (access.kind !== "r" && access.kind !== "w") return;
        const key = `${access.group} ${Math.floor(lid / WARP)} ${access.access} ${access.space} ${access.variable}`;
        if (!seen.has(key)) seen.set(key, { segments: new Set(), banks: new Map(), most: 1 });
        const of = seen.get(key);
        for (let w = access.words; w < access.words + access.floats; w++)
          if (access.space === "global") {
            const segment = Math.floor(w / SEGMENT);
            if (!of.segments.has(segment)) { of.segments.add(segment); this.segments++; }
          } else {
            const bank = w % BANKS;
            if (!of.banks.has(bank)) of.banks.set(bank, new Set());
            of.banks.get(bank).add(w);
            if (of.banks.get(bank).size > of.most) { of.most++; this.conflicts++; }
          }
      },
    };
  }

  // Data races: two accesses of different work-items to one word, not both atomic and not both reads, with no barrier
  // that both have passed between them. Whether there is one does not depend on who came first.
  function raceWatch() {
    const words = new Map();
    const together = (a, b) => a.item !== b.item && (a.group !== b.group || a.epoch === b.epoch) && !(a.kind === "x" && b.kind === "x");
    return (access, epoch) => {
      let race = null;
      if (access.outside) return race;
      for (let w = access.words; w < access.words + access.floats; w++) {
        const key = access.space === "local" ? `${access.variable} ${access.group} ${w}` : `${access.variable} ${w}`;
        if (!words.has(key)) words.set(key, { wrote: null, reads: [] });
        const word = words.get(key), now = { item: access.item, group: access.group, kind: access.kind, line: access.line, epoch };
        if (word.wrote && together(word.wrote, now)) race = word.wrote;
        if (access.kind === "r") word.reads.push(now);
        else {
          race = race || word.reads.find((one) => together(one, now)) || null;
          word.wrote = now;
          word.reads = [];
        }
      }
      return race;
    };
  }

  const LONGEST = 40000; // steps of a run; a right one has a tenth of them

  function run(recording, { order = "serial", seed = 1, lines = "" } = {}) {
    const world = launch(recording, programWith(recording, lines));
    const { items, counts, settle, finishLine, execute } = world;
    const watched = watch(world.perGroup), raced = raceWatch();
    let races = 0, outside = 0, unwritten = 0;
    const found = {}; // of each kind of mistake the first access: race, outside, unwritten
    const steps = [];
    let ended = "done";
    const last = new Map();
    const snapshot = (item) => {
      const now = world.variablesOf(item), before = last.get(item) || {};
      const changed = Object.fromEntries(Object.entries(now).filter(([k, v]) => String(v) !== String(before[k])));
      last.set(item, now);
      return changed;
    };
    items.forEach(settle);
    steps.push(items.map((item) => (
      { item: item.number, group: item.group, kind: "start", variables: snapshot(item), state: item.state })));

    function act(item) {
      const made = execute(item);
      if (made) {
        watched.take(made, item.lid);
        if (made.kind !== "b") {
          made.race = raced(made, (item.epochs || {})[made.space] || 0);
          races += made.race !== null;
          outside += made.outside;
          unwritten += made.unwritten === true;
          for (const kind of ["race", "outside", "unwritten"]) if (made[kind] && !found[kind]) found[kind] = made;
        }
        if ((item.turns = (item.turns || 0) + 1) > LONGEST) item.state = "endless";
        finishLine(item, made.line);
        made.variables = snapshot(item);
        settle(item);
        made.state = item.state;
      }
      return made;
    }
    // A barrier opens when every work-item of the group has reached it.
    function open(group) {
      const mine = items.filter((item) => item.group === group);
      const waiting = mine.filter((item) => item.state === "waiting");
      if (waiting.length !== mine.length || new Set(waiting.map((item) => item.line)).size !== 1) return null;
      const line = waiting[0].line;
      return mine.map((item) => {
        item.state = "ready";
        // A barrier orders the memory that it names: 1 is local, 2 global.
        item.epochs = item.epochs || { local: 0, global: 0 };
        if (item.fences & 1) item.epochs.local++;
        if (item.fences & 2) item.epochs.global++;
        const variables = snapshot(item);
        settle(item);
        return { item: item.number, group, line, kind: "go", variables, state: item.state };
      });
    }
    const finish = (accesses) => {
      steps.push(accesses);
      accesses.counts = { ...counts, segments: watched.segments, conflicts: watched.conflicts, outside, unwritten, races };
    };
    steps[0].counts = { ...counts, segments: 0, conflicts: 0, outside: 0, unwritten: 0, races: 0 };
    const openAll = () => {
      const opened = [];
      for (let g = 0; g < world.numGroups; g++) opened.push(...(open(g) || []));
      if (opened.length) finish(opened);
      return opened.length > 0;
    };
    const ready = () => items.filter((item) => item.state === "ready");

    if (order === "serial") {
      for (let g = 0; g < world.numGroups; g++) {
        const mine = items.filter((item) => item.group === g);
        do {
          for (const item of mine) while (item.state === "ready") finish([act(item)]);
        } while ((() => { const o = open(g); if (o) finish(o); return o; })());
      }
    } else if (order === "lockstep") {
      for (;;) {
        const now = ready();
        if (now.length) {
          // What is read is read before anything is written.
          const reads = now.filter((item) => world.instruction(item)[0] === "load");
          const rest = now.filter((item) => !reads.includes(item));
          finish([...reads, ...rest].map(act));
        } else if (!openAll()) break;
      }
    } else {
      const next = random(seed);
      for (;;) {
        const now = ready();
        if (now.length) finish([act(now[Math.floor(next() * now.length)])]);
        if (!openAll() && !ready().length) break;
      }
    }
    const stuck = items.filter((item) => item.state === "waiting");
    const endless = items.find((item) => item.state === "endless");
    if (endless) ended = "endless";
    else if (stuck.length) {
      ended = "stuck";
      const [{ group, line }] = stuck, mine = stuck.filter((item) => item.group === group && item.line === line);
      found.stuck = { group, line, waiting: mine.length, of: world.perGroup, elsewhere: stuck.find((item) => item.group === group && item.line !== line) };
    }
    const type = new Map(recording.variables.map((v) => [v.name, ELEMENT[v.type]]));
    const memory = {};
    for (const [name, place] of world.buffers) {
      const one = type.get(name), size = one === "i64" ? 8 : 4;
      memory[name] = Array.from({ length: place.bytes / size }, (_, i) => place.written[i * size >> 2] ? readOne(place, i * size, one) : NaN);
    }
    return { steps, memory, counts: steps[steps.length - 1].counts, ended, found, perGroup: world.perGroup, numGroups: world.numGroups };
  }

  function text(x) {
    return Number.isNaN(x) ? "nan" : String(x);
  }

  function compare(recording, result) {
    const mine = [];
    for (const step of result.steps)
      for (const a of step)
        if (a.kind === "b") mine.push(`${a.item}: ${a.line} b`);
        else if ("rwx".includes(a.kind))
          mine.push(`${a.item}: ${a.line} ${a.kind} ${a.variable} ${a.at} ${a.values.map(text).join(",")}`);
    const theirs = recording.accesses.flatMap((run) => {
      const [item, list] = run.split(": ");
      return list.split("; ").map((one) => `${item}: ${one}`);
    });
    for (let i = 0; i < Math.max(mine.length, theirs.length); i++)
      if (mine[i] !== theirs[i]) return `access ${i}: here ${mine[i]}, recorded ${theirs[i]}`;
    return null;
  }

  return { run, compare, WARP, SEGMENT, BANKS };
})();
