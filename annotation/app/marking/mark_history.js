// What has been drawn on a task: the marks of each field, what is unfinished, what was hinted to
// helpers; with undo and redo.

const MOST_STEPS = 300;

class MarkHistory {
  /** `changed` is called after whatever changes the marks. */
  constructor(values, unfinished, changed) {
    this.now = { values, unfinished, hints: null };
    this.done = [];
    this.undone = [];
    this.tellChanged = changed;
  }

  marks(name) {
    return this.now.values[name] ?? [];
  }

  get all() {
    return Object.values(this.now.values).flat();
  }

  /** The marks and what is unfinished, otherwise; `kind` names steps that follow each other and are undone as one. */
  commit(changes, kind = null) {
    const isMerged = kind !== null && kind === this.kind;
    if (!isMerged) this.done.push(this.base ?? this.now);
    if (this.done.length > MOST_STEPS) this.done.shift();
    this.undone = [];
    this.base = undefined;
    this.kind = kind;
    this.now = { ...this.now, ...changes };
    this.tellChanged();
  }

  /** Show a change while it is being made; `commit` keeps it and `revert` takes it back. */
  preview(changes) {
    this.base ??= this.now;
    this.now = { ...this.now, ...changes };
  }

  revert() {
    if (this.base !== undefined) this.now = this.base;
    this.base = undefined;
  }

  with(name, marks) {
    return { values: { ...this.now.values, [name]: marks } };
  }

  /** One mark in place of the one with its id. */
  withMark(name, mark) {
    return this.with(name, this.marks(name).map((each) => (each.id === mark.id ? mark : each)));
  }

  undo() {
    return this.step(this.done, this.undone);
  }

  redo() {
    return this.step(this.undone, this.done);
  }

  step(from, to) {
    this.revert();
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    this.kind = null;
    this.tellChanged();
    return true;
  }
}
