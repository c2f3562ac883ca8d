// Keys of the card and of the viewer. A letter that an option has is the option's, wherever it stands on the page: the
// card takes it before anybody else does. With Shift a letter is always the command. Streamlit has C and R.

const NOT_TEXT = new Set(["button", "checkbox", "radio", "range", "submit", "reset", "file", "color", "image"]);
const OWN_ARROWS = "input, select, textarea, audio, video, [role=slider], [role=radiogroup], [role=listbox], [role=menu], [role=tablist], [role=grid]";

/** Whether somebody writes; the first of the composed path is the element itself, within any shadow tree. */
function isWriting(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLInputElement) return !NOT_TEXT.has(target.type);
  return target.isContentEditable || target.closest("textarea, select, [role=textbox], [role=combobox], [role=grid]") !== null;
}

function usesArrows(event) {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest(OWN_ARROWS) !== null;
}

/** Call `actions[key]` for keys pressed anywhere on the page until the signal stops; an action may answer false: not used. */
function watchKeys(actions, signal) {
  window.addEventListener("keydown", (event) => {
    // A plus needs the shift key on many keyboards.
    const modified = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && !/^[a-z+]$/i.test(event.key));
    if (event.defaultPrevented || event.isComposing || modified || isWriting(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(actions, key)) return;
    const { act, repeats, arrow } = actions[key];
    if ((event.repeat && !repeats) || (arrow && usesArrows(event))) return;
    if (act() !== false) event.preventDefault();
  }, { signal });
}

/** Hear plain letters before anything else on the page does; `take(letter)` answers whether the letter is spent. */
function takeLetters(take, signal) {
  window.addEventListener("keydown", (event) => {
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (event.defaultPrevented || event.isComposing || modified || !/^[a-z]$/i.test(event.key) || isWriting(event)) return;
    if (!take(event.key.toUpperCase(), event.repeat)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { signal, capture: true });
}
