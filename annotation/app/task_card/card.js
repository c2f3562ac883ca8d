// The card listens to keys before it shows a task; `aria-busy` is `false` while it accepts a decision.

const DECISIONS = { y: "accept", x: "reject", v: "revise" }; // none is the letter of an option
const UNSEEN = { coming: "pictures_coming", failed: "not_seen" };

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
    add(element, "kbd", "", key.length === 1 ? key.toUpperCase() : key).setAttribute("aria-hidden", "true");
    element.setAttribute("aria-keyshortcuts", key);
  }
  element.addEventListener("click", act);
  return element;
}

/** An element with a text whose formulas are drawn; `formulas` are those of the card's data. */
function addTold(parent, tag, name, text, formulas) {
  const element = add(parent, tag, name);
  element.append(...withFormulas(text, formulas));
  element.dir = "auto"; // texts of items follow the direction of their language
  return element;
}

/** Scroll to an element that a key picked. */
function bringIntoSight(element) {
  element.scrollIntoView({ block: "nearest" });
}

/** Make a scrollable element reachable by keyboard, with a name for screen readers. */
function letScroll(element, name) {
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", name);
}

/** Words for a field's value; entries of a group have numbers. */
function wordsOf(field, value, named) {
  if (field.type !== "repeated") return [value].flat().map((code) => named(field.options ?? [], code)).join(", ");
  const lines = [value].flat().map((entry) => field.fields.map((part) => wordsOf(part, entry?.[part.name] ?? [], named)).filter(Boolean).join(" · "));
  return lines.map((line, i) => `${field.entry} ${i + 1}: ${line}`).join("; ");
}

/** The card of the task on the screen: question, options, form, note, and the buttons of decisions. */
class TaskCard {
  /** `act` gets the actions on the card, with lines to describe them; `chosen` gets the letter of the chosen option. */
  constructor(parent, texts, { account, act, chosen, marking }) {
    Object.assign(this, { texts, act, chosenChanged: chosen, marking });
    this.element = add(parent, "section", "card");
    this.stop = new AbortController();
    this.told = { words: "", urgent: false, at: 0 };
    this.footSize = new ResizeObserver(([{ target }]) => this.element.style.setProperty("--foot", `${target.offsetHeight}px`));
    this.drafts = new Drafts(account, {
      report: (ok, typed) => this.tellOfDraft(ok, typed), behind: (kept) => this.wasBehind(kept), mistaken: (mistakes) => this.form?.showMistakes(mistakes),
    }, this.stop.signal);
    const { signal } = this.stop;
    this.activity = new Activity(signal);
    window.addEventListener("keydown", (event) => this.keyInNote(event), { signal, capture: true });
    const digits = Object.fromEntries([..."123456789"].map((digit) => [digit, { act: () => this.pick(digit - 1) }]));
    watchKeys({
      y: { act: () => this.key("y") }, x: { act: () => this.key("x") }, v: { act: () => this.key("v") },
      s: { act: () => this.send("skip") }, u: { act: () => this.send("undo") }, n: { act: () => this.write() },
      p: { act: () => (this.form === null ? false : this.form.choosePhotograph()) }, w: { act: () => this.sendBack() },
      g: { act: () => (this.remarks === null ? false : this.remarks.open()) },
      a: { act: () => (this.form === null ? false : this.form.settleNext(true)) },
      d: { act: () => (this.form === null ? false : this.form.settleNext(false)) },
      f: { act: () => (this.form === null ? false : this.form.next()) }, Enter: { act: () => this.enter() }, ...digits,
    }, signal);
    takeLetters((letter, repeats) => this.takeLetter(letter, repeats), signal);
  }

  /** Show a task's data; unchanged data have no effect. */
  show(task, about, data) {
    const isNew = task !== this.task;
    // The same task may return with another form (first an answer, then votes) or with another window's decision.
    const another = isNew || data.mode !== this.data.mode || data.version !== this.data.version;
    const remarked = !another && data.remarks?.length !== this.data.remarks?.length;
    Object.assign(this, { task, about, data });
    if (another) {
      this.drafts.flush();
      if (isNew) this.activity.begin(data.slot, data.idle_after_s); // an answer and its votes are one piece of work
      this.drafts.seen = { version: data.version, revision: data.revision };
      this.begin();
    } else if (data.revision > this.drafts.seen.revision) {
      this.drafts.seen.revision = data.revision;
      if (data.draft.window !== WINDOW) this.showOther(data.draft);
    }
    if (remarked) this.showRemarks();
    this.setBusy(false);
  }

  /** Handle a draft or decision that another window sent first. */
  wasBehind({ version, draft }) {
    if (version !== this.drafts.seen.version) this.tell("decided_elsewhere", true);
    else {
      this.showOther(draft);
      this.tell("behind", true);
    }
  }

  /** Show another window's input, which is kept with the input here. */
  showOther(draft) {
    const lines = typeof draft === "object" && draft !== null ? this.linesOf(draft) : [];
    this.otherPlace.replaceChildren();
    this.other = lines.length ? draft : undefined;
    if (lines.length) this.addText(this.otherPlace, this.texts.other_window, lines.join("\n"));
  }

  linesOf({ decision, reasons, note, fields, edits }) {
    const named = (list, name) => list.find((one) => one.code === name)?.words ?? name;
    const given = Array.isArray(reasons) ? reasons : [];
    const lines = [decision, given.map((code) => named(this.data.reasons, code)).join(", "), note];
    for (const field of [...this.data.fields, ...(this.data.evidence ? [this.data.evidence.field] : [])]) {
      if (field.type === "drafts") continue;
      const isMarks = field.type === "region";
      const marks = isMarks ? fields?.[field.name]?.length ?? 0 : 0;
      const value = isMarks ? (marks ? fill(this.texts.marking.count, { count: marks }) : "") : wordsOf(field, fields?.[field.name] ?? [], named);
      if (value) lines.push(`${field.label}: ${value}`);
    }
    for (const value of Object.values(edits ?? {})) lines.push(...(typeof value === "object" ? Object.values(value ?? {}) : [value]));
    return lines.filter((line) => typeof line === "string" && line.trim() !== "");
  }

  /** Whether the card takes a decision on the item itself, with Y, X and V. */
  get judges() {
    return this.data.mode === "verify" || (this.data.mode === "adjudicate" && !this.hasForm);
  }

  /** Whether a decision is final, as in adjudication and practice. */
  get isFinal() {
    return this.data.mode === "adjudicate" || Boolean(this.data.answers?.length) || Boolean(this.data.is_practice);
  }

  /** Whether the card has a form; an adjudicator gets one for marked regions, next to the annotators' answers. */
  get hasForm() {
    return this.data.mode === "form" || (this.data.mode === "adjudicate" && this.data.fields.length > 0);
  }

  /** The place of a draft: the server, or the window for an adjudicator's draft. */
  get place() {
    return this.data.save ?? (this.hasForm && this.data.mode === "adjudicate" ? { url: `adjudicate ${this.data.slot}` } : null);
  }

  /** An option's letter chooses the option, or has no effect if there is no choice to make; it never decides. */
  takeLetter(letter, repeats) {
    const isOption = this.data.choices.some((choice) => choice.key === letter);
    if (!isOption) return false;
    if (this.form !== null) return !repeats && this.form.chooseLetter(letter);
    if (repeats || this.data.feedback) return true;
    if (this.judges) this.tell("letter_is_option", true, { letter });
    else this.chooseLetter(letter);
    return true;
  }

  chooseLetter(letter) {
    if (!this.data.is_current) return;
    if (this.form !== null) this.form.chooseLetter(letter);
    else if (this.data.mode === "answer") {
      const place = this.data.choices.findIndex((choice) => choice.key === letter);
      if (place >= 0) this.pick(place);
    }
  }

  /** Report the chosen option to the pictures. */
  tellChosen() {
    this.chosenChanged(this.form === null ? this.chosen : this.form.chosenLetter);
  }

  /** The key of a command, with Shift if an option has the letter. */
  keyOf(letter) {
    const hasIt = this.data.choices.some((choice) => choice.key === letter.toUpperCase());
    return hasIt && (this.form === null || this.form.offersLetters) ? `Shift+${letter.toUpperCase()}` : letter;
  }

  begin() {
    const { said } = this.data;
    const draft = this.drafts.restored(this.place, this.data.version) ?? this.data.draft;
    const from = Object.keys(draft).length ? draft : said ?? {};
    this.picked = new Set(Array.isArray(from.reasons) ? from.reasons.filter((code) => typeof code === "string") : []);
    this.chosen = typeof from.decision === "string" && this.data.mode === "answer" ? from.decision : null;
    this.pending = null;
    this.marking.end();
    this.marking.rejected = new Set(Array.isArray(from.rejected) ? from.rejected : []);
    this.build(typeof from.note === "string" ? from.note : "", from.fields ?? {}, from.edits ?? {}, from.unfinished ?? null);
    if (draft !== this.data.draft) this.saveDraft();
  }

  build(noteText, fields, edits, unfinished) {
    const { data, element, texts } = this;
    element.replaceChildren();
    element.setAttribute("aria-label", texts.question);
    element.dataset.slot = data.slot;
    const body = add(element, "div", "body");
    letScroll(body, texts.question);
    const says = add(element, "div", "says");
    const foot = add(element, "div", "foot");
    this.footSize.disconnect();
    this.footSize.observe(foot);
    if (this.about) add(body, "p", "about", this.about);
    if (data.said !== null && !data.feedback) {
      const words = data.said.words || (texts[data.said.decision] ?? data.said.decision);
      add(body, "p", "before", data.is_current ? fill(texts.said, { decision: words }) : texts.moved_on);
    }
    addTold(body, "h2", "question", data.question, data.formulas);
    this.buildChoices(body);
    this.buildBeside(body);
    this.otherPlace = add(body, "div", "");
    this.buildAnswers(body);
    this.form = null;
    if (this.hasForm && !data.feedback) {
      this.form = new FormFields(body, data, texts, fields, {
        changed: () => this.saveDraft(), drawn: () => this.tellChosen(), completed: () => data.editable === null && this.submit(),
        said: (words, isUrgent) => this.tellWords(words, isUrgent), isLocked: () => this.busy || !data.is_current,
      }, this.marking, unfinished);
    }
    this.evidence = data.evidence === null || data.feedback ? null : this.buildEvidence(body, fields, unfinished);
    this.editor = data.editable === null ? null : new ItemEditor(body, data, texts, edits, () => this.saveDraft());
    if (data.feedback) this.buildFeedback(says);
    else {
      if (this.judges) this.buildReasons(says);
      if (!this.hasForm) this.buildNote(says, noteText);
    }
    this.buildActions(foot);
    this.remarksPlace = add(foot.querySelector(".aside"), "div", "remarks-place");
    this.status = add(foot, "p", "status");
    this.status.setAttribute("role", "status");
    this.showRemarks();
    this.showOther(data.draft.other);
    this.draw();
    body.scrollTop = 0;
  }

  /** Show the annotator's own comments with a field for another; decisions, notes and drafts stay unchanged. */
  showRemarks() {
    const begun = this.remarks?.task === this.task ? this.remarks.begun : null;
    this.remarks = null;
    if (this.data.remarks === null) return;
    this.remarksPlace.replaceChildren();
    this.remarks = new Remarks(this.remarksPlace, this.data, this.texts, this.keyOf("g"), (does, words) => this.remark(does, words));
    this.remarks.task = this.task;
    if (begun) this.remarks.goOn(begun);
  }

  /** Send a comment or a flag; return whether it is on its way, so that its field may be cleared. */
  remark(does, words) {
    if (this.busy) return false;
    this.act({ task: this.task, does, decision: "", reasons: [], note: words, fields: null, active_s: null }, [words]);
    return true;
  }

  /** Texts next to the item, such as a model's reply, shown literally. */
  buildBeside(parent) {
    for (const { label, text } of this.data.beside) this.addText(parent, label, text);
  }

  addText(parent, label, text) {
    const section = add(parent, "section", "beside");
    add(section, "h3", "", label);
    const shown = addTold(section, "div", "told", text, this.data.formulas);
    letScroll(shown, label);
  }

  /** For an adjudicator: the annotators' answers side by side, with buttons to adopt their proposed edits. */
  buildAnswers(parent) {
    const { texts, data: { answers } } = this;
    if (!answers.length) return;
    const row = add(parent, "section", "answers");
    row.setAttribute("aria-label", texts.answers);
    answers.forEach(({ label, lines, edits }, i) => {
      const box = add(row, "article", "given");
      add(box, "h3", "", label);
      for (const line of lines) addTold(box, "p", "line", line, this.data.formulas);
      if (edits !== null) button(box, "reason", texts.take_edits, i < 9 ? String(i + 1) : "", () => this.pick(i));
    });
  }

  buildChoices(parent) {
    const { data } = this;
    const list = add(parent, "ol", "choices");
    this.choices = data.choices.map((choice, i) => {
      const line = add(list, "li", "choice");
      const box = data.mode === "answer" ? button(line, "option", "", "", () => this.pick(i)) : add(line, "div", "option");
      if (data.mode === "answer") box.setAttribute("aria-keyshortcuts", i < 9 ? `${choice.key} ${i + 1}` : choice.key);
      box.prepend(...[["key", `${choice.key}`], ["said", choice.words]].map(([name, text]) => {
        const span = document.createElement("span");
        span.className = name;
        span.append(...withFormulas(text, data.formulas));
        if (name === "said") span.dir = "auto"; // texts of items follow the direction of their language
        return span;
      }));
      if (choice.key === data.right) {
        line.classList.add("right");
        add(box, "span", "mark", `✓ ${data.declines ? this.texts.declines : this.texts.right}`);
      }
      return box;
    });
  }

  /** The regions that justify a decision, drawn like those of a form, next to the options or buttons. */
  buildEvidence(parent, fields, unfinished) {
    const data = { ...this.data, fields: [this.data.evidence.field], answers: [] };
    const letters = this.data.choices.map((choice) => choice.key);
    return new FormFields(parent, data, this.texts, fields, {
      changed: () => this.saveDraft(), drawn: () => {}, completed: () => {}, isReserved: (letter) => letters.includes(letter),
      said: (words, isUrgent) => this.tellWords(words, isUrgent), isLocked: () => this.busy || !this.data.is_current,
    }, this.marking, unfinished);
  }

  /** Whether a decision lacks its regions or has unfinished ones; if so, report it. */
  lacksEvidence(decision) {
    if (this.evidence === null) return false;
    const { field, needed_for } = this.data.evidence;
    const isNeeded = needed_for.includes(decision) && !this.evidence.values[field.name].length;
    const lack = isNeeded ? this.texts.needs_evidence : this.evidence.lackOf(field);
    if (lack === "") return false;
    this.tellWords(`${field.label}: ${lack}`, true);
    this.evidence.point(field);
    return true;
  }

  /** The feedback after a practice decision: whether it was right, and why. */
  buildFeedback(parent) {
    const { is_right, head, said, why } = this.data.feedback;
    const section = add(parent, "section", is_right ? "feedback good" : "feedback");
    section.setAttribute("role", "status");
    add(section, "h3", "", head);
    for (const text of [said, why]) if (text) addTold(section, "p", "", text, this.data.formulas);
  }

  /** Leave the feedback for the next task. */
  goOn() {
    if (!this.busy) this.act({ task: this.task, does: "next" }, []);
  }

  buildReasons(parent) {
    const { texts, data: { reasons } } = this;
    this.reasons = [];
    if (!reasons.length) return;
    const set = add(parent, "fieldset", "reasons");
    add(set, "legend", "", texts.reasons);
    this.reasons = reasons.map((reason, i) => button(set, "reason", reason.words, i < 9 ? String(i + 1) : "", () => this.pickReason(i)));
  }

  /** Whether number keys give reasons; for an adjudicator they adopt edits until a rejection needs a reason. */
  get wantsReasons() {
    return this.data.mode === "verify" || this.pending === "reject";
  }

  pickReason(i) {
    if (i >= this.data.reasons.length) return false;
    const { code } = this.data.reasons[i];
    if (!this.picked.delete(code)) this.picked.add(code);
    this.saveDraft();
    this.draw();
    bringIntoSight(this.reasons[i]);
  }

  buildNote(parent, text) {
    const { texts } = this;
    const label = add(parent, "label", "note");
    add(label, "span", "label unseen", texts.note);
    this.note = add(label, "textarea", "");
    this.note.value = text;
    this.note.rows = 1;
    this.note.maxLength = 10000;
    this.note.placeholder = texts.note_hint;
    this.note.dir = "auto";
    this.note.addEventListener("input", () => this.saveDraft());
    // Keys typed here are text: the page around must not treat them as shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) this.note.addEventListener(kind, (event) => event.stopPropagation());
  }

  buildActions(parent) {
    const { data } = this;
    const { texts } = this;
    const row = add(parent, "div", "actions");
    const aside = add(parent, "div", "aside");
    const put = (name, words, key, act) => button(name === "quiet" ? aside : row, `action ${name}`, words, key, act);
    this.deciding = [];
    if (data.feedback) {
      put("accept", texts.next, "Enter", () => this.goOn());
      return;
    }
    const decides = (...made) => this.deciding.push(put(...made));
    if (data.is_current && this.judges) {
      for (const [key, decision] of Object.entries(DECISIONS)) {
        if (this.takes(decision)) decides(decision, texts[decision], this.keyOf(key), () => this.decide(decision));
      }
      if (data.mode === "adjudicate") decides("quiet", texts.send_back, this.keyOf("w"), () => this.sendBack());
      if (data.to_writer) decides("revise", texts.to_writer, this.keyOf("w"), () => this.sendBack());
    } else if (data.is_current) {
      decides("accept", this.hasForm ? texts.submit : texts.answer, "Enter", () => this.enter());
      if (data.mode === "adjudicate") decides("quiet", texts.send_back, this.keyOf("w"), () => this.sendBack());
    }
    if (this.form !== null && data.to_writer) decides("revise", texts.to_writer, this.keyOf("w"), () => this.sendBack());
    if (data.mode === "form" && data.editable !== null) put("revise", texts.edit_item, this.keyOf("v"), () => this.key("v"));
    if (data.said === null) put("quiet", texts.skip, this.keyOf("s"), () => this.send("skip"));
    if (!this.isFinal) put("quiet", texts.undo, this.keyOf("u"), () => this.send("undo"));
  }

  key(letter) {
    if (this.data.feedback) return false;
    if (letter === "v" && this.form !== null && this.editor !== null) return this.editor.open();
    if (!this.judges) return false;
    this.decide(DECISIONS[letter]);
  }

  /** Send the item to more annotators, as an adjudicator does, or back to its writer with the requested changes. */
  sendBack() {
    if (this.data.mode === "adjudicate") this.send("decide", "send_back");
    else if (!this.data.to_writer || this.data.feedback) return false;
    else if (this.form !== null) this.form.sendToWriter();
    else this.decide("to_writer");
  }

  /** A key in the note: Escape leaves it, Ctrl+Enter sends the decision that waits for it. */
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

  /** Go to the field for a text; a form may have none at present. */
  write() {
    const area = this.form === null ? this.note : this.form.area;
    if (area === null || this.data.feedback) return false;
    area.focus();
  }

  enter() {
    if (this.data.feedback) return this.goOn();
    if (this.judges || !this.data.is_current) return false;
    if (this.form !== null) return this.submit();
    if (this.chosen === null) {
      const keys = this.data.choices.map((choice) => choice.key);
      this.tell("needs_choice", true, { letters: `${keys[0]}–${keys.at(-1)}`, count: Math.min(9, keys.length) });
      return;
    }
    if (!this.lacksEvidence(this.chosen)) this.send("decide", this.chosen);
  }

  submit() {
    const missing = this.form.missing();
    if (missing === null) {
      if (this.drafts.isWaiting(this.place) || !this.form.goToMistake()) this.send("decide");
      else this.tell("mend_first", true);
      return;
    }
    if (missing.type === "region") {
      this.tellWords(`${missing.label}: ${this.form.lackOf(missing)}`, true);
      missing.go();
      return;
    }
    const needs = {
      text: "needs_text", lines: "needs_lines", photograph: "needs_photograph", draft: "needs_draft", group: "needs_entries",
      pictures: "needs_pictures",
    }[missing.type] ?? "needs_option";
    this.tell(needs, true, { field: missing.label, count: missing.count });
    missing.go();
  }

  pick(i) {
    const { data } = this;
    if (data.feedback) return false;
    if (this.form !== null) return this.form.pick(i);
    if (data.mode === "adjudicate" && !this.wantsReasons) {
      const edits = data.answers[i]?.edits ?? null;
      if (edits === null || this.editor === null) return false;
      this.editor.take(edits);
      return;
    }
    if (data.mode === "answer") {
      if (i >= data.choices.length) return false;
      this.chosen = data.choices[i].key;
    } else return this.pickReason(i);
    this.saveDraft();
    this.draw();
    bringIntoSight(this.choices[i]);
  }

  /** Whether the card takes a decision; in the last round an adjudicator cannot revise, since no round follows. */
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
    // An annotator's note may request changes, an adjudicator's explain a rejection; an adjudicator's revision needs
    // edits.
    const isEnough = (decision === "revise" && this.edits()) || ((data.mode === "verify" || decision === "reject") && this.note.value.trim());
    if (data.needs_note.includes(decision) && !isEnough) {
      this.pending = decision;
      this.tell(decision === "reject" ? "needs_why" : decision === "to_writer" ? "needs_change" : data.mode === "adjudicate" ? "needs_own_edits" : this.editor === null ? "needs_note" : "needs_edits", true);
      this.draw();
      if (this.editor === null || decision !== "revise") this.note.focus();
      else this.editor.open();
      return;
    }
    if (!this.lacksEvidence(decision)) this.send("decide", decision);
  }

  send(does, decision = "") {
    if (this.busy || (does === "skip" && this.data.said !== null)) return false;
    if (does === "undo" && this.isFinal) return false;
    if (does === "decide" && this.seen !== "there") {
      this.tell(UNSEEN[this.seen], true);
      return;
    }
    if (does === "skip") this.drafts.flush();
    if (does === "decide") this.drafts.drop(this.place);
    // A rejection or a revision has reasons; an accepted item has none.
    const isGiven = this.data.mode === "verify" ? decision !== "accept" : this.data.mode === "adjudicate" && decision === "reject";
    const reasons = isGiven ? [...this.picked] : [];
    const note = does === "decide" && this.form === null ? this.note.value : "";
    const fields = does === "decide" ? this.filled() : null;
    const edits = decision === "revise" || (does === "decide" && this.form !== null) ? this.edits() : null;
    const active_s = does === "decide" ? this.activity.take() : null;
    const lines = this.linesOf({ decision: this.texts[decision] ?? decision, reasons, note, fields, edits });
    this.act({ task: this.task, does, decision, reasons, note, fields, edits, active_s, window: WINDOW, ...this.drafts.seen }, lines);
  }

  /** Values of the form, or the regions that justify the decision; null if there are neither. */
  filled() {
    if (this.form !== null) return this.form.filled();
    const values = this.evidence?.filled() ?? {};
    return Object.values(values).some((regions) => regions.length) ? values : null;
  }

  /** The edits of the item; null if it is unedited or not editable. */
  edits() {
    const edits = this.editor?.edits() ?? {};
    return Object.keys(edits).length ? edits : null;
  }

  /** The undecided input on the card, as lines. */
  written() {
    const [note, fields] = [this.form === null ? this.note.value : "", this.filled()];
    const decision = this.data.mode === "answer" ? this.chosen : null;
    return [...this.linesOf({ decision, reasons: [...this.picked], note, fields, edits: this.edits() }), ...(this.remarks?.begun ? [this.remarks.begun.words] : [])];
  }

  saveDraft() {
    if (this.place === null) return;
    const draft = this.form === null
      ? { decision: this.chosen ?? "", reasons: [...this.picked], note: this.note.value }
      : { fields: this.form.saved() };
    if (this.evidence !== null) draft.fields = this.evidence.saved();
    if ((this.form ?? this.evidence)?.regions.length && this.marking.unfinished !== null) draft.unfinished = this.marking.unfinished;
    if (this.marking.rejected.size) draft.rejected = [...this.marking.rejected];
    if (this.edits()) draft.edits = this.edits();
    if (this.other !== undefined) draft.other = this.other;
    if (this.data.save === null) this.drafts.keep({ where: this.place, body: JSON.stringify(draft), seen: this.drafts.seen });
    else this.drafts.save(this.data.save, draft);
  }

  /**
   * While busy, the card accepts text but no decision. Once it is handed over it accepts no text either, since the text
   * would vanish with it.
   */
  setBusy(busy, { isHandedOver = false } = {}) {
    this.busy = busy;
    this.element.classList.toggle("busy", busy);
    this.tellBusy();
    for (const part of this.element.querySelectorAll(":scope > .body, :scope > .says, .actions, .aside")) part.inert = isHandedOver;
  }

  tellBusy() {
    this.element.setAttribute("aria-busy", String(this.busy || this.seen === "coming"));
  }

  /** Set whether the pictures are `there`, still `coming`, or one has `failed`; unseen tasks take no decision. */
  setSeen(seen) {
    const before = this.seen;
    this.seen = seen;
    for (const made of this.deciding) made.setAttribute("aria-disabled", String(seen !== "there"));
    this.tellBusy();
    if (seen === "failed") this.tell(UNSEEN.failed, true);
    else if (seen === "there" && before in UNSEEN && this.status.textContent.startsWith(this.texts[UNSEEN[before]])) this.tellWords("");
  }

  /** Report whether a draft was saved, next to a message shown since it was typed, such as missing fields. */
  tellOfDraft(ok, typed) {
    const isTold = ok && this.told.words && this.told.at > typed;
    this.setStatus(isTold ? `${this.told.words} · ${this.texts.saved}` : this.texts[ok ? "saved" : "not_saved"], isTold ? this.told.urgent : !ok);
  }

  tell(text, urgent, values = {}) {
    this.tellWords(fill(this.texts[text], values), urgent);
  }

  tellWords(words, urgent = false) {
    this.told = { words, urgent, at: performance.now() };
    this.setStatus(words, urgent);
  }

  setStatus(words, urgent) {
    if (!this.status) return;
    this.status.textContent = words;
    this.status.classList.toggle("urgent", urgent);
  }

  draw() {
    const { data } = this;
    this.tellChosen();
    if (this.form !== null) return;
    if (data.mode === "answer") {
      this.choices.forEach((box, i) => box.setAttribute("aria-pressed", String(data.choices[i].key === this.chosen)));
      return;
    }
    if (data.feedback) return;
    this.reasons.forEach((box, i) => box.setAttribute("aria-pressed", String(this.picked.has(data.reasons[i].code))));
    for (const box of this.reasons) {
      const key = box.querySelector("kbd");
      if (key !== null) key.hidden = !this.wantsReasons;
    }
    this.element.classList.toggle("wants-reason", this.pending === "reject" && !this.picked.size);
  }

  destroy() {
    this.drafts.flush();
    this.stop.abort();
    this.footSize.disconnect();
    this.element.remove();
  }
}
