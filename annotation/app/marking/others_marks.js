// Others' marks: those of annotators, for the adjudicator, and helpers' proposals. They are in layers separate from the
// user's own marks, each with `name`, `helper` or null, `color`, `dash`, `turn`, and `marks` with their fields.

class OthersMarks {
  constructor(marking, layers) {
    Object.assign(this, { marking, layers });
  }

  show(layers) {
    this.layers = layers;
    this.marking.hooks.selected();
    this.marking.redraw();
  }

  get visible() {
    return this.layers.filter(({ isHidden }) => !isHidden);
  }

  get takeable() {
    return this.visible.flatMap((layer) => this.openIn(layer).map((each) => ({ layer, ...each })));
  }

  /** The marks of a layer to adopt; initial ones only while they are not adopted, so that undo brings them back. */
  openIn({ marks }) {
    const own = this.marking.history.all.filter(({ proposal }) => proposal !== null);
    const accepted = new Set(own.map(({ proposal }) => proposalKey(proposal)));
    return marks.filter(({ mark, start }) => start === null || !accepted.has(proposalKey(mark.proposal)));
  }

  find(id) {
    return this.takeable.find(({ mark }) => mark.id === id);
  }

  /** Point at a mark of a layer; `take` adopts it. */
  pointAt(id) {
    const { marking } = this;
    const pointed = this.find(id);
    if (pointed === undefined) return false;
    marking.select(null, pointed.field, { isQuiet: true });
    marking.taken = id;
    marking.say(fill(marking.texts.pointed_at, { what: marking.wordsOf(pointed.field, pointed.mark.label) || pointed.field.label, name: pointed.layer.name }));
    marking.hooks.selected();
    marking.redraw();
    return true;
  }

  takeAt(pane, point, reach) {
    if (this.marking.field.shape === "mask") return false;
    const hit = this.takeable.find(({ mark }) => ["handle", "side"].includes(hitOf(mark, pane, point, reach)?.part));
    return hit !== undefined && this.pointAt(hit.mark.id);
  }

  /** The mark pointed at, or else the only proposal. */
  get wanted() {
    const { takeable } = this;
    const isLone = takeable.length === 1 && takeable[0].layer.helper !== null;
    return this.marking.taken ?? (isLone ? takeable[0].mark.id : null);
  }

  /** Adopt a mark of a layer; this accepts a helper's proposal and removes its hints. */
  take(id = this.wanted) {
    const { marking } = this;
    const taken = this.find(id);
    if (taken === undefined) return false;
    const { layer, field, mark } = taken;
    if (!marking.hasRoom(field)) return true;
    if (!marking.hooks.isOffered(field)) return true;
    const own = { ...changed(mark, {}), id: ++latestMark };
    if (layer.helper !== null && taken.start === null) this.leaveOut(layer, mark);
    const isDone = this.isLastOfAsked(layer);
    if (isDone) {
      marking.helpers.forget();
      marking.hinting = null;
    }
    marking.addMark(field, own, isDone ? { hints: null } : {});
    return true;
  }

  /** Adopt all proposals of a helper or a file, as far as fields have room; one undo reverts this. */
  takeAll(layer) {
    const { marking } = this;
    const values = { ...marking.history.now.values };
    const taken = [];
    for (const each of this.openIn(layer)) {
      const { field, mark } = each;
      if (!marking.hooks.isOffered(field) || values[field.name].length >= field.max_count) continue;
      values[field.name] = [...values[field.name], { ...changed(mark, {}), id: ++latestMark }];
      taken.push(each);
    }
    marking.taken = null;
    for (const { mark, start } of taken) if (start === null) this.leaveOut(layer, mark);
    const isDone = this.isLastOfAsked(layer);
    if (isDone) {
      marking.helpers.forget();
      marking.hinting = null;
    }
    if (taken.length) marking.commit(isDone ? { values, hints: null } : { values });
    marking.say(fill(marking.texts.accepted_all, { name: layer.name, count: taken.length }), !taken.length);
  }

  /** Reject a proposal, removing it and its hints from the picture; an annotator's marks stay. */
  reject(id = this.marking.taken) {
    const { marking } = this;
    const taken = this.find(id);
    if (taken === undefined || taken.layer.helper === null) return false;
    this.leaveOut(taken.layer, taken.mark);
    marking.taken = null;
    if (this.isLastOfAsked(taken.layer)) marking.helpers.clear();
    if (taken.start !== null) {
      marking.rejected.add(taken.start); // stored with the draft
      marking.hooks.changed(marking);
    }
    marking.say(fill(marking.texts.rejected, { name: taken.layer.name }));
    marking.hooks.selected();
    marking.redraw();
    return true;
  }

  /** Whether no proposals are left of the last helper asked. */
  isLastOfAsked({ helper, marks }) {
    return helper !== null && helper === this.marking.helpers?.asked?.name && !marks.length;
  }

  leaveOut(layer, mark) {
    layer.marks = layer.marks.filter((each) => each.mark !== mark);
  }
}

/** Controls for others' marks: a legend with a switch for each layer, and a way to adopt each mark. */
class MarkLayers {
  constructor(parent, marking) {
    Object.assign(this, { marking, texts: marking.texts });
    this.element = add(parent, "section", "suggestions");
    this.draw();
  }

  draw() {
    const { marking, texts } = this;
    const layers = marking.others.layers.filter((layer) => layer.helper === null || marking.others.openIn(layer).length);
    const focused = this.element.getRootNode().activeElement?.dataset?.key;
    this.element.replaceChildren();
    this.element.hidden = !layers.length;
    if (!layers.length) return;
    add(this.element, "h3", "", texts.others);
    const legend = add(this.element, "div", "legend");
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", texts.others);
    layers.forEach((layer, i) => {
      const box = button(legend, "reason", layer.name, "", () => {
        layer.isHidden = !layer.isHidden;
        marking.taken = null;
        marking.redraw();
        this.draw();
      });
      box.querySelector(".words").dir = "auto";
      box.dataset.key = `layer ${i}`;
      box.setAttribute("aria-pressed", String(!layer.isHidden));
      box.prepend(swatch(layer.color, layer.dash));
      const count = layer.helper === null || layer.isHidden ? 0 : marking.others.openIn(layer).length;
      if (count < 2) return;
      const all = button(legend, "reason accept-all", fill(texts.accept_all, { name: layer.name, count }), "", () => marking.others.takeAll(layer));
      all.querySelector(".words").dir = "auto";
      all.dataset.key = `all ${i}`;
    });
    const list = add(this.element, "ul", "mark-list");
    list.setAttribute("aria-label", texts.others);
    for (const { layer, field, mark } of marking.others.takeable) this.addRow(list, layer, field, mark);
    if (focused !== undefined) this.element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  addRow(list, layer, field, mark) {
    const { marking, texts } = this;
    const line = add(list, "li", "");
    const row = add(line, "button", "mark-row");
    row.type = "button";
    row.dataset.key = `mark ${mark.id}`;
    row.setAttribute("aria-pressed", String(mark.id === marking.taken));
    row.append(swatch(layer.color, layer.dash));
    add(row, "span", "what", marking.wordsOf(field, mark.label) || field.label).dir = "auto";
    add(row, "span", "where", marking.placeOf(mark));
    add(row, "span", "from", layer.name).dir = "auto";
    row.addEventListener("click", () => marking.others.pointAt(mark.id));
    const put = (words, spoken, act) => {
      const element = add(line, "button", "mark-act", words);
      element.type = "button";
      element.dataset.key = `${words} ${mark.id}`;
      element.setAttribute("aria-label", spoken);
      element.addEventListener("click", act);
    };
    const what = marking.wordsOf(field, mark.label) || field.label;
    put(texts[layer.helper === null ? "take" : "accept"], fill(texts[layer.helper === null ? "take_mark" : "accept_mark"], { what, name: layer.name }), () => marking.others.take(mark.id));
    if (layer.helper !== null) put("✕", fill(texts.reject_mark, { what, name: layer.name }), () => marking.others.reject(mark.id));
  }
}

/** Layers of others' marks: each entry has `label`, `helper` (null for people) and `regions`, documents by field. */
function layersOf(entries, fields) {
  return entries.map(({ label, helper = null, regions }, i) => ({
    name: label, helper, color: INKS[(i + 1) % INKS.length], dash: helper === null ? DASHES[(i + 1) % DASHES.length] : "2 4", turn: [2, -1, -2, 3, 0][i % 5],
    marks: fields.flatMap((field) => (regions[field.name] ?? []).flatMap((region) => readMark(region).map((mark) => ({ field, mark, start: region.start ?? null })))),
  })).filter(({ marks }) => marks.length);
}
