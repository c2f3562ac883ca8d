// The workbench: the pictures of a task fill the window, its card is next to them, and the next tasks are prefetched.
// Streamlit calls the default export on every rerun.

const MARGIN_PX = 8;
const UNTOUCHED_MS = 600; // a task shown for less time counts as not begun

class Workbench {
  constructor(parent, { texts, account, campaign, url, reruns, leases }) {
    Object.assign(this, { texts, campaign, url, reruns, leases });
    this.tasks = new Map(); // tasks from the server, by id
    this.ahead = [];
    this.returned = []; // tasks with a refused decision, to show next
    this.skipped = [];
    this.looked = new Set(); // tasks shown so far
    this.messages = new Set(); // messages shown or confirmed
    this.stamp = 0;
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.element = add(parent, "main", "workbench");
    this.pictures = add(this.element, "div", "pictures");
    this.viewer = new Viewer(this.pictures, {
      room: () => this.pictures.clientHeight, fills: true, chosen: (letter) => this.card.chooseLetter(letter),
      came: () => this.tellSeen(),
    });
    this.rail = add(this.element, "div", "rail");
    this.buildHead();
    this.marking = new Marking(this.viewer, texts.marking, signal);
    this.card = new TaskCard(this.rail, texts, {
      account, act: (event, lines) => this.act(event, lines), chosen: (letter) => this.viewer.markChosen(letter), marking: this.marking,
    });
    this.keys = new KeySheet(this.element, texts, signal);
    const post = (events) => this.post(url, { events, known: [...this.tasks.keys()], skipped: this.skipped });
    const heard = (answer, sent) => this.hear(answer, sent);
    this.outbox = new Outbox(`benchwright-outbox ${url} ${account} ${campaign}`, {
      post, heard, refused: (words, sent) => this.refuse(words, sent),
      troubled: (count, isOver) => this.tellOfLine(count, isOver),
    }, signal);
    const measure = () => this.measure();
    window.addEventListener("resize", measure, { signal });
    window.visualViewport?.addEventListener("resize", measure, { signal });
    this.sizes = new ResizeObserver(measure);
    this.sizes.observe(document.body);
    this.room = new ResizeObserver(() => this.viewer.panes.length && this.viewer.arrange());
    this.room.observe(this.pictures);
    this.room.observe(this.viewer.toolbar.element); // its tools take more or fewer rows, depending on the task
    window.addEventListener("pagehide", () => this.leave(), { signal });
    this.measure();
  }

  buildHead() {
    const head = add(this.rail, "header", "head");
    const line = add(head, "div", "line");
    this.progressWords = add(line, "span", "progress-words");
    button(line, "help", this.texts.keys, "?", () => this.keys.open());
    this.progress = add(head, "progress", "");
    this.progress.max = 1;
    this.notices = add(head, "div", "notices");
    this.line = add(head, "p", "trouble-line");
    this.line.setAttribute("role", "status");
  }

  /** Use the height of the window from here down. */
  measure() {
    const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
    const top = this.element.getBoundingClientRect().top + scrolled;
    const height = window.visualViewport?.height ?? window.innerHeight;
    this.element.style.setProperty("--room", `${Math.max(360, Math.floor(height - top - MARGIN_PX))}px`);
  }

  /** Take a state from the page or the server, unless it is older than the last one. */
  update({ state }, over) {
    this.over = over;
    if (state.stamp <= this.stamp) return;
    this.stamp = state.stamp;
    this.take(state);
    if (state.opened !== null && this.current === undefined) this.show(state.opened, { opened: true });
    if (state.words) this.notice(state.words, []);
    this.goOn();
    this.outbox.flush();
  }

  take({ tasks, upcoming, progress, messages }) {
    for (const [id, task] of Object.entries(tasks)) this.tasks.set(Number(id), task);
    this.upcoming = upcoming.filter((id) => this.tasks.has(id));
    const isWanted = (id) => this.upcoming.includes(id) || this.returned.includes(id) || id === this.current || id in tasks;
    for (const id of [...this.tasks.keys()]) if (!isWanted(id)) this.tasks.delete(id);
    this.progressWords.textContent = progress.words;
    this.progress.hidden = progress.share === null;
    this.progress.value = progress.share ?? 0;
    for (const message of messages) this.showMessage(message);
  }

  /** Show a curator's message until the annotator confirms it; show it again if the confirmation fails. */
  showMessage({ id, by, words }) {
    if (this.messages.has(id)) return;
    this.messages.add(id);
    const box = this.notice(fill(this.texts.message_from, { name: by }), words.split("\n"), this.texts.message_read, () =>
      this.post(`${this.url}/message`, { message: id }).catch(() => this.messages.delete(id)));
    box.classList.add("from-curator");
  }

  /** After the server's answer: keep the current task, queue those that follow, and show the next if none is shown. */
  goOn() {
    const open = this.upcoming.filter((id) => !this.outbox.has(id));
    const isExplained = Boolean(this.tasks.get(this.current)?.card.feedback);
    const isLost = this.current !== undefined && !this.opened && !isExplained && !open.includes(this.current);
    if (isLost) {
      const written = this.card.written();
      this.notice(this.texts.lost_task, written.length ? [this.card.data.question, this.texts.said_was, ...written] : []);
      this.current = undefined;
    }
    this.ahead = [...new Set([...this.returned, ...open])].filter((id) => id !== this.current);
    if (this.current === undefined) this.advance();
    this.fetchAhead();
  }

  show(id, { opened = false } = {}) {
    const task = this.tasks.get(id);
    const isNew = id !== this.current;
    if (isNew) this.shownAt = performance.now();
    this.current = id;
    this.looked.add(id);
    this.opened = opened;
    this.element.classList.toggle("wordless", task.pictures.length === 0);
    this.element.classList.remove("waiting-for-next");
    const { pictures } = task;
    this.pictures.hidden = pictures.length === 0;
    if (pictures.length) this.viewer.update({ key: `${id}`, pictures, texts: this.texts.viewer });
    this.card.show(id, task.about, task.card);
    if (isNew) this.toTop();
    this.tellSeen();
    this.keys.name(task.keys);
    this.writeAddress();
  }

  /** Scroll to the top of a task: its card in narrow windows, the whole page in low ones. */
  toTop() {
    for (const place of [this.rail.querySelector(".card"), document.querySelector('[data-testid="stMain"]')]) place?.scrollTo(0, 0);
  }

  /** Tell the card whether the pictures are visible, since an unseen task takes no decision. */
  tellSeen() {
    this.card.setSeen(this.pictures.hidden ? "there" : this.viewer.state);
  }

  /** Write a task opened by hand into the address, so that a reload shows it again. */
  writeAddress() {
    const address = new URL(window.location.href);
    if (this.opened) address.searchParams.set("task", this.current);
    else address.searchParams.delete("task");
    if (address.href !== window.location.href) window.history.replaceState(window.history.state, "", address);
  }

  /** Show the next task, or that it has not arrived yet; if there is none, let the page say so. */
  advance() {
    const next = this.ahead.shift();
    if (next !== undefined) {
      const opened = this.returned.includes(next);
      this.returned = this.returned.filter((id) => id !== next);
      this.show(next, { opened });
      return;
    }
    this.current = undefined;
    this.card.setBusy(true, { isHandedOver: true });
    if (this.outbox.count) {
      this.element.classList.add("waiting-for-next");
      this.card.tell("next_comes", false);
    } else if (!this.notices.querySelector(".told")) this.over(); // the annotator reads the feedback first
  }

  fetchAhead() {
    fetchAhead(this.ahead.slice(0, 2).flatMap((id) => this.tasks.get(id).pictures));
  }

  /** Send an action on the card; show the next task at once, unless the answer concerns this one. */
  act(event, lines) {
    if (event.does === "next") {
      this.tasks.delete(event.task);
      this.advance();
      this.fetchAhead();
      return;
    }
    const stays = !["decide", "skip"].includes(event.does) || (event.does === "decide" && this.card.data.comes_back);
    if (event.does === "skip") this.skipped = [...this.skipped.filter((id) => id !== event.task), event.task];
    if (!this.outbox.count) this.line.textContent = "";
    this.outbox.push(event, lines, this.card.data.question);
    if (stays) this.card.setBusy(true, { isHandedOver: event.does === "decide" });
    else {
      this.tasks.delete(event.task); // the reply has its new state
      this.advance();
      this.fetchAhead();
    }
  }

  hear(state, sent) {
    this.stamp = Math.max(this.stamp, state.stamp);
    this.take(state);
    state.results.forEach((result, place) => this.hearResult(result, sent[place]));
    this.goOn();
    if (this.reruns) this.over();
  }

  hearResult({ task, words, refused, notice }, { event, lines, question }) {
    const isHere = task !== null && this.tasks.has(task);
    if (notice.length) this.notice(notice[0], notice.slice(1)).classList.add("told");
    if (refused && event.does === "skip") return; // the task is gone, as requested
    if (refused && isHere && event.does === "decide") this.keepWritten(this.tasks.get(task).card, event);
    if (refused) this.comeBack(isHere && event.does === "decide" ? task : null, words, [question, this.texts.said_was, ...lines]);
    else if (words) this.card.tellWords(words);
    if (!isHere) return;
    if (event.does === "undo" && task !== this.current) this.show(task, { opened: true });
    else if (task === this.current) this.show(task, { opened: this.opened });
  }

  /** Keep this window's input in the card, with another window's input next to it. */
  keepWritten(card, { decision, reasons, note, fields, edits }) {
    if (card.draft.window === undefined || card.draft.window === WINDOW) return;
    const { other, ...theirs } = card.draft;
    const written = { decision, reasons, note, fields, edits: edits ?? undefined, window: WINDOW };
    card.draft = { ...written, fields: fields ?? undefined, other: theirs };
  }

  /** After a refused decision, show its task again, at once if the next one is not begun; otherwise report it. */
  comeBack(task, words, lines) {
    const isNext = task !== null && task !== this.current;
    const isUntouched = performance.now() - this.shownAt < UNTOUCHED_MS;
    if (isNext) this.returned.push(task);
    if (isNext && isUntouched) this.current = undefined;
    const says = task === null ? lines : isNext && !isUntouched ? [this.texts.comes_again] : [];
    this.notice(fill(this.texts.not_taken, { why: words }), says);
  }

  /** Report actions that the server refuses as a whole, with the reason. */
  refuse(words, sent) {
    for (const { lines, question } of sent) this.comeBack(null, words, [question, this.texts.said_was, ...lines]);
    this.over();
    this.card.setBusy(false);
  }

  /** Show an important notice until the user closes it, or until three others follow. */
  notice(words, lines, close = this.texts.dismiss, closed = () => {}) {
    const box = add(this.notices, "section", "notice");
    box.setAttribute("role", "alert");
    add(box, "p", "", words).dir = "auto";
    for (const line of lines) {
      const detail = add(box, "p", "detail", line);
      detail.dir = "auto";
      letScroll(detail, words);
    }
    button(box, "action quiet", close, "", () => {
      box.remove();
      closed();
      if (this.current === undefined) this.advance();
    });
    const passing = this.notices.querySelectorAll(":scope > .notice:not(.from-curator)");
    if (passing.length > 3) passing[0].remove();
    return box;
  }

  tellOfLine(count, isOver) {
    this.line.classList.toggle("urgent", !isOver);
    this.line.textContent = isOver ? this.texts.sent_again : fill(this.texts.not_sent, { count });
  }

  async post(url, body, keepalive = false) {
    const headers = { "Content-Type": "application/json", "x-benchwright-draft": "1" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ campaign: this.campaign, ...body }), keepalive });
    if (answer.ok) return answer.json();
    const error = new Error(String(answer.status));
    if (answer.status === 401) this.over(); // the session ended: waiting events go out after a sign-in
    else if (answer.status < 500) error.words = (await answer.text()).trim().slice(0, 500);
    throw error;
  }

  /** On leaving the page, give back prefetched tasks that were not seen, if they are held for the account. */
  leave() {
    const known = this.ahead.filter((id) => !this.looked.has(id));
    if (known.length && this.leases) this.post(`${this.url}/leave`, { known, stamp: this.stamp }, true).catch(() => {});
  }

  destroy() {
    this.leave();
    this.stop.abort();
    this.sizes.disconnect();
    this.room.disconnect();
    this.viewer.destroy();
    this.card.destroy();
    this.element.remove();
  }
}

const benches = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let mounted = benches.get(parentElement);
  if (mounted === undefined) {
    mounted = { bench: new Workbench(parentElement, data), calls: 0 };
    benches.set(parentElement, mounted);
  }
  mounted.bench.update(data, () => setTriggerValue("over", Date.now()));
  const call = ++mounted.calls;
  // Streamlit may end an earlier call after a later one begins: only the latest call removes the workbench.
  return () => {
    if (call !== mounted.calls) return;
    benches.delete(parentElement);
    mounted.bench.destroy();
  };
}
