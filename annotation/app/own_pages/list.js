// The list of items: selects items one by one, in ranges with Shift, by page or all that were found; sends the selection
// with each form; compares with a picture; and remembers the list of this tab, to which other pages lead back.

// Parameters of the last list of this tab, by its path.
const LAST_LIST = "benchwright-list /items";
const OPENED = "benchwright-list-open ";

class Selection {
  constructor(results, acts) {
    this.results = results;
    this.acts = acts;
    this.last = null;
    this.typed = "";
    results.addEventListener("click", (event) => this.press(event));
    results.addEventListener("change", () => this.show());
    // A change of the query replaces the hits, and with them the selection.
    new MutationObserver(() => {
      this.last = null;
      this.show();
      rememberList(this.list);
    }).observe(results, { childList: true });
    acts.querySelector("form").addEventListener("input", () => this.show());
    this.shown = this.state;
    this.show();
  }

  get list() { return this.results.querySelector("[data-list]").dataset.list; }
  get boxes() { return [...this.results.querySelectorAll("[data-selects]")]; }
  get chosen() { return this.boxes.filter((box) => box.checked).map((box) => box.dataset.selects); }
  get isEvery() { return this.results.querySelector("#select-every")?.checked ?? false; }
  /** What a plan is for: it is shown as long as none of this changes. */
  get state() {
    const form = this.acts.querySelector("form");
    return JSON.stringify([this.list, this.chosen, this.isEvery, form.elements.act.value, form.elements.why.value]);
  }

  press(event) {
    const box = event.target.closest("[data-selects]");
    if (box !== null) this.through(box, event.shiftKey);
    else if (event.target.closest("#select-page") !== null) this.page();
  }

  through(box, isRange) {
    const boxes = this.boxes;
    const place = boxes.indexOf(box);
    const from = isRange && this.last !== null ? this.last : place;
    for (const each of boxes.slice(Math.min(from, place), Math.max(from, place) + 1)) each.checked = box.checked;
    this.last = place;
    this.show();
  }

  page() {
    const boxes = this.boxes;
    const isWhole = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !isWhole;
    this.show();
  }

  show() {
    const { boxes, chosen, isEvery } = this;
    const isAny = isEvery || chosen.length > 0;
    this.acts.hidden = !isAny;
    const plan = this.acts.querySelector("#planned");
    if (plan !== null) plan.hidden = this.state !== this.shown;
    for (const box of boxes) box.closest("li, tr").classList.toggle("chosen", box.checked || isEvery);
    const bar = this.results.querySelector(".selection");
    if (bar === null) return;
    const { counts, every } = JSON.parse(bar.dataset.words);
    const words = isEvery ? every : chosen.length > 0 ? counts[chosen.length] : "";
    const picked = this.results.querySelector(".picked");
    picked.hidden = !isAny;
    for (const place of [picked.querySelector(".count"), this.acts.querySelector(".count")]) {
      if (place.textContent !== words) place.textContent = words;
    }
    const toggle = bar.querySelector("#select-page");
    toggle.textContent = boxes.every((box) => box.checked) ? toggle.dataset.none : toggle.dataset.page;
  }

  /** Put the list and the selection into a form that is about to be sent. */
  send({ elements: { list, chosen, every } }) {
    if (list) list.value = this.list;
    if (chosen) chosen.value = this.chosen.join(" ");
    if (every) every.value = this.isEvery ? "yes" : "";
  }
}

function rememberList(line) {
  sessionStorage.setItem(LAST_LIST, line ? `?${line}` : "");
}

// Answer a picture with the list of what looks like it.
function compare(input, selection) {
  const words = document.getElementById("like-words");
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    words.textContent = "";
    const address = `${input.dataset.compares}?${selection?.list ?? ""}`;
    const reply = await fetch(address, { method: "PUT", headers: HEADERS, body: file }).catch(() => null);
    if (reply?.ok) location.assign((await reply.json()).address);
    else words.textContent = reply === null ? words.dataset.away : (await reply.text()).trim();
  });
}

// What is opened on the page stays open on the next list.
function keepOpen(part) {
  if (sessionStorage.getItem(OPENED + part.id) !== null) part.open = true;
  part.addEventListener("toggle", () => {
    if (part.open) sessionStorage.setItem(OPENED + part.id, "yes");
    else sessionStorage.removeItem(OPENED + part.id);
  });
}

const results = document.getElementById("items-results");
if (results !== null) {
  const selection = new Selection(results, document.getElementById("items-acts"));
  rememberList(selection.list);
  document.addEventListener("submit", ({ target }) => selection.send(target));
  for (const part of document.querySelectorAll("details[id^=items-]")) keepOpen(part);
  for (const input of document.querySelectorAll("input[data-compares]")) compare(input, selection);
}
