// Loads one of the app's own pages in place of the history entry from Streamlit's menu.

export default function ({ data: { path, query } }) {
  const asked = new URLSearchParams(location.pathname === path ? location.search : "");
  for (const [name, value] of Object.entries(query)) if (!asked.has(name)) asked.set(name, value);
  const target = asked.size ? `${path}?${asked}` : path;
  if (location.pathname + location.search === target) location.reload();
  else location.replace(target);
}
