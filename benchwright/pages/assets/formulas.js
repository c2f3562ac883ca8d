// Texts with formulas, which `benchwright.texts.formulas` takes apart: plain text stays text, whatever it holds.

const MATHML = "http://www.w3.org/1998/Math/MathML";

function mathNode(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [name, attributes, children] = node;
  const element = document.createElementNS(MATHML, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map(mathNode));
  return element;
}

/** A formula: MathML to be seen and read out, its source to be copied. */
function formulaElement({ source, tree, is_display }) {
  const shown = document.createElement("span");
  shown.className = is_display ? "formula displayed" : "formula";
  const tex = document.createElement("span");
  tex.className = "tex";
  tex.setAttribute("aria-hidden", "true");
  tex.textContent = source;
  shown.append(mathNode(tree), tex);
  return shown;
}

/** A text as nodes; `formulas` has the parts of those texts that hold any. */
function withFormulas(text, formulas) {
  const parts = formulas && Object.hasOwn(formulas, text) ? formulas[text] : [text];
  return parts.map((part) => (typeof part === "string" ? document.createTextNode(part) : formulaElement(part)));
}
