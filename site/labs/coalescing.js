// Which transactions a row of 32 work-items costs: work-item i reads the float start + i * stride.
"use strict";

(() => {
  const ITEMS = 32, FLOATS = 8, COLUMNS = 8, MOST = 17, TOP = 74; // of a transaction, 32 bytes; transactions side by side; largest stride + 1

  Lab.start("coalescing", "Move the stride: which transactions does one row of 32 work-items need?", {
    stride: { label: "Stride, in floats", min: 1, max: MOST - 1, value: 1 },
    start: { label: "First float", min: 0, max: 7, value: 0 },
  }, ({ stride, start }) => {
    const touched = new Set(), floats = new Set();
    for (let i = 0; i < ITEMS; i++) {
      floats.add(start + i * stride);
      touched.add(Math.floor((start + i * stride) / FLOATS));
    }
    const rows = Math.ceil((Math.max(...touched) + 1) / COLUMNS), drawing = [];
    const place = (s) => [6 + s % COLUMNS * 83, TOP + Math.floor(s / COLUMNS) * 26];
    for (let s = 0; s < rows * COLUMNS; s++) {
      const [x, y] = place(s), lit = touched.has(s);
      drawing.push(Lab.draw("rect", { x, y, width: 79, height: 20, rx: 3, class: lit ? "lab-lit" : "lab-dim" }));
      for (let f = 0; f < FLOATS; f++)
        drawing.push(Lab.draw("rect", { x: x + 2.5 + f * 9.4, y: y + 4, width: 8, height: 12, rx: 1.5,
          class: floats.has(s * FLOATS + f) ? "lab-used" : lit ? "lab-wasted" : "lab-none" }));
    }
    // The work-items above, each with a line to its float.
    for (let i = 0; i < ITEMS; i++) {
      const float = start + i * stride, [x, y] = place(Math.floor(float / FLOATS)), from = 6 + (i + 0.5) * 20.6;
      drawing.unshift(Lab.draw("path", { class: "lab-read", d: `M${from} 24 L${x + 6.5 + float % FLOATS * 9.4} ${y + 3}` }));
      drawing.push(Lab.draw("rect", { x: from - 9.6, y: 4, width: 19.2, height: 20, rx: 3, class: "lab-item" }),
        Lab.draw("text", { x: from, y: 18.5, class: "lab-number", "text-anchor": "middle" }, String(i)));
    }
    const transactions = touched.size, asked = 4 * ITEMS, moved = 4 * FLOATS * transactions;
    return {
      drawing, size: [670, TOP + rows * 26 + 4],
      words: `Stride ${stride}, from float ${start}: the 32 work-items ask for ${asked} bytes and need ${transactions} transactions of 32 bytes. ${moved} bytes are moved, ${Lab.number(100 * asked / moved)} % of them asked for.`,
      facts: { transactions: String(transactions), "bytes moved": String(moved), "of them asked for": `${Lab.number(100 * asked / moved)} %` },
    };
  });
})();
