// Little's law: bytes on their way = bandwidth x latency. With fewer, memory has nothing to do for part of the time.
"use strict";

(() => {
  const WIDTHS = [4, 8, 16], KEPT = 20; // bytes of a load; loads that are drawn
  const power = (e) => Math.round(2 ** (e / 2));

  Lab.start("in-flight", "How many bytes must be on their way before memory is busy all the time?", {
    machine: { label: "Machine", options: MACHINES.map((m) => m.name) },
    items: { label: "Work-items at once", min: 0, max: 40, value: 30, say: (e) => power(e).toLocaleString("en") },
    loads: { label: "Loads of each, at once", min: 1, max: 8, value: 4 },
    width: { label: "Bytes of a load", min: 0, max: 2, value: 0, say: (i) => String(WIDTHS[i]) },
    latency: { label: "Latency, in ns", min: 100, max: 1000, step: 50, value: 600 },
  }, ({ machine, items, loads, width, latency }) => {
    const { name, bytes } = MACHINES[machine]; // 10^9 bytes a second: bytes a nanosecond
    const flying = power(items) * loads * WIDTHS[width], needed = bytes * latency;
    const rate = Math.min(bytes, flying / latency), share = rate / bytes;
    const drawing = [Lab.draw("text", { x: 10, y: 20, class: "lab-axis" }, `loads on their way, in time: ${KEPT} lines keep memory busy`)];
    // One window of latency: the share of it in which bytes arrive is drawn as the busy part of memory.
    const rows = Math.max(1, Math.min(KEPT, Math.round(share * KEPT)));
    for (let r = 0; r < KEPT; r++) drawing.push(Lab.draw("line", { x1: 10, x2: 660, y1: 32 + r * 7, y2: 32 + r * 7, class: "lab-free" }));
    for (let r = 0; r < rows; r++) {
      const shift = 560 / KEPT * r;
      for (const turn of [-1, 0, 1]) {
        const from = Math.max(10, 10 + shift + turn * 560), to = Math.min(660, 10 + shift + (turn + 1) * 560);
        if (to > from + 2) drawing.push(Lab.draw("line", { x1: from, x2: to - 3, y1: 32 + r * 7, y2: 32 + r * 7, class: "lab-wait" }));
      }
    }
    drawing.push(Lab.draw("text", { x: 10, y: 200, class: "lab-axis" }, "memory: at work, or idle"));
    for (let r = 0; r < 24; r++)
      drawing.push(Lab.draw("rect", { x: 10 + r * 27, y: 208, width: 25, height: 18, rx: 2, class: r % KEPT < rows ? "lab-used" : "lab-none" }));
    return {
      drawing, size: [670, 236],
      words: `${name}, ${Lab.number(bytes)} GB/s, ${latency} ns: ${Lab.number(needed)} bytes must be on their way. ${flying.toLocaleString("en")} are: ${Lab.number(rate)} GB/s at most, ${Lab.number(100 * share)} % of what memory can do.`,
      facts: { "bytes needed": Lab.number(needed), "bytes in flight": flying.toLocaleString("en"), rate: `${Lab.number(rate)} GB/s`, share: `${Lab.number(100 * share)} %` },
    };
  });
})();
