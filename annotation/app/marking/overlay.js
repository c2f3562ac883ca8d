// The overlay of one picture during marking: ink of masks, lines, handles, the crosshair. It has the size of the stage
// and is redrawn when the picture moves, so lines and handles keep their size on the screen.

const SVG = "http://www.w3.org/2000/svg";
const MOST_HANDLES = 400;
const HANDLE_PX = 6;
const APART_PX = 10; // handles closer than this to the last shown one are left out

function svg(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

const cssColor = (color) => `rgb(${color.join(" ")})`;

class Overlay {
  constructor(pane, index) {
    Object.assign(this, { pane, index });
    pane.stage.classList.add("drawing");
    this.element = make("div", "marking-layer", pane.stage);
    this.ink = new Ink(this.element);
    this.svg = svg("svg", { class: "lines", "aria-hidden": "true" }, this.element);
    this.still = svg("g", {}, this.svg); // marks
    this.hinted = svg("g", {}, this.svg); // hints for helpers
    this.moving = svg("g", {}, this.svg); // parts that follow the pointer
    // The loupe shows the place of the crosshair.
    this.loupe = new Loupe(this.element, pane);
  }

  /** Follow the picture on the stage: `left` and `top` of its corner, and `scale`, CSS pixels per picture pixel. */
  follow(view) {
    const { pane } = this;
    const scale = pane.scale * view.zoom;
    this.place = {
      scale, left: pane.stageWidth / 2 - view.x * pane.fitWidth * view.zoom, top: pane.stageHeight / 2 - view.y * pane.fitHeight * view.zoom,
    };
    this.element.style.width = `${pane.stageWidth}px`;
    this.element.style.height = `${pane.stageHeight}px`;
    this.ink.size(pane.stageWidth, pane.stageHeight);
  }

  /** The point of the picture under a point of the window; it may lie outside of the picture. */
  toPicture({ x, y }) {
    const box = this.pane.stage.getBoundingClientRect();
    return { x: (x - box.left - this.place.left) / this.place.scale, y: (y - box.top - this.place.top) / this.place.scale };
  }

  toStage({ x, y }) {
    return { x: this.place.left + x * this.place.scale, y: this.place.top + y * this.place.scale };
  }

  /**
   * Draw marks (`shown`: each with `mark`, `color`, `dash`, `name`, `isSelected`, `turn`), the unfinished mark, hints
   * and the crosshair. `part` is the changed part of the ink, null for all; "lines" if only lines changed, and
   * "pointer"
   * if only the parts that follow the pointer changed.
   */
  draw(shown, { unfinished, hints, cross, ring, corner }, part = null) {
    if (part === null || Array.isArray(part)) {
      const masks = shown.filter(({ mark }) => mark.columns !== null && this.index === 0);
      this.ink.draw(masks.map(({ mark, color, isSelected, turn: slope }) => ({ columns: mark.columns, color, isStrong: isSelected, turn: slope })), this.place, part);
    }
    if (part === null || part === "lines") {
      this.still.replaceChildren();
      for (const each of shown) this.drawMark(each, corner);
      if (hints !== null) drawHints(this.hinted, hints, (point) => this.toStage(point));
    }
    this.moving.replaceChildren();
    if (unfinished !== null) this.drawUnfinished(unfinished);
    if (ring !== null) this.drawRing(ring);
    if (cross !== null) this.drawCross(cross);
  }

  drawMark({ mark, color, dash, name, isSelected }, corner) {
    if (mark.shape === "mask") {
      if (this.index === 0 && name) this.drawName(name, mark.columns.bounds, color);
      return;
    }
    if (mark.shape !== "correspondence" && this.index !== 0) return;
    const group = svg("g", { class: isSelected ? "mark selected" : "mark" }, this.still);
    const paint = (path) => {
      svg("path", { d: path, class: "halo" }, group);
      svg("path", { d: path, class: "line", stroke: cssColor(color), "stroke-dasharray": dash }, group);
    };
    const corners = mark.shape === "box" ? cornersOfBox(mark.points) : mark.points;
    const at = corners.map((point) => this.toStage(point));
    if (mark.shape === "box" || mark.shape === "polygon") paint(`M${at.map(({ x, y }) => `${x} ${y}`).join("L")}Z`);
    else if (mark.shape === "points") paint(`M${at.map(({ x, y }) => `${x} ${y}`).join("L")}`);
    const dots = mark.shape === "correspondence" ? [at[this.index]] : mark.shape === "point" || mark.shape === "points" ? at : [];
    dots.forEach((dot, i) => this.drawDot(group, dot, color, dash, mark.shape === "points" ? String(i + 1) : ""));
    if (name) this.drawName(name, boundsOf(mark, this.index), color, dots.length > 0);
    if (isSelected && !["point", "correspondence"].includes(mark.shape)) this.drawHandles(group, mark, color, corner);
  }

  /** Draw a point as a ring with an open center, so that its target stays visible. */
  drawDot(group, { x, y }, color, dash, number) {
    const ring = (radius, name, rest) => svg("circle", { cx: x, cy: y, r: radius, class: name, ...rest }, group);
    ring(8, "halo");
    ring(8, "line", { stroke: cssColor(color), "stroke-dasharray": dash });
    ring(1.5, "middle", { fill: cssColor(color) });
    if (number) this.text(number, x + 11, y + 15, group);
  }

  drawHandles(group, mark, color, corner) {
    let last = null;
    let count = 0;
    for (const handle of handlesOf(mark, this.index)) {
      const at = this.toStage(handle);
      const isOut = at.x < -9 || at.y < -9 || at.x > this.pane.stageWidth + 9 || at.y > this.pane.stageHeight + 9;
      const isActive = handle.index === corner;
      if (isOut || (!isActive && last !== null && distance(last, at) < APART_PX) || count > MOST_HANDLES) continue;
      last = at;
      count += 1;
      const size = isActive ? HANDLE_PX + 2 : HANDLE_PX;
      svg("rect", {
        x: at.x - size, y: at.y - size, width: 2 * size, height: 2 * size, rx: mark.shape === "box" ? 1 : size,
        class: isActive ? "grip active" : "grip", stroke: cssColor(color),
      }, group);
    }
  }

  drawName(name, bounds, color, isPoint = false) {
    if (bounds === null || bounds === undefined) return;
    const at = this.toStage({ x: bounds[0], y: bounds[1] });
    const x = Math.max(3, Math.min(this.pane.stageWidth - 30, at.x + (isPoint ? 12 : 2)));
    const y = Math.max(13, Math.min(this.pane.stageHeight - 4, at.y + (isPoint ? -6 : -5)));
    svg("rect", { x: x - 2, y: y - 9, width: 5, height: 10, fill: cssColor(color), class: "swatch-in" }, this.still);
    this.text(name, x + 6, y, this.still);
  }

  text(words, x, y, parent) {
    const text = svg("text", { x, y, class: "name" }, parent);
    text.textContent = words;
  }

  /** Draw the placed points of an unfinished mark, and the line to the possible next one. */
  drawUnfinished({ shape, pane, points, next, color, number, waits }) {
    if (pane !== this.index && shape === "correspondence") {
      // The annotator looks for its partner in this picture.
      this.text(waits, 10, 20, this.moving);
      return;
    }
    if (pane !== this.index) return;
    const group = svg("g", { class: "mark" }, this.moving);
    const at = points.map((point) => this.toStage(point));
    const ahead = next === null ? [] : [this.toStage(next)];
    const path = shape === "box" && ahead.length
      ? `M${at[0].x} ${at[0].y}H${ahead[0].x}V${ahead[0].y}H${at[0].x}Z`
      : `M${[...at, ...ahead].map(({ x, y }) => `${x} ${y}`).join("L")}`;
    svg("path", { d: path, class: "halo" }, group);
    svg("path", { d: path, class: "line", stroke: cssColor(color) }, group);
    if (shape === "correspondence") this.drawDot(group, at[0], color, "3 3", number);
    else at.forEach(({ x, y }, i) => svg("circle", { cx: x, cy: y, r: i === 0 ? 7 : 5, class: "grip", stroke: cssColor(color) }, group));
  }

  drawRing({ point, radius, isErasing }) {
    const { x, y } = this.toStage(point);
    const r = Math.max(1, radius * this.place.scale);
    svg("circle", { cx: x, cy: y, r, class: "halo" }, this.moving);
    svg("circle", { cx: x, cy: y, r, class: "line ring", "stroke-dasharray": isErasing ? "4 4" : "none" }, this.moving);
  }

  drawCross({ x: px, y: py }) {
    const { x, y } = this.toStage({ x: px, y: py });
    const path = `M${x - 22} ${y}H${x - 4}M${x + 4} ${y}H${x + 22}M${x} ${y - 22}V${y - 4}M${x} ${y + 4}V${y + 22}`;
    svg("path", { d: path, class: "cross-halo" }, this.moving);
    svg("path", { d: path, class: "cross" }, this.moving);
  }

  destroy() {
    this.pane.stage.classList.remove("drawing");
    this.element.remove();
  }
}
