// What is being typed goes to the server as it is typed, so that a reload or a dead battery loses nothing.

// From several windows: each says what it had before it, so that none overwrites what another one wrote.

const SAVE_MS = 250;
const KEEPALIVE_CHARS = 15_000; // a browser lets a page leave no more than 64 KiB behind; a character takes up to four
const WINDOW = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("");

class Drafts {
  /**
   * `report` hears whether a draft was saved, and when it was typed; `behind` what is there where another window was faster;
   * `mistaken` what is wrong with what is written so far.
   */
  constructor(report, behind, mistaken, signal) {
    Object.assign(this, { report, behind, mistaken });
    this.seen = { version: 0, revision: 0 };
    const flush = () => this.flush();
    window.addEventListener("pagehide", flush, { signal });
    document.addEventListener("visibilitychange", flush, { signal });
  }

  /** Save a draft soon; a later one replaces it. What is too long to outlive the page is kept in the window meanwhile. */
  save(where, draft) {
    this.waiting = { where, body: JSON.stringify({ ...draft, window: WINDOW }), seen: this.seen, typed: performance.now() };
    if (this.waiting.body.length > KEEPALIVE_CHARS) this.keep(this.waiting);
    else this.forget(where);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), SAVE_MS);
  }

  keep({ where, body, seen }) {
    try {
      sessionStorage.setItem(this.place(where), JSON.stringify({ version: seen.version, body }));
    } catch {
      // It is then kept for as long as the page does not go before it is sent.
    }
  }

  forget(where) {
    sessionStorage.removeItem(this.place(where));
  }

  place({ url }) {
    return `benchwright-draft ${url}`;
  }

  /** What was drawn or written about the same decision before a reload, and has not reached the server; null for nothing. */
  restored(where, version) {
    if (where === null) return null;
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.place(where)));
      return kept?.version === version ? JSON.parse(kept.body) : null;
    } catch {
      return null;
    }
  }

  /** Forget what has not been sent: the decision carries it. */
  drop(where) {
    clearTimeout(this.timer);
    this.waiting = undefined;
    if (where) this.forget(where);
  }

  async flush() {
    clearTimeout(this.timer);
    if (this.waiting === undefined) return;
    const { where, body, seen, typed } = this.waiting;
    this.waiting = undefined;
    try {
      const headers = { "Content-Type": "application/json", [where.header]: "1", [where.seen]: `${seen.version}.${seen.revision}` };
      const answer = await fetch(where.url, { method: "PUT", headers, body, keepalive: body.length <= KEEPALIVE_CHARS });
      if (answer.ok && this.waiting === undefined) this.forget(where);
      if (answer.ok || answer.status === 409) {
        const kept = await answer.json();
        if (seen !== this.seen) return; // of a task that is off the screen by now
        this.seen.revision = Math.max(this.seen.revision, kept.revision);
        if (!answer.ok) {
          this.behind(kept);
          return;
        }
        if (this.waiting === undefined) this.mistaken(kept.mistakes ?? []);
      }
      this.report(answer.ok, typed);
    } catch {
      this.report(false, typed);
    }
  }
}
