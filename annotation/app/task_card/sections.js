// The folding sections of a long form, with headings that show missing fields and waiting drafts.

class FormSections {
  constructor(parent, texts) {
    Object.assign(this, { parent, texts });
    this.sections = [];
  }

  /** The place for a field: its section, created with its first field, or the form itself if it has no section. */
  placeFor(field) {
    if (!field.section) return this.parent;
    const last = this.sections.at(-1);
    if (last?.name === field.section) {
      last.fields.push(field);
      return last.body;
    }
    const element = add(this.parent, "details", "section");
    element.dataset.section = field.section;
    const summary = add(element, "summary", "");
    add(summary, "span", "section-name", field.section).dir = "auto";
    const state = add(summary, "span", "section-state");
    const body = add(element, "div", "section-body");
    const drafts = add(body, "div", "section-drafts");
    drafts.addEventListener("keydown", (event) => event.key === "Enter" && event.stopPropagation());
    this.sections.push({ name: field.section, element, state, body, drafts, fields: [field] });
    // Keys that fold a section do not reach the workbench.
    summary.addEventListener("keydown", (event) => [" ", "Enter"].includes(event.key) && event.stopPropagation());
    return body;
  }

  get isEmpty() {
    return !this.sections.length;
  }

  openFirst() {
    if (this.sections.length && !this.sections.some(({ element }) => element.open)) this.sections[0].element.open = true;
  }

  reveal(element) {
    const section = this.sections.find(({ body }) => body.contains(element));
    if (section !== undefined) section.element.open = true;
  }

  /**
   * Show what each section lacks. `look` returns, for a section's fields, whether any of them applies, the missing
   * ones, and the number of waiting drafts; `all` accepts or discards these drafts.
   */
  draw(look, all) {
    for (const section of this.sections) {
      const { applies, missing, drafts, isEmpty } = look(section.fields);
      section.element.hidden = !applies;
      const parts = [];
      const wanted = missing.filter(({ type }) => type !== "draft");
      if (drafts) parts.push(fill(this.texts.drafts_wait, { count: drafts }));
      if (wanted.length) {
        const names = wanted.slice(0, 2).map(({ label }) => label).join(", ");
        const more = wanted.length > 2 ? ` +${wanted.length - 2}` : "";
        parts.push(fill(this.texts.section_missing, { what: `${names}${more}` }));
      }
      const isDone = !parts.length;
      section.state.textContent = isDone ? (isEmpty ? this.texts.section_empty : `✓ ${this.texts.section_done}`) : parts.join(" · ");
      section.element.classList.toggle("done", isDone);
      section.drafts.replaceChildren();
      if (drafts < 2) continue;
      button(section.drafts, "reason", fill(this.texts.accept_all, { count: drafts }), "", () => all(section.fields, true));
      button(section.drafts, "reason", fill(this.texts.discard_all, { count: drafts }), "", () => all(section.fields, false));
    }
  }
}
