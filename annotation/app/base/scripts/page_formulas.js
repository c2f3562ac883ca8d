// Formulas in what Streamlit shows as HTML, of which it keeps no MathML: each waits in an attribute beside its source.

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
