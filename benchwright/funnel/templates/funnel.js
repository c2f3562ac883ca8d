"use strict";
const said = document.getElementById("said");
const bar = document.getElementById("bar");
const lines = document.getElementById("lines");
const large = document.getElementById("large");

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  said.textContent = "Copied to the clipboard";
  setTimeout(() => { button.textContent = before; }, 1500);
}

function choose() {
  const steps = new Map();
  for (const box of document.querySelectorAll(".choose input:checked")) {
    const records = steps.get(box.dataset.step) ?? [];
    if (!records.includes(box.dataset.record)) records.push(box.dataset.record);
    steps.set(box.dataset.step, records);
  }
  const { workspace, why } = bar.dataset;
  const told = [...steps].map(([step, ids]) => `benchwright filter restore ${workspace} ${ids.join(" ")} --step ${step} --why ${why}`);
  const count = [...steps.values()].reduce((sum, ids) => sum + ids.length, 0);
  bar.hidden = !told.length;
  lines.textContent = told.join("\n");
  document.getElementById("count").textContent = `${count} chosen`;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches(".copy")) copy(button.dataset.line, button);
  if (button.id === "copy-all") copy(lines.textContent, button);
  if (button.id === "choose-none") {
    for (const box of document.querySelectorAll(".choose input:checked")) box.checked = false;
    choose();
  }
  if (button.matches(".large")) {
    const shown = button.closest(".pictures").cloneNode(true);
    for (const one of shown.querySelectorAll("button.large")) one.replaceWith(...one.childNodes);
    large.querySelector(".pictures")?.remove();
    large.append(shown);
    large.showModal();
  }
});
document.addEventListener("change", (event) => { if (event.target.matches(".choose input")) choose(); });
choose();
