// Prefetching of pictures: those of later tasks load during work on the current one; on a slow line, coarse versions of
// all come first.

const SLOW_BYTES_PER_MS = 500;
const SLOW_ANSWER_MS = 250;
const SLOW_FROM_BYTES = 20_000; // fewer do not indicate the speed of a line
const QUICK_FROM_BYTES = 100_000; // fewer may arrive in one burst over any line, after a delay
const QUICK_IN_A_ROW = 3;

const ahead = new Map(); // image by address
let lineIsSlow = performance
  .getEntriesByType("navigation")
  .some(({ requestStart, responseStart }) => responseStart - requestStart > SLOW_ANSWER_MS);

// Each loaded picture indicates the speed of the line: one slow picture is enough, one fast picture is not.
let quick = 0;
new PerformanceObserver((list) => {
  for (const { initiatorType, transferSize, responseStart, responseEnd } of list.getEntries()) {
    if (initiatorType !== "img" || transferSize < SLOW_FROM_BYTES) continue;
    if (transferSize / (responseEnd - responseStart) < SLOW_BYTES_PER_MS) [quick, lineIsSlow] = [0, true];
    else if (transferSize >= QUICK_FROM_BYTES && ++quick >= QUICK_IN_A_ROW) lineIsSlow = false;
  }
}).observe({ type: "resource" });

const awaited = new Set(); // unloaded images on the screen
let whenAllAreThere = Promise.withResolvers();
let plan = null; // addresses to prefetch; a loop with another plan stops

/** Load pictures one by one, and drop others loaded before. Full pictures wait for those on the screen. */
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
      if (plan === addresses) ahead.delete(address); // its task loads it again, and reports a failure
    }
  }
}

function loadAhead(address) {
  const image = new Image();
  image.fetchPriority = "low";
  image.src = address;
  return image;
}

/** Hold back full pictures of later tasks until this image loads, fails or is abandoned. */
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

/** Abandon an image, since the rest of it would delay the pictures needed now. */
function leave(image) {
  if (!isThere(image)) image.removeAttribute("src"); // an empty source would count as a failure
  isAwaitedNoMore(image);
}

/** The image of an address, if it was prefetched without failure; each is returned once. */
function takeAhead(address) {
  const image = ahead.get(address);
  ahead.delete(address);
  return image?.complete && !isThere(image) ? undefined : image;
}

/** Whether an image is visible. */
function isThere(image) {
  return image.complete && image.naturalWidth > 0;
}
