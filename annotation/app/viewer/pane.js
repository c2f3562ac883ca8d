// One picture with its caption: the stage is the window onto the picture, and the layer moves within it.

function make(tag, name, parent) {
  const element = document.createElement(tag);
  element.className = name;
  parent?.append(element);
  return element;
}

class Pane {
  /** `chosen` gets the letter of the chosen picture; `came` is called when the picture has loaded or failed. */
  constructor(parent, { chosen, came }) {
    Object.assign(this, { chosen, came });
    this.element = make("figure", "pane", parent);
    this.caption = make("figcaption", "caption", this.element);
    this.caption.addEventListener("click", (event) => {
      if (event.target.closest("button")) this.choose();
    });
    this.stage = make("div", "stage", this.element);
    this.layer = make("div", "layer", this.stage);
    this.detail = new Detail(this.layer);
    this.trouble = make("div", "trouble", this.stage);
    this.message = make("p", "message", this.trouble);
    this.retry = make("button", "button", this.trouble);
    this.retry.type = "button";
    this.retry.addEventListener("click", () => this.reload());
    this.trouble.setAttribute("role", "alert");
    this.trouble.hidden = true;
  }

  /** Show a picture, without loading an already shown image again. */
  show(picture, texts) {
    this.texts = texts;
    this.showCaption(picture);
    this.retry.textContent = texts.retry;
    if (this.picture?.src !== picture.src || this.picture?.marks !== picture.marks) {
      // New elements, so that the last item's picture never appears with the next item's question.
      this.empty();
      this.detail.begin(picture);
      this.failures = new Set();
      this.image = this.addPicture(picture);
      this.marks = picture.marks === null ? null : this.addImage("marks", picture.marks, "marks_failed");
    }
    this.picture = picture;
    this.image.alt = picture.alt || picture.caption;
    this.tell();
  }

  /** Remove all pictures, without waiting for unfinished ones. */
  empty() {
    const images = this.layer.querySelectorAll("img");
    this.layer.replaceChildren();
    this.stage.querySelector(".coming")?.remove();
    images.forEach(leave);
  }

  /** Show the letter of an option as a tab on its picture's upper edge, which covers no part of the picture. */
  showCaption({ caption, letter, can_be_chosen }) {
    const isSame = this.picture?.caption === caption && this.picture?.letter === letter && this.picture?.can_be_chosen === can_be_chosen;
    if (isSame) return; // a focused button keeps the focus
    this.caption.textContent = letter ? "" : caption;
    this.stage.classList.toggle("choosable", can_be_chosen);
    this.letter = null;
    if (!letter) return;
    this.letter = make(can_be_chosen ? "button" : "span", "letter", this.caption);
    this.letter.textContent = letter;
    if (!can_be_chosen) return;
    this.letter.type = "button";
    this.letter.setAttribute("aria-label", fill(this.texts.choose, { letter }));
  }

  choose() {
    if (this.picture.can_be_chosen) this.chosen(this.picture.letter);
  }

  markChosen(letter) {
    const isChosen = Boolean(this.picture?.can_be_chosen) && this.picture.letter === letter;
    this.element.classList.toggle("chosen", isChosen);
    if (this.picture?.can_be_chosen) this.letter.setAttribute("aria-pressed", String(isChosen));
  }

  /** Add the picture; on a slow line, below a coarse version that arrives earlier. */
  addPicture({ src, coarse }) {
    const isCoarseFirst = Boolean(coarse) && lineIsSlow && !(ahead.has(src) && isThere(ahead.get(src)));
    if (!isCoarseFirst) return this.addImage("picture", src, "failed");
    const first = takeAhead(coarse) ?? new Image();
    const image = this.addImage("picture", isThere(first) || ahead.has(src) ? src : null, "failed");
    first.className = "coarse";
    first.alt = "";
    first.draggable = false;
    image.after(first);
    const note = make("div", "coming", this.stage);
    note.textContent = this.texts.coarse;
    const goOn = () => image.getAttribute("src") ?? image.setAttribute("src", src);
    first.addEventListener("load", goOn);
    first.addEventListener("error", goOn);
    if (!first.getAttribute("src")) first.src = coarse;
    for (const over of ["load", "error"]) image.addEventListener(over, () => [first, note].forEach((each) => each.remove()));
    return image;
  }

  addImage(name, src, failure) {
    const image = takeAhead(src) ?? new Image();
    image.className = name;
    this.layer.append(image);
    image.decoding = "async";
    image.draggable = false;
    image.alt = "";
    image.addEventListener("error", () => this.note(image, failure, true));
    image.addEventListener("load", () => this.note(image, failure, false));
    image.fetchPriority = "high";
    if (src !== null && image.getAttribute("src") !== src) image.src = src;
    awaitImage(image);
    return image;
  }

  note(image, failure, failed) {
    if (image.parentNode !== this.layer) return; // a late image of the last item
    this.failures[failed ? "add" : "delete"](failure);
    this.tell();
    this.came();
  }

  /** Whether the picture itself and its marks are `there`, still `coming`, or have `failed`. */
  get state() {
    if (this.failures.size) return "failed";
    return [this.image, this.marks].every((image) => image === null || isThere(image)) ? "there" : "coming";
  }

  /** Report an image that failed to load, in its place. */
  tell() {
    const failure = ["failed", "marks_failed"].find((each) => this.failures.has(each));
    this.trouble.hidden = failure === undefined;
    this.trouble.classList.toggle("whole", failure === "failed");
    this.layer.hidden = failure === "failed";
    this.marks?.classList.toggle("absent", this.failures.has("marks_failed"));
    this.message.textContent = failure === undefined ? "" : fill(this.texts[failure], this.picture);
  }

  reload() {
    const broken = [["failed", this.image], ["marks_failed", this.marks]].filter(([failure]) => this.failures.has(failure));
    for (const [, image] of broken) image.src = image.getAttribute("src");
  }

  place({ width, height, scale }, isBeside) {
    Object.assign(this, { stageWidth: width, stageHeight: height, scale });
    this.fitWidth = this.picture.width * scale;
    this.fitHeight = this.picture.height * scale;
    this.stage.style.width = `${width}px`;
    this.stage.style.height = `${height}px`;
    // The letter is at the edge of the picture, not of the stage.
    this.caption.style.paddingLeft = isBeside && this.letter ? `${Math.max(0, (width - this.fitWidth) / 2)}px` : "";
    // In the picture's full size and scaled down, since browsers round the edges of an image and its tiles.
    this.layer.style.width = `${this.picture.width}px`;
    this.layer.style.height = `${this.picture.height}px`;
  }

  draw(view) {
    const left = this.stageWidth / 2 - view.x * this.fitWidth * view.zoom;
    const top = this.stageHeight / 2 - view.y * this.fitHeight * view.zoom;
    this.layer.style.transform = `translate(${left}px, ${top}px) scale(${view.zoom}) scale(${this.scale})`;
    const [across, down] = [this.fitWidth * view.zoom, this.fitHeight * view.zoom];
    const seen = {
      left: Math.max(0, -left / across), right: Math.min(1, (this.stageWidth - left) / across),
      top: Math.max(0, -top / down), bottom: Math.min(1, (this.stageHeight - top) / down),
    };
    this.detail.draw(this.image, seen, this.scale * view.zoom);
    this.layer.classList.toggle("pixels", view.zoomed && this.scale * view.zoom > SHOWS_PIXELS_ABOVE);
  }
}
