// A mask at the picture's full resolution: for each column the runs of set cells, top to bottom. A brush stroke is
// convex, so it sets one run per column: time depends on the width of the brush, not on the size of the picture.
// Written as COCO's compressed run lengths, exactly as `benchwright/regions/rle.py` does.

const NO_CELLS = Object.freeze([]);
const FIRST_LETTER = 48;

class MaskColumns {
  /** Masks are immutable: painting creates another mask that shares the unchanged columns. */
  constructor(width, height, columns) {
    Object.assign(this, { width, height, columns });
  }

  static empty(width, height) {
    return new MaskColumns(width, height, new Array(width).fill(NO_CELLS));
  }

  /** The mask of a document, `{ size: [height, width], counts }`. */
  static of({ size: [height, width], counts }) {
    const mask = MaskColumns.empty(width, height);
    let place = 0;
    decodeRuns(counts).forEach((run, number) => {
      if (number % 2) mask.setCells(place, place + run);
      place += run;
    });
    if (place !== width * height) throw new Error(`runs of ${place} cells for ${width * height}`);
    return mask;
  }

  /** Set cells, counted column by column; only for building a mask. */
  setCells(start, stop) {
    for (let at = start; at < stop;) {
      const x = Math.floor(at / this.height);
      const end = Math.min(stop, (x + 1) * this.height);
      this.columns[x] = [...this.columns[x], at - x * this.height, end - x * this.height];
      at = end;
    }
  }

  get isEmpty() {
    return this.columns.every((cells) => cells.length === 0);
  }

  get area() {
    return this.columns.reduce((total, cells) => {
      for (let i = 0; i < cells.length; i += 2) total += cells[i + 1] - cells[i];
      return total;
    }, 0);
  }

  /** x0, y0, x1, y1 of the smallest box around all set cells; null if no cell is set. */
  get bounds() {
    const across = this.columns.flatMap((cells, x) => (cells.length ? [x] : []));
    if (!across.length) return null;
    const top = across.reduce((least, x) => Math.min(least, this.columns[x][0]), Infinity);
    const bottom = across.reduce((most, x) => Math.max(most, this.columns[x].at(-1)), 0);
    return [across[0], top, across.at(-1) + 1, bottom];
  }

  has({ x, y }) {
    const cells = this.columns[Math.floor(x)] ?? NO_CELLS;
    const row = Math.floor(y);
    for (let i = 0; i < cells.length; i += 2) if (cells[i] <= row && row < cells[i + 1]) return true;
    return false;
  }

  /** The mask after a stroke of a round brush between two points, which sets cells whose centers it covers. */
  painted(from, to, radius, isErasing) {
    const columns = [...this.columns];
    const first = Math.max(0, Math.floor(Math.min(from.x, to.x) - radius));
    const last = Math.min(this.width - 1, Math.ceil(Math.max(from.x, to.x) + radius));
    const change = isErasing ? withoutStretch : withStretch;
    const put = (x, start, stop) => {
      const [top, bottom] = [Math.max(0, start), Math.min(this.height, stop)];
      if (bottom > top) columns[x] = change(columns[x], top, bottom);
    };
    for (let x = first; x <= last; x += 1) {
      const reach = strokeAt(x + 0.5, from, to, radius);
      if (reach !== null) put(x, Math.ceil(reach[0] - 0.5), Math.floor(reach[1] - 0.5) + 1);
    }
    // The finest brush may cover no center: it still sets the cell under it.
    const [x, y] = [Math.floor(to.x), Math.floor(to.y)];
    if (radius < 1 && x >= 0 && x < this.width) put(x, y, y + 1);
    return new MaskColumns(this.width, this.height, columns);
  }

  /** The document of the mask. */
  toRuns() {
    const runs = [];
    let end = 0;
    this.columns.forEach((cells, x) => {
      for (let i = 0; i < cells.length; i += 2) {
        const start = x * this.height + cells[i];
        const length = cells[i + 1] - cells[i];
        if (runs.length && start === end) runs[runs.length - 1] += length;
        else runs.push(start - end, length);
        end = start + length;
      }
    });
    const all = this.width * this.height;
    if (end < all) runs.push(all - end);
    return { size: [this.height, this.width], counts: encodeRuns(runs) };
  }
}

/** Top and bottom of a stroke at one x: the ends are discs, with a band between them. */
function strokeAt(x, from, to, radius) {
  let [top, bottom] = [Infinity, -Infinity];
  const reach = (y, half) => [top, bottom] = [Math.min(top, y - half), Math.max(bottom, y + half)];
  for (const end of [from, to]) {
    const across = Math.abs(x - end.x);
    if (across <= radius) reach(end.y, Math.sqrt(radius * radius - across * across));
  }
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length > 0) {
    const [nx, ny] = [(-dy / length) * radius, (dx / length) * radius];
    const corners = [[from.x + nx, from.y + ny], [to.x + nx, to.y + ny], [to.x - nx, to.y - ny], [from.x - nx, from.y - ny]];
    corners.forEach(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % 4];
      if (x < Math.min(ax, bx) || x > Math.max(ax, bx)) return;
      if (ax === bx) {
        reach(ay, 0);
        reach(by, 0);
      } else reach(ay + ((x - ax) / (bx - ax)) * (by - ay), 0);
    });
  }
  return top <= bottom ? [top, bottom] : null;
}

function withStretch(cells, start, stop) {
  const all = [];
  let isPut = false;
  for (let i = 0; i < cells.length; i += 2) {
    if (cells[i + 1] < start) all.push(cells[i], cells[i + 1]);
    else if (cells[i] > stop) {
      if (!isPut) all.push(start, stop);
      isPut = true;
      all.push(cells[i], cells[i + 1]);
    } else [start, stop] = [Math.min(start, cells[i]), Math.max(stop, cells[i + 1])];
  }
  if (!isPut) all.push(start, stop);
  return all;
}

function withoutStretch(cells, start, stop) {
  const all = [];
  for (let i = 0; i < cells.length; i += 2) {
    if (cells[i] < Math.min(start, cells[i + 1])) all.push(cells[i], Math.min(start, cells[i + 1]));
    if (Math.max(stop, cells[i]) < cells[i + 1]) all.push(Math.max(stop, cells[i]), cells[i + 1]);
  }
  return all.length ? all : NO_CELLS;
}

function encodeRuns(runs) {
  const codes = [];
  runs.forEach((run, number) => {
    let rest = number > 2 ? run - runs[number - 2] : run;
    for (let more = true; more;) {
      const group = rest & 31;
      rest >>= 5;
      more = rest !== (group & 16 ? -1 : 0);
      codes.push(FIRST_LETTER + group + (more ? 32 : 0));
    }
  });
  let text = "";
  for (let at = 0; at < codes.length; at += 8192) text += String.fromCharCode(...codes.slice(at, at + 8192));
  return text;
}

function decodeRuns(text) {
  const runs = [];
  let [number, shift] = [0, 0];
  for (let place = 0; place < text.length; place += 1) {
    const group = text.charCodeAt(place) - FIRST_LETTER;
    number |= (group & 31) << shift;
    shift += 5;
    if (group & 32) continue;
    if (group & 16 && shift < 32) number |= -1 << shift;
    runs.push(runs.length > 2 ? number + runs[runs.length - 2] : number);
    [number, shift] = [0, 0];
  }
  return runs;
}
