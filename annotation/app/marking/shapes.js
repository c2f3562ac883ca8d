// Marks on the canvas and their geometry, in pixels of the upright picture. Marks are immutable: moving one creates
// another with the same id.

const GRAIN = 1000; // coordinates have a resolution of a thousandth of a pixel, finer than any zoom can show
const LINES = { points: false, polygon: true }; // whether the last point is joined to the first

const toGrain = (number) => Math.round(number * GRAIN) / GRAIN;
let latestMark = 0;

/** A mark from its document. */
function markOf(document) {
  const { shape, points = [], mask = null, label = "", proposal = null } = document;
  return {
    id: ++latestMark, shape, points: points.map(([x, y]) => ({ x, y })), columns: mask === null ? null : MaskColumns.of(mask), label, proposal,
  };
}

/** The document of a mark; a mask's document is made once. */
function documentOf(mark) {
  if (mark.document === undefined) {
    const { shape, points, columns, label, proposal } = mark;
    const document = { shape };
    if (points.length) document.points = points.map(({ x, y }) => [x, y]);
    if (columns !== null) document.mask = columns.toRuns();
    if (label) document.label = label;
    if (proposal !== null) document.proposal = proposal;
    Object.defineProperty(mark, "document", { value: document });
  }
  return mark.document;
}

/** Whether a value is the document of a mark of this shape on pictures of these sizes; a draft may hold anything. */
function isDocument(document, shape, sizes) {
  if (typeof document !== "object" || document === null || document.shape !== shape) return false;
  const points = document.points ?? [];
  const arePoints = Array.isArray(points) && points.every((each) => Array.isArray(each) && each.length === 2 && each.every(Number.isFinite));
  if (!arePoints) return false;
  if (shape !== "mask") return points.length > 0 && (!["box", "correspondence"].includes(shape) || points.length === 2);
  const { size, counts } = document.mask ?? {};
  return Array.isArray(size) && typeof counts === "string" && size[0] === sizes[0].height && size[1] === sizes[0].width;
}

const KEYS = new WeakMap();

/** The key that distinguishes proposals. */
function proposalKey(proposal) {
  if (!KEYS.has(proposal)) {
    const { helper, version = "", points = [], mask = null } = proposal;
    KEYS.set(proposal, JSON.stringify([helper, version, points, mask?.counts]));
  }
  return KEYS.get(proposal);
}

function changed(mark, changes) {
  const { id, shape, points, columns, label, proposal } = mark;
  return { id, shape, points, columns, label, proposal, ...changes };
}

/** The nearest point within the picture, rounded to a thousandth of a pixel. */
function within({ x, y }, { width, height }) {
  return { x: toGrain(Math.min(width, Math.max(0, x))), y: toGrain(Math.min(height, Math.max(0, y))) };
}

function boxOf(a, b) {
  return [{ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y) }, { x: Math.max(a.x, b.x), y: Math.max(a.y, b.y) }];
}

/** The handles of a mark: corners, and the middles of a box's sides. A correspondence has one in each picture. */
function handlesOf(mark, pane) {
  if (mark.shape === "mask") return [];
  if (mark.shape === "correspondence") return [{ ...mark.points[pane], index: pane }];
  if (pane !== 0) return [];
  if (mark.shape !== "box") return mark.points.map((point, index) => ({ ...point, index }));
  const [{ x: x0, y: y0 }, { x: x1, y: y1 }] = mark.points;
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return [[x0, y0], [x, y0], [x1, y0], [x1, y], [x1, y1], [x, y1], [x0, y1], [x0, y]].map(([across, down], index) => ({ x: across, y: down, index }));
}

/** The mark with one of its handles at another place. */
function withHandle(mark, index, point) {
  if (mark.shape !== "box") return changed(mark, { points: mark.points.map((each, i) => (i === index ? { x: point.x, y: point.y } : each)) });
  const [{ x: x0, y: y0 }, { x: x1, y: y1 }] = mark.points;
  const left = [0, 6, 7].includes(index) ? point.x : x0;
  const right = [2, 3, 4].includes(index) ? point.x : x1;
  const top = [0, 1, 2].includes(index) ? point.y : y0;
  const bottom = [4, 5, 6].includes(index) ? point.y : y1;
  return changed(mark, { points: boxOf({ x: left, y: top }, { x: right, y: bottom }) });
}

/** The mark moved as a whole within its picture; a correspondence moves in one of its pictures. */
function movedBy(mark, dx, dy, size, pane = 0) {
  if (mark.columns !== null) return mark;
  const moves = (place) => mark.shape !== "correspondence" || place === pane;
  const moving = mark.points.filter((_, place) => moves(place));
  const room = (delta, axis, side) => Math.min(side - Math.max(...moving.map((p) => p[axis])), Math.max(-Math.min(...moving.map((p) => p[axis])), delta));
  const [across, down] = [room(dx, "x", size.width), room(dy, "y", size.height)];
  const points = mark.points.map((p, place) => (moves(place) ? { x: toGrain(p.x + across), y: toGrain(p.y + down) } : p));
  return changed(mark, { points });
}

const linesBetween = (points, isClosed) => points.slice(isClosed ? 0 : 1).map((_, i) => (isClosed ? [points[i], points[(i + 1) % points.length]] : [points[i], points[i + 1]]));

function distanceToLine(point, [a, b]) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const share = length ? Math.min(1, Math.max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / length)) : 0;
  return Math.hypot(point.x - a.x - share * dx, point.y - a.y - share * dy);
}

const cornersOfBox = ([{ x: x0, y: y0 }, { x: x1, y: y1 }]) => [{ x: x0, y: y0 }, { x: x1, y: y0 }, { x: x1, y: y1 }, { x: x0, y: y1 }];

/** The lines of a mark on the picture, for hits and for drawing. */
function linesOfMark(mark) {
  if (mark.shape === "box") return linesBetween(cornersOfBox(mark.points), true);
  return mark.shape in LINES ? linesBetween(mark.points, LINES[mark.shape]) : [];
}

function isInside(point, corners) {
  let inside = false;
  for (const [a, b] of linesBetween(corners, true)) {
    if ((a.y > point.y) !== (b.y > point.y) && point.x < ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

/** The part of a mark within `reach` pixels of a point: a handle, a side or its inside; null for none. */
function hitOf(mark, pane, point, reach) {
  if (mark.shape === "mask") return pane === 0 && mark.columns.has(point) ? { part: "inside" } : null;
  const near = handlesOf(mark, pane)
    .map((handle) => ({ part: "handle", index: handle.index, far: distance(handle, point) }))
    .filter(({ far }) => far <= reach)
    .sort((a, b) => a.far - b.far)[0];
  if (near !== undefined) return near;
  if (pane !== 0) return null;
  const side = linesOfMark(mark).findIndex((line) => distanceToLine(point, line) <= reach);
  if (side >= 0) return { part: "side", index: side };
  const corners = mark.shape === "box" ? cornersOfBox(mark.points) : mark.shape === "polygon" ? mark.points : null;
  return corners !== null && isInside(point, corners) ? { part: "inside" } : null;
}

/** x0, y0, x1, y1 of a mark in one of the pictures. */
function boundsOf(mark, pane = 0) {
  if (mark.columns !== null) return mark.columns.bounds ?? [0, 0, 0, 0];
  const points = mark.shape === "correspondence" ? [mark.points[pane]] : mark.points;
  const [across, down] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
}

const turn = (a, b, c) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));

function touches([a, b], [c, d]) {
  const [abc, abd, cda, cdb] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (abc !== abd && cda !== cdb) return true;
  const liesOn = (p, [from, to], side) => side === 0 && Math.min(from.x, to.x) <= p.x && p.x <= Math.max(from.x, to.x) && Math.min(from.y, to.y) <= p.y && p.y <= Math.max(from.y, to.y);
  return liesOn(c, [a, b], abc) || liesOn(d, [a, b], abd) || liesOn(a, [c, d], cda) || liesOn(b, [c, d], cdb);
}

/** Whether the outline of a polygon crosses or touches itself, or has no area. */
function isCrossed(points) {
  const lines = linesBetween(points, true);
  const last = lines.length - 1;
  for (let i = 0; i < last; i += 1) {
    const [a, b] = lines[i];
    if (a.x === b.x && a.y === b.y) return true;
    for (let j = i + 1; j <= last; j += 1) {
      const areNeighbours = j === i + 1 || (i === 0 && j === last);
      if (!areNeighbours) {
        if (touches(lines[i], lines[j])) return true;
        continue;
      }
      // Neighbors share a corner; they overlap if one runs back over the other.
      const [before, corner, after] = j === i + 1 ? [lines[i][0], lines[i][1], lines[j][1]] : [lines[j][0], lines[j][1], lines[i][1]];
      const back = (before.x - corner.x) * (after.x - corner.x) + (before.y - corner.y) * (after.y - corner.y);
      if (turn(before, corner, after) === 0 && back > 0) return true;
    }
  }
  return false;
}
