// Full-resolution tiles of a picture, for zooming in further than the sent version allows.

const REST_MS = 120; // after the last movement
const MOST_TILES = 48;

class Detail {
  /** `layer` moves with the picture; tiles lie in it above the picture and below the marks. */
  constructor(layer) {
    this.layer = layer;
    this.tiles = new Map(); // from "column/row" to its image
  }

  /** Show another picture, removing the tiles of the last one. */
  begin(picture) {
    clearTimeout(this.timer);
    for (const tile of this.tiles.values()) tile.remove();
    this.tiles.clear();
    this.picture = picture;
  }

  /** Load the visible tiles once the picture rests; `seen` is the visible part, 0-1, `shown` screen pixels a pixel. */
  draw(image, seen, shown) {
    clearTimeout(this.timer);
    const { width, detail } = this.picture;
    // Tiles add nothing while the sent picture has at least as many pixels as the screen shows.
    if (!detail || !image.naturalWidth || shown * window.devicePixelRatio <= image.naturalWidth / width) return;
    this.timer = setTimeout(() => this.load(image, seen), REST_MS);
  }

  load(image, { left, top, right, bottom }) {
    const { width, height, detail, detail_px: side } = this.picture;
    const last = (length) => Math.ceil(length / side) - 1;
    for (let row = Math.floor((top * height) / side); row <= Math.min(last(height), Math.floor((bottom * height) / side)); row++) {
      for (let column = Math.floor((left * width) / side); column <= Math.min(last(width), Math.floor((right * width) / side)); column++) {
        const name = `${column}/${row}`;
        if (!this.tiles.has(name)) this.tiles.set(name, this.tile(image, `${detail}/${name}`, column * side, row * side));
      }
    }
    while (this.tiles.size > MOST_TILES) {
      const [name, tile] = this.tiles.entries().next().value;
      tile.remove();
      this.tiles.delete(name);
    }
  }

  tile(image, src, x, y) {
    const { width, height, detail_px: side } = this.picture;
    const tile = make("img", "tile");
    tile.alt = "";
    tile.draggable = false;
    tile.addEventListener("error", () => tile.remove());
    Object.assign(tile.style, {
      left: `${(100 * x) / width}%`, top: `${(100 * y) / height}%`,
      width: `${(100 * Math.min(side, width - x)) / width}%`, height: `${(100 * Math.min(side, height - y)) / height}%`,
    });
    tile.src = src;
    image.after(tile);
    return tile;
  }
}
