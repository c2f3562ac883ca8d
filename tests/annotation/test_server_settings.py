"""What the server asks of Streamlit and of the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("streamlit")

from benchwright.annotation.app.serve import SWITCH_S, _config, _prepare


@pytest.fixture
def as_before() -> Iterator[None]:
    interval = sys.getswitchinterval()
    yield
    sys.setswitchinterval(interval)


def test_streamlit_knows_every_setting_by_its_name() -> None:
    from streamlit import config

    assert set(_config("127.0.0.1", 1)) <= set(config.get_config_options())


def test_nobody_waits_for_the_garbage_collector_after_each_run_of_a_page() -> None:
    assert _config("127.0.0.1", 1)["runner.postScriptGC"] is False


@pytest.mark.usefixtures("as_before")
def test_pages_are_loaded_before_the_first_visitor_comes() -> None:
    _prepare()
    assert "benchwright.annotation.app.pages.agreement" in sys.modules
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
