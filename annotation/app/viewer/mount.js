// The viewer as a separate component. Streamlit calls the default export on every rerun.

const viewers = new WeakMap();

export default function ({ data, parentElement }) {
  let mounted = viewers.get(parentElement);
  if (mounted === undefined) {
    mounted = { viewer: new Viewer(parentElement), calls: 0 };
    viewers.set(parentElement, mounted);
  }
  mounted.viewer.update(data);
  const call = ++mounted.calls;
  // Streamlit may end an earlier call after a later one begins: only the latest call removes the viewer.
  return () => {
    if (call !== mounted.calls) return;
    viewers.delete(parentElement);
    mounted.viewer.destroy();
  };
}
