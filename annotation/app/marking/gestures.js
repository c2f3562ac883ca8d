// The gestures from a press on the picture to its release: move a corner, draw a box, paint a mask. They follow a
// mouse, a finger, and the crosshair that keys move.

/** A handle, or a whole mark, that follows the pointer. */
class Drag {
  constructor(marking, field, mark, { pane, point, index = null, isNew = false }) {
    Object.assign(this, { marking, field, mark, pane, start: point, index, isNew, now: mark });
    const handle = index === null ? null : handlesOf(mark, pane).find((each) => each.index === index);
    this.offset = handle === null ? { x: 0, y: 0 } : { x: handle.x - point.x, y: handle.y - point.y };
  }

  move(points) {
    const { x, y } = points.at(-1);
    const size = this.marking.sizeOf(this.pane);
    this.now = this.index === null
      ? movedBy(this.mark, x - this.start.x, y - this.start.y, size, this.pane)
      : withHandle(this.mark, this.index, within({ x: x + this.offset.x, y: y + this.offset.y }, size));
    this.marking.preview(this.marking.history.withMark(this.field.name, this.now));
  }

  release(isClick) {
    const { marking, field } = this;
    marking.select(this.mark.id, field);
    if ((isClick && !this.isNew) || !isSound(this.now)) return marking.revert();
    marking.commit(marking.history.withMark(field.name, this.now));
  }

  /** The point that the loupe shows. */
  get at() {
    if (this.index === null) return null;
    return handlesOf(this.now, this.pane).find((each) => each.index === this.index) ?? null;
  }
}

/** A box between two points: drawn in one go, or from one click to the next. */
class BoxDraw {
  constructor(marking, field, { pane, point, from = null, inside = null }) {
    const start = within(point, marking.sizeOf(pane));
    Object.assign(this, { marking, field, pane, inside, start: from ?? start, isSecond: from !== null, end: start });
  }

  move(points) {
    this.end = within(points.at(-1), this.marking.sizeOf(this.pane));
    this.marking.preview({ unfinished: { field: this.field.name, pane: this.pane, points: [this.start], next: this.end } });
  }

  release(isClick) {
    const { marking, field } = this;
    if (isClick && !this.isSecond && this.inside !== null) {
      marking.revert();
      marking.select(this.inside.id, field);
      return;
    }
    if (isClick && !this.isSecond) {
      marking.commit({ unfinished: { field: field.name, pane: this.pane, points: [this.start], next: null } });
      return;
    }
    const mark = marking.newMark(field, boxOf(this.start, this.end));
    if (isSound(mark)) marking.addMark(field, mark);
    else marking.commit({ unfinished: null });
  }

  get at() {
    return this.end;
  }
}

/** Another point of an outline or a row of points; it follows the pointer until its release. */
class PointAdd {
  constructor(marking, field, { pane, point, before }) {
    Object.assign(this, { marking, field, pane, before, end: within(point, marking.sizeOf(pane)) });
    this.move([point]);
  }

  move(points) {
    this.end = within(points.at(-1), this.marking.sizeOf(this.pane));
    this.marking.preview({ unfinished: { field: this.field.name, pane: this.pane, points: [...this.before, this.end], next: null } });
  }

  release() {
    this.marking.commit({ unfinished: { field: this.field.name, pane: this.pane, points: [...this.before, this.end], next: null } });
  }

  get at() {
    return this.end;
  }
}

/** One point of a correspondence; a partner in the other picture completes it. */
class PairAdd extends PointAdd {
  constructor(marking, field, { pane, point, partner }) {
    super(marking, field, { pane, point, before: [] });
    this.partner = partner;
  }

  move(points) {
    this.end = within(points.at(-1), this.marking.sizeOf(this.pane));
    if (this.partner === undefined || this.partner === null) {
      super.move(points);
      return;
    }
    this.marking.preview({ unfinished: { field: this.field.name, pane: this.pane, points: [this.end], next: null, partner: this.partner } });
  }

  release() {
    if (this.partner === null) {
      super.release();
      return;
    }
    const points = this.pane === 1 ? [this.partner, this.end] : [this.end, this.partner];
    this.marking.addMark(this.field, this.marking.newMark(this.field, points));
  }
}

/** A stroke of the brush, on one mask. */
class Stroke {
  constructor(marking, field, mark, { pane, point, isNew }) {
    Object.assign(this, { marking, field, mark, pane, isNew, last: point });
    this.columns = mark.columns;
    this.move([point]);
  }

  move(points) {
    const { marking: { brush } } = this;
    const part = [Infinity, Infinity, -Infinity, -Infinity];
    for (const point of points) {
      this.columns = this.columns.painted(this.last, point, brush.radius, brush.isErasing);
      const [across, down] = [[this.last.x, point.x], [this.last.y, point.y]];
      part[0] = Math.min(part[0], ...across) ;
      part[1] = Math.min(part[1], ...down);
      part[2] = Math.max(part[2], ...across);
      part[3] = Math.max(part[3], ...down);
      this.last = point;
    }
    const reach = brush.radius + 1;
    this.now = changed(this.mark, { columns: this.columns });
    const { marking, field } = this;
    const changes = this.isNew ? marking.history.with(field.name, [...this.others(), this.now]) : marking.history.withMark(field.name, this.now);
    marking.preview(changes, [part[0] - reach, part[1] - reach, part[2] + reach, part[3] + reach]);
  }

  others() {
    return this.marking.history.marks(this.field.name).filter((mark) => mark.id !== this.mark.id);
  }

  release() {
    const { marking, field } = this;
    if (this.now.columns.isEmpty) {
      if (this.isNew) return marking.revert();
      marking.select(null, field);
      marking.commit(marking.history.with(field.name, this.others()));
      return;
    }
    marking.select(this.mark.id, field);
    marking.commit({ values: marking.history.now.values });
  }

  get at() {
    return null; // the brush's ring shows its place
  }
}

/** A press that moves nothing: a click selects. */
class Choose {
  constructor(marking, field, mark) {
    Object.assign(this, { marking, field, mark, at: null });
  }

  move() {}

  release() {
    this.marking.select(this.mark.id, this.field);
  }
}

/** Whether a mark is valid: a box has an area, other marks have their points. */
function isSound(mark) {
  if (mark.shape !== "box") return true;
  const [{ x: x0, y: y0 }, { x: x1, y: y1 }] = mark.points;
  return x0 < x1 && y0 < y1;
}
