// Mouse, pen and fingers over one picture: one finger draws, two move and zoom the picture. A mouse also moves it while
// the space bar or the hand tool is active.

const CLICK_PX = 4;
const REACH_PX = { touch: 22, mouse: 12, pen: 14 };

class MarkPointer {
  constructor(marking, overlay, zoom, drag) {
    Object.assign(this, { marking, overlay, zoom, drag, fingers: new Map(), gesture: null });
    const { element } = overlay;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.moved(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(end, (event) => this.up(event, end));
    element.addEventListener("pointerleave", () => !this.gesture && marking.hover(null));
    element.addEventListener("dblclick", (event) => {
      event.stopPropagation(); // a double click ends an outline instead of showing the whole picture
      marking.finish();
    });
    element.addEventListener("contextmenu", (event) => this.gesture && event.preventDefault());
  }

  down(event) {
    event.stopPropagation();
    if (event.button > 1) return;
    const { marking, overlay } = this;
    this.fingers.set(event.pointerId, pointOf(event));
    overlay.element.setPointerCapture(event.pointerId);
    overlay.pane.stage.focus({ preventScroll: true });
    event.preventDefault();
    if (this.fingers.size > 1) {
      this.cancel(); // the first finger did not begin a drawing
      this.isPanning = true;
      return;
    }
    this.isPanning = marking.isPanning || event.button === 1;
    overlay.pane.stage.classList.toggle("held", this.isPanning);
    if (this.isPanning) return;
    this.started = pointOf(event);
    this.isClick = true;
    const kind = { isTouch: event.pointerType === "touch", isForced: event.shiftKey || event.altKey };
    const reach = (REACH_PX[event.pointerType] ?? REACH_PX.mouse) / overlay.place.scale;
    this.kind = kind;
    this.gesture = marking.presses.begin(overlay.index, overlay.toPicture(pointOf(event)), { reach, ...kind });
    marking.follow(this.gesture, overlay, overlay.toPicture(pointOf(event)), kind);
  }

  moved(event) {
    const { marking, overlay } = this;
    const kind = { isTouch: event.pointerType === "touch" };
    if (!this.fingers.has(event.pointerId)) {
      if (!this.fingers.size && event.pointerType !== "touch") marking.hover({ pane: overlay.index, point: overlay.toPicture(pointOf(event)), ...kind });
      return;
    }
    if (this.isPanning) return this.pan(event);
    if (this.gesture === null) return;
    // A trembling hand still clicks.
    if (this.isClick && distance(this.started, pointOf(event)) <= CLICK_PX && !this.gesture.isNew) return;
    this.isClick = false;
    const events = event.getCoalescedEvents?.() ?? [];
    const points = (events.length ? events : [event]).map((each) => overlay.toPicture(pointOf(each)));
    marking.hovered = { pane: overlay.index, point: points.at(-1), ...kind };
    this.gesture.move(points);
    marking.follow(this.gesture, overlay, points.at(-1), kind);
  }

  pan(event) {
    const before = [...this.fingers.values()];
    this.fingers.set(event.pointerId, pointOf(event));
    const now = [...this.fingers.values()];
    const [from, to] = [middle(before), middle(now)];
    this.drag(this.overlay.pane, to.x - from.x, to.y - from.y, to);
    if (now.length === 2) this.zoom(distance(...now) / Math.max(1, distance(...before)), this.overlay.pane, to);
  }

  up(event, end) {
    if (!this.fingers.delete(event.pointerId)) return;
    if (this.fingers.size === 0) this.overlay.pane.stage.classList.remove("held");
    if (this.isPanning) return;
    if (end === "pointercancel") return this.cancel();
    const { gesture } = this;
    this.gesture = null;
    gesture?.release(this.isClick);
    this.marking.released(this.overlay);
  }

  cancel() {
    if (this.gesture === null) return;
    this.gesture = null;
    this.marking.revert();
    this.marking.released(this.overlay);
  }
}
