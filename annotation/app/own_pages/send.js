// Sends photographs one after the other. If the connection breaks, the script waits and continues with the same one, so
// that none is left out. It lists refused photographs with the reason, and continues with the rest.

const LEAST_WAIT_MS = 1000;
const MOST_WAIT_MS = 15_000;

class Sender {
  constructor(panel) {
    this.panel = panel;
    this.words = panel.querySelector("#send-words");
    this.bar = panel.querySelector("progress");
    this.waiting = [];
    this.all = this.done = this.refused = 0;
    this.isAway = false;
    for (const input of panel.querySelectorAll("input[type=file]")) {
      input.addEventListener("change", () => {
        this.add([...input.files]);
        input.value = ""; // allows choosing the same files again
      });
    }
    addEventListener("beforeunload", (event) => { if (this.waiting.length > 0) event.preventDefault(); });
  }

  add(files) {
    const folder = this.panel.querySelector("#folder").value;
    const isIdle = this.waiting.length === 0;
    if (isIdle) this.all = this.done = this.refused = 0;
    // The name of the chosen folder is dropped: its files go into the folder named here.
    const pathOf = ({ webkitRelativePath, name }) => webkitRelativePath.split("/").slice(1).join("/") || name;
    const isPicture = ({ type, webkitRelativePath }) => webkitRelativePath === "" || type.startsWith("image/");
    const taken = files.filter(isPicture).map((file) => ({ file, folder, path: pathOf(file) }));
    this.all += taken.length;
    this.waiting.push(...taken);
    if (isIdle && taken.length > 0) this.run();
  }

  async run() {
    for (let wait = LEAST_WAIT_MS; this.waiting.length > 0; ) {
      this.tell();
      const reply = await this.send(this.waiting[0]);
      this.isAway = reply === null;
      if (reply === null) {
        this.tell();
        await Promise.race([
          new Promise((go) => setTimeout(go, wait)),
          new Promise((go) => addEventListener("online", go, { once: true })),
        ]);
        wait = Math.min(2 * wait, MOST_WAIT_MS);
        continue;
      }
      wait = LEAST_WAIT_MS;
      const { path } = this.waiting.shift();
      if (reply.ok) this.done += 1;
      else this.refuse(path, (await reply.text()).trim());
    }
    this.tell();
  }

  // Returns null, for another try, if the connection broke or the server cannot take the photograph at present.
  async send({ file, folder, path }) {
    const url = `${this.panel.dataset.send}?${new URLSearchParams({ folder, path })}`;
    try {
      const reply = await fetch(url, { method: "PUT", headers: { "x-benchwright-draft": "1" }, body: file });
      return reply.status === 408 || reply.status === 429 || reply.status >= 500 ? null : reply;
    } catch {
      return null;
    }
  }

  refuse(path, why) {
    this.refused += 1;
    const line = document.createElement("li");
    line.textContent = why || path;
    this.panel.querySelector(".left-out").append(line);
  }

  tell() {
    const { underWay, away, done, leftOut } = this.panel.dataset;
    const fill = (text) => text.replace("{done}", this.done).replace("{all}", this.all).replace("{count}", this.refused);
    const isOver = this.waiting.length === 0;
    const said = [isOver ? done : underWay, ...(this.isAway ? [away] : []), ...(this.refused > 0 ? [leftOut] : [])];
    this.words.textContent = said.map(fill).join(" ");
    this.bar.hidden = this.all === 0;
    this.bar.max = Math.max(1, this.all);
    this.bar.value = this.done + this.refused;
  }
}

for (const panel of document.querySelectorAll("[data-send]")) new Sender(panel);
