// What every page of the site does besides the theme. Without JavaScript all of it is merely absent.
"use strict";

// The theme asks for the search index, the largest file of all, behind every page. It waits until somebody searches,
// or comes from a search, whose words are then marked (?h=).
(() => {
  const { open, send } = XMLHttpRequest.prototype;
  const wanted = new Promise((resolve) => {
    if (/[?&][qh]=/.test(location.search)) resolve();
    document.addEventListener("focusin", (event) => { if (event.target.matches(".md-search__input")) resolve(); });
  });
  XMLHttpRequest.prototype.open = function (method, url, ...more) {
    this.forSearch = String(url).endsWith("/search_index.json");
    return open.call(this, method, url, ...more);
  };
  XMLHttpRequest.prototype.send = function (...data) {
    if (this.forSearch) wanted.then(() => send.apply(this, data));
    else send.apply(this, data);
  };
})();

// The theme takes each word as the beginning of one: here the word itself counts more, so that "sum" is not SUMMA.
// An error message is typed or pasted as it is. To the search -54 is "without 54", and main.c:7 or bash^M are no query at
// all; and of a question the small words say nothing.
(() => {
  const post = Worker.prototype.postMessage;
  const small = /(?<!\S)([a-z]|how|what|why|which|when|do|does|did|can|should|is|are|my|the|an|on|in|of|for|to|and|or|it|not|no|there|with)(?!\S)/gi;
  const answers = new Map();
  Worker.prototype.postMessage = function (message, ...more) {
    for (const { answers: some = {} } of message.data?.docs || []) for (const [asked, answer] of Object.entries(some)) answers.set(asked, answer);
    const words = typeof message.data === "string" && message.data.replace(/[+~^:*]|(?<!\S)-+/g, " ");
    const asked = words && (words.replace(small, " ").trim() || words);
    const data = asked && asked.trim().split(/\s+/).map((word) => `${word}^10 ${word}`).join(" ");
    return post.call(this, data ? { ...message, data } : message, ...more);
  };
  // Below a question that was found stands its answer, and for a word that a chapter introduces what it means.
  new MutationObserver(() => document.querySelectorAll(".md-search-result .md-tag:has(mark):not([data-answered])").forEach((tag) => {
    tag.dataset.answered = "";
    const marked = [...tag.querySelectorAll("mark")].map((e) => e.textContent).join(" ").split(/[\s-]+/);
    const [, list] = tag.textContent.split("introduces: "), found = list ? list.split(" · ").filter((word) => word.split(/[\s-]+/).every((part) => marked.includes(part))) : [];
    if (found.length) tag.replaceChildren(...found.flatMap((word) => [Object.assign(document.createElement("mark"), { textContent: word }), `: ${answers.get(word)}. `]));
    else if (answers.get(tag.textContent)) tag.append(" ", Object.assign(document.createElement("b"), { textContent: answers.get(tag.textContent) }));
  })).observe(document, { subtree: true, childList: true });
})();

// What is wider than the page scrolls inside itself. Then, and only then, the keyboard has to reach it.
document.addEventListener("DOMContentLoaded", () => {
  const named = (e) => {
    const heads = [...e.querySelectorAll("th")].map((th) => th.textContent.trim()).filter(Boolean);
    return e.matches(".table") ? `Table: ${heads.slice(0, 4).join(", ") || "numbers"}` : e.matches("code") ? "Code" : "Figure";
  };
  const settle = (e) => {
    const wide = e.scrollWidth > e.clientWidth + 1;
    const own = e.matches("[role=img]"); // it has a name already
    for (const [name, value] of own ? [["tabindex", "0"]] : [["tabindex", "0"], ["role", "group"], ["aria-label", named(e)]])
      if (!wide) e.removeAttribute(name);
      else if (e.getAttribute(name) !== value) e.setAttribute(name, value);
    fade(e);
  };
  // Where there is more, the edge fades. (A table has shadows of its own.)
  const fade = (e) => {
    if (e.matches(".table")) return;
    const left = e.scrollLeft > 2, right = e.scrollLeft + e.clientWidth < e.scrollWidth - 2;
    if (left || right) e.dataset.more = left && right ? "both" : left ? "left" : "right";
    else delete e.dataset.more;
  };
  document.addEventListener("scroll", (event) => { if (event.target.dataset && event.target.dataset.more) fade(event.target); }, { capture: true, passive: true });
  const watch = new ResizeObserver((entries) => entries.forEach(({ target }) => settle(target)));
  window.scrolls = (e) => watch.observe(e); // for the players, which come later
  // Laboratories are drawn by deferred scripts, which have run by now.
  document.querySelectorAll(".lab-scroll, .table, .md-typeset p:has(> img, + .lab), .md-typeset pre > code").forEach((e) => watch.observe(e));
  // The theme's own scripts come later: each listing gets a landmark without a name, and loses the keyboard again.
  new MutationObserver(() => {
    document.querySelectorAll("nav.md-code__nav:not([role])").forEach((e) => e.setAttribute("role", "presentation"));
    document.querySelectorAll(".md-typeset pre > code[role]:not([tabindex])").forEach(settle);
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ["tabindex"] });
});

// A figure opens larger than it is in the page, above it: it scrolls there, and a tap, a click or Escape closes it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.figure");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const dialog = document.createElement("dialog"), pane = document.createElement("div"), close = document.createElement("button");
  close.textContent = "Close";
  pane.append(link.querySelector("img").cloneNode());
  dialog.className = "figure-large";
  dialog.append(close, pane);
  dialog.setAttribute("aria-label", "Figure, enlarged");
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  pane.tabIndex = 0; // it scrolls by the keyboard, too
});

// The theme's switch of colours is a radio button that answers to Enter only.
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || event.target.name !== "__palette") return;
  event.preventDefault();
  event.target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
});

// On a narrow screen the drawer opens on the list of all chapters, not on the exercises of this one.
document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(max-width: 76.2344em)").matches)
    document.querySelectorAll(".md-nav[data-md-level='1'] .md-nav__toggle:checked").forEach((box) => { box.checked = false; });
});
