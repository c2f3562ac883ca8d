"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = (id) => {
    const element = byId(id);
    const value = JSON.parse(element.textContent);
    element.remove();
    return value;
  };

  /* Everything that came from data goes through here: as text or attribute, never as HTML. */
  const make = (tag, settings = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") element.className = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  /* The table of scores: a head that is clicked sorts, dashes always last. */
  const table = byId("score-table");
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column, kind) => {
    const cell = row.cells[column];
    if (kind === "text") return cell.textContent.trim();
    return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  };
  const sortBy = (column) => {
    const head = heads[column];
    const kind = head.dataset.kind;
    const first = kind === "number" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, two) => {
      const a = value(one, column, kind);
      const b = value(two, column, kind);
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (kind === "text" ? a.localeCompare(b) : a - b);
    });
    table.tBodies[0].append(...rows);
  };
  heads.forEach((head, column) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(column));
    head.append(button);
  });

  const settings = data("settings");
  const cards = data("cards");
  const pictures = data("pictures");
  const grid = byId("grid");
  if (!grid) return;
  pictures.forEach((uri, number) => {
    if (uri === null) pictures[number] = byId(`p${number}`).getAttribute("href");
  });

  const PAGE = 24;
  const MANY = 6;
  const LONG = 60;
  const form = byId("filters");
  const controls = {};
  for (const name of ["task", "split", "model", "outcome", "answers", "order", "first", "second", "pair"]) {
    const control = byId(`by-${name}`);
    if (control) controls[name] = control;
  }
  const search = byId("search");
  const marks = byId("marks");
  const large = byId("large");
  let found = cards.map((_, number) => number);
  let page = 0;
  let open = 0;

  /* Cards. */
  const pictureBox = (picture, label) => {
    if (picture.picture === null) return make("span", { class: "problem" }, picture.problem);
    const size = { width: picture.width, height: picture.height, draggable: "false" };
    const box = make("span", { class: "picture" }, make("img", { src: pictures[picture.picture], alt: label, decoding: "async", ...size }));
    box.style.setProperty("--shape", picture.width / picture.height);
    if (picture.marks !== null) box.append(make("img", { class: "marks", src: pictures[picture.marks], alt: "", ...size }));
    return picture.problem === null ? box : make("span", {}, box, make("span", { class: "problem" }, picture.problem));
  };
  const pictureRow = (card, inOptions) => {
    const several = card.pictures.length > 1;
    const figures = card.pictures.map((picture, k) => {
      if (inOptions.has(k)) return null;
      const name = several ? `picture ${k + 1}, ${picture.role}` : picture.role;
      return make("figure", {}, pictureBox(picture, name), several ? make("small", {}, name) : null);
    }).filter(Boolean);
    return make("div", { class: figures.length > 1 ? "pictures several" : "pictures" }, ...figures);
  };
  const question = (card) => make("p", { class: "question", dir: "auto" }, ...card.question.map(
    (part) => (typeof part === "number" ? make("span", { class: "place" }, `picture ${part}`) : withFormulas(part, card.formulas))).flat());
  const options = (card, inOptions) => make("ol", { class: inOptions.size ? "options pictured" : "options" }, ...card.options.map((option) => {
    const shown = option.picture === null
      ? make("span", { class: "text", dir: "auto" }, ...withFormulas(option.text, card.formulas))
      : pictureBox(card.pictures[option.picture], `Option ${option.key}, picture ${option.picture + 1}`);
    return make("li", { class: option.right ? "option key" : "option" }, make("b", { class: "letter" }, option.key), shown,
      option.right ? make("span", { class: "is-key" }, "✓ key") : null);
  }));
  const said = (reply, whole) => {
    const text = reply.said + (reply.left_out ? `\n[${reply.left_out} more characters are in predictions.parquet]` : "");
    if (text.length <= LONG && !text.includes("\n")) return make("span", { class: "said", dir: "auto", title: text }, text);
    return make("details", { open: whole }, make("summary", { dir: "auto" }, text.slice(0, LONG).replace(/\s+/g, " ") + "…"), make("pre", { dir: "auto" }, text));
  };
  const replyRow = (reply, number, whole) => {
    const outcome = settings.outcomes[reply.outcome];
    return make("li", { class: `reply ${reply.outcome}` }, make("span", { class: "verdict" }, `${outcome.symbol} ${outcome.words}`),
      make("bdi", { class: "model", title: settings.models[number] }, settings.models[number]), make("b", { class: "letter" }, reply.letter ?? "–"), said(reply, whole));
  };
  const replies = (card, whole) => {
    const rows = card.replies.map((reply, number) => (reply === null ? null : replyRow(reply, number, whole))).filter(Boolean);
    const list = make("ul", { class: "replies" }, ...rows);
    if (whole || rows.length <= MANY) return list;
    return make("details", { class: "tally" }, make("summary", {}, `${rightOnes(card)} of ${rows.length} models right`), list);
  };
  const hard = (card) => {
    if (card.difficulty === null || asked(card).length < 2) return null;
    const telling = card.discrimination === null ? "" : `; discrimination ${card.discrimination.toFixed(2).replace("-", "−")}`;
    return make("p", { class: "people" }, `Models: ${rightOnes(card)} of ${asked(card).length} right (difficulty ${card.difficulty.toFixed(2)}${telling})`);
  };
  const people = (card) => card.people === null ? null : make("p", { class: "people" }, `People: ${card.people.right} of ${card.people.asked} right`);
  const optionPictures = (card) => new Set(card.options.map((option) => option.picture).filter((k) => k !== null));

  const cardElement = (number) => {
    const card = cards[number];
    const inOptions = optionPictures(card);
    const element = make("li", { class: "card", tabindex: "0", "data-number": number, "aria-label": `${card.task}, ${card.split}, item ${card.id.slice(0, 8)}` });
    const opener = make("button", { type: "button", "aria-label": `Open item ${card.id.slice(0, 8)} larger`, title: "Open larger (Enter)" }, "⤢");
    opener.addEventListener("click", () => openLarge(found.indexOf(number)));
    element.append(
      make("div", { class: "card-head" }, make("span", { class: "tag" }, card.task), make("span", { class: "tag quiet" }, card.split), make("code", { class: "id", title: card.id }, card.id), opener),
      pictureRow(card, inOptions), question(card), options(card, inOptions), replies(card, false), ...[people(card)].filter(Boolean));
    return element;
  };

  /* Filters. */
  const asked = (card) => card.replies.filter((reply) => reply !== null);
  const rightOnes = (card) => asked(card).filter((reply) => reply.outcome === "right").length;
  const hardness = (card) => (asked(card).length ? rightOnes(card) / asked(card).length : 2);
  const isRight = (card, place) => card.replies[Number(place)]?.outcome === "right";
  /* Which of two runs has an item right; null where one of them was not asked. */
  const together2 = (card, first, second) => {
    if (card.replies[Number(first)] === null || card.replies[Number(second)] === null) return null;
    return [["neither", "second"], ["first", "both"]][Number(isRight(card, first))][Number(isRight(card, second))];
  };
  const words = cards.map(() => null);
  const wordsOf = (number) => {
    const card = cards[number];
    words[number] ??= [card.id, card.task, card.question.join(" "), ...card.options.map((option) => option.text ?? ""), ...asked(card).map((reply) => reply.said), card.explanation ?? ""].join("\n").toLowerCase();
    return words[number];
  };
  const hasOutcome = (reply, outcome) => (outcome === "not asked" ? reply === null : reply !== null && (outcome === "" || reply.outcome === outcome));
  const together = {
    wrong: (card) => asked(card).length > 0 && rightOnes(card) === 0,
    right: (card) => asked(card).length > 0 && rightOnes(card) === asked(card).length,
    disagree: (card) => new Set(asked(card).map((reply) => reply.letter)).size > 1,
  };
  const passes = (number, wanted) => {
    const card = cards[number];
    if (wanted.task && card.task !== wanted.task) return false;
    if (wanted.split && card.split !== wanted.split) return false;
    if (wanted.model !== "" && wanted.outcome !== "" && !hasOutcome(card.replies[Number(wanted.model)], wanted.outcome)) return false;
    if (wanted.model === "" && wanted.outcome !== "" && !card.replies.some((reply) => hasOutcome(reply, wanted.outcome))) return false;
    if (wanted.answers && !together[wanted.answers](card)) return false;
    if (wanted.first && wanted.second) {
      const which = together2(card, wanted.first, wanted.second);
      if (which === null || (wanted.pair && which !== wanted.pair)) return false;
    }
    return wanted.terms.every((term) => wordsOf(number).includes(term));
  };
  const orders = {
    models: (number) => hardness(cards[number]),
    discrimination: (number) => cards[number].discrimination ?? 2,
    people: (number) => { const some = cards[number].people; return some === null || some.asked === 0 ? 2 : some.right / some.asked; },
  };
  const filter = () => {
    const wanted = { terms: search.value.toLowerCase().split(/\s+/).filter(Boolean) };
    for (const [name, control] of Object.entries(controls)) wanted[name] = control.value;
    found = cards.map((_, number) => number).filter((number) => passes(number, wanted));
    const key = orders[wanted.order];
    if (key) found.sort((a, b) => key(a) - key(b) || a - b);
    show(0);
  };

  /* Pages. */
  const pages = () => Math.max(1, Math.ceil(found.length / PAGE));
  const show = (wanted) => {
    page = Math.min(Math.max(0, wanted), pages() - 1);
    const start = page * PAGE;
    const shown = found.slice(start, start + PAGE).map(cardElement);
    grid.replaceChildren(...(shown.length ? shown : [make("li", { class: "empty" }, "No item passes these filters.")]));
    byId("found").textContent = found.length
      ? `${found.length.toLocaleString("en")} of ${cards.length.toLocaleString("en")} items; ${start + 1} to ${start + shown.length} here`
      : `none of ${cards.length.toLocaleString("en")} items`;
    byId("place").textContent = `page ${page + 1} of ${pages()}`;
    byId("earlier").disabled = page === 0;
    byId("later").disabled = page === pages() - 1;
    byId("pager").hidden = pages() === 1;
  };
  const turn = (by) => { show(page + by); byId("items").scrollIntoView(); };

  /* Moving from item to item. */
  const current = () => grid.contains(document.activeElement) ? document.activeElement.closest(".card") : null;
  const step = (by) => {
    const list = [...grid.querySelectorAll(".card")];
    const at = list.indexOf(current());
    let next = at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by;
    if (next >= list.length && page < pages() - 1) { show(page + 1); next = 0; }
    else if (next < 0 && page > 0) { show(page - 1); next = PAGE - 1; }
    const card = grid.querySelectorAll(".card")[next];
    if (card) { card.focus({ preventScroll: true }); card.scrollIntoView({ block: "nearest" }); }
  };

  /* The larger view. */
  const fillLarge = () => {
    const card = cards[found[open]];
    const inOptions = optionPictures(card);
    byId("large-title").textContent = `${card.task}, ${card.split}, ${open + 1} of ${found.length}`;
    const right = make("div", {}, question(card), options(card, inOptions), ...[hard(card), people(card)].filter(Boolean), replies(card, true));
    if (card.unanswerable) right.append(make("p", { class: "people" }, "Nothing in the picture answers this question; the key is the option that declines."));
    if (card.explanation !== null) right.append(make("p", { class: "people" }, "Explanation: ", make("bdi", { dir: "auto" }, ...withFormulas(card.explanation, card.formulas))));
    right.append(make("p", { class: "people" }, "Item ", make("code", { class: "canary" }, card.id)));
    byId("large-body").replaceChildren(pictureRow(card, inOptions), right);
    byId("large-earlier").disabled = open === 0;
    byId("large-later").disabled = open === found.length - 1;
    large.scrollTop = 0;
  };
  const openLarge = (at) => { open = at; fillLarge(); large.showModal(); };
  const stepLarge = (by) => {
    if (open + by < 0 || open + by >= found.length) return;
    open += by;
    fillLarge();
  };
  large.addEventListener("close", () => {
    if (!found.length) return;
    if (Math.floor(open / PAGE) !== page) show(Math.floor(open / PAGE));
    const card = grid.querySelectorAll(".card")[open % PAGE];
    if (card) { card.focus({ preventScroll: true }); card.scrollIntoView({ block: "nearest" }); }
  });
  large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
  byId("large-close").addEventListener("click", () => large.close());
  byId("large-earlier").addEventListener("click", () => stepLarge(-1));
  byId("large-later").addEventListener("click", () => stepLarge(1));

  const switchMarks = () => { marks.checked = !marks.checked; };
  const isTyping = (target) => target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && event.target === search) search.blur();
      return;
    }
    const move = large.open ? stepLarge : step;
    const onCard = event.target instanceof Element && event.target.matches(".card");
    let done = true;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "ArrowRight" && (onCard || large.open)) move(1);
    else if (event.key === "ArrowLeft" && (onCard || large.open)) move(-1);
    else if (event.key === "o") switchMarks();
    else if (event.key === "/" && !large.open) { search.focus(); search.select(); }
    else if (event.key === "Enter" && onCard) openLarge(found.indexOf(Number(event.target.dataset.number)));
    else done = false;
    if (done) event.preventDefault();
  });

  /* From here on the page is alive. */
  const fill = (control, values) => control.append(...values.map(([name, text]) => make("option", { value: name }, text)));
  const distinct = (name) => [...new Set(cards.map((card) => card[name]))].sort().map((one) => [one, one]);
  fill(controls.task, distinct("task"));
  fill(controls.split, distinct("split"));
  fill(controls.model, settings.models.map((model, number) => [number, model]));
  if (controls.pair) {
    for (const name of ["first", "second"]) fill(controls[name], settings.models.map((model, number) => [number, model]));
    /* The numbers of the table of pairs become buttons that show their items. */
    document.querySelectorAll("#pair-table .count").forEach((place) => {
      const { first, second, pair } = place.dataset;
      const words2 = { both: "both right", first: "only the first right", second: "only the second right", neither: "neither right" }[pair];
      const opener = make("button", { type: "button", "aria-label": `${place.textContent} items: ${words2}, ${settings.models[first]} and ${settings.models[second]}; show them` }, place.textContent);
      opener.addEventListener("click", () => {
        form.reset(); // which filters once more, in a task of its own
        setTimeout(() => {
          Object.assign(controls.first, { value: first });
          Object.assign(controls.second, { value: second });
          Object.assign(controls.pair, { value: pair });
          filter();
          byId("items").scrollIntoView();
          controls.pair.focus({ preventScroll: true });
        });
      });
      place.replaceChildren(opener);
    });
  }
  fill(controls.outcome, [...Object.entries(settings.outcomes).map(([name, { words: text }]) => [name, text]), ["not asked", "not asked"]]);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  byId("earlier").addEventListener("click", () => turn(-1));
  byId("later").addEventListener("click", () => turn(1));
  byId("degraded").remove();
  form.hidden = false;
  document.querySelectorAll(".scripted").forEach((element) => { element.hidden = false; });
  filter();
})();
