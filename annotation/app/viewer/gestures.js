// Wheel, drag, pinch and double click on a stage, converted to zooming and dragging.

const WHEEL_STEP = 0.0015;
const LINE_PX = 16;
const TAP_PX = 6; // a press that moved no further is a tap, not a drag

const pointOf = (event) => ({ x: event.clientX, y: event.clientY });
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const middle = (points) => ({ x: sum(points.map((p) => p.x)) / points.length, y: sum(points.map((p) => p.y)) / points.length });

/** Zoom by the wheel over an element; `zoom(factor, point)` returns whether it changed the view. */
function watchWheel(element, zoom) {
  element.addEventListener("wheel", (event) => {
    const step = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX);
    const faster = event.ctrlKey ? 4 : 1; // a trackpad's pinch arrives as small steps with the control key
    const changed = zoom(Math.exp(-Math.max(-400, Math.min(400, step)) * WHEEL_STEP * faster), pointOf(event));
    // At the end of zooming out, the wheel scrolls the page.
    if (changed || event.ctrlKey) event.preventDefault();
  }, { passive: false });
}

/**
 * Watch a stage for its lifetime.
 * `zoom(factor, point)` returns whether it changed the view; `drag(dx, dy, point)`; `reset()`; `tap()`. Points are in
 * window coordinates.
 */
function watchGestures(stage, { zoom, drag, reset, tap }) {
  const fingers = new Map();
  let pressed = null; // possible start of a tap
  watchWheel(stage, zoom);

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("button")) return;
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, pointOf(event));
    pressed = fingers.size === 1 ? pointOf(event) : null;
    stage.classList.add("held");
  });

  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    if (pressed !== null && distance(pressed, pointOf(event)) > TAP_PX) pressed = null;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, pointOf(event));
    const now = [...fingers.values()];
    const [from, to] = [middle(before), middle(now)];
    drag(to.x - from.x, to.y - from.y, to);
    if (now.length === 2) zoom(distance(...now) / Math.max(1, distance(...before)), to);
  });

  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    stage.addEventListener(end, (event) => {
      const isTap = end === "pointerup" && pressed !== null && fingers.has(event.pointerId);
      pressed = null;
      if (isTap) tap();
      fingers.delete(event.pointerId);
      stage.classList.toggle("held", fingers.size > 0);
    });
  }

  stage.addEventListener("dblclick", (event) => {
    if (!event.target.closest("button")) reset();
  });
}
