// An annotator's hints to a helper: a box around the thing, and strokes or clicks on its parts and on other parts.
// Hints
// are in the history with the marks, so undo removes each; every change of hints asks the helper again.

const HINTS = {
  inside: { key: "P", color: [0, 158, 115], dash: "none", sign: "+" },
  outside: { key: "R", color: [213, 94, 0], dash: "7 6", sign: "−" },
  around: { key: "C", color: [255, 255, 255], dash: "3 4", sign: "" },
};
const HINT_PX = 6; // width of strokes, in screen pixels
const HINT_STEP_PX = 3; // distance between points of a stroke on the screen
const [NEAR_SHARE, NEAR_WIDTHS] = [0.5, 20];
const MOST_HINTS = 200;
const MOST_HINT_POINTS = 20000; // as many as a helper takes

/** The gesture that a press begins while hints are drawn; null if the helper takes no more. */
function beginHint(marking, field, point) {
  const scale = marking.overlays[0].place.scale;
  if (marking.hinting === "around") return new HintBox(marking, field, point);
  const { strokes } = hintsOf(marking, field);
  const count = strokes.reduce((sum, { points }) => sum + points.length, 0);
  if (strokes.length < MOST_HINTS && count < MOST_HINT_POINTS) return new HintStroke(marking, field, point, scale);
  marking.say(marking.texts.most_hints, true);
  return null;
}

/** The hints for a field; none if they belong to another field. */
function hintsOf({ history }, { name }) {
  const { hints } = history.now;
  return hints !== null && hints.field === name ? hints : { field: name, box: null, width: null, strokes: [] };
}

/**
 * The box near strokes on a thing: extended by half on each side, or 20 stroke widths around a click. Without a box, a
 * helper that works from colors would find no boundary; with a tight one it would select too little.
 */
function boxNear(strokes, width, size) {
  const [x0, y0, x1, y1] = boundsOf({ shape: "points", columns: null, points: strokes.flatMap(({ points }) => points) });
  const far = Math.max(NEAR_SHARE * Math.max(x1 - x0, y1 - y0), NEAR_WIDTHS * width);
  const [from, to] = [within({ x: x0 - far, y: y0 - far }, size), within({ x: x1 + far, y: y1 + far }, size)];
  return [from.x, from.y, to.x, to.y];
}

/** A stroke on the thing or on its surroundings; a stroke of one point is a click. */
class HintStroke {
  constructor(marking, field, point, scale) {
    const hints = hintsOf(marking, field);
    const start = within(point, marking.sizeOf(0));
    const width = Math.min(hints.width ?? Infinity, HINT_PX / scale);
    const box = hints.box ?? marking.helpers.boxAround(start);
    Object.assign(this, { marking, hints: { ...hints, box, width }, kind: marking.hinting, scale, points: [start], at: null });
    this.left = MOST_HINT_POINTS - hints.strokes.reduce((sum, { points }) => sum + points.length, 1);
    this.show();
  }

  move(points) {
    for (const each of points) {
      const point = within(each, this.marking.sizeOf(0));
      if (this.left <= 0 || distance(this.points.at(-1), point) * this.scale < HINT_STEP_PX) continue;
      this.points = [...this.points, point];
      this.left -= 1;
    }
    this.show();
  }

  show() {
    this.changes = { hints: { ...this.hints, strokes: [...this.hints.strokes, { kind: this.kind, points: this.points }] } };
    this.marking.preview(this.changes);
  }

  release() {
    this.marking.commit(this.changes);
    this.marking.say(this.marking.texts[`hinted_${this.kind}`]);
  }
}

/** The box around the thing; another box replaces it. */
class HintBox {
  constructor(marking, field, point) {
    const start = within(point, marking.sizeOf(0));
    Object.assign(this, { marking, hints: hintsOf(marking, field), start, at: start, points: [start, start] });
  }

  move(points) {
    this.at = within(points.at(-1), this.marking.sizeOf(0));
    this.points = boxOf(this.start, this.at);
    this.marking.preview({ hints: { ...this.hints, box: this.box } });
  }

  get box() {
    return this.points.flatMap(({ x, y }) => [x, y]);
  }

  release() {
    const [x0, y0, x1, y1] = this.box;
    if (x1 - x0 < 1 || y1 - y0 < 1) return this.marking.revert();
    this.marking.commit({ hints: { ...this.hints, box: this.box } });
    this.marking.say(this.marking.texts.hinted_around);
  }
}

/** The buttons that choose the kind of the next strokes, and serve as the legend of existing ones. */
class HintTools {
  constructor(parent, texts, marking) {
    Object.assign(this, { marking });
    this.element = make("div", "hint-tools", parent);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", texts.hints);
    this.buttons = Object.fromEntries(Object.entries(HINTS).map(([kind, { key }]) => {
      const box = toolButton(this.element, texts, `hint_${kind}`, key, () => marking.hint(kind));
      box.prepend(hintSwatch(kind));
      return [kind, box];
    }));
    this.accept = toolButton(this.element, texts, "hint_accept", "J", () => marking.others.take());
    this.clear = toolButton(this.element, texts, "hint_clear", "", () => marking.helpers.clear());
    this.draw();
  }

  draw() {
    const { marking } = this;
    const helpers = marking.isOn ? marking.helpers : null;
    const kinds = helpers?.hintKinds ?? [];
    const anywhere = new Set(helpers ? marking.fields.flatMap((field) => helpers.hintKindsFor(field)) : []);
    this.element.hidden = !anywhere.size;
    for (const [kind, box] of Object.entries(this.buttons)) {
      box.hidden = !anywhere.has(kind); // otherwise it keeps its place, so that tools and picture do not move
      box.disabled = !kinds.includes(kind);
      box.setAttribute("aria-pressed", String(marking.hinting === kind));
    }
    this.accept.disabled = !kinds.length || marking.others.wanted === null;
    this.clear.disabled = !kinds.length || marking.history.now.hints === null;
  }
}

/** A sample of a hint on the picture. */
function hintSwatch(kind) {
  const { color, dash, sign } = HINTS[kind];
  const image = svg("svg", { class: "mark-swatch", viewBox: "0 0 34 14", "aria-hidden": "true" });
  if (kind === "around") {
    for (const rest of [{ class: "hint-box-halo" }, { class: "hint-box", stroke: cssColor(color), "stroke-dasharray": dash }]) {
      svg("path", { d: "M4 2.5H30V11.5H4Z", ...rest }, image);
    }
    return image;
  }
  svg("path", { d: "M14 7H32", class: "hint-halo" }, image);
  svg("path", { d: "M14 7H32", class: "hint", stroke: cssColor(color), "stroke-dasharray": dash }, image);
  drawSign(image, { x: 7, y: 7 }, color, sign);
  return image;
}

/** Draw the sign at the beginning of a stroke: plus or minus on a disc, distinguishable without color. */
function drawSign(parent, { x, y }, color, sign) {
  svg("circle", { cx: x, cy: y, r: 6.5, class: "hint-disc", fill: cssColor(color) }, parent);
  svg("path", { d: sign === "+" ? `M${x - 4} ${y}H${x + 4}M${x} ${y - 4}V${y + 4}` : `M${x - 4} ${y}H${x + 4}`, class: "hint-sign" }, parent);
}

/** Draw hints over a picture; `toStage` converts a point of the picture to one of the stage. */
function drawHints(parent, { box, strokes }, toStage) {
  parent.replaceChildren();
  const paint = (path, name, { color, dash }) => {
    svg("path", { d: path, class: `${name}-halo` }, parent);
    svg("path", { d: path, class: name, stroke: cssColor(color), "stroke-dasharray": dash }, parent);
  };
  if (box !== null) {
    const [a, b] = [toStage({ x: box[0], y: box[1] }), toStage({ x: box[2], y: box[3] })];
    paint(`M${a.x} ${a.y}H${b.x}V${b.y}H${a.x}Z`, "hint-box", HINTS.around);
  }
  for (const { kind, points } of strokes) {
    const at = points.map(toStage);
    if (at.length > 1) paint(`M${at.map(({ x, y }) => `${x} ${y}`).join("L")}`, "hint", HINTS[kind]);
    drawSign(parent, at[0], HINTS[kind].color, HINTS[kind].sign);
  }
}
