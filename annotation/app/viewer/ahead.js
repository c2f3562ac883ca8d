// Pictures on their way: those of later tasks are loaded while somebody looks at the present one; on a slow line coarse
// versions of all come first.

const SLOW_BYTES_PER_MS = 500;
const SLOW_ANSWER_MS = 250;
const TOLD_BYTES = 20_000; // fewer say nothing about a line

const ahead = new Map(); // from an address to its image
let lineIsSlow = performance
  .getEntriesByType("navigation")
  .some(({ requestStart, responseStart }) => responseStart - requestStart > SLOW_ANSWER_MS);

// Each picture that has come tells how fast the line is.
new PerformanceObserver((list) => {
  for (const { initiatorType, transferSize, responseStart, responseEnd } of list.getEntries()) {
    if (initiatorType !== "img" || transferSize < TOLD_BYTES) continue;
    lineIsSlow = transferSize / (responseEnd - responseStart) < SLOW_BYTES_PER_MS;
  }
}).observe({ type: "resource" });

/** Load pictures one after the other, after what is on the screen; forget others that were loaded before. */
async function fetchAhead(pictures) {
  const whole = pictures.flatMap(({ src, marks }) => (marks === null ? [src] : [src, marks]));
  const coarse = lineIsSlow ? pictures.map((picture) => picture.coarse).filter(Boolean) : [];
  const addresses = [...coarse, ...whole];
  for (const address of [...ahead.keys()]) if (!addresses.includes(address)) ahead.delete(address);
  for (const address of addresses) {
    if (ahead.has(address)) continue;
    const image = new Image();
    image.fetchPriority = "low";
    image.src = address;
    ahead.set(address, image);
    try {
      await image.decode();
    } catch {
      ahead.delete(address); // it is loaded again, and says so if it fails, when its task is shown
    }
  }
}

/** The image of an address, if it was loaded ahead; it is handed out once. */
function takeAhead(address) {
  const image = ahead.get(address);
  ahead.delete(address);
  return image;
}

/** Whether an image can be seen. */
function isThere(image) {
  return image.complete && image.naturalWidth > 0;
}
