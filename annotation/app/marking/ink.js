// The ink of masks over a picture, in pixels of the screen; a stroke redraws only the part that it touches.

const STRIPES = 15; // a stripe and its gap are sixteen screen pixels wide, counted from 0
const STRIPE_PX = 8;
const [FAINT, STRONG, STRONGEST] = [80, 132, 178]; // of 255

class Ink {
  constructor(parent) {
    this.canvas = make("canvas", "ink", parent);
    this.context = this.canvas.getContext("2d");
  }

  /** Take the size of the stage. */
  size(width, height) {
    const ratio = window.devicePixelRatio;
    const [across, down] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.image?.width === across && this.image.height === down) return;
    Object.assign(this.canvas, { width: across, height: down });
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.image = new ImageData(across, down);
    this.cells = new Uint32Array(this.image.data.buffer);
  }

  /**
   * Draw masks, each with `columns`, `color` ([red, green, blue]), `isStrong`, and `turn`, which distinguishes stripes.
   * `place` is the picture's place (`left`, `top`, `scale`, in CSS pixels); `part` is the changed part of the picture
   * (`[x0, y0, x1, y1]`), null for all.
   */
  draw(masks, place, part = null) {
    const { width, height } = this.image;
    const ratio = window.devicePixelRatio;
    const [left, top, scale] = [place.left * ratio, place.top * ratio, place.scale * ratio];
    const clip = [0, 0, width, height];
    if (part !== null) {
      const edges = [left + part[0] * scale - 2, top + part[1] * scale - 2, left + part[2] * scale + 2, top + part[3] * scale + 2];
      [clip[0], clip[1]] = [Math.max(0, Math.floor(edges[0])), Math.max(0, Math.floor(edges[1]))];
      [clip[2], clip[3]] = [Math.min(width, Math.ceil(edges[2])), Math.min(height, Math.ceil(edges[3]))];
    } else if (!masks.length && this.isClear) return;
    const [x0, y0, x1, y1] = clip;
    if (x1 <= x0 || y1 <= y0) return;
    for (let y = y0; y < y1; y += 1) this.cells.fill(0, y * width + x0, y * width + x1);
    for (const mask of masks) this.fill(mask, { left, top, scale }, clip);
    this.context.putImageData(this.image, 0, 0, x0, y0, x1 - x0, y1 - y0);
    this.isClear = !masks.length;
  }

  fill({ columns, color, isStrong, turn: slope = 1 }, { left, top, scale }, [x0, y0, x1, y1]) {
    const { width } = this.image;
    const { cells } = this;
    const [low, high] = (isStrong ? [STRONG, STRONGEST] : [FAINT, STRONG]).map((alpha) => ((alpha << 24) | (color[2] << 16) | (color[1] << 8) | color[0]) >>> 0);
    const first = Math.max(0, Math.floor((x0 - left) / scale) - 1);
    const last = Math.min(columns.width - 1, Math.ceil((x1 - left) / scale) + 1);
    for (let x = first; x <= last; x += 1) {
      const stretches = columns.columns[x];
      if (!stretches.length) continue;
      // Every cell shows even if a column of the picture is finer than the screen.
      const from = Math.max(x0, scale < 1 ? Math.floor(left + x * scale) : Math.round(left + x * scale));
      const to = Math.min(x1, Math.max(from + 1, Math.round(left + (x + 1) * scale)));
      if (to <= from) continue;
      for (let i = 0; i < stretches.length; i += 2) {
        const begin = Math.max(y0, Math.round(top + stretches[i] * scale));
        const end = Math.min(y1, Math.max(Math.round(top + stretches[i] * scale) + 1, Math.round(top + stretches[i + 1] * scale)));
        for (let y = begin; y < end; y += 1) {
          const row = y * width;
          for (let at = from; at < to; at += 1) {
            const before = cells[row + at];
            const ink = ((at * slope + y) & STRIPES) < STRIPE_PX ? high : low;
            cells[row + at] = before === 0 || (before & 0xffffff) === (ink & 0xffffff) ? ink : halfWay(before, ink);
          }
        }
      }
    }
  }
}

/** The ink for two overlapping masks: the mean of both colors, and stronger than either. */
function halfWay(a, b) {
  const middleOf = (shift) => ((((a >>> shift) & 255) + ((b >>> shift) & 255)) >> 1) << shift;
  const alpha = Math.min(220, ((a >>> 24) + (b >>> 24)) * 0.75);
  return ((alpha << 24) | middleOf(16) | middleOf(8) | middleOf(0)) >>> 0;
}
