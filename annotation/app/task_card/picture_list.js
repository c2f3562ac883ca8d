// Other pictures of the campaign, found by name and chosen from a list with small versions.

const LOOK_MS = 200;

class PicturesField {
  /** `ids` are the chosen pictures; `changed` gets the ids after each change. */
  constructor(parent, field, form, ids, changed) {
    Object.assign(this, { field, form, changed });
    this.ids = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
    this.known = new Map();
    this.set = add(parent, "fieldset", "part pictures-field");
    add(this.set, "legend", "", field.label).dir = "auto";
    this.chosen = add(this.set, "ul", "chosen-pictures");
    const label = add(this.set, "label", "note");
    add(label, "span", "unseen", fill(form.texts.find_picture, { field: field.label }));
    this.area = add(label, "input", "");
    this.area.type = "search";
    this.area.placeholder = form.texts.picture_name;
    this.area.autocomplete = "off";
    this.area.addEventListener("input", () => this.lookSoon());
    this.area.addEventListener("focus", () => this.lookSoon());
    this.area.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["keydown", "keyup", "keypress"]) this.area.addEventListener(kind, (event) => event.stopPropagation());
    this.offers = add(this.set, "ul", "offered-pictures");
    this.told = add(this.set, "p", "unseen");
    this.told.setAttribute("role", "status");
    this.draw();
    if (this.ids.length) this.fetch(this.ids.map((id) => `id=${encodeURIComponent(id)}`).join("&")).then(() => this.draw());
  }

  key(event) {
    const first = this.offers.querySelector("button");
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && first !== null) {
      event.preventDefault();
      first.click();
    } else if (event.key === "ArrowDown" && first !== null) {
      event.preventDefault();
      first.focus();
    }
  }

  get isFull() {
    return this.ids.length >= this.field.max_count;
  }

  lookSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), LOOK_MS);
  }

  async look() {
    const found = await this.fetch(`find=${encodeURIComponent(this.area.value.trim())}`);
    const open = found.filter(({ id }) => !this.ids.includes(id));
    this.offers.replaceChildren();
    for (const { id } of this.isFull ? [] : open) this.line(this.offers, id, "offer", () => this.take([...this.ids, id]));
    this.told.textContent = fill(this.form.texts.pictures_found, { count: open.length });
  }

  /** Fetch pictures by name or id from the server; none without a connection. */
  async fetch(query) {
    try {
      const answer = await fetch(`${this.form.data.save.pictures}?${query}`);
      const { pictures } = answer.ok ? await answer.json() : { pictures: [] };
      for (const picture of pictures) this.known.set(picture.id, picture);
      return pictures;
    } catch {
      return [];
    }
  }

  line(list, id, name, act) {
    const { words, src } = this.known.get(id) ?? { words: id.slice(0, 12), src: "" };
    const made = button(add(list, "li", ""), `picture-line ${name}`, words, "", act);
    if (src) {
      const image = document.createElement("img");
      Object.assign(image, { src, alt: "", loading: "lazy" });
      made.prepend(image);
    }
    if (name === "taken") made.setAttribute("aria-label", fill(this.form.texts.remove_entry, { entry: words }));
    return made;
  }

  take(ids) {
    this.ids = ids;
    this.area.value = "";
    this.offers.replaceChildren();
    this.draw();
    this.changed(ids);
    if (!this.isFull) this.area.focus();
    else this.chosen.querySelector("button")?.focus();
  }

  draw() {
    this.chosen.replaceChildren();
    for (const id of this.ids) {
      const made = this.line(this.chosen, id, "taken", () => this.take(this.ids.filter((one) => one !== id)));
      add(made, "span", "remove", "✕").setAttribute("aria-hidden", "true");
    }
    this.area.hidden = this.isFull;
  }

  focus() {
    this.area.focus();
  }
}
