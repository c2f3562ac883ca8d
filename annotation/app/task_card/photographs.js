// An annotator's photograph: sent unchanged, stored by the server, and shown as stored.

class PhotographField {
  constructor(parent, field, form) {
    this.field = field;
    this.form = form;
    this.set = add(parent, "fieldset", "field photograph");
    this.set.dataset.field = field.name;
    add(this.set, "legend", "", field.label);
    this.input = add(this.set, "input", "");
    this.input.type = "file";
    this.input.accept = "image/*";
    this.input.hidden = true;
    this.input.setAttribute("aria-label", field.label);
    this.input.addEventListener("change", () => this.send());
    this.button = button(this.set, "reason", form.texts.choose_photograph, "p", () => this.choose());
    this.told = add(this.set, "p", "told-of");
    this.told.setAttribute("role", "status");
    this.picture = add(this.set, "img", "");
    this.picture.alt = field.label;
    this.show(form.values[field.name]);
  }

  get where() {
    return this.form.data.save.photographs;
  }

  choose() {
    this.input.click();
  }

  focus() {
    this.button.focus();
  }

  show(id) {
    this.picture.hidden = !id;
    if (id) this.picture.src = `${this.where}/${encodeURIComponent(id)}`;
    else this.picture.removeAttribute("src");
  }

  tell(words, urgent = false) {
    this.told.textContent = words;
    this.told.classList.toggle("urgent", urgent);
  }

  async send() {
    const [file] = this.input.files;
    this.input.value = ""; // the same file may be chosen again
    if (file === undefined) return;
    const { texts, data: { save } } = this.form;
    this.tell(texts.photograph_sent);
    try {
      const answer = await fetch(this.where, { method: "PUT", headers: { [save.header]: "1" }, body: file });
      if (!answer.ok) {
        this.tell((await answer.text()).slice(0, 300), true);
        return;
      }
      const { photograph, width, height } = await answer.json();
      this.form.values[this.field.name] = photograph;
      this.tell(fill(texts.photograph_size, { width, height }));
      this.show(photograph);
      this.form.changed();
    } catch {
      this.tell(texts.photograph_failed, true);
    }
  }
}
