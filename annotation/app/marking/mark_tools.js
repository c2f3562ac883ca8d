// The buttons for marking, next to those of the viewer: the pointer's equivalent of the keys.

class MarkTools {
  constructor(parent, texts, marking) {
    Object.assign(this, { texts, marking });
    this.element = make("div", "marking-tools", parent);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", texts.tools);
    const put = (name, key, act) => toolButton(this.element, texts, name, key, act);
    this.undo = put("undo", "", () => marking.undo());
    this.redo = put("redo", "", () => marking.redo());
    this.hints = new HintTools(this.element, texts, marking);
    this.finish = put("finish", "", () => marking.finish());
    this.more = put("more", "Q", () => marking.arm());
    this.remove = put("remove", "D", () => marking.keys.remove());
    this.eraser = put("eraser", "E", () => marking.setBrush({ isErasing: !marking.brush.isErasing }));
    this.size = make("label", "size", this.element);
    make("span", "", this.size).textContent = texts.brush;
    this.range = make("input", "", this.size);
    Object.assign(this.range, { type: "range", min: "0", max: "100", step: "1" });
    this.range.addEventListener("input", () => marking.setBrush({ radius: this.radiusOf(Number(this.range.value)) }));
    this.hand = put("hand", "", () => marking.setHand(!marking.isHand));
    this.loupe = put("loupe", "B", () => {
      marking.setLoupe(!marking.hasLoupe);
      this.draw();
    });
    this.cross = put("cross", "K", () => {
      marking.keys.setCross(marking.cross === null ? undefined : null);
      if (marking.cross !== null) marking.overlays[marking.cross.pane].pane.stage.focus({ preventScroll: true });
    });
    this.hide();
  }

  hide() {
    this.element.hidden = true;
  }

  show() {
    this.element.hidden = false;
    this.draw();
  }

  /** The radius at a share of the slider: steps are finer for a fine brush. */
  radiusOf(share) {
    return 0.5 * (this.most / 0.5) ** (share / 100);
  }

  draw() {
    const { marking } = this;
    if (!marking.isOn) return;
    this.hints.draw();
    const isMask = marking.fields.some(({ shape }) => shape === "mask");
    const isPainting = marking.field.shape === "mask";
    this.most = Math.max(marking.sizes[0].width, marking.sizes[0].height) / 4;
    this.undo.disabled = !marking.history.done.length;
    this.redo.disabled = !marking.history.undone.length;
    this.finish.hidden = !marking.fields.some(({ shape }) => shape in LINES);
    this.finish.disabled = marking.unfinished === null;
    this.remove.disabled = marking.chosen === null && marking.unfinished === null && marking.taken === null;
    this.more.setAttribute("aria-pressed", String(marking.isArmed));
    this.eraser.hidden = this.size.hidden = !isMask;
    this.eraser.disabled = this.range.disabled = !isPainting;
    this.eraser.setAttribute("aria-pressed", String(marking.brush.isErasing));
    this.range.value = String(Math.round((100 * Math.log(marking.brush.radius / 0.5)) / Math.log(this.most / 0.5)));
    this.range.setAttribute("aria-valuetext", fill(this.texts.brush_of, { size: Math.round(2 * marking.brush.radius) }));
    this.hand.setAttribute("aria-pressed", String(marking.isHand));
    this.loupe.setAttribute("aria-pressed", String(marking.hasLoupe));
    this.cross.setAttribute("aria-pressed", String(marking.cross !== null));
  }
}

/** A button of the toolbar, with its key. */
function toolButton(parent, texts, name, key, act) {
  const element = make("button", "button", parent);
  element.type = "button";
  make("span", "", element).textContent = texts[name];
  if (key) {
    const shown = make("kbd", "", element);
    shown.textContent = key;
    shown.setAttribute("aria-hidden", "true");
    element.setAttribute("aria-keyshortcuts", key);
  }
  element.title = texts[`${name}_hint`];
  element.addEventListener("click", act);
  return element;
}
