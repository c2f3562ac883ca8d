// What somebody did, on its way to the server: sent in order, kept in the window until it is taken, sent again when the
// connection is back. A reload loses nothing of it.

const RETRY_MS = [1000, 2000, 4000, 8000];

class Outbox {
  /**
   * `post` sends events and returns the server's answer, which `heard` gets; `refused` gets what the server takes in no
   * case, and `troubled` hears whether the connection fails. An error of `post` with `words` is such a refusal.
   */
  constructor(place, { post, heard, refused, troubled }, signal) {
    Object.assign(this, { place, post, heard, refused, troubled });
    this.waiting = this.kept();
    this.tries = 0;
    window.addEventListener("online", () => this.flush(), { signal });
    window.addEventListener("beforeunload", (event) => {
      if (this.tries && this.waiting.length) event.preventDefault(); // what is decided offline goes with the window
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Whether something is decided that the server does not know yet. */
  has(task) {
    return this.waiting.some(({ event }) => event.task === task && (event.does === "decide" || event.does === "skip"));
  }

  get count() {
    return this.waiting.length;
  }

  /** Send an event; `lines` say it in words, `question` what it was about, if it comes back refused. */
  push(event, lines, question) {
    this.waiting.push({ event, lines, question });
    this.keep();
    this.flush();
  }

  async flush() {
    if (this.isSending || !this.waiting.length) return;
    this.isSending = true;
    clearTimeout(this.timer);
    const sent = [...this.waiting];
    try {
      const answer = await this.post(sent.map(({ event }) => event));
      this.taken(sent);
      this.heard(answer, sent);
    } catch (error) {
      this.isSending = false;
      if (error.words === undefined) {
        this.timer = setTimeout(() => this.flush(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
        this.troubled(this.waiting.length, false);
        return;
      }
      this.taken(sent);
      this.refused(error.words, sent);
    }
    this.flush(); // what came meanwhile
  }

  taken(sent) {
    this.isSending = false;
    this.waiting.splice(0, sent.length);
    this.keep();
    if (this.tries) this.troubled(0, true);
    this.tries = 0;
  }

  keep() {
    try {
      sessionStorage.setItem(this.place, JSON.stringify(this.waiting));
    } catch {
      // It is then kept for as long as the page is there.
    }
  }

  kept() {
    try {
      const waiting = JSON.parse(sessionStorage.getItem(this.place) ?? "[]");
      return Array.isArray(waiting) ? waiting : [];
    } catch {
      return [];
    }
  }
}
