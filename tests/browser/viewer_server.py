"""Serves `viewer_page.py`, and the pictures of the folder SHOWN at /shown/NAME; for `streamlit run`."""

import os
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route


async def shown(request: Request) -> Response:
    path = Path(os.environ["SHOWN"]) / request.path_params["name"]
    return FileResponse(path) if path.is_file() else Response(status_code=404)


app = st.App(Path(__file__).parent / "viewer_page.py", routes=[Route("/shown/{name}", shown)])
