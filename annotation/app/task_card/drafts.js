// Drafts go to the server during typing, so that a reload or an empty battery loses nothing. The window keeps unsent
// drafts, and sends them again once the connection is back.

// Each of several windows states the version that it had seen, so that none overwrites another's draft.

const SAVE_MS = 250;
const SAVE_AGAIN_MS = [1000, 2000, 4000, 8000];
const KEEPALIVE_CHARS = 15_000; // browsers send at most 64 KiB after a page closes; a character takes up to four bytes
const WINDOW = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("");

class Drafts {
  /**
   * `report` gets whether a draft was saved, and when it was typed; `behind` gets the stored draft if another window
   * was faster; `mistaken` gets the mistakes in the present input.
   */
  constructor(account, { report, behind, mistaken }, signal) {
    Object.assign(this, { account, report, behind, mistaken });
    this.unsaved = new Map(); // the latest draft by address, including those on their way
    this.tries = 0;
    this.seen = { version: 0, revision: 0 };
    const flush = () => this.flush();
    window.addEventListener("pagehide", flush, { signal });
    window.addEventListener("online", flush, { signal });
    document.addEventListener("visibilitychange", flush, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Save a draft soon; a later one replaces it. The window keeps drafts too long to send on closing the page. */
  save(where, draft) {
    const latest = { where, body: JSON.stringify({ ...draft, window: WINDOW }), seen: this.seen, typed: performance.now(), isOnItsWay: false };
    this.unsaved.set(where.url, latest);
    if (latest.body.length > KEEPALIVE_CHARS) this.keep(latest);
    this.flushAfter(SAVE_MS);
  }

  /** Whether any input still waits for the server's answer. */
  isWaiting(where) {
    return where !== null && this.unsaved.has(where.url);
  }

  keep({ where, body, seen }) {
    try {
      sessionStorage.setItem(this.place(where), JSON.stringify({ version: seen.version, body }));
    } catch {
      // The draft is then safe unless the page closes before sending it.
    }
  }

  forget(where) {
    sessionStorage.removeItem(this.place(where));
  }

  place({ url }) {
    return `benchwright-draft ${this.account} ${url}`;
  }

  /** The unsent drawing or text on the same decision from before a reload; null for none. */
  restored(where, version) {
    if (where === null) return null;
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.place(where)));
      return kept?.version === version ? JSON.parse(kept.body) : null;
    } catch {
      return null;
    }
  }

  /** Remove the unsent draft, since the decision contains it. */
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
      if (answer.status === 401 && isNewest) this.keep(draft); // until the next sign-in
      else if (answer.ok && isNewest) this.forget(where);
      if (answer.ok || answer.status === 409) {
        const kept = await answer.json();
        if (seen !== this.seen) return; // the task is no longer on the screen
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
