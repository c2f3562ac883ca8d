// The fields of a typed form: choices by number, one field at a time; texts; what applies only where another says so.

/** Whether a field is written, as a text or as lines, rather than chosen. */
function isWritten(field) {
  return field.type === "text" || field.type === "lines";
}

function hasOptions(field) {
  return field.options !== undefined;
}

/** How many lines of a text say something. */
function linesOf(text) {
  return text.split("\n").filter((line) => line.trim()).length;
}

class FormFields {
  /**
   * `changed` is called after whatever an annotator does to a field, `drawn` after what is chosen was shown, `completed`
   * after a choice that says all there is to say. `marking` draws regions on the pictures, `unfinished` is what was
   * being drawn.
   */
  constructor(parent, data, texts, from, { changed, drawn, completed, said = () => {}, isLocked = () => false, isReserved = () => false }, marking = null, unfinished = null) {
    Object.assign(this, { data, texts, changed, drawn, completed, said, isLocked, isReserved, marking });
    this.values = {};
    for (const field of data.fields) this.values[field.name] = this.restored(field, from[field.name]);
    this.active = 0;
    this.regions = data.fields.filter((field) => field.type === "region");
    if (this.regions.length) this.beginMarking(from, unfinished);
    this.boxes = data.fields.map((field) => this.build(parent, field));
    if (this.regions.length) this.layers = new MarkLayers(parent, marking);
    this.draw();
    if (this.regions.length) marking.redraw();
  }

  /** Regions are drawn on the pictures; what is drawn is the value of their field. */
  beginMarking(from, unfinished) {
    const { marking } = this;
    const take = () => {
      for (const field of this.regions) {
        this.values[field.name] = marking.documents(field.name);
        if (this.values[field.name].length || marking.unfinished?.field === field.name) this.answerFor(field);
      }
    };
    const layers = layersOf(this.data.answers.filter(({ regions }) => regions), this.regions);
    const draw = () => {
      this.layers?.draw();
      if (this.boxes !== undefined) this.draw();
    };
    marking.begin(this.regions, from, unfinished, layers, {
      changed: () => {
        take();
        this.changed();
        draw();
      },
      selected: draw,
      turned: (field) => this.data.fields[this.active] !== field && this.boxes !== undefined && this.activate(field),
      isOffered: (field) => this.isOffered(field),
      writeLabel: (field) => this.boxes[this.data.fields.indexOf(field)].writeLabel(),
      said: this.said, isLocked: this.isLocked, isReserved: this.isReserved,
    });
    take();
  }

  /** Whoever draws says with that what the field hangs on, where nothing else is said yet. */
  answerFor(field) {
    if (field.only_if === null || this.applies(field)) return;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    if (this.values[asked.name].length) return;
    const [code] = field.only_if.codes;
    this.values[asked.name] = asked.type === "several_of" ? [code] : code;
  }

  /** Whether a field is there to be filled in; regions are, before anything is said about them. */
  isOffered(field) {
    if (this.applies(field)) return true;
    if (field.type !== "region") return false;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    return this.applies(asked) && !this.values[asked.name].length;
  }

  restored(field, value) {
    if (field.type === "photograph") return typeof value === "string" ? value : "";
    if (field.type === "region") return []; // what can be drawn of it comes from the picture
    if (field.type === "several_of") {
      const codes = field.options.map((option) => option.code);
      return Array.isArray(value) ? codes.filter((code) => value.includes(code)) : [];
    }
    if (field.type === "lines" && Array.isArray(value)) return value.filter((line) => typeof line === "string").join("\n");
    if (typeof value !== "string") return "";
    return isWritten(field) || field.options.some((option) => option.code === value) ? value : "";
  }

  build(parent, field) {
    if (field.type === "photograph") return new PhotographField(parent, field, this);
    if (field.type === "region") return new RegionField(parent, field, this, this.marking);
    return isWritten(field) ? this.buildText(parent, field) : this.buildOptions(parent, field);
  }

  buildOptions(parent, field) {
    const set = add(parent, "fieldset", "reasons field");
    add(set, "legend", "", field.label).dir = "auto";
    set.dataset.field = field.name;
    const options = field.options.map((option, i) => {
      const number = i < 9 ? String(i + 1) : "";
      const box = button(set, "reason", option.words, field.type === "one_choice" ? option.code : number, () => {
        this.active = this.data.fields.indexOf(field);
        this.choose(field, i);
      });
      box.querySelector(".words").dir = "auto";
      if (option.help) box.title = option.help;
      return box;
    });
    return { set, options };
  }

  buildText(parent, field) {
    const label = add(parent, "label", "note field");
    label.dataset.field = field.name;
    add(label, "span", "label", field.label).dir = "auto";
    const area = add(label, "textarea", "");
    area.dir = "auto";
    area.value = this.values[field.name];
    area.rows = field.type === "lines" ? field.count : field.is_line ? 1 : 3;
    area.maxLength = field.type === "lines" ? field.count * field.max_chars : field.max_chars;
    area.placeholder = field.hint;
    area.addEventListener("input", () => {
      if (field.is_line && area.value.includes("\n")) area.value = area.value.replace(/\s*\n\s*/g, " "); // pasted
      this.values[field.name] = area.value;
      this.changed();
    });
    for (const kind of ["keydown", "keyup", "keypress"]) area.addEventListener(kind, (event) => event.stopPropagation());
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !field.is_line || event.isComposing || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // one line has no second one: what is to be written next gets the cursor
      this.areaAfter(field)?.focus();
    });
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
      // What is still to be chosen comes next, what hangs on this choice before all: its options take the number keys.
      const open = this.data.fields.filter((one, at) => at > this.active && hasOptions(one) && this.applies(one) && !this.values[one.name].length);
      const next = open.find((one) => one.only_if?.field === field.name) ?? open.find((one) => one.is_required);
      if (next !== undefined && this.values[field.name]) this.activate(next);
    }
    this.changed();
    this.draw();
    if (this.isAllSaid(field)) this.completed();
    return true;
  }

  /** Whether a choice leaves nothing to be done but, for whoever likes, a note. */
  isAllSaid(field) {
    const others = this.data.fields.filter((one) => one !== field && this.applies(one));
    const isNote = (one) => one.type === "text" && !one.is_required;
    const isDrawn = this.regions.some((region) => this.values[region.name].length); // a key too many must not throw it away
    return field.type === "one_of" && this.values[field.name] !== "" && !isDrawn && others.every(isNote);
  }

  /** A number key: an option of the field whose turn it is. */
  pick(i) {
    const field = this.data.fields[this.active];
    if (field.type === "one_choice") return this.chooseLetter(this.data.choices[i]?.key);
    if (field.type === "region") return this.boxes[this.active].pick(i);
    return hasOptions(field) && this.choose(field, i);
  }

  /** An option of the item by its letter, where one of them is to be chosen just now. */
  chooseLetter(letter) {
    const field = this.data.fields[this.active];
    if (field.type !== "one_choice" || !this.applies(field)) return false;
    const place = field.options.findIndex((option) => option.code === letter);
    return place >= 0 && this.choose(field, place);
  }

  /** Whether options of the item are ever chosen in this form. */
  get offersLetters() {
    return this.data.fields.some((field) => field.type === "one_choice");
  }

  get chosenLetter() {
    const field = this.data.fields.find((one) => one.type === "one_choice" && this.applies(one));
    return (field && this.values[field.name]) || null;
  }

  /** The next field with options gets the number keys. */
  next() {
    const { fields } = this.data;
    for (let step = 1; step <= fields.length; step++) {
      const at = (this.active + step) % fields.length;
      if (hasOptions(fields[at]) && this.isOffered(fields[at])) {
        this.activate(fields[at]);
        return;
      }
    }
  }

  activate(field) {
    this.active = this.data.fields.indexOf(field);
    this.draw();
    if (field.type === "region") this.marking.turnTo(field);
    this.boxes[this.active].set.scrollIntoView({ block: "nearest" });
  }

  /** Where to write next: the first text that is still empty, else the first. */
  get area() {
    const written = this.data.fields.filter((field) => isWritten(field) && this.applies(field));
    const field = written.find((one) => !this.values[one.name].trim()) ?? written[0];
    return field === undefined ? null : this.boxes[this.data.fields.indexOf(field)].area;
  }

  areaAfter(field) {
    const place = this.data.fields.indexOf(field);
    const next = this.data.fields.findIndex((one, at) => at > place && isWritten(one) && this.applies(one));
    return next < 0 ? null : this.boxes[next].area;
  }

  /** Choose a photograph, where one is asked for just now. */
  choosePhotograph() {
    const place = this.data.fields.findIndex((field) => field.type === "photograph" && this.applies(field));
    if (place < 0) return false;
    this.boxes[place].choose();
    return true;
  }

  holds(element) {
    return this.boxes.some((box) => box.area !== undefined && box.area === element);
  }

  /** The first field that still has to be filled in. */
  missing() {
    return this.data.fields.find((field) => this.applies(field) && !this.isFilled(field)) ?? null;
  }

  isFilled(field) {
    const said = this.values[field.name];
    if (field.type === "region") return this.lackOf(field) === "";
    if (field.type === "lines") return linesOf(said) === field.count || (!field.is_required && !linesOf(said));
    if (field.type === "text") return !field.is_required || said.trim() !== "";
    return !field.is_required || said.length > 0;
  }

  /** What a field of regions lacks, in words. */
  lackOf(field) {
    const isEmpty = !this.values[field.name].length && this.marking.unfinished?.field !== field.name;
    return isEmpty && !field.is_required ? "" : this.marking.lacks(field);
  }

  point(field) {
    const place = this.data.fields.indexOf(field);
    if (isWritten(field)) this.boxes[place].area.focus();
    else if (hasOptions(field)) this.activate(field);
    else this.boxes[place].focus();
    this.draw(field);
  }

  filled() {
    const applying = this.data.fields.filter((field) => this.applies(field));
    return Object.fromEntries(applying.map((field) => [field.name, this.values[field.name]]));
  }

  draw(wanted = null) {
    this.data.fields.forEach((field, place) => {
      const { set, options, area } = this.boxes[place];
      set.hidden = !this.isOffered(field);
      set.classList.toggle("wanted", field === wanted);
      if (field.type === "region") this.boxes[place].draw(place === this.active);
      if (options === undefined) return;
      const isActive = place === this.active;
      set.classList.toggle("active", isActive);
      const said = this.values[field.name];
      options.forEach((box, i) => {
        const { code } = field.options[i];
        box.setAttribute("aria-pressed", String(Array.isArray(said) ? said.includes(code) : said === code));
        const key = box.querySelector("kbd");
        if (key !== null) key.hidden = !isActive && field.type !== "one_choice";
      });
    });
    this.drawn();
  }
}
