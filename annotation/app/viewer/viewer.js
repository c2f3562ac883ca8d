// The viewer itself: its state, and the listeners to its changes.

const BLINK_MS = 600;
const KEY_ZOOM = 1.5;
const KEY_PAN = 0.15; // of a stage
const SCROLL_BAR = 20;
const CHOICES = "benchwright.viewer"; // in the browser's session, so it outlives items and reloads

class Viewer {
  /**
   * `room` returns the available height in pixels; `chosen` gets the letter of a chosen picture; `came` is called when
   * a picture has loaded or failed.
   */
  constructor(parent, { room = () => heightFor(window.innerHeight), fills = false, chosen = () => {}, came = () => {} } = {}) {
    Object.assign(this, { room, fills, chosen, came });
    this.drawn = () => {}; // for overlays of the pictures
    this.element = make("section", "viewer", parent);
    this.view = new View();
    this.panes = [];
    this.choices = { mode: "side", marks: true, ...readChoices() };
    this.stop = new AbortController();
    this.toolbar = new Toolbar(this.element, {
      setMode: (mode) => this.setMode(mode), swap: () => this.swap(), togglePause: () => this.setPaused(!this.paused),
      toggleMarks: () => this.toggleMarks(), showPixels: () => this.showPixels(), zoomIn: () => this.zoomBy(KEY_ZOOM), zoomOut: () => this.zoomBy(1 / KEY_ZOOM),
      reset: () => this.reset(),
    });
    this.grid = make("div", "panes", this.element);
    this.divider = new Divider(this.grid);
    watchWheel(this.divider.element, (factor, point) => this.zoomBy(factor, this.panes[0], point));
    this.divider.element.addEventListener("dblclick", () => this.reset());
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.watch();
  }

  watch() {
    const pan = (x, y) => ({ act: () => this.panBy(x, y), repeats: true, arrow: true });
    watchKeys({
      o: { act: () => this.toggleMarks() }, m: { act: () => this.nextMode() }, t: { act: () => this.swap() },
      0: { act: () => this.reset() }, z: { act: () => this.showPixels() },
      "+": { act: () => this.zoomBy(KEY_ZOOM), repeats: true }, "=": { act: () => this.zoomBy(KEY_ZOOM), repeats: true },
      "-": { act: () => this.zoomBy(1 / KEY_ZOOM), repeats: true },
      ArrowLeft: pan(1, 0), ArrowRight: pan(-1, 0), ArrowUp: pan(0, 1), ArrowDown: pan(0, -1),
    }, this.stop.signal);
    window.addEventListener("resize", () => this.arrange(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => {
      // The viewer's height may toggle the page's scroll bar: never grow by only its width.
      const gained = this.element.clientWidth - (this.width ?? 0);
      if (gained < 0 || gained > SCROLL_BAR) this.arrange();
    });
    this.sizes.observe(this.element);
    this.calm.addEventListener("change", () => this.setPaused(this.calm.matches), { signal: this.stop.signal });
  }

  /** Show new data; already shown data change nothing. */
  update(data) {
    const written = JSON.stringify(data);
    if (written === this.written) return;
    const another = data.key !== this.data?.key;
    Object.assign(this, { data, written });
    const { pictures, texts } = data;
    while (this.panes.length > pictures.length) {
      const pane = this.panes.pop();
      pane.empty();
      pane.element.remove();
    }
    while (this.panes.length < pictures.length) this.panes.push(this.addPane());
    this.panes.forEach((pane, i) => pane.show(pictures[i], texts));
    if (another) this.letter = null;
    this.markChosen(this.letter);
    this.element.setAttribute("aria-label", texts.viewer);
    this.element.classList.toggle("alone", this.fills && pictures.length === 1);
    this.toolbar.name(texts);
    this.divider.name(texts, pictures[0].caption, pictures[1]?.caption ?? "");
    if (another) {
      this.view.reset();
      this.divider.moveTo(0.5);
      this.shown = 0;
      this.setPaused(this.calm.matches);
    }
    this.arrange();
  }

  addPane() {
    const pane = new Pane(this.grid, { chosen: (letter) => this.chosen(letter), came: () => this.came() });
    watchGestures(pane.stage, {
      zoom: (factor, point) => this.zoomBy(factor, pane, point),
      drag: (dx, dy, point) => this.drag(pane, dx, dy, point),
      reset: () => this.reset(),
      tap: () => pane.choose(),
    });
    return pane;
  }

  /** Mark the chosen option on its picture. */
  markChosen(letter) {
    this.letter = letter;
    for (const pane of this.panes) pane.markChosen(letter);
  }

  get isPair() {
    return this.panes.length === 2;
  }

  /** Whether all pictures are `there`, one has `failed`, or one is still `coming`. */
  get state() {
    const states = this.panes.map((pane) => pane.state);
    return ["failed", "coming"].find((state) => states.includes(state)) ?? "there";
  }

  get mode() {
    return this.isPair && MODES.includes(this.choices.mode) ? this.choices.mode : "side";
  }

  get hasMarks() {
    return this.data.pictures.some((picture) => picture.marks !== null);
  }

  choose(choices) {
    Object.assign(this.choices, choices);
    writeChoices(this.choices);
  }

  setMode(mode) {
    this.choose({ mode });
    this.shown = 0;
    this.setPaused(this.calm.matches);
    this.arrange();
  }

  nextMode() {
    if (!this.isPair) return false;
    this.setMode(MODES[(MODES.indexOf(this.mode) + 1) % MODES.length]);
  }

  toggleMarks() {
    if (!this.hasMarks) return false;
    this.choose({ marks: !this.choices.marks });
    this.draw();
  }

  swap() {
    if (this.mode !== "blink") return false;
    this.shown = 1 - this.shown;
    this.setPaused(true);
  }

  setPaused(paused) {
    this.paused = paused;
    clearInterval(this.blinking);
    if (this.mode === "blink" && !paused) {
      this.blinking = setInterval(() => {
        this.shown = 1 - this.shown;
        this.draw();
      }, BLINK_MS);
    }
    this.draw();
  }

  zoomBy(factor, pane = this.panes[0], point = null) {
    const before = this.view.zoom;
    const { left, top } = pane.stage.getBoundingClientRect();
    const fromMiddle = point === null ? [0, 0] : [point.x - left - pane.stageWidth / 2, point.y - top - pane.stageHeight / 2];
    this.view.zoomBy(factor, this.panes, pane, ...fromMiddle);
    this.draw();
    return this.view.zoom !== before;
  }

  drag(pane, dx, dy, point) {
    if (this.view.zoomed) {
      this.view.dragBy(dx, dy, this.panes, pane);
      this.draw();
    } else if (this.mode === "slider") {
      this.divider.moveUnder(point.x);
    }
  }

  panBy(x, y) {
    if (!this.view.zoomed) return false;
    const [pane] = this.panes;
    this.view.dragBy(x * KEY_PAN * pane.stageWidth, y * KEY_PAN * pane.stageHeight, this.panes);
    this.draw();
  }

  reset() {
    this.view.reset();
    this.draw();
  }

  /** Show one pixel of the first picture per screen pixel, or return to whole pictures. */
  showPixels() {
    const [pane] = this.panes;
    const zoom = 1 / (pane.scale * window.devicePixelRatio);
    if (Math.abs(this.view.zoom - zoom) < 0.01 || zoom <= 1) this.reset();
    else this.zoomBy(zoom / this.view.zoom);
  }

  /** Lay out for the available width. */
  arrange() {
    const width = Math.floor(this.element.getBoundingClientRect().width);
    if (width < 1) return; // in a folded part of the page
    this.width = width;
    const bar = getComputedStyle(this.toolbar.element);
    const above = this.toolbar.element.offsetHeight + parseFloat(bar.marginBottom);
    const shapes = this.panes.map((pane) => pane.picture);
    const layout = layoutOf(shapes, width, this.room() - above, { overlaid: this.mode !== "side", fills: this.fills });
    this.grid.style.gridTemplateColumns = layout.tracks.map((track) => `${track}px`).join(" ");
    this.panes.forEach((pane, i) => {
      pane.element.style.gridRow = i === 0 && layout.span > 1 ? `1 / span ${layout.span}` : "";
      pane.place(layout.stages[i], this.mode === "side");
    });
    this.grid.style.setProperty("--stage-height", `${layout.stages[0].height}px`);
    this.view.hold(this.panes);
    this.draw();
  }

  draw() {
    const { mode, view, data } = this;
    if (this.panes.some((pane) => pane.scale === undefined)) return; // not laid out yet
    this.element.dataset.mode = mode;
    this.element.classList.toggle("unmarked", !this.choices.marks);
    this.element.classList.toggle("zoomed", view.zoomed);
    this.panes.forEach((pane, i) => {
      pane.element.classList.toggle("waiting", mode === "blink" && i !== this.shown);
      pane.draw(view);
    });
    this.divider.element.hidden = mode !== "slider";
    const percent = view.zoomed ? Math.round(100 * this.panes[0].scale * view.zoom) : null;
    this.drawn();
    this.toolbar.draw({
      mode, pair: this.isPair, hasMarks: this.hasMarks, marks: this.choices.marks, paused: this.paused, percent, zoomed: view.zoomed,
    });
  }

  destroy() {
    this.stop.abort();
    this.sizes.disconnect();
    clearInterval(this.blinking);
    this.element.remove();
  }
}

function readChoices() {
  try {
    const { mode, marks } = JSON.parse(sessionStorage.getItem(CHOICES)) ?? {};
    return { ...(MODES.includes(mode) && { mode }), ...(typeof marks === "boolean" && { marks }) };
  } catch {
    return {}; // storage may be refused, or hold another program's data
  }
}

function writeChoices(choices) {
  try {
    sessionStorage.setItem(CHOICES, JSON.stringify(choices));
  } catch {
    // The choice then lasts as long as the page.
  }
}
