// Pictures of tasks that come later, loaded and decoded while somebody looks at the present one.

const ahead = new Map(); // from an address to its image

/** Load pictures one after the other, after what is on the screen; forget others that were loaded before. */
async function fetchAhead(addresses) {
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
