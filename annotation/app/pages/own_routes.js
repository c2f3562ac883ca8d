// Loads a page of our own in place of the entry that Streamlit's menu made in the history.

export default function ({ data: { path, query } }) {
  const asked = new URLSearchParams(location.pathname === path ? location.search : "");
  for (const [name, value] of Object.entries(query)) if (!asked.has(name)) asked.set(name, value);
  const target = asked.size ? `${path}?${asked}` : path;
  if (location.pathname + location.search === target) location.reload();
  else location.replace(target);
}
