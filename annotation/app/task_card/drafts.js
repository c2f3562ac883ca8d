// What is being typed goes to the server as it is typed, so that a reload or a dead battery loses nothing.

// From several windows: each says what it had before it, so that none overwrites what another one wrote.

const SAVE_MS = 250;
const WINDOW = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("");

class Drafts {
  /** `report` hears whether a draft was saved, and when it was typed; `behind` what is there where another window was faster. */
  constructor(report, behind, signal) {
    this.report = report;
    this.behind = behind;
    this.seen = { version: 0, revision: 0 };
    const flush = () => this.flush();
    window.addEventListener("pagehide", flush, { signal });
    document.addEventListener("visibilitychange", flush, { signal });
  }

  /** Save a draft soon; a later one replaces it. */
  save(where, draft) {
    this.waiting = { where, body: JSON.stringify({ ...draft, window: WINDOW }), seen: this.seen, typed: performance.now() };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), SAVE_MS);
  }

  /** Forget what has not been sent: the decision carries it. */
  drop() {
    clearTimeout(this.timer);
    this.waiting = undefined;
  }

  async flush() {
    clearTimeout(this.timer);
    if (this.waiting === undefined) return;
    const { where, body, seen, typed } = this.waiting;
    this.waiting = undefined;
    try {
      const headers = { "Content-Type": "application/json", [where.header]: "1", [where.seen]: `${seen.version}.${seen.revision}` };
      const answer = await fetch(where.url, { method: "PUT", headers, body, keepalive: true });
      if (answer.ok || answer.status === 409) {
        const kept = await answer.json();
        if (seen !== this.seen) return; // of a task that is off the screen by now
        this.seen.revision = Math.max(this.seen.revision, kept.revision);
        if (!answer.ok) {
          this.behind(kept);
          return;
        }
      }
      this.report(answer.ok, typed);
    } catch {
      this.report(false, typed);
    }
  }
}
