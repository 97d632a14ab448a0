// The roofline of a machine with the chapters' measured points, and a kernel whose intensity can be moved. MACHINES is
// made from docs/results/*/record.json and the tables beside them.
"use strict";

(() => {
  const LEFT = 64, RIGHT = 650, TOP = 24, BOTTOM = 330, X = [-4, 11.6]; // log2 of FLOP per byte

  Lab.start("roofline", "Move the kernel along the roof: what is the most that this machine can give?", {
    machine: { label: "Machine", options: MACHINES.map((m) => m.name) },
    intensity: { label: "FLOP per byte", min: -16, max: 44, value: -8, say: (e) => Lab.number(2 ** (e / 4)) },
  }, ({ machine, intensity }) => {
    const { name, bytes, flops, points } = MACHINES[machine];
    const at = 2 ** (intensity / 4), ridge = flops / bytes, most = Math.min(flops, bytes * at);
    const high = Math.log10(flops * 2), low = Math.log10(bytes * 2 ** X[0] / 8);
    const x = (v) => LEFT + (Math.log2(v) - X[0]) / (X[1] - X[0]) * (RIGHT - LEFT);
    const y = (v) => BOTTOM - (Math.max(low, Math.log10(v)) - low) / (high - low) * (BOTTOM - TOP);
    const drawing = [];
    for (let e = Math.ceil(low); e <= high; e++) {
      drawing.push(Lab.draw("line", { x1: LEFT, x2: RIGHT, y1: y(10 ** e), y2: y(10 ** e), class: "lab-grid" }));
      drawing.push(Lab.draw("text", { x: LEFT - 8, y: y(10 ** e) + 5, class: "lab-axis", "text-anchor": "end" }, (10 ** e).toLocaleString("en")));
    }
    for (const v of [0.0625, 0.25, 1, 4, 16, 64, 256, 1024])
      drawing.push(Lab.draw("text", { x: x(v), y: BOTTOM + 20, class: "lab-axis", "text-anchor": "middle" }, String(v)));
    drawing.push(Lab.draw("text", { x: (LEFT + RIGHT) / 2, y: BOTTOM + 40, class: "lab-axis", "text-anchor": "middle" }, "FLOP for each byte from memory; up: GFLOP/s"));
    drawing.push(Lab.draw("path", { class: "lab-roof", d: `M${x(2 ** X[0])} ${y(bytes * 2 ** X[0])} L${x(ridge)} ${y(flops)} L${RIGHT} ${y(flops)}` }));
    for (const [label, px, py] of points) {
      const dot = Lab.draw("circle", { cx: x(px), cy: y(py), r: 5, class: "lab-point" });
      dot.append(Lab.draw("title", {}, `${label}: ${Lab.number(py)} GFLOP/s`));
      drawing.push(dot, Lab.draw("text", { x: x(px) - 8, y: y(py) + 5, class: "lab-label", "text-anchor": "end" }, label.slice(0, 2)));
    }
    drawing.push(Lab.draw("line", { x1: x(at), x2: x(at), y1: BOTTOM, y2: y(most), class: "lab-here" }));
    drawing.push(Lab.draw("circle", { cx: x(at), cy: y(most), r: 8, class: "lab-kernel" }));
    const bound = at < ridge ? "memory" : "arithmetic";
    return {
      drawing, size: [670, 380],
      words: `${name}: at ${Lab.number(at)} FLOP per byte ${bound} decides, and ${Lab.number(most)} GFLOP/s are the most. The ridge is at ${Lab.number(ridge)} FLOP per byte. Points: the chapters' kernels, measured at their largest size.`,
      facts: { "at most": `${Lab.number(most)} GFLOP/s`, "decided by": bound, ridge: `${Lab.number(ridge)} FLOP per byte` },
    };
  });
})();
