// The layout of the stages: sizes in CSS pixels, known before any picture loads.

const GAP = 12;
const CAPTION = 28; // as in viewer.css
const LEAST_STAGE = 140;
const SHARE_OF_WINDOW = 0.58;
const BELOW_PX = 360; // keeps the question and the buttons visible
const LEAST_PX = 240;

function heightFor(windowHeight) {
  return Math.max(LEAST_PX, Math.min(SHARE_OF_WINDOW * windowHeight, windowHeight - BELOW_PX));
}
const LEAST_PIECE = 96;
const SMALLER_THAN_REFERENCE = 0.7;

const fitScale = (shape, width, height) => Math.min(width / shape.width, height / shape.height);
const area = (shape) => shape.width * shape.height;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Equal cells in `columns` columns; `most` bounds the scale of each picture. */
function cellsOf(shapes, columns, width, height, most = Infinity) {
  const rows = Math.ceil(shapes.length / columns);
  const cell = Math.floor((width - GAP * (columns - 1)) / columns);
  const room = Math.floor(Math.max(LEAST_STAGE, (height - GAP * (rows - 1)) / rows - CAPTION));
  const scales = shapes.map((shape) => Math.min(most, fitScale(shape, cell, room)));
  const needed = Math.max(...shapes.map((shape, i) => shape.height * scales[i]));
  const tall = Math.min(room, Math.ceil(needed));
  return {
    columns, rows, scales, width: cell, height: tall, fits: rows * (tall + CAPTION) + GAP * (rows - 1) <= height,
    shown: sum(shapes.map((shape, i) => area(shape) * scales[i] ** 2)),
  };
}

/** The cells that show most of the pictures; side by side unless stacking gains much. */
function bestCells(shapes, width, height) {
  const all = shapes.map((_, i) => cellsOf(shapes, shapes.length - i, width, height));
  return all.reduce((best, cells) => (cells.fits && cells.shown > best.shown * 1.25 ? cells : best));
}

/** Whether the first picture is a reference for the others, all smaller, as their whole or their question. */
function hasReference(shapes) {
  return shapes.length > 2 && shapes.slice(1).every((shape) => area(shape) < SMALLER_THAN_REFERENCE * area(shapes[0]));
}

/** Reference and others at one scale, the others in `columns` columns, at the largest scale that fits. */
function atOneScale(reference, others, columns, width, height) {
  const rows = Math.ceil(others.length / columns);
  const [wide, tall] = ["width", "height"].map((side) => Math.max(...others.map((shape) => shape[side])));
  const scale = Math.min(
    (width - GAP * columns) / (reference.width + columns * wide),
    (height - CAPTION) / reference.height,
    ((height - GAP * (rows - 1)) / rows - CAPTION) / tall,
  );
  const share = wide / (reference.width + columns * wide);
  return { columns, rows, scale, width: Math.floor((width - GAP * columns) * share), height: Math.ceil(tall * scale) };
}

/** The first picture next to the others, at one scale, or in half of the width if others would be too small. */
function besideReference(shapes, width, height) {
  const [reference, ...others] = shapes;
  const best = others
    .map((_, i) => atOneScale(reference, others, i + 1, width, height))
    .reduce((most, each) => (each.scale > most.scale ? each : most));
  const least = best.scale * Math.min(...others.map((shape) => Math.min(shape.width, shape.height)));
  if (least >= LEAST_PIECE) {
    const large = cellsOf([reference], 1, width - best.columns * (best.width + GAP), height, best.scale);
    return { large, rest: { ...best, scales: others.map(() => best.scale) } };
  }
  const half = Math.floor((width - GAP) / 2);
  return { large: cellsOf([reference], 1, half, height), rest: bestCells(others, half, height) };
}

/** The grid for the pictures: track widths and, for each picture, its stage and the scale at which it fits. */
function layoutOf(shapes, width, height, { overlaid, fills }) {
  if (overlaid || (fills && shapes.length === 1)) {
    const one = shapes.map((shape) => cellsOf([shape], 1, width, height));
    // If the pictures have a separate place they use all of it, so that a zoomed picture shows as much as possible.
    const caption = shapes.length === 1 ? 0 : CAPTION; // one picture needs no name
    const tall = fills ? Math.max(LEAST_STAGE, Math.floor(height - caption)) : Math.max(...one.map((cells) => cells.height));
    return {
      tracks: [width], span: 1,
      stages: shapes.map((shape) => ({ width, height: tall, scale: fitScale(shape, width, tall) })),
    };
  }
  if (hasReference(shapes)) {
    const { large, rest } = besideReference(shapes, width, height);
    const stage = (cells) => (scale) => ({ width: cells.width, height: cells.height, scale });
    return {
      tracks: [large.width, ...Array(rest.columns).fill(rest.width)], span: rest.rows,
      stages: [...large.scales.map(stage(large)), ...rest.scales.map(stage(rest))],
    };
  }
  const cells = bestCells(shapes, width, height);
  return {
    tracks: Array(cells.columns).fill(cells.width), span: 1,
    stages: cells.scales.map((scale) => ({ width: cells.width, height: cells.height, scale })),
  };
}
