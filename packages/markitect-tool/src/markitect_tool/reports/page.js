"use strict";
// Everything can be read without this: it only adds keys to go from difference to difference, and opens all for print.
(() => {
  const bar = document.querySelector(".go");
  const rows = Array.from(document.querySelectorAll(".r.d"));
  let at = -1;
  const go = (step) => {
    if (!rows.length) return;
    const top = window.innerHeight / 3;
    if (at < 0 && step < 0) at = 0;
    at = (at + step + rows.length) % rows.length;
    const row = rows[at];
    for (let up = row.parentElement; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    document.querySelector(".now")?.classList.remove("now");
    row.classList.add("now");
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: row.offsetHeight > top ? "start" : "center" });
    bar.querySelector("output").textContent = `${at + 1} of ${rows.length}`;
  };
  if (bar && rows.length) {
    bar.hidden = false;
    const [back, next] = bar.querySelectorAll("button");
    back.addEventListener("click", () => go(-1));
    next.addEventListener("click", () => go(1));
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === "n") go(1);
      else if (event.key === "p") go(-1);
    });
  }
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const item of opened) item.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const item of opened) item.open = false;
  });
})();
