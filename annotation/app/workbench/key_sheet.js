// The sheet of keys, on the question mark: what each key does with the card on the screen.

class KeySheet {
  constructor(parent, texts, signal) {
    this.element = add(parent, "dialog", "keys");
    this.element.setAttribute("aria-label", texts.keys);
    add(this.element, "h2", "", texts.keys);
    this.list = add(this.element, "dl", "");
    add(this.element, "p", "touch", texts.keys_layout);
    add(this.element, "p", "touch", texts.keys_touch);
    button(this.element, "action quiet", texts.keys_close, "", () => this.element.close());
    // While the sheet is open, no key decides anything behind it.
    this.element.addEventListener("keydown", (event) => {
      if (!this.element.open) return; // the focus may stay on its button for a moment
      event.stopPropagation();
      const key = pressedKey(event);
      if (key !== "Escape" && key !== "?") return;
      event.preventDefault();
      this.element.close(); // at once: the next key is the card's
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
