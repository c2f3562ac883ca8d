// The user's actions on their way to the server: sent in order, kept in the window until the server takes them, and
// sent again when the connection is back. A reload loses none.

const RETRY_MS = [1000, 2000, 4000, 8000];

class Outbox {
  /**
   * `post` sends events and returns the server's answer, which goes to `heard`. `refused` gets the events that the
   * server refuses for good; an error of `post` with `words` is such a refusal. `troubled` gets whether the connection
   * fails.
   */
  constructor(place, { post, heard, refused, troubled }, signal) {
    Object.assign(this, { place, post, heard, refused, troubled });
    this.waiting = this.kept();
    this.tries = 0;
    window.addEventListener("online", () => this.flush(), { signal });
    window.addEventListener("beforeunload", (event) => {
      if (this.tries && this.waiting.length) event.preventDefault(); // closing the window would lose offline decisions
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Whether any decision has not reached the server yet. */
  has(task) {
    return this.waiting.some(({ event }) => event.task === task && (event.does === "decide" || event.does === "skip"));
  }

  get count() {
    return this.waiting.length;
  }

  /** Send an event; for a refusal, `lines` describe the event and `question` its task. */
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
    this.flush(); // events that came meanwhile
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
      // The event then lasts as long as the page.
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
