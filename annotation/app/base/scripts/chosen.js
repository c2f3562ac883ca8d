// An option that is a picture is chosen in two places: on the card, and on the picture. They tell each other by letter.

const OPTION_CLICKED = "benchwright:option-clicked";
const OPTION_CHOSEN = "benchwright:option-chosen";
const CHOSEN_WANTED = "benchwright:chosen-wanted";

function tellPage(kind, letter = null) {
  window.dispatchEvent(new CustomEvent(kind, { detail: letter }));
}

function hearPage(kind, act, signal) {
  window.addEventListener(kind, (event) => act(event.detail), { signal });
}
