// The roofline of a machine with the chapters' measured points, and a kernel whose intensity can be moved. MACHINES is
// made from docs/results/*/record.json and the tables beside them.
"use strict";

(() => {
  const LEFT = 64, RIGHT = 650, TOP = 24, BOTTOM = 370, X = [-4, 11.6], APART = 16; // X: log2 of FLOP per byte

  // Heights for labels that want to be at `wanted`, sorted: none nearer than APART to the next, none below the axis.
  function spread(wanted) {
    const at = [...wanted];
    for (let i = 1; i < at.length; i++) at[i] = Math.max(at[i], at[i - 1] + APART);
    for (let i = at.length - 1, most = BOTTOM - 6; i >= 0; i--, most = at[i + 1] - APART) at[i] = Math.min(at[i], most);
    return at;
  }

  Lab.start("roofline", "Move the kernel along the roof: what is the most that this machine can give? A tap or click on a point says how far below it a chapter's kernel is.", {
    machine: { label: "Machine", options: MACHINES.map((m) => m.name) },
    intensity: { label: "FLOP per byte", min: -16, max: 44, value: -8, say: (e) => Lab.number(2 ** (e / 4)) },
  }, ({ machine, intensity, chosen }) => {
    const { name, bytes, flops, points } = MACHINES[machine];
    const roof = (v) => Math.min(flops, bytes * v);
    const at = 2 ** (intensity / 4), ridge = flops / bytes, most = roof(at);
    const rates = [bytes * 2 ** X[0], ...points.map((p) => p[2])];
    const high = Math.log10(Math.max(flops, ...rates) * 1.6), low = Math.log10(Math.min(...rates) / 1.6);
    const x = (v) => LEFT + (Math.log2(v) - X[0]) / (X[1] - X[0]) * (RIGHT - LEFT);
    const y = (v) => BOTTOM - (Math.log10(v) - low) / (high - low) * (BOTTOM - TOP);
    const drawing = [];
    for (let e = Math.ceil(low); e <= high; e++) {
      drawing.push(Lab.draw("line", { x1: LEFT, x2: RIGHT, y1: y(10 ** e), y2: y(10 ** e), class: "lab-grid" }));
      drawing.push(Lab.draw("text", { x: LEFT - 8, y: y(10 ** e) + 5, class: "lab-axis", "text-anchor": "end" }, (10 ** e).toLocaleString("en")));
    }
    for (const v of [0.0625, 0.25, 1, 4, 16, 64, 256, 1024])
      drawing.push(Lab.draw("text", { x: x(v), y: BOTTOM + 20, class: "lab-axis", "text-anchor": "middle" }, String(v)));
    drawing.push(Lab.draw("text", { x: (LEFT + RIGHT) / 2, y: BOTTOM + 40, class: "lab-axis", "text-anchor": "middle" }, "FLOP for each byte from memory; up: GFLOP/s"));
    drawing.push(Lab.draw("path", { class: "lab-roof", d: `M${x(2 ** X[0])} ${y(bytes * 2 ** X[0])} L${x(ridge)} ${y(flops)} L${RIGHT} ${y(flops)}` }));
    // Names in a column beside their points, those of few operations to the right of them, the products' to the left.
    for (const few of [true, false]) {
      const some = points.filter((p) => (p[1] < 8) === few).sort((a, b) => b[2] - a[2]);
      const beside = few ? Math.max(...some.map((p) => x(p[1]))) + 30 : Math.min(...some.map((p) => x(p[1]))) - 30;
      const heights = spread(some.map((p) => y(p[2])));
      some.forEach(([label, px, py], i) => {
        const dot = Lab.draw("circle", { cx: x(px), cy: y(py), r: 5, class: `lab-point${label === chosen ? " lab-chosen" : ""}` });
        dot.append(Lab.draw("title", {}, `${label}: ${Lab.number(py)} GFLOP/s`));
        drawing.push(Lab.draw("line", { x1: x(px), y1: y(py), x2: beside, y2: heights[i], class: "lab-leader" }), dot,
          Lab.draw("text", { x: beside + (few ? 4 : -4), y: heights[i] + 4.5, class: "lab-label", "text-anchor": few ? "start" : "end" }, label));
      });
    }
    drawing.push(Lab.draw("line", { x1: x(at), x2: x(at), y1: BOTTOM, y2: y(most), class: "lab-here" }));
    drawing.push(Lab.draw("circle", { cx: x(at), cy: y(most), r: 8, class: "lab-kernel" }));
    const bound = at < ridge ? "memory" : "arithmetic", point = points.find((p) => p[0] === chosen);
    const above = points.filter(([, px, py]) => py > 1.01 * roof(px)).map((p) => p[0]);
    const of = (px, py) => `${Lab.number(100 * py / roof(px))} % of the roof above it, ${Lab.number(roof(px))} GFLOP/s`;
    return {
      drawing, size: [670, 420],
      // A click on a point, or near it, chooses it; elsewhere it moves the kernel.
      click: (cx, cy) => {
        const near = points.map((p) => [Math.hypot(x(p[1]) - cx, y(p[2]) - cy), p[0]]).sort((a, b) => a[0] - b[0])[0];
        return near[0] < 12 ? { chosen: near[1] } : { chosen: undefined, intensity: Math.round(4 * (X[0] + (cx - LEFT) / (RIGHT - LEFT) * (X[1] - X[0]))) };
      },
      words: (point ? `${point[0]}: ${Lab.number(point[2])} GFLOP/s, ${of(point[1], point[2])}. ` : "")
        + `${name}: at ${Lab.number(at)} FLOP per byte ${bound} decides, and ${Lab.number(most)} GFLOP/s are the most. Points: the chapters' kernels at their largest size.`
        + (above.length ? ` Above the roof: ${above.join(", ")}. The roof is what chapter 15 measured, with other instructions than these.` : ""),
      facts: { "at most": `${Lab.number(most)} GFLOP/s`, "decided by": bound, ridge: `${Lab.number(ridge)} FLOP per byte` },
    };
  });
})();
