// The grid of items. Every text comes from the page and is set as text, never as HTML.

class ItemGrid {
  constructor(place) {
    this.place = place;
    this.selected = new Set();
    this.last = null;
    this.shown = "";
  }

  update(data, send) {
    this.send = send;
    const shown = JSON.stringify(data);
    if (shown === this.shown) return;
    this.shown = shown;
    this.data = data;
    const ids = new Set(data.tiles.map((tile) => tile.id));
    this.selected = new Set([...this.selected].filter((id) => ids.has(id)));
    this.draw();
  }

  draw() {
    const { tiles, texts } = this.data;
    const root = element("div", "items");
    const bar = element("div", "bar");
    this.count = element("span", "count");
    this.count.setAttribute("role", "status");
    this.toggle = element("button", "toggle");
    this.toggle.type = "button";
    this.toggle.addEventListener("click", () => this.selectAll());
    bar.append(this.toggle, this.count);
    const list = element("ul", "grid");
    this.boxes = tiles.map((tile, place) => {
      const { item, box } = this.tile(tile, place, texts);
      list.append(item);
      return box;
    });
    if (this.data.canSelect) root.append(bar);
    root.append(list);
    this.place.querySelector(".items")?.remove();
    this.place.append(root);
    if (this.data.canSelect) this.mark();
  }

  tile(tile, place, texts) {
    const item = element("li", "tile");
    item.dataset.id = tile.id;
    const link = element("a", "open");
    link.href = tile.href;
    link.setAttribute("aria-label", fill(texts.open_item, { name: tile.name }));
    const frame = element("span", "frame");
    if (tile.src) {
      const image = element("img", "");
      image.src = tile.src;
      image.alt = "";
      image.loading = "lazy";
      image.decoding = "async";
      frame.append(image);
    }
    if (tile.pictures > 1) frame.append(element("span", "many", `${tile.pictures}`));
    link.append(frame);
    const label = element("label", "choose");
    const box = element("input", "");
    box.type = "checkbox";
    box.setAttribute("aria-label", fill(texts.select_item, { name: tile.name }));
    box.addEventListener("click", (event) => this.choose(place, box.checked, event.shiftKey));
    label.append(box);
    const words = element("div", "words");
    const title = text("p", "title", "");
    title.append(...withFormulas(tile.title, this.data.formulas));
    words.append(element("span", `state ${tile.state}`, tile.state_words), title);
    for (const line of tile.lines) words.append(text("p", "line", line));
    item.append(link, ...(this.data.canSelect ? [label] : []), words);
    return { item, box };
  }

  choose(place, checked, through) {
    const [first, last] = through && this.last !== null ? [Math.min(place, this.last), Math.max(place, this.last)] : [place, place];
    for (let each = first; each <= last; each++) this.set(this.data.tiles[each].id, checked);
    this.last = place;
    this.tell();
  }

  selectAll() {
    const all = this.selected.size === this.data.tiles.length;
    for (const tile of this.data.tiles) this.set(tile.id, !all);
    this.tell();
  }

  set(id, checked) {
    if (checked) this.selected.add(id);
    else this.selected.delete(id);
  }

  tell() {
    this.mark();
    this.send.selected(this.data.tiles.map((tile) => tile.id).filter((id) => this.selected.has(id)));
  }

  mark() {
    const { tiles, texts } = this.data;
    this.boxes.forEach((box, place) => {
      box.checked = this.selected.has(tiles[place].id);
      box.closest(".tile").classList.toggle("chosen", box.checked);
    });
    this.toggle.textContent = this.selected.size === tiles.length ? texts.select_none : texts.select_page;
    this.count.textContent = this.selected.size ? fill(texts.selected_n, { count: this.selected.size }) : "";
  }
}

function element(name, style, words = "") {
  const made = document.createElement(name);
  if (style) made.className = style;
  if (words) made.textContent = words;
  return made;
}

/** A user-written text, in the direction of its script. */
function text(name, style, words) {
  const made = element(name, style, words);
  made.dir = "auto";
  return made;
}

const grids = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!grids.has(parentElement)) grids.set(parentElement, new ItemGrid(parentElement));
  grids.get(parentElement).update(data, {
    selected: (ids) => setStateValue("selected", ids),
  });
}
