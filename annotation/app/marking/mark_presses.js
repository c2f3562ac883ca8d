// The gestures that a press on a picture begins: a mark, a corner of one, a stroke of the brush, or a hint for a
// helper.

class MarkPresses {
  constructor(marking) {
    this.marking = marking;
  }

  /** The gesture that a press begins; null if it begins none. */
  begin(pane, point, { reach, isForced }) {
    const { marking } = this;
    if (marking.hooks.isLocked()) return null;
    const { field } = marking;
    if (!marking.hooks.isOffered(field)) {
      marking.say(fill(marking.texts.not_offered, { field: field.label }), true);
      return null;
    }
    marking.hooks.turned(field);
    const isNewForced = isForced || marking.isArmed;
    marking.isArmed = false;
    if (pane !== 0 && (field.shape !== "correspondence" || marking.hinting !== null)) {
      marking.say(marking.texts.first_picture, true);
      return null;
    }
    if (marking.hinting !== null) return beginHint(marking, field, point);
    if (field.shape === "mask") return this.paint(pane, point, isNewForced);
    const { unfinished } = marking;
    if (unfinished !== null && unfinished.field === field.name) return this.goOn(pane, point, reach);
    const hit = isNewForced ? null : this.hitAt(pane, point, reach);
    const isOwnPart = hit !== null && (hit.part !== "inside" || hit.field.shape === "mask");
    if (isOwnPart) return this.hold(hit, pane, point);
    if (hit === null && marking.others.takeAt(pane, point, reach)) return null;
    if (hit !== null && field.shape !== "box") return new Choose(marking, hit.field, hit.mark);
    if (!marking.hasRoom(field)) return hit === null ? null : new Choose(marking, hit.field, hit.mark);
    if (field.shape === "box") return new BoxDraw(marking, field, { pane, point, inside: hit?.mark ?? null });
    if (field.shape === "point") {
      const mark = marking.newMark(field, [within(point, marking.sizeOf(pane))]);
      marking.select(mark.id, field, { isQuiet: true });
      marking.preview(marking.history.with(field.name, [...marking.history.marks(field.name), mark]));
      return new Drag(marking, field, mark, { pane, point, index: 0, isNew: true });
    }
    if (field.shape === "correspondence") return new PairAdd(marking, field, { pane, point, partner: null });
    marking.select(null, field, { isQuiet: true });
    return new PointAdd(marking, field, { pane, point, before: [] });
  }

  /** A press during an unfinished mark: its next point, or its end. */
  goOn(pane, point, reach) {
    const { marking } = this;
    const { field, unfinished } = marking;
    if (field.shape === "box") return new BoxDraw(marking, field, { pane, point, from: unfinished.points[0] });
    if (field.shape === "correspondence") {
      return new PairAdd(marking, field, { pane, point, partner: unfinished.pane === pane ? null : unfinished.points[0] });
    }
    if (field.shape === "polygon" && unfinished.points.length > 2 && distance(unfinished.points[0], point) <= reach) {
      marking.finish();
      return null;
    }
    return new PointAdd(marking, field, { pane, point, before: unfinished.points });
  }

  /** A press on a mark: move its corner, add a corner on its side, or move it as a whole. */
  hold({ field, mark, part, index }, pane, point) {
    const { marking } = this;
    const isSelected = mark.id === marking.selected;
    if (part === "handle" && (isSelected || mark.shape !== "box")) {
      marking.corner = mark.shape in LINES ? index : null;
      return new Drag(marking, field, mark, { pane, point, index: mark.shape === "correspondence" ? pane : index });
    }
    if (part === "side" && isSelected && mark.shape in LINES) {
      const at = within(point, marking.sizeOf(pane));
      const points = [...mark.points.slice(0, index + 1), at, ...mark.points.slice(index + 1)];
      const more = changed(mark, { points });
      marking.preview(marking.history.withMark(field.name, more));
      marking.corner = index + 1;
      return new Drag(marking, field, more, { pane, point, index: index + 1, isNew: true });
    }
    return new Drag(marking, field, mark, { pane, point });
  }

  paint(pane, point, isForced) {
    const { marking } = this;
    const { field } = marking;
    const chosen = !isForced && marking.chosen?.field === field ? marking.chosen.mark : null;
    const under = marking.history.marks(field.name).find(({ columns }) => columns.has(point));
    if (marking.brush.isErasing) {
      const mark = chosen ?? under;
      if (mark === undefined || mark === null) {
        marking.say(marking.texts.nothing_to_erase, true);
        return null;
      }
      return new Stroke(marking, field, mark, { pane, point, isNew: false });
    }
    if (chosen !== null) return new Stroke(marking, field, chosen, { pane, point, isNew: false });
    if (!marking.hasRoom(field)) return null;
    const { width, height } = marking.sizeOf(0);
    const mark = marking.newMark(field, [], MaskColumns.empty(width, height));
    marking.select(mark.id, field, { isQuiet: true });
    return new Stroke(marking, field, mark, { pane, point, isNew: true });
  }

  /** The mark of the field at a point: the selected one first, then handles and sides, then the smallest around it. */
  hitAt(pane, point, reach) {
    const { marking } = this;
    const { field } = marking;
    const hits = marking.history.marks(field.name).map((mark) => ({ field, mark, ...hitOf(mark, pane, point, reach) })).filter(({ part }) => part !== undefined);
    const rank = ({ part, mark }) => ["handle", "side", "inside"].indexOf(part) * 2 + (mark.id === marking.selected ? 0 : 1);
    const size = ({ mark }) => {
      const [x0, y0, x1, y1] = boundsOf(mark);
      return (x1 - x0) * (y1 - y0);
    };
    return hits.sort((a, b) => rank(a) - rank(b) || (a.far ?? 0) - (b.far ?? 0) || size(a) - size(b))[0] ?? null;
  }
}
