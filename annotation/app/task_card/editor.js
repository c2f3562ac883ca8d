// Editing an item: its question, the texts of its options, and the right option. Only changes are sent.

class ItemEditor {
  /** `changed` is called after each edit of the annotator; `begun` holds the initial edits. */
  constructor(parent, data, texts, begun, changed) {
    this.texts = texts;
    this.was = data.editable;
    this.changed = changed;
    this.element = add(parent, "fieldset", "editor");
    this.element.hidden = true;
    if (Object.keys(begun).length) this.show(begun);
  }

  /** Build the fields, if that is not done, and fill in these edits. */
  show(edits = {}) {
    if (this.isOpen) return;
    this.areas = new Map();
    const { texts } = this;
    add(this.element, "legend", "", texts.edit_item);
    this.question = this.area(texts.question, this.was.question);
    this.choices = Object.entries(this.was.choices).map(([key, text]) => [key, this.area(fill(texts.choice, { key }), text, 1)]);
    this.right = this.select(texts.right_option, this.was.keys, this.was.right);
    this.explanation = this.was.explanation === null ? null : this.area(texts.explanation, this.was.explanation);
    this.element.hidden = false;
    this.put(edits);
  }

  put(edits) {
    if (edits.question !== undefined) this.question.value = edits.question;
    for (const [key, area] of this.choices) if (edits.choices?.[key] !== undefined) area.value = edits.choices[key];
    if (edits.right !== undefined) this.right.value = edits.right;
    if (this.explanation !== null && edits.explanation !== undefined) this.explanation.value = edits.explanation;
  }

  area(words, text, rows = 2) {
    const label = add(this.element, "label", "note");
    add(label, "span", "label", words);
    const area = add(label, "textarea", "");
    area.value = text;
    area.rows = rows;
    area.maxLength = 10000;
    area.dir = "auto";
    area.addEventListener("input", () => this.changed());
    // Keys typed here are text: the page around must not treat them as shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) area.addEventListener(kind, (event) => event.stopPropagation());
    // Fields normalize line ends and some characters, so edits are compared with the field's initial value.
    this.areas.set(area, area.value);
    return area;
  }

  select(words, keys, chosen) {
    const label = add(this.element, "label", "note");
    add(label, "span", "label", words);
    const list = add(label, "select", "");
    for (const key of keys) {
      const option = add(list, "option", "", key);
      option.value = key;
    }
    list.value = chosen ?? "";
    list.addEventListener("change", () => this.changed());
    for (const kind of ["keydown", "keyup", "keypress"]) list.addEventListener(kind, (event) => event.stopPropagation());
    this.areas.set(list, list.value);
    return list;
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Show the fields, and focus the first. */
  open() {
    this.show();
    this.question.focus();
  }

  /** Fill in an annotator's proposed edits, starting from the unedited item. */
  take(edits) {
    this.show();
    for (const [area, text] of this.areas) area.value = text;
    this.put(edits);
    this.changed();
  }

  holds(element) {
    return this.isOpen && this.areas.has(element);
  }

  /** The differences from the present item; an empty object without any. */
  edits() {
    if (!this.isOpen) return {};
    const found = {};
    const isChanged = (area) => area !== null && area.value.trim() !== "" && area.value.trim() !== this.areas.get(area).trim();
    for (const name of ["question", "right", "explanation"]) if (isChanged(this[name])) found[name] = this[name].value.trim();
    const choices = this.choices.filter(([, area]) => isChanged(area));
    if (choices.length) found.choices = Object.fromEntries(choices.map(([key, area]) => [key, area.value.trim()]));
    return found;
  }
}
