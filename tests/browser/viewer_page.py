"""A page like the app's around the viewer; `?case=` chooses the pictures."""

import streamlit as st

from benchwright.annotation.app.viewer import ViewerPicture, show_pictures

HOSTILE = "<img src=x onerror=document.title='taken'>"


def picture(name: str, caption: str, size: tuple[int, int], *, marks: bool = False) -> ViewerPicture:
    over = f"/shown/{name}-marks.png" if marks else None
    return ViewerPicture(f"/shown/{name}.png", over, caption, f"{caption}, {name}", *size)


CASES = {
    "one": [picture("astronaut", "Image 1", (512, 512), marks=True)],
    "pair": [picture("left", "Image 1", (741, 500)), picture("right", "Image 2", (741, 500))],
    "marked": [picture("left", "Image 1", (741, 500), marks=True), picture("right", "Image 2", (741, 500), marks=True)],
    "jigsaw": [
        picture("reference", "Image 1", (600, 400)),
        picture("piece-a", "A", (300, 200)),
        picture("piece-b", "B", (300, 200)),
    ],
    "three": [
        picture("astronaut", "Image 1", (512, 512)),
        picture("coffee", "Image 2", (600, 400)),
        picture("left", "Image 3", (741, 500)),
    ],
    "broken": [picture("nowhere", HOSTILE, (300, 200)), picture("coffee", "Image 2", (600, 400))],
    "unmarked": [ViewerPicture("/shown/coffee.png", "/shown/no-marks.png", "Image 1", "", 600, 400)],
    "answers": [
        picture("astronaut", "Image 1", (512, 512)),
        *(picture("coffee", letter, (60, 40)) for letter in "ABCD"),
    ],
    "portrait": [picture("portrait", "Image 1", (300, 512)), picture("coffee", "Image 2", (600, 400))],
}

st.set_page_config(page_title="Viewer", layout="wide")
state = st.session_state
state.setdefault("item", 1)
state.setdefault("reruns", 0)


def next_item() -> None:
    state.item += 1


def again() -> None:
    state.reruns += 1


case = st.query_params.get("case", "pair")
texts = {"side": "Nebeneinander"} if case == "texts" else None
st.markdown("**Which of the marked points in the second image corresponds to the one in the first?**")
if not state.get("without"):
    show_pictures(CASES["pair" if case == "texts" else case], key=f"item {state.item}", texts=texts)
left, right, _ = st.columns([1, 1, 4])
left.button("Again", on_click=again)
right.button("Next", on_click=next_item)
st.text_area("Note", height=68)
st.checkbox("Without pictures", key="without")
st.caption(f"item {state.item}, run again {state.reruns} times")
