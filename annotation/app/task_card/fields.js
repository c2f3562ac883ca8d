// The fields of a typed form: choices by number, one field at a time; texts; what applies only where another says so.

class FormFields {
  /** `changed` is called after whatever an annotator does to a field. */
  constructor(parent, data, from, changed) {
    this.data = data;
    this.changed = changed;
    this.values = {};
    for (const field of data.fields) this.values[field.name] = this.restored(field, from[field.name]);
    this.boxes = data.fields.map((field) => this.build(parent, field));
    this.active = 0;
    this.draw();
  }

  restored(field, value) {
    if (field.type === "several_of") {
      const codes = field.options.map((option) => option.code);
      return Array.isArray(value) ? codes.filter((code) => value.includes(code)) : [];
    }
    if (typeof value !== "string") return "";
    return field.type === "text" || field.options.some((option) => option.code === value) ? value : "";
  }

  build(parent, field) {
    return field.type === "text" ? this.buildText(parent, field) : this.buildOptions(parent, field);
  }

  buildOptions(parent, field) {
    const set = add(parent, "fieldset", "reasons field");
    add(set, "legend", "", field.label);
    set.dataset.field = field.name;
    const options = field.options.map((option, i) => {
      const box = button(set, "reason", option.words, i < 9 ? String(i + 1) : "", () => {
        this.active = this.data.fields.indexOf(field);
        this.choose(field, i);
      });
      if (option.help) box.title = option.help;
      return box;
    });
    return { set, options };
  }

  buildText(parent, field) {
    const label = add(parent, "label", "note field");
    label.dataset.field = field.name;
    add(label, "span", "label", field.label);
    const area = add(label, "textarea", "");
    area.value = this.values[field.name];
    area.rows = 3;
    area.maxLength = 10000;
    area.placeholder = field.hint;
    area.addEventListener("input", () => {
      this.values[field.name] = area.value;
      this.changed();
    });
    for (const kind of ["keydown", "keyup", "keypress"]) area.addEventListener(kind, (event) => event.stopPropagation());
    return { set: label, area };
  }

  applies(field) {
    if (field.only_if === null) return true;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    if (!this.applies(asked)) return false;
    const said = this.values[asked.name];
    return (Array.isArray(said) ? said : [said]).some((code) => field.only_if.codes.includes(code));
  }

  choose(field, i) {
    if (i >= field.options.length) return false;
    const { code } = field.options[i];
    const said = this.values[field.name];
    if (field.type === "several_of") {
      const codes = field.options.map((option) => option.code);
      const now = said.includes(code) ? said.filter((one) => one !== code) : [...said, code];
      this.values[field.name] = codes.filter((one) => now.includes(one));
    } else {
      this.values[field.name] = said === code ? "" : code;
      // What hangs on this choice comes next: its options take the number keys.
      // Without such a one, the next field that still has no choice does.
      const at = this.data.fields.indexOf(field);
      const isOpen = (one) => one.type !== "text" && this.applies(one);
      let next = this.data.fields.findIndex((one) => one.only_if?.field === field.name && isOpen(one));
      if (next < 0) next = this.data.fields.findIndex((one, place) => place > at && isOpen(one) && !this.values[one.name].length);
      if (next >= 0 && this.values[field.name]) this.active = next;
    }
    this.changed();
    this.draw();
    return true;
  }

  /** A number key: an option of the field whose turn it is. */
  pick(i) {
    const field = this.data.fields[this.active];
    return field.type !== "text" && this.choose(field, i);
  }

  /** The next field with options gets the number keys. */
  next() {
    const { fields } = this.data;
    for (let step = 1; step <= fields.length; step++) {
      const at = (this.active + step) % fields.length;
      if (fields[at].type !== "text" && this.applies(fields[at])) {
        this.active = at;
        this.draw();
        return;
      }
    }
  }

  get area() {
    const place = this.data.fields.findIndex((field) => field.type === "text" && this.applies(field));
    return place < 0 ? null : this.boxes[place].area;
  }

  holds(element) {
    return this.boxes.some((box) => box.area !== undefined && box.area === element);
  }

  /** The first field that still has to be filled in. */
  missing() {
    return this.data.fields.find((field) => this.applies(field) && field.is_required && !this.values[field.name].length) ?? null;
  }

  point(field) {
    const place = this.data.fields.indexOf(field);
    if (field.type === "text") this.boxes[place].area.focus();
    else this.active = place;
    this.draw(field);
  }

  filled() {
    const applying = this.data.fields.filter((field) => this.applies(field));
    return Object.fromEntries(applying.map((field) => [field.name, this.values[field.name]]));
  }

  draw(wanted = null) {
    this.data.fields.forEach((field, place) => {
      const { set, options, area } = this.boxes[place];
      set.hidden = !this.applies(field);
      set.classList.toggle("wanted", field === wanted);
      if (area !== undefined) return;
      const isActive = place === this.active;
      set.classList.toggle("active", isActive);
      const said = this.values[field.name];
      options.forEach((box, i) => {
        const { code } = field.options[i];
        box.setAttribute("aria-pressed", String(Array.isArray(said) ? said.includes(code) : said === code));
        const key = box.querySelector("kbd");
        if (key !== null) key.hidden = !isActive;
      });
    });
  }
}
