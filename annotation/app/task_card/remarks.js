// Comments on a task and flags for a curator, separate from the decision.

class Remarks {
  /** `send` gets "comment" or "flag" with the words; `key` opens the text field. */
  constructor(parent, data, texts, key, send) {
    this.data = data;
    this.texts = texts;
    this.send = send;
    if (data.remarks.length) this.list(parent);
    this.element = add(parent, "details", "remarks");
    const summary = add(this.element, "summary", "");
    add(summary, "span", "", texts.remarks);
    add(summary, "kbd", "", key.length === 1 ? key.toUpperCase() : key).setAttribute("aria-hidden", "true");
    summary.setAttribute("aria-keyshortcuts", key);
    this.element.addEventListener("toggle", () => this.build());
  }

  list(parent) {
    const { texts, data: { remarks } } = this;
    const list = add(parent, "ul", "told-before");
    list.tabIndex = 0; // it may scroll
    list.setAttribute("aria-label", texts.remarks);
    for (const { is_flag, words } of remarks) {
      const line = add(list, "li", "", `${is_flag ? `⚑ ${texts.flagged}` : texts.commented} `);
      add(line, "bdi", "", words).dir = "auto";
    }
  }

  /** Build the text field on first use, since most tasks need none. */
  build() {
    if (this.area !== undefined || !this.element.open) return;
    const { texts } = this;
    const label = add(this.element, "label", "note");
    add(label, "span", "label", texts.remark);
    this.area = add(label, "textarea", "");
    this.area.rows = 2;
    this.area.maxLength = 2000;
    this.area.placeholder = texts.remark_hint;
    this.area.dir = "auto";
    for (const kind of ["keydown", "keyup", "keypress"]) {
      this.area.addEventListener(kind, (event) => {
        event.stopPropagation();
        if (kind === "keydown" && event.key === "Escape") this.area.blur();
      });
    }
    const row = add(this.element, "div", "actions");
    button(row, "action quiet", texts.comment, "", () => (this.area.value.trim() ? this.handOver("comment") : this.area.focus()));
    button(row, "action quiet", texts.flag, "", () => this.handOver("flag"));
  }

  handOver(does) {
    if (this.send(does, this.area.value)) this.area.value = "";
  }

  /** The unsent text, and whether the annotator is writing it now; null for none. */
  get begun() {
    if (!this.area?.value.trim()) return null;
    const { value: words, selectionStart, selectionEnd } = this.area;
    return { words, place: [selectionStart, selectionEnd], isFocused: this.area.matches(":focus") };
  }

  /** Restore the text begun before the list of comments changed. */
  goOn({ words, place, isFocused }) {
    this.element.open = true;
    this.build();
    this.area.value = words;
    this.area.setSelectionRange(...place);
    if (isFocused) this.area.focus();
  }

  open() {
    this.element.open = true;
    this.build();
    this.area.focus();
  }
}
