// Saves drafts, uploads tables, follows commands, and hides fields of other choices.

const HEADERS = { "x-benchwright-draft": "1" };
const SAVE_AFTER_MS = 400;
const GIVE_UP_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 1000;

// Scroll the links of the head, which are one row on a narrow screen, to the one of this page.
function showOwnLink() {
  const own = document.querySelector("nav [aria-current]");
  if (own === null) return;
  const [link, row] = [own, own.parentElement].map((part) => part.getBoundingClientRect());
  own.parentElement.scrollLeft += link.left + link.width / 2 - row.left - row.width / 2;
}

// Hide the fields of other choices; without this script all are visible.
function showWhatFits() {
  for (const part of document.querySelectorAll("[data-when]")) {
    const named = [...part.closest("form").elements].filter(({ name }) => name === part.dataset.when);
    const chosen = named.find((field) => field.type !== "radio" || field.checked);
    part.hidden = Boolean(chosen) && !part.dataset.is.split(" ").includes(chosen.value);
  }
}

// Show parts of the page that follow from a draft; the server has escaped them.
function showParts(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const body = new DOMParser().parseFromString(html, "text/html").body;
    const part = document.getElementById(id);
    if (part && part.innerHTML !== body.innerHTML) part.replaceChildren(...body.childNodes);
  }
}

// Whether a field differs from the page: on a slow connection, people type before this script runs.
function isChanged(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.type !== "select-one") return "defaultValue" in field && field.value !== field.defaultValue;
  const shown = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
  return field.value !== (shown?.value ?? "");
}

function keepDraft(form) {
  let timer = 0;
  let isBehind = false;
  let sending = null;
  let isLeaving = false;
  const status = form.querySelector("[data-saved]");
  const saveAfter = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait, false);
  };
  // One draft at a time is on its way, so that none overtakes a later one; a page that closes cannot wait.
  const save = (keepalive) => {
    if (isBehind && (sending === null || keepalive)) sending = send(keepalive);
  };
  const send = async (keepalive) => {
    isBehind = false;
    let wait = SAVE_AFTER_MS;
    try {
      const reply = await fetch(form.dataset.draft, {
        method: "PUT", headers: HEADERS, body: new URLSearchParams(new FormData(form)), keepalive,
        signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
      });
      if (!reply.ok) throw new Error(reply.statusText);
      if (status && !isBehind) status.textContent = status.dataset.saved;
      if (reply.status === 200 && !isLeaving) showParts(await reply.json());
    } catch {
      isBehind = true;
      wait = 3000;
      if (status) status.textContent = status.dataset.unsaved;
    }
    sending = null;
    if (isBehind) saveAfter(wait);
  };
  const change = () => {
    isBehind = true;
    if (status) status.textContent = "";
    saveAfter(SAVE_AFTER_MS);
  };
  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => {
    isBehind = false; // the form has all that the draft would have
    if (sending === null) return;
    // A draft that arrived later would outlive the text that is saved or dropped now.
    const { submitter } = event;
    event.preventDefault();
    isLeaving = true;
    sending.then(() => {
      isLeaving = false;
      form.requestSubmit(submitter);
    });
  });
  if ([...form.elements].some(isChanged)) change();
  addEventListener("pagehide", () => save(true));
  if (form.dataset.looks === undefined) return;
  // Another window may have changed the same text.
  addEventListener("focus", async () => {
    if (isBehind) return;
    const body = new URLSearchParams(new FormData(form));
    body.set("looks", "yes");
    const reply = await fetch(form.dataset.draft, { method: "PUT", headers: HEADERS, body }).catch(() => null);
    if (reply?.ok && !isBehind) showParts(await reply.json());
  });
}

function sendFile(input) {
  const { upload: url, into, by, sending, most } = input.dataset;
  const words = document.getElementById(`${input.id}-words`);
  const [place, kind] = by ? [document.getElementById(by), "click"] : [input, "change"];
  if (by) input.addEventListener("change", () => { words.textContent = ""; });
  place.addEventListener(kind, () => {
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
      const { table, words: said, link } = JSON.parse(request.responseText);
      words.textContent = said;
      if (link) words.append(" ", Object.assign(document.createElement("a"), { ...link, download: "" }));
      if (!into) return;
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
    // The page's content depends on the command's result; the reload restores drafts and focus.
    keepFocus(document.activeElement);
    location.reload();
  }, LOOK_EVERY_MS);
}

// A form's answer may stand at an address below the page's own.
const PAGE = `/${location.pathname.split("/")[1]}`;
const FOCUS = `benchwright-focus ${PAGE}`;

function keepFocus(field) {
  sessionStorage.setItem(FOCUS, JSON.stringify({ id: field?.id ?? "", at: field?.selectionStart ?? null, top: scrollY }));
}

// After a command, focus the same place again, or the line that moved up into the place of a removed one.
function giveFocusBack() {
  const kept = sessionStorage.getItem(FOCUS);
  sessionStorage.removeItem(FOCUS);
  if (kept === null) return;
  const { id, at, top } = JSON.parse(kept);
  scrollTo({ top, behavior: "instant" });
  const field = id ? document.getElementById(id) ?? document.querySelector(".rows button") : null;
  field?.focus({ preventScroll: true });
  if (at !== null && field?.setSelectionRange) field.setSelectionRange(at, at);
}

// Whether this page answers one of its own forms. After a lost connection or a new sign-in it comes from elsewhere.
const CAME_FROM = document.referrer ? `/${new URL(document.referrer).pathname.split("/")[1]}` : "";
const IS_ANSWER = CAME_FROM === PAGE && performance.getEntriesByType("navigation")[0]?.type === "navigate";

// Input of a form that was sent is kept until the server has answered, on whatever page of the same kind.
const TYPED = `benchwright-typed ${PAGE} `;
function forgetAnswered() {
  if (!IS_ANSWER) return;
  for (const place of Object.keys(sessionStorage)) {
    if (place.startsWith(TYPED) && JSON.parse(sessionStorage.getItem(place)).isSent) sessionStorage.removeItem(place);
  }
}

// Keep the input of a form without drafts on the server over a reload.
function keepTyped(form) {
  const of = form.elements.campaign?.value ?? "";
  const place = `${TYPED}${form.getAttribute("action")} ${of}`;
  const fields = [...form.elements].filter(({ name, type }) => name && !["hidden", "submit", "file"].includes(type));
  const isBox = ({ type }) => type === "checkbox" || type === "radio";
  const keep = (isSent) => {
    const typed = fields.map((field) => [field.name, field[isBox(field) ? "checked" : "value"]]);
    sessionStorage.setItem(place, JSON.stringify({ typed, isSent }));
  };
  const isTypedEarly = fields.some(isChanged);
  const { typed = [] } = JSON.parse(sessionStorage.getItem(place) ?? "{}");
  if (typed.length === fields.length && fields.every((field, at) => field.name === typed[at][0])) {
    fields.forEach((field, at) => { if (!isChanged(field)) field[isBox(field) ? "checked" : "value"] = typed[at][1]; });
  }
  if (isTypedEarly) keep(false);
  form.addEventListener("input", () => keep(false));
  form.addEventListener("submit", () => keep(true));
}

// A second press while the first is on its way would send a form twice.
const AGAIN_AFTER_MS = 3000;
function sendOnce(event) {
  const { target: form } = event;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.onItsWay) event.preventDefault();
  form.dataset.onItsWay = "yes";
  setTimeout(() => delete form.dataset.onItsWay, AGAIN_AFTER_MS);
}

// Show the effect of each tried value during typing. The address names the values, and Back leads to the earlier ones.
function tryLive(form) {
  const status = form.querySelector("[data-reckoning]");
  let timer = 0;
  let request = null;
  // All that is typed until the field's change is one step, with one entry in the history.
  let isCommitted = true;
  let step = 0;
  let shownStep = 0;
  // A large table takes the server seconds: fewer values are then tried during typing.
  let took = 0;
  const look = async () => {
    clearTimeout(timer);
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    const own = step;
    const begun = performance.now();
    status.textContent = status.dataset.reckoning;
    try {
      const reply = await fetch(`${form.dataset.live}?${new URLSearchParams(new FormData(form))}`, { signal });
      // The page itself explains what is gone, and asks to sign in again.
      if (reply.status >= 400 && reply.status < 500) form.submit();
      if (!reply.ok) throw new Error(reply.statusText);
      const { address, parts, invalid } = await reply.json();
      took = performance.now() - begun;
      const focused = document.activeElement?.id;
      showParts(parts);
      if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus({ preventScroll: true });
      for (const field of form.elements) {
        if (invalid.includes(field.id)) field.setAttribute("aria-invalid", "true");
        else field.removeAttribute("aria-invalid");
      }
      status.textContent = "";
      if (address !== location.pathname + location.search) {
        history[own === shownStep ? "replaceState" : "pushState"](null, "", address);
        shownStep = own;
      }
    } catch {
      if (signal.aborted) return;
      status.textContent = status.dataset.away;
      timer = setTimeout(look, 3000);
    }
  };
  const change = ({ target }) => {
    if (isCommitted) step += 1;
    isCommitted = false;
    clearTimeout(timer);
    timer = setTimeout(look, target.matches("select, [type=checkbox]") ? 0 : Math.max(SAVE_AFTER_MS, took));
  };
  form.addEventListener("input", change);
  form.addEventListener("change", () => { isCommitted = true; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  addEventListener("popstate", () => {
    keepFocus(document.activeElement);
    location.reload();
  });
  const changed = [...form.elements].find(isChanged);
  if (changed) change({ target: changed });
}

// The link back to a list leads to its filters and page, from wherever the page was reached since.
const LIST = "benchwright-list ";
function leadBack(link) {
  const came = document.referrer ? new URL(document.referrer) : null;
  if (came?.pathname === link.pathname) sessionStorage.setItem(LIST + link.pathname, came.search);
  const kept = sessionStorage.getItem(LIST + link.pathname);
  if (kept) link.href = link.pathname + kept;
}

document.addEventListener("input", showWhatFits);
document.addEventListener("submit", sendOnce);
document.addEventListener("submit", ({ target, submitter }) => {
  keepFocus(target.contains(document.activeElement) ? document.activeElement : submitter);
});
forgetAnswered();
for (const form of document.querySelectorAll("form[method=post]:not([data-draft], [data-row])")) keepTyped(form);
showOwnLink();
showWhatFits();
for (const form of document.querySelectorAll("form[data-draft]")) keepDraft(form);
for (const form of document.querySelectorAll("form[data-live]")) tryLive(form);
for (const link of document.querySelectorAll("a[data-back]")) leadBack(link);
for (const input of document.querySelectorAll("input[data-upload]")) sendFile(input);
for (const panel of document.querySelectorAll("[data-job]")) followJob(panel);
giveFocusBack();
document.querySelector("[aria-invalid=true]")?.focus();
addEventListener("pageshow", ({ persisted }) => {
  // Menus name what the page shows, also after Back.
  if (persisted) for (const form of document.querySelectorAll("form[method=get]:not([data-live])")) form.reset();
  showWhatFits();
});
