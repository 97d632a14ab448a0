// What the laboratories share: a slider with its value, a drawing, a line that says what is seen. Each laboratory is a
// function of its sliders' values: Lab.start(name, parts, show). No library, no other host.
"use strict";

const Lab = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function make(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }

  function draw(tag, attributes = {}, text) {
    const e = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // Three digits that count, thousands apart: 4164.1 is 4,160.
  const number = (x) => x.toLocaleString("en", { maximumSignificantDigits: 3 });

  // parts: {name: {label, min, max, step, value, say(value)} or {label, options: [texts]}}. show(values, lab) returns
  // {drawing: SVG elements, size: [width, height], words, facts: {name: text}}, and maybe click(x, y), the values that a click
  // on the drawing sets.
  function start(name, title, parts, show) {
    const root = document.querySelector(`.lab[data-lab="${name}"]`), values = {}, controls = make("div", { class: "lab-controls" });
    const svg = draw("svg", { role: "img", class: "lab-drawing" });
    const say = make("p", { class: "lab-say", role: "status" }), facts = make("dl", { class: "lab-facts" });
    const inputs = {};
    let seen;
    svg.addEventListener("click", (event) => {
      if (!seen.click) return;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      for (const [key, value] of Object.entries(seen.click(x, y)))
        if (inputs[key]) { inputs[key].value = value; inputs[key].dispatchEvent(new Event("input")); } else values[key] = value;
      redraw();
    });
    const redraw = () => {
      seen = show(values);
      svg.classList.toggle("lab-clicks", Boolean(seen.click));
      svg.setAttribute("viewBox", `0 0 ${seen.size[0]} ${seen.size[1]}`);
      svg.setAttribute("aria-label", seen.words);
      svg.replaceChildren(...seen.drawing);
      say.textContent = seen.words;
      facts.replaceChildren(...Object.entries(seen.facts).map(([k, v]) => make("div", { "data-fact": k }, make("dt", {}, k), make("dd", {}, v))));
    };
    for (const [key, part] of Object.entries(parts)) {
      const box = make("label", { class: "lab-control" }, make("span", {}, part.label));
      let input;
      if (part.options) {
        input = make("select", {}, ...part.options.map((text, i) => make("option", { value: i }, text)));
        values[key] = 0;
        input.addEventListener("change", () => { values[key] = Number(input.value); redraw(); });
        box.append(input);
      } else {
        input = make("input", { type: "range", min: part.min, max: part.max, step: part.step || 1, value: part.value });
        const shown = make("output", {}), told = part.say || String;
        const set = () => {
          values[key] = Number(input.value);
          shown.textContent = told(values[key]);
          input.setAttribute("aria-valuetext", told(values[key]));
        };
        input.addEventListener("input", () => { set(); redraw(); });
        set();
        box.append(input, shown);
      }
      input.dataset.part = key;
      inputs[key] = input;
      controls.append(box);
    }
    root.append(make("p", { class: "lab-title" }, title), controls, make("div", { class: "lab-scroll" }, svg), say, facts);
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", title);
    redraw();
  }

  return { start, draw, number };
})();
