// A repeated group of fields, with buttons and keys to add, remove and move entries.

class GroupField {
  /** `form` is the surrounding FormFields; `entries` are the initial values, with `origin` for those from a draft. */
  constructor(parent, field, form, entries) {
    Object.assign(this, { field, form });
    this.entries = entries.length || !field.is_required ? entries : [this.blank()];
    this.set = add(parent, "fieldset", "field repeats");
    this.set.dataset.field = field.name;
    add(this.set, "legend", "", field.label).dir = "auto";
    this.list = add(this.set, "div", "entries");
    this.more = button(this.set, "reason", fill(form.texts.add_entry, { entry: field.entry }), "", () => this.addEntry());
    this.set.addEventListener("keydown", (event) => this.key(event), { capture: true });
    // Enter on a button presses it; elsewhere in the form it submits the task.
    this.set.addEventListener("keydown", (event) => event.key === "Enter" && event.target.closest("button") && event.stopPropagation());
    this.build();
  }

  blank() {
    return { values: {}, origin: null };
  }

  build() {
    this.list.replaceChildren();
    this.entries.forEach((entry, i) => this.buildEntry(entry, i));
    this.draw();
  }

  nameOf(i) {
    const { entry } = this.field;
    return `${entry[0].toUpperCase()}${entry.slice(1)} ${i + 1}`;
  }

  buildEntry(entry, i) {
    const { texts } = this.form;
    entry.box = add(this.list, "div", "entry");
    entry.box.setAttribute("role", "group");
    entry.box.setAttribute("aria-label", this.nameOf(i));
    const head = add(entry.box, "div", "entry-head");
    add(head, "span", "entry-name", this.nameOf(i)).dir = "auto";
    const tool = (sign, text, isOff, act) => {
      const made = button(head, "tool", sign, "", act);
      made.setAttribute("aria-label", fill(text, { entry: this.nameOf(i) }));
      made.title = made.getAttribute("aria-label");
      made.disabled = isOff;
    };
    tool("↑", texts.move_up, i === 0, () => this.move(i, -1));
    tool("↓", texts.move_down, i === this.entries.length - 1, () => this.move(i, 1));
    tool("✕", texts.remove_entry, false, () => this.remove(i));
    entry.origins = add(entry.box, "div", "origin");
    entry.parts = this.field.fields.map((field) => this.buildPart(entry, field));
  }

  /** Build one field of an entry: a text, lines, a list to choose from, check boxes, or pictures of the campaign. */
  buildPart(entry, field) {
    const changed = () => this.changed(entry);
    if (field.type === "pictures") {
      return new PicturesField(entry.box, field, this.form, entry.values[field.name] ?? [], (ids) => {
        entry.values[field.name] = ids;
        changed();
      });
    }
    if (field.type === "several_of") return this.buildTicks(entry, field, changed);
    const label = add(entry.box, "label", "note part");
    add(label, "span", "label", field.label).dir = "auto";
    if (field.type === "one_of") {
      const list = add(label, "select", "");
      for (const { code, words, help } of [{ code: "", words: "–", help: "" }, ...field.options]) {
        const option = add(list, "option", "", words);
        option.value = code;
        if (help) option.title = help;
      }
      list.value = entry.values[field.name] ?? "";
      list.addEventListener("change", () => {
        entry.values[field.name] = list.value;
        changed();
      });
      for (const kind of ["keydown", "keyup", "keypress"]) list.addEventListener(kind, (event) => event.stopPropagation());
      return { set: label, area: list, field };
    }
    const area = textArea(label, field, entry.values[field.name] ?? "", this.form, (text) => {
      entry.values[field.name] = text;
      changed();
    });
    return { set: label, area, field };
  }

  buildTicks(entry, field, changed) {
    const set = add(entry.box, "fieldset", "part ticks");
    add(set, "legend", "", field.label);
    for (const { code, words } of field.options) {
      const label = add(set, "label", "tick");
      const tick = add(label, "input", "");
      tick.type = "checkbox";
      tick.checked = (entry.values[field.name] ?? []).includes(code);
      add(label, "span", "", words);
      tick.addEventListener("change", () => {
        const now = new Set(entry.values[field.name] ?? []);
        if (tick.checked) now.add(code);
        else now.delete(code);
        entry.values[field.name] = field.options.map((option) => option.code).filter((one) => now.has(one));
        changed();
      });
    }
    return { set, field };
  }

  changed(entry) {
    if (entry.origin?.open) entry.origin = { ...entry.origin, open: false, edited: true };
    this.form.changed();
    this.draw();
    this.form.drawParts();
  }

  /** Whether the number of entries has reached the limit, not counting undecided drafts. */
  get isFull() {
    return this.entries.filter((entry) => !entry.origin?.open).length >= this.field.max_count;
  }

  draw() {
    this.more.disabled = this.isFull;
    this.entries.forEach((entry, i) => {
      entry.parts.forEach((part) => (part.set.hidden = !this.isOffered(part.field, entry)));
      this.form.drawOrigin(entry.origins, entry.origin, {
        name: this.nameOf(i), accept: () => this.accept(entry), discard: () => this.remove(this.entries.indexOf(entry)),
      });
      entry.box.classList.toggle("drafted", Boolean(entry.origin?.open));
    });
  }

  accept(entry) {
    entry.origin = { ...entry.origin, open: false };
    this.after();
  }

  /** Handle a change of the entries or their order. */
  after() {
    this.form.changed();
    this.draw();
    this.form.drawParts();
  }

  applies(field, entry) {
    if (field.only_if === null) return true;
    const asked = this.field.fields.find((one) => one.name === field.only_if.field);
    if (!this.applies(asked, entry)) return false;
    return [entry.values[asked.name] ?? []].flat().some((code) => field.only_if.codes.includes(code));
  }

  /** Whether to offer a part: also before the choice on which it depends, if it belongs to the first option. */
  isOffered(field, entry) {
    if (this.applies(field, entry)) return true;
    const asked = this.field.fields.find((one) => one.name === field.only_if.field);
    const isOpen = this.applies(asked, entry) && !entry.values[asked.name]?.length;
    return isOpen && field.only_if.codes.includes(asked.options?.[0].code);
  }

  addEntry(at = this.entries.length) {
    if (this.isFull) return;
    this.entries.splice(at, 0, this.blank());
    this.build();
    this.after();
    this.entries[at].parts[0].area?.focus();
  }

  remove(i) {
    this.entries.splice(i, 1);
    this.build();
    this.after();
    (this.entries[Math.min(i, this.entries.length - 1)]?.box.querySelector(".tool:not([disabled])") ?? this.more).focus();
  }

  move(i, by) {
    const to = i + by;
    if (to < 0 || to >= this.entries.length) return;
    [this.entries[i], this.entries[to]] = [this.entries[to], this.entries[i]];
    this.build();
    this.after();
    const tools = this.entries[to].box.querySelectorAll(".tool:not([disabled])");
    (by < 0 ? tools[0] : [...tools].at(-2) ?? tools[0]).focus();
  }

  /** Keys of an entry: Alt+↑ and Alt+↓ move it, Alt+Enter adds one after it, Alt+Delete removes it. */
  key(event) {
    if (!event.altKey) return;
    const i = this.entries.findIndex((entry) => entry.box.contains(event.composedPath()[0]));
    if (i < 0) return;
    const acts = {
      ArrowUp: () => this.move(i, -1), ArrowDown: () => this.move(i, 1), Enter: () => this.addEntry(i + 1), Delete: () => this.remove(i),
    };
    if (!(event.key in acts)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  isBlank(entry) {
    return !Object.values(entry.values).some((value) => (typeof value === "string" ? value.trim() !== "" : value.length > 0));
  }

  /** The entries with any content. */
  get filled() {
    return this.entries.filter((entry) => !this.isBlank(entry));
  }

  values(entries) {
    return entries.map((entry) => {
      const applying = this.field.fields.filter((field) => this.applies(field, entry) && entry.values[field.name] !== undefined);
      return Object.fromEntries(applying.map((field) => [field.name, entry.values[field.name]]));
    });
  }

  get areas() {
    return this.entries.flatMap((entry) => entry.parts.filter((part) => !part.set.hidden && part.area).map((part) => part.area));
  }

  /** Empty required parts and undecided drafts, each with a name and a function that goes there. */
  missing() {
    const wanted = [];
    this.entries.forEach((entry, i) => {
      const name = this.nameOf(i);
      if (entry.origin?.open) wanted.push({ type: "draft", label: name, go: () => this.go(entry.origins.querySelector("button")) });
      else if (!this.isBlank(entry) || (i === 0 && this.field.is_required && !this.filled.length)) {
        for (const part of entry.parts) {
          const value = entry.values[part.field.name] ?? "";
          if (part.set.hidden || isFilledIn(part.field, value)) continue;
          wanted.push({ ...part.field, label: `${name}: ${part.field.label}`, count: countOf(part.field), go: () => this.go(part.area ?? part.set.querySelector("input, button")) });
        }
      }
    });
    if (!wanted.length && this.field.is_required && this.filled.length < this.field.min_count) {
      const label = `${this.field.label}: ${this.field.min_count}`;
      wanted.push({ type: "group", label, go: () => this.go(this.more) });
    }
    return wanted;
  }

  /** Show exactly these mistakes at the entries, counted from 1 among those with any content. */
  showMistakes(mistakes) {
    this.list.querySelectorAll(".mistake").forEach((element) => element.remove());
    this.list.querySelectorAll("[aria-invalid]").forEach((element) => element.removeAttribute("aria-invalid"));
    for (const { number, part: name, words } of mistakes) {
      const part = this.filled[number - 1]?.parts.find(({ field }) => field.name === name);
      if (part === undefined || part.set.hidden) continue;
      const line = add(part.set, "span", "mistake", words);
      line.id = `mistake-${this.field.name}-${number}-${name}`;
      part.area?.setAttribute("aria-invalid", "true");
      part.area?.setAttribute("aria-describedby", line.id);
    }
  }

  goToMistake() {
    const line = this.list.querySelector(".mistake");
    if (line === null) return false;
    this.go(line.parentElement.querySelector("textarea, select, input") ?? line);
    return true;
  }

  /** Unfold the parents of an element, and focus it. */
  go(element) {
    this.form.sections.reveal(element);
    element.focus();
  }
}

/** Words for the number of lines that a field takes. */
function countOf(field) {
  return field.type === "lines" && field.at_least && field.at_least !== field.count ? `${field.at_least}–${field.count}` : field.count;
}

/** Whether a value completes a field. */
function isFilledIn(field, value) {
  if (field.type === "lines") {
    const count = linesOf(Array.isArray(value) ? value.join("\n") : value);
    return (count >= (field.at_least ?? field.count) && count <= field.count) || (!field.is_required && !count);
  }
  if (!field.is_required) return true;
  return typeof value === "string" ? value.trim() !== "" : value.length > 0;
}

/** A short name of lowercase letters, digits and underscores, from any input. */
function shortName(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "_").replace(/^[_0-9]+|_+$/g, "").slice(0, 60);
}
