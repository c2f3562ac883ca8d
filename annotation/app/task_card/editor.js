// Editing an item: its question, the texts of its options, which of them is right. What is sent is only what changed.

class ItemEditor {
  /** `changed` is called after whatever an annotator edits; `begun` holds edits to begin with. */
  constructor(parent, data, begun, changed) {
    this.was = data.editable;
    this.changed = changed;
    this.areas = [];
    const { texts } = data;
    this.element = add(parent, "fieldset", "editor");
    add(this.element, "legend", "", texts.edit_item);
    this.question = this.area(texts.question, begun.question ?? this.was.question);
    this.choices = Object.entries(this.was.choices).map(([key, text]) => [
      key, this.area(fill(texts.choice, { key }), begun.choices?.[key] ?? text, 1),
    ]);
    this.right = this.select(texts.right_option, this.was.keys, begun.right ?? this.was.right);
    this.explanation = this.was.explanation === null ? null : this.area(texts.explanation, begun.explanation ?? this.was.explanation);
    this.element.hidden = !Object.keys(begun).length;
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
    // Keys typed here are text: nothing of the page around may take them for shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) area.addEventListener(kind, (event) => event.stopPropagation());
    this.areas.push(area);
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
    this.areas.push(list);
    return list;
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Show the fields, and go to the first. */
  open() {
    this.element.hidden = false;
    this.question.focus();
  }

  /** Fill in edits that somebody proposed, over the item as it is. */
  take(edits) {
    this.question.value = edits.question ?? this.was.question;
    for (const [key, area] of this.choices) area.value = edits.choices?.[key] ?? this.was.choices[key];
    this.right.value = edits.right ?? this.was.right ?? "";
    if (this.explanation !== null) this.explanation.value = edits.explanation ?? this.was.explanation;
    this.element.hidden = false;
    this.changed();
  }

  holds(element) {
    return this.areas.includes(element);
  }

  /** What differs from the item as it is; an empty object where nothing does. */
  edits() {
    if (!this.isOpen) return {};
    const found = {};
    const put = (name, area, was) => {
      const text = area.value.trim();
      if (text !== was && text) found[name] = text;
    };
    put("question", this.question, this.was.question);
    const choices = this.choices.filter(([key, area]) => area.value.trim() && area.value.trim() !== this.was.choices[key]);
    if (choices.length) found.choices = Object.fromEntries(choices.map(([key, area]) => [key, area.value.trim()]));
    put("right", this.right, this.was.right);
    if (this.explanation !== null) put("explanation", this.explanation, this.was.explanation);
    return found;
  }
}
