// Programs that propose marks: a button each on the card, what they are asked with, and their proposals as layers beside
// what is drawn. None of it blocks drawing: an answer that is late, superseded or missing changes nothing else.

const PROPOSAL_DASH = "2 4";
const POLL_MS = 1500;
const MOST_POLLS = 20;
const BOX_GROWTH = 0.08; // what was drawn by hand may be too tight
const VIEW_MARGIN = 0.04; // of what is seen, where nothing is selected

class MarkHelpers {
  /** `save` holds the paths of helpers and of proposals, and the header that goes with every request. */
  constructor(parent, marking, fields, save) {
    Object.assign(this, { marking, fields, save, texts: marking.texts, listed: [], buttons: [], ahead: new Set(), isOver: false });
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
    if (propose.length || starts) this.poll(MOST_POLLS);
  }

  /** Only those that can give what the field takes. */
  draw() {
    this.listed.forEach((helper, i) => (this.buttons[i].hidden = !helper.gives.includes(this.marking.field.shape)));
  }

  /** The key: ask the first helper that can be asked here. */
  askFirst() {
    const helper = this.listed.find(({ gives, why }) => why === null && gives.includes(this.marking.field.shape));
    if (helper === undefined) return false;
    this.ask(helper);
    return true;
  }

  async ask(helper) {
    const { field } = this.marking;
    const request = { window: WINDOW, place: 0, shape: field.shape, label: this.marking.labels[field.name], ...this.hints(helper) };
    this.tell(fill(this.texts.asking, { name: helper.title }));
    for (const refine of helper.refines ? [false, true] : [false]) {
      const answer = await this.answered(helper, { ...request, refine });
      if (answer === null) return;
      this.showProposals(helper.title, helper.name, { [field.name]: answer.regions });
      this.tell(fill(this.texts[answer.regions.length ? "proposes" : "finds_nothing"], { name: helper.title, count: answer.regions.length }));
      if (!answer.regions.length || answer.refined) return;
    }
  }

  /** What a helper works from: the selected mark, else what is seen of the picture; the crosshair as a click; the label in words. */
  hints({ takes }) {
    const { marking } = this;
    const { field, cross } = marking;
    const own = marking.chosen?.field === field ? marking.chosen.mark : marking.history.marks(field.name).at(-1);
    const isClicked = cross !== null && cross.pane === 0 && takes.includes("points");
    const words = marking.wordsOf(field, own?.label || marking.labels[field.name]) || field.label;
    return {
      box: takes.includes("box") && !isClicked ? this.boxOf(own) : null,
      inside: isClicked ? [[[cross.x, cross.y]]] : [],
      ...(takes.includes("phrase") ? { phrase: words } : {}),
    };
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

  /** The answer of a helper; null where it has none, which is said, or where a newer request took its place. */
  async answered(helper, request) {
    try {
      return await this.fetched(`${this.save.helpers}/${helper.name}`, { method: "POST", body: JSON.stringify(request) });
    } catch (error) {
      if (!this.isOver && !error.superseded) this.tell(fill(this.texts.helper_failed, { name: helper.title, why: error.why ?? "" }));
      return null;
    }
  }

  /** What files hold, and what some helpers propose of themselves, comes when it is there, and only once. */
  async poll(left) {
    const none = { placed: [], regions: [], problems: [], waiting: false };
    const { placed, regions, problems, waiting } = await this.fetched(`${this.save.proposals}?place=0`).catch(() => none);
    if (this.isOver) return;
    for (const { author, fields } of placed) {
      if (this.isNew(author)) this.showStart(author, fields);
    }
    for (const name of new Set(regions.map(({ proposal }) => proposal.helper))) {
      if (!this.isNew(name)) continue;
      const own = regions.filter(({ proposal }) => proposal.helper === name);
      const title = this.listed.find((helper) => helper.name === name)?.title ?? name;
      const byField = this.fields.map((field) => [field.name, own.filter(({ shape }) => shape === field.shape)]);
      this.showProposals(title, name, Object.fromEntries(byField));
    }
    if (problems.length) this.tell(problems.map(({ helper, why }) => fill(this.texts.helper_failed, { name: helper, why })).join(" "));
    if (waiting && left > 0) this.timer = setTimeout(() => this.poll(left - 1), POLL_MS);
  }

  isNew(name) {
    const isNew = !this.ahead.has(name);
    this.ahead.add(name);
    return isNew;
  }

  /** The marks of a file to start from; those that were rejected stay so, also when the page is loaded again. */
  showStart(author, fields) {
    const open = Object.fromEntries(Object.entries(fields).map(([name, regions]) => [name, regions
      .map((region, i) => ({ ...region, start: `${region.proposal.version.slice(-12)} ${name} ${i + 1}` }))
      .filter(({ start }) => !this.marking.rejected.has(start))]));
    this.showProposals(author, author, open);
    const count = this.marking.layers.filter(({ helper }) => helper === author).flatMap((layer) => this.marking.openIn(layer)).length;
    if (count) this.tell(fill(this.texts.proposes, { name: author, count }));
  }

  /** Proposals of one helper take the place of those that it made before. */
  showProposals(label, helper, regions) {
    if (this.isOver) return;
    const others = this.marking.layers.filter((layer) => layer.helper !== helper);
    const layers = layersOf([{ label, helper, regions }], this.fields).map((layer) => ({ ...layer, dash: PROPOSAL_DASH }));
    this.marking.showLayers([...others, ...layers]);
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
