// Theme, live parts and links out of Airflow's frame. Every page works without it.
"use strict";

const root = document.documentElement;
const isFramed = window.parent !== window;
// Milliseconds between two looks: while something runs, while nothing does, and at most.
const LIVE_EVERY = 3000;
const IDLE_EVERY = 15000;
const LIVE_SLOWEST = 30000;
const FAILURES_TO_TELL = 3;
const NOT_THERE = 404;

// --- theme: the one chosen in Airflow, else the browser's

function airflowTheme() {
  try {
    if (isFramed) {
      const classes = window.parent.document.documentElement.classList;
      return ["light", "dark"].find((name) => classes.contains(name)) || "";
    }
    const chosen = window.localStorage.getItem("theme");
    return chosen === "light" || chosen === "dark" ? chosen : "";
  } catch {
    return "";
  }
}

function applyTheme() {
  root.dataset.theme = airflowTheme();
}

function followTheme() {
  applyTheme();
  window.addEventListener("storage", applyTheme);
  if (!isFramed) return;
  root.dataset.framed = "";
  try {
    const outer = window.parent.document.documentElement;
    new MutationObserver(applyTheme).observe(outer, { attributeFilter: ["class"] });
  } catch {
    // Another site's frame: the browser's theme stays.
  }
}

// --- links to Airflow's own pages leave the frame

function leaveFrame(event) {
  const link = event.target.closest("a[data-airflow]");
  if (!link || !isFramed || event.button || event.metaKey || event.ctrlKey) return;
  try {
    const outer = window.parent.document.createElement("a");
    outer.href = link.href;
    window.parent.document.body.append(outer);
    event.preventDefault();
    outer.click();
    outer.remove();
  } catch {
    // The link opens where it is.
  }
}

// --- live parts: asked for again while somebody looks

function liveAddress(part) {
  const address = new URL(window.location.href);
  address.searchParams.set("part", part.dataset.live);
  return address;
}

async function fetchPart(part) {
  const answer = await fetch(liveAddress(part), { headers: { accept: "text/x-part" } });
  if (answer.status === 401) window.location.reload();
  if (answer.status === NOT_THERE) return null;
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

function swap(part, html) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const open = [...part.querySelectorAll("details[open]")].map((one) => one.dataset.key);
  part.innerHTML = html;
  for (const one of part.querySelectorAll("details[data-key]")) {
    one.open = one.open || open.includes(one.dataset.key);
  }
  if (!focused) return;
  const known = [...part.querySelectorAll("[data-key]")];
  const again = known.find((one) => one.dataset.key === focused.dataset.key);
  (again || part).focus({ preventScroll: true });
}

function say(text) {
  const spoken = document.getElementById("news");
  if (spoken && spoken.textContent !== text) spoken.textContent = text;
}

function tell(part) {
  const news = part.querySelector("[data-news]");
  if (news) say(news.dataset.news);
}

// `why` is one of the texts that the warning brings along, or nothing.
function warn(part, why) {
  const note = document.querySelector(`[data-warning="${part.dataset.live}"]`);
  note.hidden = !why;
  if (!why) return;
  note.querySelector("p").textContent = note.dataset[why];
  say(note.dataset[why]);
}

function isBusy(part) {
  return part.querySelector("[data-running]") !== null;
}

function isInUse(part) {
  const selection = window.getSelection();
  return Boolean(selection && !selection.isCollapsed && part.contains(selection.anchorNode));
}

function keepAlive(part) {
  let failures = 0;
  let shown = "";
  function again() {
    const usual = isBusy(part) ? LIVE_EVERY : IDLE_EVERY;
    window.setTimeout(look, Math.min(usual * 2 ** failures, LIVE_SLOWEST));
  }
  function show(html) {
    failures = 0;
    warn(part, "");
    if (html !== shown) swap(part, html);
    shown = html;
    tell(part);
  }
  async function look() {
    if (document.hidden || isInUse(part)) return again();
    try {
      const html = await fetchPart(part);
      if (html === null) return warn(part, "gone");
      show(html);
    } catch {
      failures += 1;
      if (failures === FAILURES_TO_TELL) warn(part, "stopped");
    }
    return again();
  }
  again();
}

// --- several rows at once

function countChosen(form) {
  const boxes = [...form.querySelectorAll("input[name=number]")];
  const chosen = boxes.filter((box) => box.checked).length;
  const all = form.querySelector("input[data-all]");
  if (!all) return;
  all.checked = chosen > 0 && chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
}

function choose(event) {
  const form = event.target.closest("form[data-several]");
  if (!form) return;
  if (event.target.matches("input[data-all]")) {
    for (const box of form.querySelectorAll("input[name=number]")) {
      box.checked = event.target.checked;
    }
  }
  countChosen(form);
}

followTheme();
document.addEventListener("click", leaveFrame);
document.addEventListener("change", choose);
document.addEventListener("DOMContentLoaded", () => {
  for (const all of document.querySelectorAll("input[data-all]")) all.closest("label, th").hidden = false;
  for (const part of document.querySelectorAll("[data-live]")) keepAlive(part);
});
