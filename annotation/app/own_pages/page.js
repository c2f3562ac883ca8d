// Saves what is typed, sends tables, follows commands, and hides what does not belong to a choice.

const HEADERS = { "x-benchwright-draft": "1" };
const SAVE_AFTER_MS = 400;
const LOOK_EVERY_MS = 1000;

// What belongs to another choice is hidden; without this script all of it is there.
function showWhatFits() {
  for (const part of document.querySelectorAll("[data-when]")) {
    const named = document.getElementsByName(part.dataset.when);
    const chosen = [...named].find((field) => field.type !== "radio" || field.checked);
    part.hidden = Boolean(chosen) && !part.dataset.is.split(" ").includes(chosen.value);
  }
}

function keepDraft(form) {
  let timer = 0;
  let isBehind = false;
  const status = form.querySelector("[data-saved]");
  const save = async (keepalive) => {
    clearTimeout(timer);
    if (!isBehind) return;
    isBehind = false;
    try {
      const reply = await fetch(form.dataset.draft, {
        method: "PUT", headers: HEADERS, body: new URLSearchParams(new FormData(form)), keepalive,
      });
      if (!reply.ok) throw new Error(reply.statusText);
      if (status) status.textContent = status.dataset.saved;
    } catch {
      isBehind = true;
      if (status) status.textContent = status.dataset.unsaved;
      timer = setTimeout(save, 3000, false);
    }
  };
  form.addEventListener("input", () => {
    isBehind = true;
    if (status) status.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS, false);
  });
  addEventListener("pagehide", () => save(true));
}

function sendFile(input) {
  const { upload: url, into, sending, most } = input.dataset;
  const words = document.getElementById(`${input.id}-words`);
  input.addEventListener("change", () => {
    const file = input.files[0];
    if (!file) return;
    if (file.size > Number(most)) {
      words.textContent = words.dataset.large;
      return;
    }
    const request = new XMLHttpRequest();
    request.open("PUT", `${url}?name=${encodeURIComponent(file.name)}`);
    for (const [name, value] of Object.entries(HEADERS)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => {
      words.textContent = `${sending} ${Math.round((100 * loaded) / total)} %`;
    };
    request.onerror = () => { words.textContent = words.dataset.failed; };
    request.onload = () => {
      words.textContent = request.responseText.trim();
      if (request.status !== 200) return;
      const { table, words: said } = JSON.parse(request.responseText);
      words.textContent = said;
      const field = document.getElementById(into);
      if (![...field.options].some((option) => option.value === table)) field.add(new Option(file.name, table));
      field.value = table;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    request.send(file);
  });
}

function followJob(panel) {
  if (panel.dataset.state !== "running") return;
  const timer = setInterval(async () => {
    const reply = await fetch(panel.dataset.job, { headers: HEADERS }).catch(() => null);
    if (!reply?.ok) return;
    const { state, words, lines } = await reply.json();
    const said = panel.querySelector(".job-words strong");
    if (said.textContent !== words) said.textContent = words;
    panel.querySelector("pre").textContent = lines;
    if (state === "running") return;
    clearInterval(timer);
    // What the page offers follows from how the command ended; a form that is being filled in stays.
    if (!document.querySelector("form[data-touched]")) location.reload();
  }, LOOK_EVERY_MS);
}

document.addEventListener("input", (event) => {
  event.target.form?.setAttribute("data-touched", "");
  showWhatFits();
});
showWhatFits();
for (const form of document.querySelectorAll("form[data-draft]")) keepDraft(form);
for (const input of document.querySelectorAll("input[data-upload]")) sendFile(input);
for (const panel of document.querySelectorAll("[data-job]")) followJob(panel);
document.querySelector("[aria-invalid=true]")?.focus();
addEventListener("pageshow", showWhatFits);
