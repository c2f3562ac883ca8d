// The fields of a typed form: choices by number, one field at a time; texts; and fields that depend on others.

/** Whether a field takes a text or lines rather than a choice. */
function isWritten(field) {
  return field.type === "text" || field.type === "lines";
}

function hasOptions(field) {
  return field.options !== undefined;
}

/** The number of nonempty lines in a text. */
function linesOf(text) {
  return text.split("\n").filter((line) => line.trim()).length;
}

/** A field for a text or lines, within its label; `write` gets every change. */
function textArea(label, field, text, form, write) {
  const area = add(label, "textarea", "");
  area.dir = "auto";
  area.value = Array.isArray(text) ? text.join("\n") : text;
  area.rows = field.type === "lines" ? field.count : field.is_line ? 1 : 3;
  area.maxLength = field.type === "lines" ? field.count * field.max_chars : field.max_chars;
  area.placeholder = field.hint;
  area.addEventListener("input", () => {
    if (field.is_line && area.value.includes("\n")) area.value = area.value.replace(/\s*\n\s*/g, " "); // pasted
    write(area.value);
  });
  if (field.is_name) {
    area.addEventListener("change", () => {
      if (area.value === shortName(area.value)) return;
      area.value = shortName(area.value);
      write(area.value);
    });
  }
  for (const kind of ["keydown", "keyup", "keypress"]) area.addEventListener(kind, (event) => event.stopPropagation());
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !field.is_line || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // a one-line field takes no line break: the next field gets the cursor
    form.areaAfter(area)?.focus();
  });
  return area;
}

class FormFields {
  /**
   * `changed` is called after each change of a field, `drawn` after showing the choices, and `completed` after a choice
   * that completes the form. `marking` draws regions on the pictures; `unfinished` is the unfinished mark.
   */
  constructor(parent, data, texts, from, { changed, drawn, completed, said = () => {}, isLocked = () => false, isReserved = () => false }, marking = null, unfinished = null) {
    Object.assign(this, { data, texts, changed, drawn, completed, said, isLocked, isReserved, marking });
    this.values = {};
    this.origins = {}; // by field that comes from a draft: its place in the draft, and whether it is undecided
    this.drafts = data.fields.find((field) => field.type === "drafts");
    this.begin(from);
    this.active = 0;
    this.regions = data.fields.filter((field) => field.type === "region");
    if (this.regions.length) this.beginMarking(from, unfinished);
    this.sections = new FormSections(parent, texts);
    this.boxes = data.fields.map((field) => this.build(this.sections.placeFor(field), field));
    this.sections.openFirst();
    if (this.regions.length && data.save?.helpers) marking.helpers = new MarkHelpers(parent, marking, this.regions, data.save);
    if (this.regions.length) this.layers = new MarkLayers(parent, marking);
    const { author, failed } = data.proposals ?? {};
    if (failed) add(parent, "p", "not-drafted", fill(texts.not_drafted, { author, why: failed })).dir = "auto";
    this.draw();
    if (this.regions.length) marking.redraw();
    this.showMistakes(data.mistakes ?? []);
  }

  /** Show the present mistakes next to the fields of groups; `place` names the field, such as `questions/2/ask`. */
  showMistakes(mistakes) {
    for (const field of this.data.fields.filter((one) => one.type === "repeated")) {
      const own = mistakes.map(({ place, words }) => ({ parts: place.split("/"), words })).filter(({ parts }) => parts[0] === field.name);
      this.boxOf(field).showMistakes(own.map(({ parts, words }) => ({ number: Number(parts[1]), part: parts[2], words })));
    }
  }

  /** Go to the first shown mistake; return whether there is one. */
  goToMistake() {
    return this.boxes.some((box) => box.goToMistake?.());
  }

  /** Begin drawing regions on the pictures; the drawing is the value of its field. */
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

  /** Fill in the field on which a drawn field depends, if it is still empty. */
  answerFor(field) {
    if (field.only_if === null || this.applies(field)) return;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    if (this.values[asked.name].length) return;
    const [code] = field.only_if.codes;
    this.values[asked.name] = asked.type === "several_of" ? [code] : code;
  }

  /** Whether to offer a field; regions are offered even before the field on which they depend has a value. */
  isOffered(field) {
    if (this.applies(field)) return true;
    if (field.type !== "region") return false;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    return this.applies(asked) && !this.values[asked.name].length;
  }

  /** Take the initial values; without input so far, those that a model drafted. */
  begin(from) {
    const isNew = !Object.keys(from).length && this.data.proposals?.fields !== undefined;
    const values = isNew ? this.data.proposals.fields : from;
    const stated = isNew ? {} : from[this.drafts?.name] ?? {};
    this.entries = {};
    for (const field of this.data.fields) {
      if (field.type === "repeated") {
        const given = Array.isArray(values[field.name]) ? values[field.name] : [];
        this.entries[field.name] = given
          .filter((entry) => typeof entry === "object" && entry !== null)
          .map((entry, i) => ({ values: { ...entry }, origin: this.originOf(stated, `${field.name}/${i + 1}`, isNew) }));
      } else if (field.type !== "drafts") {
        this.values[field.name] = this.restored(field, values[field.name]);
        const has = this.values[field.name].length > 0;
        if (has && field !== this.data.fields[0]) this.origins[field.name] = this.originOf(stated, field.name, isNew);
      }
    }
  }

  originOf(stated, place, isNew) {
    if (isNew) return { from: place, open: true };
    const origin = stated[place];
    if (typeof origin === "string") return { from: origin, open: false };
    return typeof origin?.from === "string" ? { from: origin.from, open: origin.open === true, edited: origin.edited === true } : null;
  }

  restored(field, value) {
    if (field.type === "photograph") return typeof value === "string" ? value : "";
    if (field.type === "region") return []; // its value comes from the picture
    if (field.type === "several_of") {
      const codes = field.options.map((option) => option.code);
      return Array.isArray(value) ? codes.filter((code) => value.includes(code)) : [];
    }
    if (field.type === "pictures") return Array.isArray(value) ? value : [];
    if (field.type === "lines" && Array.isArray(value)) return value.filter((line) => typeof line === "string").join("\n");
    if (typeof value !== "string") return "";
    return isWritten(field) || field.options.some((option) => option.code === value) ? value : "";
  }

  build(parent, field) {
    if (field.type === "photograph") return new PhotographField(parent, field, this);
    if (field.type === "region") return new RegionField(parent, field, this, this.marking);
    if (field.type === "repeated") return new GroupField(parent, field, this, this.entries[field.name]);
    if (field.type === "drafts") return { set: document.createElement("div") }; // it is invisible
    if (field.type === "pictures") {
      return new PicturesField(parent, field, this, this.values[field.name], (ids) => {
        this.values[field.name] = ids;
        this.touched(field);
      });
    }
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
      const words = box.querySelector(".words");
      words.replaceChildren(...withFormulas(option.words, this.data.formulas));
      words.dir = "auto";
      if (option.help) box.title = option.help;
      return box;
    });
    return { set, options };
  }

  buildText(parent, field) {
    const set = add(parent, "div", "note field"); // may hold a draft's buttons, which a label must not
    set.dataset.field = field.name;
    const label = add(set, "label", "");
    add(label, "span", "label", field.label).dir = "auto";
    const area = textArea(label, field, this.values[field.name], this, (text) => {
      this.values[field.name] = text;
      this.touched(field);
    });
    return { set, area };
  }

  /** Mark a changed draft as the annotator's text, based on the draft. */
  touched(field) {
    const origin = this.origins[field.name];
    if (origin?.open) this.origins[field.name] = { ...origin, open: false, edited: true };
    this.changed();
    this.drawParts();
  }

  /** Accept a draft, or clear its text. */
  settle(field, accepts) {
    const origin = this.origins[field.name];
    if (accepts) this.origins[field.name] = { ...origin, open: false };
    else {
      this.origins[field.name] = null;
      this.values[field.name] = Array.isArray(this.values[field.name]) ? [] : "";
      const box = this.boxes[this.data.fields.indexOf(field)];
      if (field.type === "pictures") {
        box.ids = [];
        box.draw();
      } else if (box.area !== undefined) box.area.value = "";
    }
    this.changed();
    this.draw();
  }

  /** Accept or discard all drafts of these fields. */
  settleAll(fields, accepts) {
    for (const field of fields) {
      if (field.type === "repeated") {
        const box = this.boxOf(field);
        if (accepts) box.entries.forEach((entry) => entry.origin?.open && (entry.origin = { ...entry.origin, open: false }));
        else box.entries = box.entries.filter((entry) => !entry.origin?.open);
        box.build();
      } else if (this.origins[field.name]?.open) this.settle(field, accepts);
    }
    this.changed();
    this.draw();
  }

  /** Accept or discard the current draft: the one with the cursor, or else the first. */
  settleNext(accepts) {
    const buttons = this.boxes.flatMap(({ set }) => [...set.querySelectorAll(".origin:not([hidden]) button")]);
    const open = buttons.filter((one) => one.closest("[hidden]") === null);
    if (!open.length) return false;
    const root = open[0].getRootNode();
    const box = root.activeElement?.closest(".drafted");
    const of = (one) => one.dataset.does === (accepts ? "accept" : "discard");
    const wanted = open.find((one) => of(one) && box?.contains(one)) ?? open.find(of);
    this.sections.reveal(wanted);
    wanted.click();
    const next = this.boxes.flatMap(({ set }) => [...set.querySelectorAll(".origin:not([hidden]) button")]).find((one) => one.closest("[hidden]") === null);
    if (next !== undefined) {
      this.sections.reveal(next);
      next.focus();
    }
    return true;
  }

  boxOf(field) {
    return this.boxes[this.data.fields.indexOf(field)];
  }

  /** Show the author of a draft with buttons for it, or the outcome of a decided draft. */
  drawOrigin(place, origin, { name, accept, discard }) {
    place.replaceChildren();
    place.hidden = origin === null || origin === undefined;
    if (place.hidden) return;
    const note = this.data.proposals?.notes?.[origin.from];
    const author = note?.author ?? this.data.proposals?.author ?? "";
    const text = origin.open ? "drafted_by" : origin.edited ? "edited_from" : "accepted_from";
    add(place, "span", "", fill(this.texts[text], { author })).dir = "auto";
    this.drawAttacks(place, note?.attacks ?? []);
    if (!origin.open) return;
    for (const [does, act] of [["accept", accept], ["discard", discard]]) {
      const made = button(place, "reason", this.texts[`${does}_draft`], "", act);
      made.dataset.does = does;
      made.setAttribute("aria-label", `${this.texts[`${does}_draft`]}: ${name}`);
      made.addEventListener("keydown", (event) => event.key === "Enter" && event.stopPropagation());
    }
  }

  /** Show a second model's attacks on a draft, and their results. */
  drawAttacks(place, attacks) {
    if (!attacks.length) return;
    add(place, "span", "attacked-by", fill(this.texts.attacked_by, { author: attacks[0].author })).dir = "auto";
    const list = add(place, "ul", "attacks");
    for (const { words, result, says } of attacks) {
      const line = add(list, "li", `attack ${result}`);
      add(line, "span", "", `${words}: ${this.texts[`attack_${result}`]}`).dir = "auto";
      if (says) add(line, "span", "attack-says", says).dir = "auto";
    }
  }

  applies(field) {
    if (field.only_if === null) return true;
    const asked = this.data.fields.find((one) => one.name === field.only_if.field);
    if (!this.applies(asked)) return false;
    const said = this.values[asked.name];
    return (Array.isArray(said) ? said : [said]).some((code) => field.only_if.codes.includes(code));
  }

  /** Choose to send the item back to its writer, and go to the field for the requested changes. */
  sendToWriter() {
    const [field, change] = ["to_writer", "change"].map((name) => this.data.fields.find((one) => one.name === name));
    this.values[field.name] = "yes";
    this.touched(field);
    this.activate(field);
    this.draw();
    this.boxOf(change).area.focus();
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
      // The number keys go to the next open choice, first to one that depends on this choice.
      const open = this.data.fields.filter((one, at) => at > this.active && hasOptions(one) && this.applies(one) && !this.values[one.name].length);
      const next = open.find((one) => one.only_if?.field === field.name) ?? open.find((one) => one.is_required);
      if (next !== undefined && this.values[field.name]) this.activate(next);
    }
    this.touched(field);
    this.draw();
    bringIntoSight(this.boxOf(field).options[i]);
    if (this.isAllSaid(field)) this.completed();
    return true;
  }

  /** Whether a choice completes the form except for an optional note. */
  isAllSaid(field) {
    const others = this.data.fields.filter((one) => one !== field && this.applies(one));
    const isNote = (one) => one.type === "drafts" || (one.type === "text" && !one.is_required);
    const isDrawn = this.regions.some((region) => this.values[region.name].length); // a stray key must not discard it
    return field.type === "one_of" && this.values[field.name] !== "" && !isDrawn && others.every(isNote);
  }

  /** A number key: choose an option of the current field. */
  pick(i) {
    const field = this.data.fields[this.active];
    if (field.type === "one_choice") return this.chooseLetter(this.data.choices[i]?.key);
    if (field.type === "region") return this.boxes[this.active].pick(i);
    return hasOptions(field) && this.choose(field, i);
  }

  /** Choose an option of the item by its letter, if the form takes such a choice now. */
  chooseLetter(letter) {
    const field = this.data.fields[this.active];
    if (field.type !== "one_choice" || !this.applies(field)) return false;
    const place = field.options.findIndex((option) => option.code === letter);
    return place >= 0 && this.choose(field, place);
  }

  /** Whether the form ever takes a choice among the item's options. */
  get offersLetters() {
    return this.data.fields.some((field) => field.type === "one_choice");
  }

  get chosenLetter() {
    const field = this.data.fields.find((one) => one.type === "one_choice" && this.applies(one));
    return (field && this.values[field.name]) || null;
  }

  /** Give the number keys to the next field with options. */
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
    this.sections.reveal(this.boxes[this.active].set);
    this.boxes[this.active].set.scrollIntoView({ block: "nearest" });
  }

  /** The text field to write next: the first empty one, or else the first. */
  get area() {
    const areas = this.areas;
    const area = areas.find((one) => !one.value.trim()) ?? areas[0] ?? null;
    if (area !== null) this.sections.reveal(area);
    return area;
  }

  /** All text fields offered now, including those in groups' entries. */
  get areas() {
    return this.data.fields.flatMap((field, place) => {
      const box = this.boxes[place];
      if (!this.applies(field)) return [];
      return box.areas ?? (box.area === undefined ? [] : [box.area]);
    });
  }

  areaAfter(area) {
    const areas = this.areas;
    const next = areas[areas.indexOf(area) + 1] ?? null;
    if (next !== null) this.sections.reveal(next);
    return next;
  }

  /** Choose a photograph, if the form takes one now. */
  choosePhotograph() {
    const place = this.data.fields.findIndex((field) => field.type === "photograph" && this.applies(field));
    if (place < 0) return false;
    this.boxes[place].choose();
    return true;
  }

  holds(element) {
    return this.boxes.some((box) => box.area === element || (box.areas !== undefined && box.set.contains(element)));
  }

  /** The first field still to fill in. */
  missing() {
    return this.missingIn(this.data.fields)[0] ?? null;
  }

  /** Empty required fields and undecided drafts among these fields, each with a function that goes there. */
  missingIn(fields) {
    return fields.flatMap((field) => {
      if (!this.applies(field)) return [];
      const box = this.boxOf(field);
      if (field.type === "repeated") return box.missing();
      const go = () => this.point(field);
      if (this.origins[field.name]?.open) return [{ type: "draft", label: field.label, go }];
      return this.isFilled(field) ? [] : [{ ...field, count: countOf(field), go }];
    });
  }

  isFilled(field) {
    const said = this.values[field.name];
    if (field.type === "region") return this.lackOf(field) === "";
    return field.type === "drafts" || isFilledIn(field, said);
  }

  /** Words for what a region field lacks. */
  lackOf(field) {
    const isEmpty = !this.values[field.name].length && this.marking.unfinished?.field !== field.name;
    return isEmpty && !field.is_required ? "" : this.marking.lacks(field);
  }

  point(field) {
    const place = this.data.fields.indexOf(field);
    this.sections.reveal(this.boxes[place].set);
    if (isWritten(field)) this.boxes[place].area.focus();
    else if (hasOptions(field)) this.activate(field);
    else this.boxes[place].focus();
    this.draw(field);
  }

  filled() {
    const applying = this.data.fields.filter((field) => this.applies(field) && field !== this.drafts);
    const origins = {};
    const values = applying.map((field) => {
      if (field.type !== "repeated") {
        if (this.origins[field.name] && !this.origins[field.name].open) origins[field.name] = this.origins[field.name].from;
        return [field.name, this.values[field.name]];
      }
      const box = this.boxOf(field);
      const entries = box.filled.filter((entry) => !entry.origin?.open);
      entries.forEach((entry, i) => entry.origin && (origins[`${field.name}/${i + 1}`] = entry.origin.from));
      return [field.name, box.values(entries)];
    });
    if (this.drafts !== undefined) values.push([this.drafts.name, origins]);
    return Object.fromEntries(values);
  }

  /** The whole content of the form, for restoring it unchanged. */
  saved() {
    const values = { ...this.values };
    const origins = Object.fromEntries(Object.entries(this.origins).filter(([, origin]) => origin));
    for (const field of this.data.fields.filter((one) => one.type === "repeated")) {
      const { entries } = this.boxOf(field);
      values[field.name] = entries.map((entry) => entry.values);
      entries.forEach((entry, i) => entry.origin && (origins[`${field.name}/${i + 1}`] = entry.origin));
    }
    if (this.drafts !== undefined) values[this.drafts.name] = origins;
    return values;
  }

  /** Show what each section lacks, and the author of each draft. */
  drawParts() {
    for (const field of this.data.fields) {
      const box = this.boxOf(field);
      if (this.origins[field.name] === undefined || field.type === "repeated") continue;
      box.origin ??= add(box.set, "div", "origin");
      this.drawOrigin(box.origin, this.origins[field.name], {
        name: field.label, accept: () => this.settle(field, true), discard: () => this.settle(field, false),
      });
      box.set.classList.toggle("drafted", Boolean(this.origins[field.name]?.open));
    }
    const look = (fields) => {
      const missing = this.missingIn(fields);
      return {
        applies: fields.some((field) => this.applies(field)),
        missing,
        drafts: missing.filter(({ type }) => type === "draft").length,
        isEmpty: fields.every((field) => !(field.type === "repeated" ? this.boxOf(field).filled : this.values[field.name]).length),
      };
    };
    this.sections.draw(look, (fields, accepts) => this.settleAll(fields, accepts));
  }

  draw(wanted = null) {
    this.data.fields.forEach((field, place) => {
      const { set, options, area } = this.boxes[place];
      set.hidden = field === this.drafts || !this.isOffered(field);
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
    this.drawParts();
    this.drawn();
  }
}
