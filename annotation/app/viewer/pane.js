// One picture with its caption: the stage is the window that it is seen through, the layer is what moves in it.

function make(tag, name, parent) {
  const element = document.createElement(tag);
  element.className = name;
  parent?.append(element);
  return element;
}

class Pane {
  /** `chosen` hears the letter of the picture when it is chosen; `came`, when what is to be seen of it came or failed. */
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

  /** Show a picture; an image that is shown already is not loaded again. */
  show(picture, texts) {
    this.texts = texts;
    this.showCaption(picture);
    this.retry.textContent = texts.retry;
    if (this.picture?.src !== picture.src || this.picture?.marks !== picture.marks) {
      // New elements, so that the last item's picture is never seen under the next item's question.
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

  /** Take all pictures away, and do not wait for what has not come of them. */
  empty() {
    const images = this.layer.querySelectorAll("img");
    this.layer.replaceChildren();
    this.stage.querySelector(".coming")?.remove();
    images.forEach(leave);
  }

  /** The letter of an option stands on its picture, as a tab on the upper edge: it hides nothing of it. */
  showCaption({ caption, letter, can_be_chosen }) {
    const isSame = this.picture?.caption === caption && this.picture?.letter === letter && this.picture?.can_be_chosen === can_be_chosen;
    if (isSame) return; // a button that has the focus keeps it
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

  /** Add the picture, on a slow line below a coarse version that is there sooner. */
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
    if (image.parentNode !== this.layer) return; // the last item's, come late
    this.failures[failed ? "add" : "delete"](failure);
    this.tell();
    this.came();
  }

  /** Whether the picture itself and its marks are `there` to be seen, still `coming`, or have `failed`. */
  get state() {
    if (this.failures.size) return "failed";
    return [this.image, this.marks].every((image) => image === null || isThere(image)) ? "there" : "coming";
  }

  /** Say what could not be loaded, in the place where it would be. */
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
    // The letter stands where its picture begins, not where the room for it does.
    this.caption.style.paddingLeft = isBeside && this.letter ? `${Math.max(0, (width - this.fitWidth) / 2)}px` : "";
    // As large as the picture, in whole pixels, and made smaller: browsers round where an image and its tiles begin and end.
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
