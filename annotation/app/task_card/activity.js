// The annotator's working time on a task. A pause without pointer, key, wheel or touch counts up to a limit, and time
// with the page hidden does not count. The count outlives a reload.

const STIRS = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart", "touchmove"];
const KEEP_MS = 1000;

class Activity {
  constructor(signal) {
    for (const kind of STIRS) window.addEventListener(kind, () => this.stir(), { signal, capture: true, passive: true });
    const turn = () => (document.hidden ? this.leave() : this.come());
    document.addEventListener("visibilitychange", turn, { signal });
    window.addEventListener("pagehide", () => this.leave(), { signal });
  }

  /** Count for a task from now on; opening it counts as activity. */
  begin(name, idleAfterS) {
    this.place = `benchwright-active-${name}`;
    this.idleAfterMs = idleAfterS * 1000;
    this.ms = Number(this.kept()) || 0;
    this.come();
  }

  come() {
    this.last = performance.now();
  }

  stir() {
    if (this.place === undefined || document.hidden) return;
    const now = performance.now();
    this.ms += Math.min(now - this.last, this.idleAfterMs);
    this.last = now;
    if (this.ms - (this.keptMs ?? 0) > KEEP_MS) this.keep();
  }

  leave() {
    this.stir();
    this.keep();
  }

  /** Take the seconds so far, for the decision. */
  take() {
    this.stir();
    if (this.place !== undefined) sessionStorage.removeItem(this.place);
    this.keptMs = 0;
    return this.ms / 1000;
  }

  keep() {
    if (this.place === undefined) return;
    this.keptMs = this.ms;
    sessionStorage.setItem(this.place, String(this.ms));
  }

  kept() {
    this.keptMs = 0;
    return sessionStorage.getItem(this.place);
  }
}
