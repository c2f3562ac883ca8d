// Streamlit's own words in the language of the page: the script translates each known text and spoken label as soon as
// it appears. Only these change; texts of pages and users are never looked up.

const SPOKEN = ["aria-label", "title", "placeholder"];
// Elements with content from the app, which never hold Streamlit's own words.
const GIVEN = "[data-testid=stMain] [data-testid=stMarkdownContainer], [data-testid=stText], [data-testid=stCode], [data-testid=stHtml], pre, textarea, input[value]";

const STREAMLITS = "[data-testid=stFileUploader]"; // Streamlit's own, shown like content from the app

// The workbench itself reports a lost connection and continues: a dialog over it would only take its keys.
const AWAY = /^(Streamlit server is not responding|Is Streamlit still running)/;
const WORKBENCH = "[class*=st-key-workbench]";

class PageWords {
  constructor(words) {
    this.exact = new Map();
    this.patterns = [];
    for (const [english, text] of Object.entries(words)) {
      if (!english.includes("{")) this.exact.set(english, text);
      else this.patterns.push([new RegExp(`^${english.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? `(?<${part}>.+?)` : escaped(part))).join("")}$`), text]);
    }
    this.written = new WeakMap(); // original texts by node
    this.observer = new MutationObserver((changes) => changes.forEach((change) => this.hear(change)));
    this.observer.observe(document.body, {
      subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: SPOKEN,
    });
    this.walk(document.body);
  }

  hear({ type, target, addedNodes }) {
    if (type === "childList") addedNodes.forEach((node) => this.walk(node));
    else if (type === "characterData") this.text(target);
    else this.labels(target);
  }

  walk(node) {
    if (node.nodeType === Node.TEXT_NODE) this.text(node);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    this.dismiss(node);
    this.labels(node);
    const nodes = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      if (nodes.currentNode.nodeType === Node.TEXT_NODE) this.text(nodes.currentNode);
      else this.labels(nodes.currentNode);
    }
  }

  /** Hide the commands in Streamlit's dialog about an unreachable server, and close the dialog over the workbench. */
  dismiss(node) {
    const dialog = node.closest("[role=dialog]") ?? node.querySelector("[role=dialog]");
    const says = dialog?.querySelector("div > div");
    if (!says || !AWAY.test(says.textContent.trim())) return;
    for (const code of dialog.querySelectorAll("pre, [data-testid=stCode]")) code.hidden = true;
    if (document.querySelector(WORKBENCH)) dialog.querySelector("button")?.click();
  }

  text(node) {
    const parent = node.parentElement;
    if (parent?.closest(GIVEN) && !parent.closest(STREAMLITS)) return;
    const text = this.translated(node.data);
    if (text !== null && text !== node.data) node.data = text;
  }

  labels(element) {
    for (const name of SPOKEN) {
      const text = element.hasAttribute(name) ? this.translated(element.getAttribute(name)) : null;
      if (text !== null && text !== element.getAttribute(name)) element.setAttribute(name, text);
    }
  }

  translated(written) {
    const english = written.trim();
    if (!english) return null;
    const text = this.exact.get(english);
    if (text !== undefined) return text;
    for (const [pattern, form] of this.patterns) {
      const match = pattern.exec(english);
      if (match !== null) return fill(form, match.groups);
    }
    return null;
  }

  stop() {
    this.observer.disconnect();
  }
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

let present = null;

export default function ({ data }) {
  const written = JSON.stringify(data);
  if (present?.written === written) return;
  present?.words.stop();
  present = { written, words: new PageWords(data) };
  document.documentElement.dataset.words = "translated"; // tests wait for it
}
