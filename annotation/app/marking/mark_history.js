// The drawing on a task, with undo and redo: the marks of each field, the unfinished mark, and the hints to helpers.

const MOST_STEPS = 300;

class MarkHistory {
  /** `changed` is called after each change of the marks. */
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

  /** Store a change of the marks or the unfinished mark; consecutive steps of one `kind` are undone together. */
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

  /** Show a change in progress; `commit` keeps it and `revert` undoes it. */
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

  /** Replace the mark with the same id. */
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
