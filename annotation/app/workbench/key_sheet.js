// The sheet of keyboard keys, opened by the question mark: the effect of each key on the current card.

class KeySheet {
  constructor(parent, texts, signal) {
    this.element = add(parent, "dialog", "keys");
    this.element.setAttribute("aria-label", texts.keys);
    add(this.element, "h2", "", texts.keys);
    this.list = add(this.element, "dl", "");
    add(this.element, "p", "touch", texts.keys_layout);
    add(this.element, "p", "touch", texts.keys_touch);
    button(this.element, "action quiet", texts.keys_close, "", () => this.element.close());
    // While the sheet is open, no key acts on the card behind it.
    this.element.addEventListener("keydown", (event) => {
      if (!this.element.open) return; // its button may keep the focus for a moment
      event.stopPropagation();
      const key = pressedKey(event);
      if (key !== "Escape" && key !== "?") return;
      event.preventDefault();
      this.element.close(); // at once: the next key belongs to the card
    });
    window.addEventListener("keydown", (event) => {
      if (pressedKey(event) !== "?" || event.ctrlKey || event.altKey || event.metaKey || isWriting(event)) return;
      event.preventDefault();
      this.open();
    }, { signal });
  }

  name(keys) {
    this.list.replaceChildren();
    for (const { key, words } of keys) {
      const line = add(this.list, "div", "");
      add(add(line, "dt", ""), "kbd", "", key);
      add(line, "dd", "", words);
    }
  }

  open() {
    if (!this.element.open) this.element.showModal();
  }
}
