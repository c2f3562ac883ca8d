// Formulas in Streamlit's HTML, which loses MathML: an attribute next to the source holds each formula.

let observer = null;

function drawFormulas() {
  for (const place of document.querySelectorAll("span.formula[data-math]")) {
    const drawn = formulaElement(JSON.parse(place.dataset.math));
    place.removeAttribute("data-math");
    place.className = drawn.className;
    place.replaceChildren(...drawn.childNodes);
  }
}

export default function () {
  drawFormulas();
  if (observer !== null) return;
  observer = new MutationObserver(drawFormulas);
  observer.observe(document.body, { subtree: true, childList: true });
}
