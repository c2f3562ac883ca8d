// Marking on the pictures: the current field, the selection, and the effects of presses and keys. The history holds the
// marks, overlays draw them, and the card lists them.

// Distinct for color-blind users (Okabe and Ito), and on any picture with a light or a dark rim.
const INKS = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [240, 228, 66], [204, 121, 167], [213, 94, 0], [0, 114, 178]];
const DASHES = ["none", "8 4", "3 3", "10 3 3 3", "14 5", "2 5", "6 2 2 2"];
const BRUSH_SHARE = 0.02; // initial radius, as a share of the longer side
const SPOKEN_MS = 250;
const LOUPE_CHOICE = "benchwright.loupe";

class Marking {
  constructor(viewer, texts, signal) {
    Object.assign(this, { viewer, texts, overlays: [], isOn: false, isHand: false, isSpaceHeld: false, hinting: null, helpers: null, rejected: new Set() });
    this.presses = new MarkPresses(this);
    this.others = new OthersMarks(this, []);
    this.tools = new MarkTools(viewer.toolbar.element, texts, this);
    this.spoken = make("div", "spoken", viewer.element);
    this.spoken.setAttribute("role", "status");
    this.hasLoupe = readLoupe();
    this.keys = new MarkKeys(this);
    window.addEventListener("keydown", (event) => this.isOn && this.keys.press(event), { signal, capture: true });
    window.addEventListener("keyup", (event) => event.key === " " && this.holdSpace(false), { signal, capture: true });
    window.addEventListener("blur", () => this.holdSpace(false), { signal });
    viewer.drawn = () => this.redraw();
  }

  /**
   * Take the region fields of a task. `from` holds their documents by field, `unfinished` the unfinished mark; `hooks`
   * are `changed(documents)`, `turned(field)` on a change of field, and `isLocked()`.
   */
  begin(fields, from, unfinished, layers, hooks) {
    this.end();
    Object.assign(this, { fields, hooks, isOn: true, selected: null, corner: null, cross: null, hovered: null, taken: null, isArmed: false, pen: null, hinting: null, helpers: null });
    this.others.layers = layers;
    this.labels = Object.fromEntries(fields.map((field) => [field.name, field.options[0]?.code ?? ""]));
    this.sizes = this.viewer.data.pictures;
    const values = {};
    for (const field of fields) {
      const documents = Array.isArray(from[field.name]) ? from[field.name] : [];
      values[field.name] = documents.filter((each) => isDocument(each, field.shape, this.sizes)).flatMap(readMark);
    }
    this.history = new MarkHistory(values, this.readUnfinished(unfinished), () => this.changed());
    this.brush = { radius: Math.max(2, BRUSH_SHARE * Math.max(this.sizes[0].width, this.sizes[0].height)), isErasing: false };
    this.field = fields.find(({ name }) => name === this.unfinished?.field) ?? fields[0];
    this.pointers = [];
    this.viewer.panes.forEach((pane, index) => {
      const overlay = new Overlay(pane, index);
      this.overlays.push(overlay);
      this.pointers.push(new MarkPointer(this, overlay, (...to) => this.viewer.zoomBy(...to), (...by) => this.viewer.drag(...by)));
      pane.stage.tabIndex = 0;
      pane.stage.setAttribute("role", "application");
      pane.stage.setAttribute("aria-label", fill(this.texts.stage, { caption: pane.picture.caption }));
    });
    this.tools.show(this);
    this.viewer.arrange();
    this.redraw();
  }

  end() {
    if (!this.isOn) return;
    this.isOn = false;
    this.helpers?.end();
    for (const overlay of this.overlays) {
      overlay.pane.stage.removeAttribute("tabindex");
      overlay.pane.stage.removeAttribute("role");
      overlay.pane.stage.removeAttribute("aria-label");
      overlay.destroy();
    }
    this.overlays = [];
    this.tools.hide();
  }

  readUnfinished(sent) {
    const { field, pane, points } = sent ?? {};
    const isOne = this.fields.some(({ name }) => name === field) && [0, 1].includes(pane) && Array.isArray(points);
    const areNumbers = isOne && points.length > 0 && points.every((each) => Number.isFinite(each?.x) && Number.isFinite(each?.y));
    return areNumbers ? { field, pane, points: points.map(({ x, y }) => ({ x, y })), next: null } : null;
  }

  // State

  sizeOf(pane) {
    return this.sizes[pane];
  }

  get unfinished() {
    return this.history.now.unfinished;
  }

  /** The selected mark with its field; null if none is selected. */
  get chosen() {
    for (const field of this.fields) {
      const mark = this.history.marks(field.name).find(({ id }) => id === this.selected);
      if (mark !== undefined) return { field, mark };
    }
    return null;
  }

  colorOf(field, mark) {
    const place = field.options.findIndex(({ code }) => code === mark.label);
    if (field.shape === "correspondence") return INKS[Math.max(0, this.history.marks(field.name).findIndex(({ id }) => id === mark.id)) % INKS.length];
    return INKS[(place >= 0 ? place : this.fields.indexOf(field)) % INKS.length];
  }

  wordsOf(field, label) {
    return field.options.find(({ code }) => code === label)?.words ?? label;
  }

  /** The fault of a mark, in words; empty if it has none. */
  problemOf(field, mark) {
    if (mark.shape === "polygon" && isCrossed(mark.points)) return this.texts.crossed;
    return (field.options.length || field.free_label) && !mark.label ? this.texts.no_label : "";
  }

  /** What a field still lacks, in words; empty if it is complete. */
  lacks(field) {
    const marks = this.history.marks(field.name);
    if (this.unfinished?.field === field.name) return this.texts[field.shape === "correspondence" ? "waits_for_partner" : "is_unfinished"];
    if (marks.length < field.min_count) return fill(this.texts.too_few, { count: marks.length, least: field.min_count });
    if (marks.length > field.max_count) return fill(this.texts.too_many, { count: marks.length, most: field.max_count });
    return marks.map((mark) => this.problemOf(field, mark)).find(Boolean) ?? "";
  }

  documents(name) {
    return this.history.marks(name).map(documentOf);
  }

  /** The title of a helper; for an unavailable one, its name. */
  titleOf(name) {
    return this.helpers?.listed.find((helper) => helper.name === name)?.title ?? name;
  }

  // Changes

  preview(changes, part = null) {
    this.history.preview(changes);
    this.redraw(part ?? "lines");
  }

  commit(changes, kind = null) {
    this.history.commit(changes, kind);
  }

  revert() {
    this.history.revert();
    this.redraw();
  }

  changed() {
    if (this.chosen === null) [this.selected, this.corner] = [null, null];
    this.helpers?.hintsMayHaveChanged();
    this.hooks.changed(this);
    this.redraw();
  }

  newMark(field, points, columns = null) {
    return { id: ++latestMark, shape: field.shape, points, columns, label: this.labels[field.name], proposal: null };
  }

  addMark(field, mark, changes = {}) {
    this.select(mark.id, field, { isQuiet: true });
    this.commit({ ...this.history.with(field.name, [...this.history.marks(field.name), mark]), unfinished: null, ...changes });
    this.say(fill(this.texts.added, { what: this.nameOf(field, mark), count: this.history.marks(field.name).length, field: field.label }));
  }

  nameOf(field, mark) {
    const place = this.history.marks(field.name).findIndex(({ id }) => id === mark.id) + 1;
    const number = place || this.history.marks(field.name).length + 1;
    return [number, this.wordsOf(field, mark.label)].filter(Boolean).join(" ");
  }

  /** Whether a field has room for another mark; if not, report it. */
  hasRoom(field) {
    const isFull = this.history.marks(field.name).length >= field.max_count;
    if (isFull) this.say(fill(this.texts.full, { most: field.max_count }), true);
    return !isFull;
  }

  select(id, field = this.field, { isQuiet = false } = {}) {
    this.turnTo(field);
    if (this.selected !== id) this.corner = null;
    this.selected = id;
    this.taken = null;
    if (isQuiet) return;
    const { chosen } = this;
    if (chosen !== null) this.say(fill(this.texts.selected, { what: this.nameOf(chosen.field, chosen.mark), where: this.placeOf(chosen.mark) }));
    this.hooks.selected();
    this.redraw();
  }

  turnTo(field) {
    if (this.field === field) return;
    this.field = field;
    this.brush.isErasing = false;
    this.hinting = null;
    this.selected = this.corner = this.taken = null; // the next drawing belongs to the other field
    this.hooks.turned(field);
    this.helpers?.draw();
    this.redraw();
  }

  placeOf(mark) {
    const [x0, y0, x1, y1] = boundsOf(mark).map((number) => Math.round(number * 10) / 10);
    if (mark.shape === "point") return `${x0}, ${y0}`;
    if (mark.shape === "correspondence") return mark.points.map(({ x, y }) => `${Math.round(x)}, ${Math.round(y)}`).join(" – ");
    return `${x0}, ${y0} · ${Math.round((x1 - x0) * 10) / 10} × ${Math.round((y1 - y0) * 10) / 10}`;
  }

  remove({ field, mark } = this.chosen ?? {}) {
    if (mark === undefined) return false;
    const { corner } = this;
    const canLose = corner !== null && mark.shape in LINES && mark.points.length > (mark.shape === "polygon" ? 3 : 1) && mark.id === this.selected;
    if (canLose) {
      const points = mark.points.filter((_, place) => place !== corner);
      this.corner = Math.min(corner, points.length - 1);
      this.commit(this.history.withMark(field.name, changed(mark, { points })));
      this.say(this.texts.corner_removed);
      return true;
    }
    const name = this.nameOf(field, mark);
    this.commit(this.history.with(field.name, this.history.marks(field.name).filter(({ id }) => id !== mark.id)));
    this.say(fill(this.texts.removed, { what: name }));
    return true;
  }

  /** Give a label to the selected mark, or to the next one if none is selected. */
  label(code, field = this.field) {
    this.turnTo(field);
    this.labels[field.name] = code;
    const { chosen } = this;
    if (chosen !== null && chosen.field === field && chosen.mark.label !== code) this.commit(this.history.withMark(field.name, changed(chosen.mark, { label: code })), `label ${chosen.mark.id}`);
    else this.hooks.selected();
    this.say(fill(this.texts.labelled, { label: this.wordsOf(field, code) }));
    this.redraw();
    return true;
  }

  nextLabel() {
    const { options, name } = this.field;
    if (!options.length) return this.hooks.writeLabel(this.field);
    const now = this.chosen?.field === this.field ? this.chosen.mark.label : this.labels[name];
    return this.label(options[(options.findIndex(({ code }) => code === now) + 1) % options.length].code);
  }

  undo() {
    this.cancelGestures();
    const isDone = this.history.undo();
    this.say(this.texts[isDone ? "undone" : "nothing_undone"]);
    return true;
  }

  redo() {
    this.cancelGestures();
    const isDone = this.history.redo();
    this.say(this.texts[isDone ? "redone" : "nothing_redone"]);
    return true;
  }

  cancelGestures() {
    for (const pointer of this.pointers) pointer.cancel();
    this.pen = null;
    this.history.revert();
  }

  /** End an outline or a row of points. */
  finish() {
    const { unfinished, field } = this;
    if (unfinished === null || unfinished.field !== field.name || !(field.shape in LINES)) return false;
    const points = unfinished.points.filter((point, i, all) => i === 0 || point.x !== all[i - 1].x || point.y !== all[i - 1].y);
    if (points.length < (field.shape === "polygon" ? 3 : 1)) {
      this.say(this.texts.three_corners, true);
      return true;
    }
    this.addMark(field, this.newMark(field, points));
    return true;
  }

  /** Leave the current activities one by one. */
  escape() {
    if (this.pen !== null) {
      this.pen = null;
      this.revert();
    } else if (this.unfinished !== null) this.commit({ unfinished: null });
    else if (this.isArmed) this.isArmed = false;
    else if (this.hinting !== null) this.hint(this.hinting);
    else if (this.cross !== null) this.keys.setCross(null);
    else if (this.selected !== null) this.select(null, this.field);
    else return false;
    this.redraw();
    return true;
  }

  // Pointers

  /** Show the place of a gesture in the loupe. */
  follow(gesture, overlay, point, { isTouch }) {
    this.hovered = { pane: overlay.index, point, isTouch };
    const isPlacing = gesture !== null && this.field.shape !== "mask" && !(gesture instanceof HintStroke);
    if (isPlacing || this.hasLoupe) this.look(overlay, gesture?.at ?? point, isTouch, isTouch || this.hasLoupe);
    if (gesture === null) this.redraw("pointer"); // otherwise the gesture has drawn it
  }

  look(overlay, point, isTouch, isWanted) {
    if (!isWanted) return overlay.loupe.hide();
    overlay.loupe.show(point, overlay.toStage(point), overlay.place, { isTouch, color: cssColor(INKS[this.fields.indexOf(this.field) % INKS.length]) });
  }

  hover(where) {
    this.hovered = where;
    for (const overlay of this.overlays) {
      if (where?.pane === overlay.index && this.hasLoupe) this.look(overlay, where.point, false, true);
      else if (this.cross === null) overlay.loupe.hide();
    }
    if (this.isWaitingToDraw) return;
    this.isWaitingToDraw = true;
    requestAnimationFrame(() => {
      this.isWaitingToDraw = false;
      this.redraw("pointer");
    });
  }

  released(overlay) {
    if (this.hovered?.isTouch) this.hovered = null;
    if (!this.hasLoupe || this.hovered === null) overlay.loupe.hide();
    this.redraw("lines");
  }

  get isPanning() {
    return this.isHand || this.isSpaceHeld;
  }

  holdSpace(isHeld) {
    this.isSpaceHeld = isHeld;
    for (const { pane } of this.overlays) pane.stage.classList.toggle("panning", this.isPanning);
  }

  setHand(isHand) {
    this.isHand = isHand;
    this.holdSpace(false);
    this.tools.draw();
  }

  setLoupe(hasLoupe) {
    this.hasLoupe = hasLoupe;
    writeLoupe(hasLoupe);
    if (!hasLoupe) for (const { loupe } of this.overlays) loupe.hide();
    this.redraw("lines");
  }

  setBrush(changes) {
    const most = Math.max(this.sizes[0].width, this.sizes[0].height) / 4;
    Object.assign(this.brush, changes);
    this.brush.radius = Math.min(most, Math.max(0.5, this.brush.radius));
    this.tools.draw();
    this.redraw("lines");
  }

  arm() {
    this.select(null, this.field, { isQuiet: true });
    this.isArmed = true;
    this.hooks.selected();
    this.say(this.texts.armed);
    this.redraw();
  }

  /** Draw hints of a kind for helpers with the next presses; if such hints are already active, return to marks. */
  hint(kind) {
    if (!this.helpers?.hintKinds.includes(kind)) return false;
    this.hinting = this.hinting === kind ? null : kind;
    this.isArmed = false;
    this.say(this.texts[this.hinting === null ? "hints_off" : `hint_${kind}_hint`]);
    this.redraw();
    return true;
  }

  // Drawing

  redraw(part = null) {
    if (!this.isOn || this.viewer.panes.some((pane) => pane.scale === undefined)) return;
    let shown;
    for (const overlay of this.overlays) {
      overlay.follow(this.viewer.view);
      if (part !== "pointer") shown ??= this.shownOn();
      overlay.draw(shown, this.over(overlay), part);
    }
    if (part === null) this.tools.draw();
  }

  shownOn() {
    const own = this.fields.flatMap((field) => this.history.marks(field.name).map((mark) => ({
      mark, color: this.colorOf(field, mark), dash: this.problemOf(field, mark) ? "5 3" : "none", name: this.nameOf(field, mark), isSelected: mark.id === this.selected, turn: 1,
    })));
    const others = this.others.takeable.map(({ layer: { color, dash, turn: slope, name, helper }, field, mark }) => ({
      mark, color, dash, name: (helper !== null && this.wordsOf(field, mark.label)) || name, isSelected: mark.id === this.taken, turn: slope,
    }));
    return [...others, ...own].sort((a, b) => a.isSelected - b.isSelected);
  }

  over(overlay) {
    const { unfinished, cross, field } = this;
    const at = this.hovered?.pane === overlay.index ? this.hovered.point : null;
    const next = cross?.pane === overlay.index ? cross : at;
    const isPainting = field.shape === "mask" && this.hinting === null;
    let drawn = null;
    if (unfinished !== null) {
      const shape = this.fields.find(({ name }) => name === unfinished.field).shape;
      const number = String(this.history.marks(unfinished.field).length + 1);
      const isLine = shape === "polygon" || shape === "points" || shape === "box";
      drawn = {
        ...unfinished, shape, number, color: INKS[this.fields.findIndex(({ name }) => name === unfinished.field) % INKS.length],
        next: unfinished.next ?? (isLine && next !== null ? next : null), waits: fill(this.texts.partner_here, { number }),
      };
    }
    return {
      unfinished: drawn, corner: this.corner, cross: cross?.pane === overlay.index ? cross : null,
      hints: overlay.index === 0 ? hintsOf(this, field) : null,
      ring: isPainting && next !== null && overlay.index === 0 && !this.isPanning ? { point: next, radius: this.brush.radius, isErasing: this.brush.isErasing } : null,
    };
  }

  /** Announce a message to screen readers, and write it on the card if requested. */
  say(words, isUrgent = false) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      this.spoken.textContent = words;
    }, SPOKEN_MS);
    this.hooks.said(words, isUrgent);
  }
}

/** A list with the mark of a document, or an empty list for an invalid one; a draft may hold anything. */
function readMark(document) {
  try {
    return [markOf(document)];
  } catch {
    return [];
  }
}

function readLoupe() {
  try {
    return sessionStorage.getItem(LOUPE_CHOICE) === "on";
  } catch {
    return false;
  }
}

function writeLoupe(isOn) {
  try {
    sessionStorage.setItem(LOUPE_CHOICE, isOn ? "on" : "off");
  } catch {
    // The choice then lasts as long as the page.
  }
}
