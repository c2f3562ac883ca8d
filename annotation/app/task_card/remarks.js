// Comments on a task and flags for a curator: beside the decision, and no part of it.

class Remarks {
  /** `send` gets "comment" or "flag" with the words. */
  constructor(parent, data, send) {
    const { texts } = data;
    this.element = add(parent, "details", "remarks");
    const summary = add(this.element, "summary", "");
    add(summary, "span", "", texts.remarks);
    add(summary, "kbd", "", "G").setAttribute("aria-hidden", "true");
    summary.setAttribute("aria-keyshortcuts", "g");
    if (data.remarks.length) {
      const list = add(this.element, "ul", "told-before");
      for (const one of data.remarks) {
        const line = add(list, "li", "", `${one.is_flag ? `⚑ ${texts.flagged}` : texts.commented} ${one.words}`.trim());
        line.dir = "auto";
      }
      this.element.open = true;
    }
    const label = add(this.element, "label", "note");
    add(label, "span", "label", texts.remark);
    this.area = add(label, "textarea", "");
    this.area.rows = 2;
    this.area.maxLength = 2000;
    this.area.placeholder = texts.remark_hint;
    for (const kind of ["keydown", "keyup", "keypress"]) {
      this.area.addEventListener(kind, (event) => {
        event.stopPropagation();
        if (kind === "keydown" && event.key === "Escape") this.area.blur();
      });
    }
    const row = add(this.element, "div", "actions");
    button(row, "action quiet", texts.comment, "", () => (this.area.value.trim() ? send("comment", this.area.value) : this.area.focus()));
    button(row, "action quiet", texts.flag, "", () => send("flag", this.area.value));
  }

  open() {
    this.element.open = true;
    this.area.focus();
  }
}
