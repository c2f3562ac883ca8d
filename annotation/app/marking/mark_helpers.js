// Helpers that propose marks: a button each on the card, their requests, and their proposals as layers over the
// picture.
// None of this blocks drawing: a late, superseded or missing answer changes nothing else.

const PROPOSAL_DASH = "2 4";
const POLL_MS = 1500;
const MOST_POLLS = 20;
const MOST_TRIES = 5;
const BOX_GROWTH = 0.08; // a box drawn by hand may be too tight
const VIEW_MARGIN = 0.04; // of the visible part, if no mark is selected

class MarkHelpers {
  /** `save` holds the paths of helpers and of proposals, and the header of every request. */
  constructor(parent, marking, fields, save) {
    Object.assign(this, { marking, fields, save, texts: marking.texts, listed: [], buttons: [], ahead: new Set(), isOver: false, turn: 0, asked: null, subject: null, hints: null });
    this.element = add(parent, "section", "mark-helpers");
    this.element.hidden = true;
    this.status = null;
    this.begin();
  }

  async begin() {
    const none = { helpers: [], propose: [], starts: false };
    const { helpers, propose, starts } = await this.fetched(this.save.helpers).catch(() => none);
    if (this.isOver || !(helpers.length || starts)) return;
    this.listed = helpers;
    if (helpers.length) add(this.element, "h3", "", this.texts.helpers);
    const row = add(this.element, "div", "legend");
    this.buttons = helpers.map((helper, i) => {
      const box = button(row, "reason", helper.title, i === 0 ? "h" : "", () => this.ask(helper));
      box.disabled = helper.why !== null;
      if (helper.why !== null) box.title = helper.why;
      return box;
    });
    this.status = add(this.element, "p", "count");
    this.status.setAttribute("role", "status");
    this.element.hidden = false;
    this.draw();
    this.marking.hooks.selected(); // show the source of marks proposed earlier
    if (propose.length || starts) this.poll(MOST_POLLS);
  }

  /** Draw buttons for the helpers whose marks the field takes. */
  draw() {
    this.listed.forEach((helper, i) => (this.buttons[i].hidden = !helper.gives.includes(this.marking.field.shape)));
    this.marking.tools.hints.draw();
  }

  /** The helpers available for marks of the field. */
  get usable() {
    return this.usableFor(this.marking.field);
  }

  usableFor({ shape }) {
    return this.listed.filter(({ gives, why }) => why === null && gives.includes(shape));
  }

  /** The kinds of hints that any of them use. */
  get hintKinds() {
    return this.hintKindsFor(this.marking.field);
  }

  hintKindsFor(field) {
    const taken = new Set(this.usableFor(field).flatMap(({ takes }) => takes));
    const strokes = taken.has("strokes") || taken.has("points") ? ["inside", "outside"] : [];
    return taken.has("box") ? [...strokes, "around"] : strokes;
  }

  /** For the keyboard: ask the first available helper. */
  askFirst() {
    const [helper] = this.usable;
    if (helper === undefined) return false;
    this.ask(helper);
    return true;
  }

  /** Ask again with the present hints: the last helper asked, if it uses such hints, or else the first. */
  hintsMayHaveChanged() {
    const { hints } = this.marking.history.now;
    if (hints === this.hints) return;
    this.hints = hints;
    this.marking.tools.hints.draw();
    const isThere = hints !== null && (hints.box !== null || hints.strokes.length > 0);
    if (isThere && hints.field === this.marking.field.name) this.askAgain(hints);
    else if (this.subject !== null && this.asked !== null) this.ask(this.asked, this.subject.box);
    else this.forget();
  }

  askAgain({ strokes }) {
    const works = ({ takes }) => (strokes.length ? takes.includes("strokes") || takes.includes("points") : takes.includes("box"));
    const able = this.usable.filter(works);
    const helper = able.find(({ name }) => name === this.asked?.name) ?? able[0];
    if (helper !== undefined) this.ask(helper);
  }

  /** End a request: remove its proposals, and ignore an answer that is still to come. */
  forget() {
    this.turn += 1;
    this.subject = null;
    if (this.asked !== null) this.showProposals(this.asked.title, this.asked.name, {});
    this.asked = null;
    this.hints = null;
    this.tell("");
  }

  /** Remove all hints, and the proposals made from them. */
  clear() {
    this.forget();
    this.marking.hinting = null;
    if (this.marking.history.now.hints !== null) this.marking.commit({ hints: null });
    else this.marking.redraw();
  }

  /** Ask a helper; without hints, `box` replaces the selected mark or the visible part. */
  async ask(helper, box = null) {
    const { field } = this.marking;
    const turn = ++this.turn;
    this.asked = helper;
    const request = { window: WINDOW, place: 0, shape: field.shape, label: this.marking.labels[field.name], ...this.hintsFor(helper, box) };
    this.tell(fill(this.texts.asking, { name: helper.title }));
    for (const refine of helper.refines ? [false, true] : [false]) {
      const answer = await this.answered(helper, { ...request, refine }, turn);
      if (answer === null || turn !== this.turn) return;
      this.showProposals(helper.title, helper.name, { [field.name]: answer.regions });
      this.tell(fill(this.texts[answer.regions.length ? "proposes" : "finds_nothing"], { name: helper.title, count: answer.regions.length }));
      if (!answer.regions.length || answer.refined) return;
    }
  }

  /**
   * The input of a helper: the hints; without hints the selected mark, or else the visible part of the picture; the
   * crosshair as a click; the words of the label.
   */
  hintsFor({ takes }, asBefore) {
    const { marking } = this;
    const { field, cross } = marking;
    const own = marking.chosen?.field === field ? marking.chosen.mark : marking.history.marks(field.name).at(-1);
    const words = marking.wordsOf(field, own?.label || marking.labels[field.name]) || field.label;
    const phrase = takes.includes("phrase") ? { phrase: words } : {};
    const { box, width, strokes } = hintsOf(marking, field);
    const takesStrokes = takes.includes("strokes") || takes.includes("points");
    if (box !== null || (takesStrokes && strokes.length)) {
      const pointsOf = (kind) => (takesStrokes ? strokes.filter((stroke) => stroke.kind === kind).map(({ points }) => points.map(({ x, y }) => [x, y])) : []);
      const inside = pointsOf("inside");
      const near = () => (takes.includes("strokes") ? boxNear(strokes.filter(({ kind }) => kind === "inside"), width, marking.sizeOf(0)) : null);
      const around = () => box ?? (inside.length ? near() : this.boxOf());
      return { ...phrase, box: takes.includes("box") ? around() : null, inside, outside: pointsOf("outside"), stroke_px: width };
    }
    const isClicked = cross !== null && cross.pane === 0 && takes.includes("points");
    this.subject = takes.includes("box") && !isClicked ? { field, box: asBefore ?? this.boxOf(own) } : null;
    return { ...phrase, box: this.subject?.box ?? null, inside: isClicked ? [[[cross.x, cross.y]]] : [] };
  }

  /** The box for hints without a drawn one: the box of the proposal's request, or the selected mark around a point. */
  boxAround({ x, y }) {
    const { field, chosen } = this.marking;
    if (this.subject?.field === field) return this.subject.box;
    if (chosen?.field !== field || chosen.mark.shape === "point") return null;
    const box = this.boxOf(chosen.mark);
    return box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3] ? box : null;
  }

  boxOf(mark) {
    const overlay = this.marking.overlays[0];
    const { width, height } = this.marking.sizeOf(0);
    let [x0, y0, x1, y1] = [0, 0, width, height];
    let growth = -VIEW_MARGIN;
    if (mark !== undefined && mark.shape !== "point") [[x0, y0, x1, y1], growth] = [boundsOf(mark), mark.shape === "box" ? 0 : BOX_GROWTH];
    else {
      const seen = [overlay.toPicture({ x: 0, y: 0 }), overlay.toPicture({ x: overlay.pane.stageWidth, y: overlay.pane.stageHeight })];
      [x0, y0, x1, y1] = [Math.max(0, seen[0].x), Math.max(0, seen[0].y), Math.min(width, seen[1].x), Math.min(height, seen[1].y)];
    }
    const [dx, dy] = [(x1 - x0) * growth, (y1 - y0) * growth];
    return [Math.max(0, x0 - dx), Math.max(0, y0 - dy), Math.min(width, x1 + dx), Math.min(height, y1 + dy)];
  }

  /**
   * The answer of a helper; null if it has none, which the page reports, or if a newer request replaced it. An older
   * request that arrived late may have replaced the newest one, which is then sent again.
   */
  async answered(helper, request, turn) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.fetched(`${this.save.helpers}/${helper.name}`, { method: "POST", body: JSON.stringify(request) });
      } catch (error) {
        if (this.isOver || turn !== this.turn) return null;
        if (error.superseded && tries < MOST_TRIES) continue;
        this.tell(fill(this.texts.helper_failed, { name: helper.title, why: error.why ?? "" }));
        return null;
      }
    }
  }

  /** Show the marks from files and the helpers' unprompted proposals once they are ready, each once. */
  async poll(left) {
    const none = { placed: [], regions: [], problems: [], waiting: false };
    const { placed, regions, problems, waiting } = await this.fetched(`${this.save.proposals}?place=0`).catch(() => none);
    if (this.isOver) return;
    for (const { author, fields } of placed) this.showStart(author, author, fields);
    for (const name of new Set(regions.map(({ proposal }) => proposal.helper))) {
      const own = regions.filter(({ proposal }) => proposal.helper === name);
      const byField = this.fields.map((field) => [field.name, own.filter(({ shape }) => shape === field.shape)]);
      this.showStart(this.marking.titleOf(name), name, Object.fromEntries(byField));
    }
    if (problems.length) this.tell(problems.map(({ helper, why }) => fill(this.texts.helper_failed, { name: this.marking.titleOf(helper), why })).join(" "));
    if (waiting && left > 0) this.timer = setTimeout(() => this.poll(left - 1), POLL_MS);
  }

  /** Show proposals that exist from the start; rejected ones stay rejected, also after a reload. */
  showStart(title, author, fields) {
    if (this.ahead.has(author)) return;
    this.ahead.add(author);
    const { others, rejected } = this.marking;
    const open = Object.fromEntries(Object.entries(fields).map(([name, regions]) => [name, regions
      .map((region, i) => ({ ...region, start: `${author} ${(region.proposal.version ?? "").slice(-12)} ${name} ${i + 1}` }))
      .filter(({ start }) => !rejected.has(start))]));
    this.showProposals(title, author, open);
    const count = others.layers.filter(({ helper }) => helper === author).flatMap((layer) => others.openIn(layer)).length;
    if (count) this.tell(fill(this.texts.proposes, { name: title, count }));
  }

  /** Replace a helper's earlier proposals; a selection moves to the replacement. */
  showProposals(label, helper, regions) {
    if (this.isOver) return;
    const { marking } = this;
    const isPointed = marking.others.find(marking.taken)?.layer.helper === helper;
    const others = marking.others.layers.filter((layer) => layer.helper !== helper);
    const layers = layersOf([{ label, helper, regions }], this.fields).map((layer) => ({ ...layer, dash: PROPOSAL_DASH }));
    if (isPointed) marking.taken = layers[0]?.marks[0]?.mark.id ?? null;
    marking.others.show([...others, ...layers]);
  }

  async fetched(url, options = {}) {
    const headers = { "Content-Type": "application/json", [this.save.header]: "1" };
    const answer = await fetch(url, { ...options, headers });
    if (answer.ok) return answer.json();
    throw Object.assign(new Error(String(answer.status)), await answer.json().catch(() => ({})));
  }

  tell(words) {
    this.status.textContent = words;
  }

  end() {
    this.isOver = true;
    clearTimeout(this.timer);
  }
}
