// Keys of the card and of the viewer. An option's letter always means the option, anywhere on the page: the card takes
// it before other listeners. With Shift a letter is always a command. Streamlit uses C and R.

const NOT_TEXT = new Set(["button", "checkbox", "radio", "range", "submit", "reset", "file", "color", "image"]);
const OWN_ARROWS = "input, select, textarea, audio, video, [role=slider], [role=radiogroup], [role=listbox], [role=menu], [role=tablist], [role=grid]";

/** Whether the key goes to a text field; the composed path begins with the element itself, within any shadow tree. */
function isWriting(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLInputElement) return !NOT_TEXT.has(target.type);
  return target.isContentEditable || target.closest("textarea, select, [role=textbox], [role=combobox], [role=grid]") !== null;
}

/**
 * The name of a pressed key on English keyboards. On a keyboard for another script, such as Arabic or Greek, a key
 * means the letter, digit or sign of the English keyboard, so that commands need no change of the layout.
 */
function pressedKey(event) {
  const { key, code } = event;
  if (key.length === 1 && key >= " " && key <= "~") return key;
  const letter = /^Key([A-Z])$/.exec(code);
  if (letter !== null && isCharacter(key)) return event.shiftKey ? letter[1] : letter[1].toLowerCase();
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code);
  if (digit !== null && isCharacter(key) && !event.shiftKey) return digit[1];
  return SIGNS[key] ?? key;
}

const SIGNS = { "؟": "?", "；": ";", "？": "?" };

/** Whether a key writes characters, unlike Enter or ArrowLeft. A key may write two letters. */
function isCharacter(key) {
  return key === "Unidentified" || !/^[A-Za-z][A-Za-z0-9]+$/.test(key);
}

function usesArrows(event) {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest(OWN_ARROWS) !== null;
}

/** Call `actions[key]` for keys pressed anywhere on the page until the signal; an action returns false if unused. */
function watchKeys(actions, signal) {
  window.addEventListener("keydown", (event) => {
    const pressed = pressedKey(event);
    // A plus needs the shift key on many keyboards.
    const modified = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && !/^[a-z+]$/i.test(pressed));
    if (event.defaultPrevented || event.isComposing || modified || isWriting(event)) return;
    const key = pressed.length === 1 ? pressed.toLowerCase() : pressed;
    if (!Object.hasOwn(actions, key)) return;
    const { act, repeats, arrow } = actions[key];
    if ((event.repeat && !repeats) || (arrow && usesArrows(event))) return;
    if (act() !== false) event.preventDefault();
  }, { signal });
}

/** Get plain letters before all other listeners on the page; `take(letter)` returns whether it used the letter. */
function takeLetters(take, signal) {
  window.addEventListener("keydown", (event) => {
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    const key = pressedKey(event);
    if (event.defaultPrevented || event.isComposing || modified || !/^[a-z]$/i.test(key) || isWriting(event)) return;
    if (!take(key.toUpperCase(), event.repeat)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { signal, capture: true });
}
