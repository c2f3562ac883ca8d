// The card itself. Streamlit calls the default export on every rerun; data that says nothing new changes nothing.

const DECISIONS = { a: "accept", x: "reject", e: "revise" };
const DEAF_MS = 8000; // a card that was not heard listens again

function add(parent, tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function button(parent, name, words, key, act) {
  const element = add(parent, "button", name);
  element.type = "button";
  add(element, "span", "words", words);
  if (key) {
    add(element, "kbd", "", key.toUpperCase()).setAttribute("aria-hidden", "true");
    element.setAttribute("aria-keyshortcuts", key);
  }
  element.addEventListener("click", act);
  return element;
}

class TaskCard {
  constructor(parent) {
    this.element = add(parent, "section", "card");
    this.stop = new AbortController();
    this.drafts = new Drafts((ok) => this.tell(ok ? "saved" : "not_saved", !ok), this.stop.signal);
    const { signal } = this.stop;
    this.activity = new Activity(signal);
    window.addEventListener("keydown", (event) => this.keyInNote(event), { signal, capture: true });
    const digits = Object.fromEntries([..."123456789"].map((digit) => [digit, { act: () => this.pick(digit - 1) }]));
    watchKeys({
      a: { act: () => this.key("a") }, x: { act: () => this.key("x") }, e: { act: () => this.key("e") },
      s: { act: () => this.send("skip") }, u: { act: () => this.send("undo") }, n: { act: () => this.write() },
      p: { act: () => (this.form === null ? false : this.form.choosePhotograph()) }, w: { act: () => this.sendBack() },
      g: { act: () => (this.remarks === null ? false : this.remarks.open()) },
      f: { act: () => (this.form === null ? false : this.form.next()) }, Enter: { act: () => this.enter() }, ...digits,
    }, signal);
  }

  update(data, send) {
    this.sendToServer = send;
    // The same slot may come with another form: first an answer, then votes.
    const isNew = data.slot !== this.data?.slot;
    const another = isNew || data.mode !== this.data.mode;
    const heard = data.serial !== this.data?.serial;
    const remarked = !another && data.remarks?.length !== this.data.remarks?.length;
    this.data = data;
    if (another) {
      this.drafts.flush();
      if (isNew) this.activity.begin(data.slot, data.idle_after_s); // an answer and its votes are one piece of work
      this.begin();
    }
    if (remarked) this.showRemarks();
    if (another || heard) this.setBusy(false);
  }

  /** Whether a decision on the item itself is asked for, with A, X and E. */
  get judges() {
    return this.data.mode === "verify" || this.data.mode === "adjudicate";
  }

  begin() {
    const { said, draft } = this.data;
    const from = Object.keys(draft).length ? draft : said ?? {};
    this.picked = new Set(Array.isArray(from.reasons) ? from.reasons.filter((code) => typeof code === "string") : []);
    this.chosen = typeof from.decision === "string" && this.data.mode === "answer" ? from.decision : null;
    this.pending = null;
    this.build(typeof from.note === "string" ? from.note : "", from.fields ?? {}, from.edits ?? {});
  }

  build(noteText, fields, edits) {
    const { data, element } = this;
    const { texts } = data;
    element.replaceChildren();
    element.setAttribute("aria-label", texts.question);
    element.dataset.slot = data.slot;
    const left = add(element, "div", "asked");
    if (data.said !== null) {
      const words = data.said.words || (texts[data.said.decision] ?? data.said.decision);
      add(left, "p", "before", data.is_current ? fill(texts.said, { decision: words }) : texts.moved_on);
    }
    add(left, "h2", "question", data.question);
    this.buildChoices(left);
    this.buildBeside(left);
    this.buildAnswers(left);
    const right = add(element, "div", "says");
    this.form = null;
    if (data.mode === "form") this.form = new FormFields(right, data, fields, () => this.saveDraft());
    this.buildActions(right);
    this.status = add(right, "p", "status");
    this.status.setAttribute("role", "status");
    if (data.mode === "verify") this.buildReasons(right);
    if (data.mode !== "form") this.buildNote(right, noteText);
    this.editor = data.editable === null ? null : new ItemEditor(left, data, edits, () => this.saveDraft());
    this.remarks = null;
    this.remarksPlace = add(right, "div", "");
    this.showRemarks();
    this.draw();
  }

  /** The annotator's own comments, and room for another; what is decided and noted meanwhile stays as it is. */
  showRemarks() {
    if (this.data.remarks === null) return;
    this.remarksPlace.replaceChildren();
    this.remarks = new Remarks(this.remarksPlace, this.data, (does, words) => this.remark(does, words));
  }

  remark(does, words) {
    if (this.busy) return;
    this.setBusy(true);
    this.sendToServer({ slot: this.data.slot, does, decision: "", reasons: [], note: words, fields: null, active_s: null });
  }

  /** Texts beside the item, such as a model's reply: shown letter by letter, whatever they hold. */
  buildBeside(parent) {
    for (const { label, text } of this.data.beside) {
      const section = add(parent, "section", "beside");
      add(section, "h3", "", label);
      const shown = add(section, "div", "told", text);
      shown.dir = "auto";
      shown.tabIndex = 0;
      shown.setAttribute("role", "group");
      shown.setAttribute("aria-label", label);
    }
  }

  /** For an adjudicator: what annotators said, side by side; edits that they propose can be taken up. */
  buildAnswers(parent) {
    const { answers, texts } = this.data;
    if (!answers.length) return;
    const row = add(parent, "section", "answers");
    row.setAttribute("aria-label", texts.answers);
    answers.forEach(({ label, lines, edits }, i) => {
      const box = add(row, "article", "given");
      add(box, "h3", "", label);
      for (const line of lines) add(box, "p", "line", line).dir = "auto";
      if (edits !== null) button(box, "reason", texts.take_edits, i < 9 ? String(i + 1) : "", () => this.pick(i));
    });
  }

  buildChoices(parent) {
    const { data } = this;
    const list = add(parent, "ol", "choices");
    this.choices = data.choices.map((choice, i) => {
      const line = add(list, "li", "choice");
      const box = data.mode === "answer" ? button(line, "option", "", String(i + 1), () => this.pick(i)) : add(line, "div", "option");
      box.prepend(...[["key", `${choice.key}`], ["said", choice.words]].map(([name, text]) => {
        const span = document.createElement("span");
        span.className = name;
        span.textContent = text;
        return span;
      }));
      if (choice.key === data.right) {
        line.classList.add("right");
        add(box, "span", "mark", `✓ ${data.declines ? data.texts.declines : data.texts.right}`);
      }
      return box;
    });
  }

  buildReasons(parent) {
    const { reasons, texts } = this.data;
    this.reasons = [];
    if (!reasons.length) return;
    const set = add(parent, "fieldset", "reasons");
    add(set, "legend", "", texts.reasons);
    this.reasons = reasons.map((reason, i) => button(set, "reason", reason.words, i < 9 ? String(i + 1) : "", () => this.pick(i)));
  }

  buildNote(parent, text) {
    const { texts } = this.data;
    const label = add(parent, "label", "note");
    add(label, "span", "label", texts.note);
    this.note = add(label, "textarea", "");
    this.note.value = text;
    this.note.rows = 2;
    this.note.maxLength = 10000;
    this.note.placeholder = texts.note_hint;
    this.note.addEventListener("input", () => this.saveDraft());
    // Keys typed here are text: nothing of the page around may take them for shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) this.note.addEventListener(kind, (event) => event.stopPropagation());
  }

  buildActions(parent) {
    const { data } = this;
    const row = add(parent, "div", "actions");
    const { texts } = data;
    this.actions = [];
    const put = (name, words, key, act) => this.actions.push(button(row, `action ${name}`, words, key, act));
    if (data.is_current && this.judges) {
      for (const [key, decision] of Object.entries(DECISIONS)) {
        if (this.takes(decision)) put(decision, texts[decision], key, () => this.decide(decision));
      }
      if (data.mode === "adjudicate") put("quiet", texts.send_back, "w", () => this.sendBack());
    } else if (data.is_current) {
      put("accept", data.mode === "form" ? texts.submit : texts.answer, "Enter", () => this.enter());
    }
    if (data.mode === "form" && data.editable !== null) put("revise", texts.edit_item, "e", () => this.key("e"));
    if (data.said === null) put("quiet", texts.skip, "s", () => this.send("skip"));
    if (data.mode !== "adjudicate") put("quiet", texts.undo, "u", () => this.send("undo"));
  }

  key(letter) {
    if (letter === "e" && this.form !== null && this.editor !== null) return this.editor.open();
    if (!this.judges) return false;
    this.decide(DECISIONS[letter]);
  }

  sendBack() {
    if (this.data.mode !== "adjudicate") return false;
    this.send("decide", "send_back");
  }

  /** A key in the note: Escape leaves it, Ctrl+Enter gives the decision that waits for it. */
  keyInNote(event) {
    const [area] = event.composedPath();
    const isEdited = this.editor?.holds(area) ?? false;
    if (!isEdited && (this.form === null ? area !== this.note : !this.form.holds(area))) return;
    if (event.key === "Escape") area.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      area.blur();
      if (!this.judges) this.enter();
      else if (isEdited) this.decide("revise");
      else if (this.pending) this.decide(this.pending);
    }
  }

  /** Go to where a text is written; a form may have none to write just now. */
  write() {
    const area = this.form === null ? this.note : this.form.area;
    if (area === null) return false;
    area.focus();
  }

  enter() {
    if (this.judges || !this.data.is_current) return false;
    if (this.form !== null) return this.submit();
    if (this.chosen === null) {
      this.tell("needs_choice", true, { count: this.data.choices.length });
      return;
    }
    this.send("decide", this.chosen);
  }

  submit() {
    const missing = this.form.missing();
    if (missing === null) {
      this.send("decide");
      return;
    }
    const needs = { text: "needs_text", lines: "needs_lines", photograph: "needs_photograph" }[missing.type] ?? "needs_option";
    this.tell(needs, true, { field: missing.label, count: missing.count });
    this.form.point(missing);
  }

  pick(i) {
    const { data } = this;
    if (this.form !== null) return this.form.pick(i);
    if (data.mode === "adjudicate") {
      const edits = data.answers[i]?.edits ?? null;
      if (edits === null || this.editor === null) return false;
      this.editor.take(edits);
      return;
    }
    if (data.mode === "answer") {
      if (i >= data.choices.length) return false;
      this.chosen = data.choices[i].key;
    } else {
      if (i >= data.reasons.length) return false;
      const { code } = data.reasons[i];
      if (!this.picked.delete(code)) this.picked.add(code);
    }
    this.saveDraft();
    this.draw();
  }

  /** In the last round an adjudicator revises nothing: no other would come. */
  takes(decision) {
    return decision !== "revise" || this.data.mode !== "adjudicate" || this.data.editable !== null;
  }

  decide(decision) {
    const { data } = this;
    if (!data.is_current || !this.takes(decision)) return;
    if (data.needs_reason.includes(decision) && !this.picked.size) {
      this.pending = decision;
      this.tell("needs_reason", true, { count: Math.min(9, data.reasons.length) });
      this.draw();
      return;
    }
    const isEnough = this.edits() || (data.mode === "verify" && this.note.value.trim());
    if (data.needs_note.includes(decision) && !isEnough) {
      this.pending = decision;
      this.tell(data.mode === "adjudicate" ? "needs_own_edits" : this.editor === null ? "needs_note" : "needs_edits", true);
      this.draw();
      if (this.editor === null) this.note.focus();
      else this.editor.open();
      return;
    }
    this.send("decide", decision);
  }

  send(does, decision = "") {
    if (this.busy || (does === "skip" && this.data.said !== null)) return false;
    if (does === "undo" && this.data.mode === "adjudicate") return false;
    if (does === "skip") this.drafts.flush();
    if (does === "decide") this.drafts.drop();
    this.setBusy(true);
    // Reasons are those of a rejection or a revision; an accepted item has none.
    const reasons = decision === "accept" || this.data.mode !== "verify" ? [] : [...this.picked];
    const note = does === "decide" && this.form === null ? this.note.value : "";
    const fields = does === "decide" && this.form !== null ? this.form.filled() : null;
    const edits = decision === "revise" || (does === "decide" && this.form !== null) ? this.edits() : null;
    const active_s = does === "decide" ? this.activity.take() : null;
    this.sendToServer({ slot: this.data.slot, does, decision, reasons, note, fields, edits, active_s });
  }

  /** What was edited of the item; null where nothing was, or nothing can be. */
  edits() {
    const edits = this.editor?.edits() ?? {};
    return Object.keys(edits).length ? edits : null;
  }

  saveDraft() {
    if (this.data.save === null) return;
    const draft = this.form === null
      ? { decision: this.chosen ?? "", reasons: [...this.picked], note: this.note.value }
      : { fields: this.form.values };
    if (this.edits()) draft.edits = this.edits();
    this.drafts.save(this.data.save, draft);
  }

  setBusy(busy) {
    this.busy = busy;
    clearTimeout(this.deaf);
    if (busy) this.deaf = setTimeout(() => this.setBusy(false), DEAF_MS);
    this.element.classList.toggle("busy", busy);
    this.element.setAttribute("aria-busy", String(busy));
  }

  tell(text, urgent, values = {}) {
    if (!this.status) return;
    this.status.textContent = fill(this.data.texts[text], values);
    this.status.classList.toggle("urgent", urgent);
  }

  draw() {
    const { data } = this;
    if (this.form !== null || data.mode === "adjudicate") return;
    if (data.mode === "answer") {
      this.choices.forEach((box, i) => box.setAttribute("aria-pressed", String(data.choices[i].key === this.chosen)));
      return;
    }
    this.reasons.forEach((box, i) => box.setAttribute("aria-pressed", String(this.picked.has(data.reasons[i].code))));
    this.element.classList.toggle("wants-reason", this.pending === "reject" && !this.picked.size);
  }

  destroy() {
    this.drafts.flush();
    this.stop.abort();
    clearTimeout(this.deaf);
    this.element.remove();
  }
}

const cards = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let mounted = cards.get(parentElement);
  if (mounted === undefined) {
    mounted = { card: new TaskCard(parentElement), calls: 0 };
    cards.set(parentElement, mounted);
  }
  mounted.card.update(data, (act) => setTriggerValue("act", act));
  const call = ++mounted.calls;
  // Streamlit may end an earlier call after a later one has begun: only the latest call takes the card away.
  return () => {
    if (call !== mounted.calls) return;
    cards.delete(parentElement);
    mounted.card.destroy();
  };
}
