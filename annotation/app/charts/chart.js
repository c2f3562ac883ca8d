/* Shows a chart that the server has escaped. Streamlit's own element for HTML removes SVG. */
export default ({ parentElement, data }) => {
  const place = parentElement.querySelector(".chart-place");
  if (place.shown === data) return;
  const isOpen = place.querySelector("details")?.open ?? false;
  place.replaceChildren(...new DOMParser().parseFromString(data, "text/html").body.childNodes);
  place.querySelector("details").open = isOpen;
  place.shown = data;
};
