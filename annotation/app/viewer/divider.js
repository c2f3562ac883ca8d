// The divider of the slider: the first picture is on its left, the second on its right.

const DIVIDER_STEPS = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02, PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 };

class Divider {
  constructor(parent) {
    this.parent = parent;
    this.element = make("div", "divider", parent);
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "slider");
    this.element.setAttribute("aria-valuemin", "0");
    this.element.setAttribute("aria-valuemax", "100");
    make("span", "handle", this.element).setAttribute("aria-hidden", "true");
    this.element.addEventListener("keydown", (event) => this.step(event));
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.moveUnder(event.clientX);
    });
  }

  name(texts, first, second) {
    Object.assign(this, { texts, first, second });
    this.element.setAttribute("aria-label", fill(texts.divider, { first, second }));
  }

  step(event) {
    if (!Object.hasOwn(DIVIDER_STEPS, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.moveTo(this.share + DIVIDER_STEPS[event.key]);
  }

  /** Move to a place in the window. */
  moveUnder(clientX) {
    const { left, width } = this.parent.getBoundingClientRect();
    this.moveTo((clientX - left) / width);
  }

  /** Move to a share of the stage's width, 0-1. */
  moveTo(share) {
    this.share = Math.min(1, Math.max(0, share));
    const percent = Math.round(this.share * 100);
    this.parent.style.setProperty("--divider", `${this.share * 100}%`);
    this.element.setAttribute("aria-valuenow", String(percent));
    this.element.setAttribute("aria-valuetext", fill(this.texts.divider_value, { percent, first: this.first }));
  }
}
