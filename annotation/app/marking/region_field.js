// A region field on the card: the instructions, the labels with their keys, and the list of marks for choosing,
// relabeling and removing.

class RegionField {
  constructor(parent, field, form, marking) {
    Object.assign(this, { field, form, marking, texts: marking.texts });
    this.set = add(parent, "fieldset", "field region");
    this.set.dataset.field = field.name;
    add(this.set, "legend", "", field.label).dir = "auto";
    this.set.addEventListener("click", () => marking.turnTo(field));
    if (form.regions.length > 1) this.drawThis = button(this.set, "reason draw-this", this.texts.draw_this, "", () => this.focus());
    if (field.instructions) add(this.set, "p", "instructions", field.instructions).dir = "auto";
    if (field.example) this.addExample(`${form.data.examples}/${field.name}`);
    this.labels = field.options.length || field.free_label ? add(this.set, "div", "labels") : null;
    if (this.labels !== null) {
      this.labels.setAttribute("role", "group");
      this.labels.setAttribute("aria-label", this.texts.labels);
    }
    this.buttons = field.options.map((option, i) => this.addLabel(option, i));
    if (field.free_label) this.addFreeLabel();
    this.count = add(this.set, "p", "count");
    this.list = add(this.set, "ul", "mark-list");
    this.list.setAttribute("aria-label", fill(this.texts.list, { field: field.label }));
  }

  /** Add the example picture: small, and large in a separate dialog. */
  addExample(src) {
    const { field, texts } = this;
    const put = (parent) => Object.assign(add(parent, "img", ""), { src, alt: field.example_words || fill(texts.example, { field: field.label }) });
    const open = add(this.set, "button", "example");
    Object.assign(open, { type: "button", title: texts.example_large });
    open.setAttribute("aria-haspopup", "dialog");
    put(open).addEventListener("error", () => open.remove());
    open.addEventListener("keydown", (event) => event.key === "Enter" && event.stopPropagation()); // it does not decide
    open.addEventListener("click", () => {
      const dialog = add(this.set, "dialog", "example-large");
      dialog.setAttribute("aria-label", fill(texts.example, { field: field.label }));
      put(dialog);
      button(dialog, "action quiet", texts.example_close, "", () => dialog.close());
      dialog.addEventListener("click", () => dialog.close());
      // While it is open, no key acts on the card behind it.
      dialog.addEventListener("keydown", (event) => event.stopPropagation());
      dialog.addEventListener("close", () => dialog.remove());
      dialog.showModal();
    });
  }

  addLabel(option, i) {
    const box = button(this.labels, "reason", "", i < 9 ? String(i + 1) : "", () => this.marking.label(option.code, this.field));
    const words = box.querySelector(".words");
    words.textContent = option.words;
    words.dir = "auto";
    box.prepend(swatch(INKS[i % INKS.length], "none"));
    if (option.help) box.title = option.help;
    return box;
  }

  addFreeLabel() {
    const label = add(this.set, "label", "free-label");
    add(label, "span", "", this.texts.label);
    this.input = add(label, "input", "");
    this.input.type = "text";
    this.input.maxLength = 200;
    this.input.dir = "auto";
    this.input.addEventListener("input", () => this.marking.label(this.input.value.trim(), this.field));
    for (const kind of ["keydown", "keyup", "keypress"]) {
      this.input.addEventListener(kind, (event) => {
        event.stopPropagation();
        if (kind === "keydown" && ["Escape", "Enter"].includes(event.key)) {
          event.preventDefault();
          this.marking.overlays[0]?.pane.stage.focus({ preventScroll: true });
        }
      });
    }
  }

  /** Direct the next keys (its labels) and presses on the picture to the field. */
  focus() {
    this.marking.turnTo(this.field);
    this.marking.overlays[0]?.pane.stage.focus({ preventScroll: true });
  }

  pick(i) {
    const option = this.field.options[i];
    return option !== undefined && this.marking.label(option.code, this.field);
  }

  writeLabel() {
    if (this.input === undefined) return false;
    this.input.focus();
    this.input.select();
    return true;
  }

  draw(isActive) {
    const { field, marking, texts } = this;
    const marks = marking.history.marks(field.name);
    const { chosen } = marking;
    const own = chosen?.field === field ? chosen.mark : null;
    const label = own === null ? marking.labels[field.name] : own.label;
    this.set.classList.toggle("active", isActive);
    this.drawThis?.setAttribute("aria-pressed", String(field === marking.field));
    this.drawThis?.setAttribute("aria-label", fill(texts.draw_that, { field: field.label }));
    this.buttons.forEach((box, i) => {
      box.setAttribute("aria-pressed", String(field.options[i].code === label));
      const key = box.querySelector("kbd");
      if (key !== null) key.hidden = !isActive;
    });
    if (this.input !== undefined && !this.input.matches(":focus")) this.input.value = marking.wordsOf(field, label);
    const bounds = field.min_count === field.max_count ? "of_exactly" : "of_between";
    const parts = [fill(texts[bounds], { count: marks.length, least: field.min_count, most: field.max_count })];
    if (isActive) parts.push(texts[`how_${field.shape}`]);
    this.count.textContent = parts.join(" · ");
    this.drawList(marks);
  }

  /** Draw the list of marks; existing rows stay, so that a focused row keeps the focus. */
  drawList(marks) {
    const before = new Map([...this.list.children].map((line) => [line.dataset.mark, line]));
    const lines = marks.map((mark) => {
      const line = before.get(String(mark.id)) ?? this.addRow(mark);
      this.fillRow(line, mark);
      return line;
    });
    for (const line of before.values()) if (!lines.includes(line)) line.remove();
    lines.forEach((line, i) => this.list.children[i] !== line && this.list.insertBefore(line, this.list.children[i] ?? null));
  }

  addRow({ id }) {
    const line = document.createElement("li");
    line.dataset.mark = String(id);
    const row = add(line, "button", "mark-row");
    row.type = "button";
    row.append(swatch([0, 0, 0], "none"));
    for (const name of ["what", "where", "from", "problem"]) add(row, "span", name, "");
    row.addEventListener("click", () => this.marking.select(id, this.field));
    const remove = add(line, "button", "mark-act", "✕");
    remove.type = "button";
    remove.addEventListener("click", () => {
      const next = line.nextElementSibling ?? line.previousElementSibling;
      this.marking.select(id, this.field, { isQuiet: true });
      this.marking.corner = null;
      this.marking.remove();
      next?.querySelector("button").focus();
    });
    return line;
  }

  fillRow(line, mark) {
    const { field, marking, texts } = this;
    const [row, remove] = line.children;
    const name = marking.nameOf(field, mark);
    row.setAttribute("aria-pressed", String(mark.id === marking.selected));
    row.querySelector("rect").setAttribute("fill", cssColor(marking.colorOf(field, mark)));
    row.querySelector(".what").textContent = name;
    row.querySelector(".where").textContent = marking.placeOf(mark);
    row.querySelector(".from").textContent = mark.proposal === null ? "" : fill(texts.proposed_by, { name: marking.titleOf(mark.proposal.helper) });
    row.querySelector(".problem").textContent = marking.problemOf(field, mark);
    remove.setAttribute("aria-label", fill(texts.remove_mark, { what: name }));
  }
}

/** A sample of a line on the picture, with its color and dashes. */
function swatch(color, dash) {
  const image = svg("svg", { class: "mark-swatch", viewBox: "0 0 22 12", "aria-hidden": "true" });
  if (dash === "none") svg("rect", { x: 1, y: 1, width: 20, height: 10, rx: 2, fill: cssColor(color) }, image);
  else {
    svg("path", { d: "M0 6H22", stroke: "#000", "stroke-width": 6 }, image);
    svg("path", { d: "M0 6H22", stroke: cssColor(color), "stroke-width": 4, "stroke-dasharray": dash }, image);
  }
  return image;
}
