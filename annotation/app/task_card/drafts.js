// What is being typed goes to the server as it is typed, so that a reload or a dead battery loses nothing.

const SAVE_MS = 250;

class Drafts {
  constructor(report, signal) {
    this.report = report;
    const flush = () => this.flush();
    window.addEventListener("pagehide", flush, { signal });
    document.addEventListener("visibilitychange", flush, { signal });
  }

  /** Save a draft soon; a later one replaces it. */
  save(where, draft) {
    this.waiting = { where, body: JSON.stringify(draft) };
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
    const { where, body } = this.waiting;
    this.waiting = undefined;
    try {
      const headers = { "Content-Type": "application/json", [where.header]: "1" };
      const answer = await fetch(where.url, { method: "PUT", headers, body, keepalive: true });
      this.report(answer.ok);
    } catch {
      this.report(false);
    }
  }
}
