// What is being typed goes to the server as it is typed, so that a reload or a dead battery loses nothing. What the server
// did not get is kept in the window, and sent again once the connection is back.

// From several windows: each says what it had before it, so that none overwrites what another one wrote.

const SAVE_MS = 250;
const SAVE_AGAIN_MS = [1000, 2000, 4000, 8000];
const KEEPALIVE_CHARS = 15_000; // a browser lets a page leave no more than 64 KiB behind; a character takes up to four
const WINDOW = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("");

class Drafts {
  /**
   * `report` hears whether a draft was saved, and when it was typed; `behind` what is there where another window was faster;
   * `mistaken` what is wrong with what is written so far.
   */
  constructor(account, { report, behind, mistaken }, signal) {
    Object.assign(this, { account, report, behind, mistaken });
    this.unsaved = new Map(); // by address, the latest of each; also those on their way
    this.tries = 0;
    this.seen = { version: 0, revision: 0 };
    const flush = () => this.flush();
    window.addEventListener("pagehide", flush, { signal });
    window.addEventListener("online", flush, { signal });
    document.addEventListener("visibilitychange", flush, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Save a draft soon; a later one replaces it. What is too long to outlive the page is kept in the window meanwhile. */
  save(where, draft) {
    const latest = { where, body: JSON.stringify({ ...draft, window: WINDOW }), seen: this.seen, typed: performance.now(), isOnItsWay: false };
    this.unsaved.set(where.url, latest);
    if (latest.body.length > KEEPALIVE_CHARS) this.keep(latest);
    this.flushAfter(SAVE_MS);
  }

  /** Whether something was typed that the server has yet to say something about. */
  isWaiting(where) {
    return where !== null && this.unsaved.has(where.url);
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
    return `benchwright-draft ${this.account} ${url}`;
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
    if (where === null) return;
    this.unsaved.delete(where.url);
    this.forget(where);
  }

  flush() {
    clearTimeout(this.timer);
    for (const draft of this.unsaved.values()) if (!draft.isOnItsWay) this.send(draft);
  }

  flushAfter(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), ms);
  }

  async send(draft) {
    const { where, body, seen, typed } = draft;
    const isLatest = () => this.unsaved.get(where.url) === draft;
    draft.isOnItsWay = true;
    try {
      const headers = { "Content-Type": "application/json", [where.header]: "1", [where.seen]: `${seen.version}.${seen.revision}` };
      const answer = await fetch(where.url, { method: "PUT", headers, body, keepalive: body.length <= KEEPALIVE_CHARS });
      if (answer.status >= 500) throw new Error(String(answer.status));
      this.tries = 0;
      const isNewest = isLatest();
      if (isNewest) this.unsaved.delete(where.url);
      if (answer.status === 401 && isNewest) this.keep(draft); // for the time after the next sign-in
      else if (answer.ok && isNewest) this.forget(where);
      if (answer.ok || answer.status === 409) {
        const kept = await answer.json();
        if (seen !== this.seen) return; // of a task that is off the screen by now
        this.seen.revision = Math.max(this.seen.revision, kept.revision);
        if (!answer.ok) {
          this.behind(kept);
          return;
        }
        if (isNewest) this.mistaken(kept.mistakes ?? []);
      }
      if (seen === this.seen) this.report(answer.ok, typed);
    } catch {
      draft.isOnItsWay = false;
      if (isLatest()) {
        this.keep(draft);
        this.flushAfter(SAVE_AGAIN_MS[Math.min(this.tries++, SAVE_AGAIN_MS.length - 1)]);
      }
      if (seen === this.seen) this.report(false, typed);
    }
  }
}
