// All drawing by keyboard: a crosshair that arrows move, the space bar as mouse button, and keys for corners, labels,
// brush and eraser. None of them is a key for decisions.

const EDGE_PX = 40; // smallest distance of the crosshair from the edge of the visible part
const STRIDE = 0.1; // of the visible part: a step with the control key
const BRUSH_STEP = 1.25;
const CROSS_REACH_PX = 10;
const SIGN_KEYS = { BracketLeft: "[", BracketRight: "]", Comma: ",", Period: "." }; // letters in other scripts
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const NOT_OURS = "button, summary, a, select, input, textarea, dialog, [role=slider], [role=listbox]";

class MarkKeys {
  constructor(marking) {
    this.marking = marking;
    this.actions = {
      k: () => this.setCross(marking.cross === null ? undefined : null), q: () => marking.arm(),
      e: () => this.brush(() => marking.setBrush({ isErasing: !marking.brush.isErasing })),
      "[": () => this.brush(() => marking.setBrush({ radius: marking.brush.radius / BRUSH_STEP })),
      "]": () => this.brush(() => marking.setBrush({ radius: marking.brush.radius * BRUSH_STEP })),
      l: () => marking.nextLabel(), b: () => marking.setLoupe(!marking.hasLoupe),
      a: () => this.turnCorner(1), A: () => this.turnCorner(-1), i: () => this.addCorner(),
      d: () => this.remove(), Delete: () => this.remove(), Backspace: () => this.remove(),
      h: () => marking.helpers?.askFirst() ?? false,
      ".": () => this.turnMark(1), ",": () => this.turnMark(-1), j: () => marking.others.take(),
      p: () => marking.hint("inside"), r: () => marking.hint("outside"), c: () => marking.hint("around"),
    };
  }

  press(event) {
    const { marking } = this;
    const target = event.composedPath()[0];
    const isIn = (selector) => event.composedPath().some((each) => each instanceof Element && each.matches(selector));
    if (event.isComposing || isWriting(event) || isIn("dialog") || marking.hooks.isLocked()) return;
    const isSpent = this.act(event, target instanceof Element && target.closest(NOT_OURS) !== null);
    if (isSpent === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Carry out a key; return false for any other key. */
  act(event, isOnControl) {
    const { marking } = this;
    const key = SIGN_KEYS[event.code] !== undefined && !event.shiftKey && isCharacter(event.key) && event.key > "~" ? SIGN_KEYS[event.code] : pressedKey(event);
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && !event.altKey && key.toLowerCase() === "z") return event.shiftKey ? marking.redo() : marking.undo();
    if (isCommand && !event.altKey && key.toLowerCase() === "y") return marking.redo();
    if (Object.hasOwn(STEPS, key) && !event.altKey && !event.metaKey) return !isOnControl && this.step(STEPS[key], event);
    if (isCommand || event.altKey) return false;
    if (key === " ") return !isOnControl && this.space(event);
    if (key === "Enter") return marking.finish();
    if (key === "Escape") return marking.escape();
    if (!event.shiftKey && key.length === 1 && marking.hooks.isReserved(key.toUpperCase())) return false; // an option's letter
    const lower = key.toLowerCase(); // Caps Lock changes nothing: only Shift does
    const name = event.shiftKey ? (lower === "a" ? "A" : lower) : key.length === 1 ? lower : key;
    if (!Object.hasOwn(this.actions, name)) return false;
    return this.actions[name]() ?? true;
  }

  brush(change) {
    if (this.marking.field.shape !== "mask") return false;
    change();
    const { radius, isErasing } = this.marking.brush;
    this.marking.say(fill(this.marking.texts[isErasing ? "eraser_of" : "brush_of"], { size: Math.round(2 * radius) }));
    return true;
  }

  /** Place the crosshair, by default in the middle of the visible part; null removes it. */
  setCross(cross) {
    const { marking } = this;
    if (marking.pen !== null) this.lift();
    if (cross === undefined) {
      const pane = marking.unfinished !== null && marking.field.shape === "correspondence" ? 1 - marking.unfinished.pane : 0;
      const { place, pane: { stageWidth, stageHeight } } = marking.overlays[pane];
      const { width, height } = marking.sizeOf(pane);
      const middleOf = (length, start, side) => Math.floor(Math.min(side - 1, Math.max(0, (length / 2 - start) / place.scale))) + 0.5;
      cross = { pane, x: middleOf(stageWidth, place.left, width), y: middleOf(stageHeight, place.top, height) };
    }
    marking.cross = cross;
    if (cross !== null) this.showCross();
    else for (const { loupe } of marking.overlays) loupe.hide();
    marking.say(cross === null ? marking.texts.cross_off : fill(marking.texts.cross_on, cross));
    marking.redraw();
    return true;
  }

  /** Follow the crosshair with the loupe, and with the picture if the crosshair leaves the visible part. */
  showCross() {
    const { marking } = this;
    const { cross } = marking;
    const overlay = marking.overlays[cross.pane];
    const { pane } = overlay;
    const at = overlay.toStage(cross);
    const over = (value, most) => (value < EDGE_PX ? EDGE_PX - value : value > most - EDGE_PX ? most - EDGE_PX - value : 0);
    const [dx, dy] = [over(at.x, pane.stageWidth), over(at.y, pane.stageHeight)];
    if (marking.viewer.view.zoomed && (dx || dy)) marking.viewer.drag(pane, dx, dy, at);
    for (const other of marking.overlays) if (other !== overlay) other.loupe.hide();
    marking.look(overlay, cross, false, true);
    marking.redraw("pointer");
  }

  step([dx, dy], { shiftKey, ctrlKey }) {
    const { marking } = this;
    if (marking.cross !== null) return this.stepCross(dx, dy, { shiftKey, ctrlKey });
    const { chosen, corner } = marking;
    if (chosen === null || ctrlKey || chosen.mark.columns !== null) return false;
    const size = marking.sizeOf(0);
    const step = shiftKey ? 10 : 1;
    const handle = corner === null ? null : handlesOf(chosen.mark, 0).find(({ index }) => index === corner);
    const moved = handle
      ? withHandle(chosen.mark, corner, within({ x: handle.x + dx * step, y: handle.y + dy * step }, size))
      : movedBy(chosen.mark, dx * step, dy * step, size, 0);
    if (!isSound(moved)) return true;
    marking.commit(marking.history.withMark(chosen.field.name, moved), `nudge ${moved.id} ${corner}`);
    marking.say(marking.placeOf(moved));
    return true;
  }

  stepCross(dx, dy, { shiftKey, ctrlKey }) {
    const { marking } = this;
    const { cross } = marking;
    const { pane, place } = marking.overlays[cross.pane];
    const step = shiftKey ? 10 : ctrlKey ? Math.max(1, Math.round((STRIDE * Math.min(pane.stageWidth, pane.stageHeight)) / place.scale)) : 1;
    marking.cross = { ...cross, ...within({ x: cross.x + dx * step, y: cross.y + dy * step }, marking.sizeOf(cross.pane)) };
    marking.pen?.move([marking.cross]);
    this.showCross();
    marking.say(fill(marking.texts.cross_at, { x: Math.floor(marking.cross.x), y: Math.floor(marking.cross.y) }));
    return true;
  }

  /** Press at the crosshair; without one, the space bar lets the mouse move the picture. */
  space(event) {
    const { marking } = this;
    if (marking.cross === null) {
      if (!event.repeat) marking.holdSpace(true);
      return true;
    }
    if (event.repeat) return true;
    if (marking.pen !== null) return this.lift();
    const { cross } = marking;
    const reach = CROSS_REACH_PX / marking.overlays[cross.pane].place.scale;
    const gesture = marking.presses.begin(cross.pane, cross, { reach, isForced: false });
    if (gesture === null) return true;
    const isDrag = gesture instanceof Drag && !gesture.isNew;
    if (isDrag || gesture instanceof Stroke || gesture instanceof HintStroke || gesture instanceof HintBox) {
      marking.pen = gesture;
      marking.say(marking.texts[isDrag ? "held" : "pen_down"]);
      return true;
    }
    gesture.release(true);
    const isHalf = marking.field.shape === "correspondence" && marking.unfinished !== null;
    if (isHalf) this.setCross(undefined); // its partner is in the other picture
    return true;
  }

  /** End the gesture that the space bar began. */
  lift() {
    const { marking } = this;
    const { pen } = marking;
    marking.pen = null;
    pen.release(false);
    marking.say(marking.texts.pen_up);
    return true;
  }

  /** Go from one corner of the selected mark to the next, and from the last to the whole mark. */
  turnCorner(step) {
    const { marking } = this;
    const { chosen } = marking;
    const count = chosen === null ? 0 : handlesOf(chosen.mark, 0).length;
    if (count < 2 || chosen.mark.shape === "correspondence") return false;
    if (marking.cross !== null) this.setCross(null);
    const next = (marking.corner ?? (step > 0 ? -1 : count)) + step;
    marking.corner = next < 0 || next >= count ? null : next;
    const handle = handlesOf(chosen.mark, 0)[marking.corner];
    marking.say(handle === undefined ? marking.texts.whole : fill(marking.texts.corner_at, { number: marking.corner + 1, count, x: Math.round(handle.x), y: Math.round(handle.y) }));
    marking.redraw("lines");
    return true;
  }

  /** Add a corner after the present one, halfway to the next. */
  addCorner() {
    const { marking } = this;
    const { chosen, corner } = marking;
    if (chosen === null || !(chosen.mark.shape in LINES) || chosen.mark.points.length < 2) return false;
    const { field, mark } = chosen;
    const at = corner ?? 0;
    const next = mark.points[(at + 1) % mark.points.length];
    const half = within({ x: (mark.points[at].x + next.x) / 2, y: (mark.points[at].y + next.y) / 2 }, marking.sizeOf(0));
    const points = [...mark.points.slice(0, at + 1), half, ...mark.points.slice(at + 1)];
    marking.corner = at + 1;
    marking.commit(marking.history.withMark(field.name, changed(mark, { points })));
    marking.say(fill(marking.texts.corner_added, { number: at + 2, count: points.length }));
    return true;
  }

  remove() {
    const { marking } = this;
    if (marking.taken !== null) return marking.others.reject();
    if (marking.unfinished !== null) {
      const { points } = marking.unfinished;
      marking.commit({ unfinished: points.length > 1 ? { ...marking.unfinished, points: points.slice(0, -1) } : null });
      return true;
    }
    return marking.remove();
  }

  /** Go from one mark to the next, and on to others' marks. */
  turnMark(step) {
    const { marking } = this;
    const own = marking.fields.flatMap((field) => marking.history.marks(field.name).map((mark) => ({ id: mark.id, field })));
    const all = [...own, ...marking.others.takeable.map(({ mark }) => ({ id: mark.id, field: null }))];
    if (!all.length) return false;
    const now = all.findIndex(({ id }) => id === (marking.taken ?? marking.selected));
    const { id, field } = all[(now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step + all.length) % all.length];
    if (field === null) marking.others.pointAt(id);
    else marking.select(id, field);
    return true;
  }
}
