// Pictures on their way: those of later tasks are loaded while somebody looks at the present one; on a slow line coarse
// versions of all come first.

const SLOW_BYTES_PER_MS = 500;
const SLOW_ANSWER_MS = 250;
const SLOW_FROM_BYTES = 20_000; // fewer say nothing about a line
const QUICK_FROM_BYTES = 100_000; // fewer may come at once over any line, after they were held up
const QUICK_IN_A_ROW = 3;

const ahead = new Map(); // from an address to its image
let lineIsSlow = performance
  .getEntriesByType("navigation")
  .some(({ requestStart, responseStart }) => responseStart - requestStart > SLOW_ANSWER_MS);

// Each picture that has come tells how fast the line is: one that came slowly is enough, one that came quickly is not.
let quick = 0;
new PerformanceObserver((list) => {
  for (const { initiatorType, transferSize, responseStart, responseEnd } of list.getEntries()) {
    if (initiatorType !== "img" || transferSize < SLOW_FROM_BYTES) continue;
    if (transferSize / (responseEnd - responseStart) < SLOW_BYTES_PER_MS) [quick, lineIsSlow] = [0, true];
    else if (transferSize >= QUICK_FROM_BYTES && ++quick >= QUICK_IN_A_ROW) lineIsSlow = false;
  }
}).observe({ type: "resource" });

const awaited = new Set(); // images on the screen that are not there yet
let whenAllAreThere = Promise.withResolvers();
let plan = null; // what is to be loaded ahead; whoever follows another plan stops

/** Load pictures one after the other; forget others that were loaded before. Whole ones wait for what is on the screen. */
async function fetchAhead(pictures) {
  const coarse = lineIsSlow ? pictures.map((picture) => picture.coarse).filter(Boolean) : [];
  const whole = pictures.flatMap(({ src, marks }) => (marks === null ? [src] : [src, marks]));
  const addresses = (plan = [...coarse, ...whole]);
  for (const [address, image] of ahead) {
    if (addresses.includes(address)) continue;
    leave(image);
    ahead.delete(address);
  }
  for (const address of addresses) {
    while (awaited.size > 0 && !coarse.includes(address)) await whenAllAreThere.promise;
    if (plan !== addresses) return;
    if (!ahead.has(address)) ahead.set(address, loadAhead(address));
    try {
      await ahead.get(address).decode();
    } catch {
      if (plan === addresses) ahead.delete(address); // it is loaded again, and says so if it fails, when its task is shown
    }
  }
}

function loadAhead(address) {
  const image = new Image();
  image.fetchPriority = "low";
  image.src = address;
  return image;
}

/** Hold back whole pictures of later tasks until this image is there, fails or is left. */
function awaitImage(image) {
  if (isThere(image)) return;
  awaited.add(image);
  for (const over of ["load", "error"]) image.addEventListener(over, () => isAwaitedNoMore(image));
}

function isAwaitedNoMore(image) {
  if (!awaited.delete(image) || awaited.size > 0) return;
  whenAllAreThere.resolve();
  whenAllAreThere = Promise.withResolvers();
}

/** Give an image up: what has not come of it would hold back what is wanted now. */
function leave(image) {
  if (!isThere(image)) image.removeAttribute("src"); // an empty one would count as a failure
  isAwaitedNoMore(image);
}

/** The image of an address, if it was loaded ahead and did not fail; it is handed out once. */
function takeAhead(address) {
  const image = ahead.get(address);
  ahead.delete(address);
  return image?.complete && !isThere(image) ? undefined : image;
}

/** Whether an image can be seen. */
function isThere(image) {
  return image.complete && image.naturalWidth > 0;
}
