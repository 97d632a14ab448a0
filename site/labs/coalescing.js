// Which segments of global memory a row of 32 work-items touches: work-item i reads the float start + i * stride.
"use strict";

(() => {
  const ITEMS = 32, FLOATS = 8, COLUMNS = 8, MOST = 17; // a segment: 32 bytes; segments side by side; largest stride + 1

  Lab.start("coalescing", "Move the stride: which segments of memory does one row of 32 work-items need?", {
    stride: { label: "Stride, in floats", min: 1, max: MOST - 1, value: 1 },
    start: { label: "First float", min: 0, max: 7, value: 0 },
  }, ({ stride, start }) => {
    const touched = new Set(), floats = new Set();
    for (let i = 0; i < ITEMS; i++) {
      floats.add(start + i * stride);
      touched.add(Math.floor((start + i * stride) / FLOATS));
    }
    const rows = Math.ceil((Math.max(...touched) + 1) / COLUMNS), drawing = [];
    for (let s = 0; s < rows * COLUMNS; s++) {
      const x = 6 + s % COLUMNS * 83, y = 6 + Math.floor(s / COLUMNS) * 26, lit = touched.has(s);
      drawing.push(Lab.draw("rect", { x, y, width: 79, height: 20, rx: 3, class: lit ? "lab-lit" : "lab-dim" }));
      for (let f = 0; f < FLOATS; f++)
        drawing.push(Lab.draw("rect", { x: x + 2.5 + f * 9.4, y: y + 4, width: 8, height: 12, rx: 1.5,
          class: floats.has(s * FLOATS + f) ? "lab-used" : lit ? "lab-wasted" : "lab-none" }));
    }
    const segments = touched.size, asked = 4 * ITEMS, moved = 4 * FLOATS * segments;
    return {
      drawing, size: [670, rows * 26 + 10],
      words: `Stride ${stride}, from float ${start}: the 32 work-items ask for ${asked} bytes and touch ${segments} segments of 32 bytes. ${moved} bytes are moved, ${Lab.number(100 * asked / moved)} % of them asked for.`,
      facts: { segments: String(segments), "bytes moved": String(moved), "of them asked for": `${Lab.number(100 * asked / moved)} %` },
    };
  });
})();
