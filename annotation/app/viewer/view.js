// The visible part of the pictures: one view for all panes, in coordinates relative to each picture.

const MOST_SCREEN_PX_PER_PIXEL = 16;
const LEAST_RANGE = 8;
const SHOWS_PIXELS_ABOVE = 4;

class View {
  constructor() {
    this.reset();
  }

  reset() {
    this.zoom = 1; // relative to the size at which the whole picture fits
    this.x = 0.5; // the picture's point at the middle of the stage, 0-1 from left to right
    this.y = 0.5;
  }

  get zoomed() {
    return this.zoom > 1;
  }

  /** Multiply the zoom around a point, given in pixels from the middle of the pane's stage. */
  zoomBy(factor, panes, pane = panes[0], dx = 0, dy = 0) {
    const before = this.zoom;
    const most = Math.max(LEAST_RANGE, ...panes.map((each) => MOST_SCREEN_PX_PER_PIXEL / each.scale));
    this.zoom = Math.min(most, Math.max(1, before * factor));
    const shift = 1 / before - 1 / this.zoom;
    this.x += (dx * shift) / pane.fitWidth;
    this.y += (dy * shift) / pane.fitHeight;
    this.hold(panes);
  }

  /** Move the pictures under the stage, by pixels of one pane. */
  dragBy(dx, dy, panes, pane = panes[0]) {
    this.x -= dx / (pane.fitWidth * this.zoom);
    this.y -= dy / (pane.fitHeight * this.zoom);
    this.hold(panes);
  }

  /** Keep the pictures on the stages: each pane can reach its edges, and all move together. */
  hold(panes) {
    if (this.zoom < 1.001) {
      this.reset();
      return;
    }
    const half = (stage, fit) => Math.min(0.5, ...panes.map((pane) => pane[stage] / (2 * pane[fit] * this.zoom)));
    const [halfX, halfY] = [half("stageWidth", "fitWidth"), half("stageHeight", "fitHeight")];
    this.x = Math.min(1 - halfX, Math.max(halfX, this.x));
    this.y = Math.min(1 - halfY, Math.max(halfY, this.y));
  }
}
