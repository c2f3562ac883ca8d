// The buttons above the pictures. The viewer carries out their actions; their labels come from the texts.

const MODES = ["side", "slider", "blink"];

class Toolbar {
  constructor(parent, actions) {
    this.element = make("div", "toolbar", parent);
    this.modes = this.group();
    this.mode = Object.fromEntries(MODES.map((name) => [name, this.button(this.modes, () => actions.setMode(name))]));
    this.turns = this.group();
    this.swap = this.button(this.turns, actions.swap);
    this.pause = this.button(this.turns, actions.togglePause);
    this.marks = this.button(this.element, actions.toggleMarks);
    this.marks.setAttribute("role", "switch");
    this.marksName = make("span", "", this.marks);
    this.marksState = make("span", "state", this.marks);
    this.marksState.setAttribute("aria-hidden", "true"); // aria-checked announces it
    this.zoom = this.group();
    this.zoom.classList.add("zoom");
    this.out = this.button(this.zoom, actions.zoomOut);
    this.readout = make("output", "readout", this.zoom);
    this.readout.setAttribute("aria-live", "polite");
    this.in = this.button(this.zoom, actions.zoomIn);
    this.pixels = this.button(this.zoom, actions.showPixels);
    this.reset = this.button(this.zoom, actions.reset);
  }

  group() {
    const group = make("div", "group", this.element);
    group.setAttribute("role", "group");
    return group;
  }

  button(parent, act) {
    const button = make("button", "button", parent);
    button.type = "button";
    button.addEventListener("click", () => act());
    return button;
  }

  /** Write every text again, as for another language. */
  name(texts) {
    this.texts = texts;
    for (const name of MODES) this.label(this.mode[name], texts[name], texts[`${name}_hint`]);
    this.label(this.swap, texts.swap, texts.swap_hint);
    this.label(this.out, "−", texts.zoom_out_hint, texts.zoom_out);
    this.label(this.in, "+", texts.zoom_in_hint, texts.zoom_in);
    this.label(this.pixels, texts.pixels, texts.pixels_hint);
    this.label(this.reset, texts.reset, texts.reset_hint);
    this.marks.title = texts.marks_hint;
    this.marksName.textContent = texts.marks;
    this.modes.setAttribute("aria-label", texts.modes);
    this.turns.setAttribute("aria-label", texts.blink);
    this.zoom.setAttribute("aria-label", texts.zoom);
  }

  label(button, text, hint, spoken = "") {
    button.textContent = text;
    button.title = hint;
    if (spoken) button.setAttribute("aria-label", spoken);
  }

  /** Show the state: `percent` is null while whole pictures are shown. */
  draw({ mode, pair, hasMarks, marks, paused, percent, zoomed }) {
    const { texts } = this;
    this.modes.hidden = !pair;
    for (const name of MODES) this.mode[name].setAttribute("aria-pressed", String(name === mode));
    this.turns.hidden = mode !== "blink";
    this.label(this.pause, paused ? texts.play : texts.pause, paused ? texts.play_hint : texts.pause_hint);
    this.marks.hidden = !hasMarks;
    this.marks.setAttribute("aria-checked", String(marks));
    this.marksState.textContent = marks ? texts.on : texts.off;
    this.out.disabled = this.reset.disabled = !zoomed;
    const readout = percent === null ? texts.fit : fill(texts.percent, { percent });
    if (this.readout.textContent !== readout) this.readout.textContent = readout; // a live region announces every write
  }
}
