/* What the documentation does in a browser: the menu of a phone, light and dark, and the search. The index is a script
 * beside the pages, read when somebody first searches, so that the site works from a disk too. */
"use strict";
const root = document.documentElement.dataset.root;
const remembered = {
  get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("theme", value); } catch { /* not remembered, then */ } },
};
if (remembered.get()) {
  document.documentElement.dataset.theme = remembered.get();
}

/* The index: pages, sections, and words in order with the steps between the numbers of their sections. */
let index = null;
let arrived = () => {};
function searchIndex(content) { // called by search.js
  index = content;
  index.words = content.words.split(";").map((entry) => {
    const [word, ...steps] = entry.split(" ");
    let at = 0;
    return [word, steps.map((step) => (at += Number(step)))];
  });
  arrived();
}
function loadIndex(then) {
  arrived = then;
  if (index) {
    then();
  } else if (!document.querySelector("script[data-index]")) {
    const script = document.createElement("script");
    script.src = `${root}/search.js`;
    script.dataset.index = "";
    document.head.append(script);
  }
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) || [];

/* Sections in which every word of the query begins a word; titles count more, and rare words do. */
function search(query) {
  const scores = new Map();
  wordsOf(query).forEach((start, place) => {
    const here = new Map();
    for (const [word, sections] of index.words) {
      if (!word.startsWith(start)) continue;
      const weight = Math.log(1 + index.sections.length / sections.length) * (word === start ? 2 : 1);
      for (const section of sections) {
        const [page, , title] = index.sections[section];
        const bonus = (wordsOf(title).includes(word) ? 4 : 1) * (wordsOf(index.pages[page][1]).includes(word) ? 1.5 : 1);
        here.set(section, Math.max(here.get(section) || 0, weight * bonus));
      }
    }
    for (const section of place ? [...scores.keys()] : here.keys()) {
      if (here.has(section)) {
        scores.set(section, (scores.get(section) || 0) + here.get(section));
      } else {
        scores.delete(section);
      }
    }
  });
  return [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([section]) => section);
}

function show(query, box) {
  const list = box.querySelector("ol");
  const found = search(query);
  list.replaceChildren(...found.slice(0, 20).map((section) => {
    const [page, anchor, title, opening] = index.sections[section];
    const link = document.createElement("a");
    link.href = `${root}/${index.pages[page][0]}#${encodeURIComponent(anchor)}`;
    const strong = document.createElement("b");
    strong.textContent = title;
    const small = document.createElement("small");
    small.textContent = `${index.pages[page][1]}${opening ? ` · ${opening}…` : ""}`;
    link.append(strong, small);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  box.querySelector("p").textContent =
    found.length ? `${found.length} sections${found.length > 20 ? ", the first 20" : ""}` : "nothing found";
  box.hidden = false;
}

document.addEventListener("DOMContentLoaded", () => {
  const menu = document.querySelector(".menu");
  const wide = matchMedia("(min-width: 60rem)");
  const fold = () => { menu.open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  const current = menu.querySelector("[aria-current]");
  if (current && wide.matches) {
    menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
  }

  const theme = document.querySelector(".theme");
  const dark = () => getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#14181c";
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  label();
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    remembered.set(document.documentElement.dataset.theme);
    label();
  });

  const form = document.querySelector(".search");
  const input = form.querySelector("input");
  const box = form.querySelector(".found");
  const update = () => {
    if (input.value.trim().length < 2) {
      box.hidden = true;
    } else {
      loadIndex(() => show(input.value, box));
    }
  };
  input.addEventListener("input", update);
  input.addEventListener("focus", update);
  document.addEventListener("click", (event) => { if (!form.contains(event.target)) box.hidden = true; });
  document.addEventListener("keydown", (event) => {
    const links = box.hidden ? [] : [...box.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape" && !box.hidden) {
      input.focus(); // which would open it
      box.hidden = true;
    } else if (event.key === "/" && document.activeElement === document.body) {
      event.preventDefault();
      input.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length && form.contains(document.activeElement)) {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)]).focus();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    loadIndex(() => { show(input.value, box); box.querySelector("a")?.click(); });
  });

  const asked = new URLSearchParams(location.search).get("q");
  if (asked) { // a link to a search, or a form that was sent before this script ran
    input.value = asked;
    update();
  }
});
