// A loupe at the pointer: the picture's pixels around it, larger than on the screen.

const LOUPE_PX = 132;
const LOUPE_AWAY_PX = 26;
const LARGER = 3;
const MOST_LOUPE_TILES = 12;

class Loupe {
  constructor(parent, pane) {
    this.pane = pane;
    this.canvas = make("canvas", "loupe", parent);
    const ratio = window.devicePixelRatio;
    Object.assign(this.canvas, { width: Math.round(LOUPE_PX * ratio), height: Math.round(LOUPE_PX * ratio) });
    this.context = this.canvas.getContext("2d");
    this.canvas.hidden = true;
    this.tiles = new Map();
  }

  /** Show the surroundings of a point, which is at `at` on the stage: above a finger, or next to a mouse pointer. */
  show(point, at, { scale }, { isTouch, color }) {
    const { pane, canvas } = this;
    if (!isThere(pane.image)) return this.hide();
    this.latest = [point, at, { scale }, { isTouch, color }];
    canvas.hidden = false;
    const gap = isTouch ? LOUPE_PX / 2 + 44 : LOUPE_AWAY_PX;
    const side = (value, most) => (value + gap + LOUPE_PX > most ? value - gap - LOUPE_PX : value + gap);
    const x = isTouch ? at.x - LOUPE_PX / 2 : side(at.x, pane.stageWidth);
    let y = isTouch ? at.y - gap - LOUPE_PX / 2 : side(at.y, pane.stageHeight);
    if (isTouch && y < 0) y = at.y + 44;
    canvas.style.transform = `translate(${Math.round(Math.max(0, Math.min(pane.stageWidth - LOUPE_PX, x)))}px, ${Math.round(Math.max(0, Math.min(pane.stageHeight - LOUPE_PX, y)))}px)`;
    this.draw(point, Math.max(1, scale * LARGER), color);
  }

  draw({ x, y }, scale, color) {
    const { context, canvas, pane: { picture, image } } = this;
    const side = LOUPE_PX / scale; // of the visible picture
    const zoom = canvas.width / side;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#777";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = zoom < 4;
    context.setTransform(zoom, 0, 0, zoom, -(x - side / 2) * zoom, -(y - side / 2) * zoom);
    context.drawImage(image, 0, 0, picture.width, picture.height);
    if (picture.detail && picture.width > image.naturalWidth) this.drawTiles(x, y, side);
    context.setTransform(1, 0, 0, 1, 0, 0);
    const middle = canvas.width / 2;
    for (const [width, ink] of [[4, "#000"], [2.5, "#fff"], [1, color]]) {
      context.strokeStyle = ink;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(0, middle);
      context.lineTo(middle - 6, middle);
      context.moveTo(middle + 6, middle);
      context.lineTo(canvas.width, middle);
      context.moveTo(middle, 0);
      context.lineTo(middle, middle - 6);
      context.moveTo(middle, middle + 6);
      context.lineTo(middle, canvas.height);
      context.stroke();
    }
  }

  drawTiles(x, y, side) {
    const { picture: { detail, detail_px: tile, width, height } } = this.pane;
    for (let row = Math.floor(Math.max(0, y - side / 2) / tile); row * tile < Math.min(height, y + side / 2); row += 1) {
      for (let column = Math.floor(Math.max(0, x - side / 2) / tile); column * tile < Math.min(width, x + side / 2); column += 1) {
        const image = this.tile(`${detail}/${column}/${row}`);
        if (isThere(image)) this.context.drawImage(image, column * tile, row * tile);
      }
    }
  }

  tile(address) {
    let image = this.tiles.get(address);
    if (image === undefined) {
      image = new Image();
      image.addEventListener("load", () => !this.canvas.hidden && this.show(...this.latest));
      image.src = address;
      this.tiles.set(address, image);
      if (this.tiles.size > MOST_LOUPE_TILES) this.tiles.delete(this.tiles.keys().next().value);
    }
    return image;
  }

  hide() {
    this.canvas.hidden = true;
  }
}
