"""Many invitations from a CSV file: all or none, existing accounts unchanged, links in a file that runs nothing."""

from __future__ import annotations

import csv
import json
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.cli.invitations import invite
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import ReviewStore

OpenCampaign = Callable[..., ReviewStore]


@pytest.fixture
def workspace(tmp_path: Path, open_campaign: OpenCampaign, now: datetime) -> Path:
    """A campaign open to all annotators, one assigned to ann, and ann's account."""
    store = open_campaign(tasks=1)
    campaign = store.campaign("verify")
    store.upsert_campaign(
        "second", kind="verify", rule=campaign.rule, slots_per_task=2, form=campaign.form, settings={}, seed=1
    )
    Accounts(store).add("ann", "adjudicator", now=now)
    AccessControl(store).assign("second", ["ann"])
    (tmp_path / "workspace.json").write_text("{}")
    return tmp_path


def invited(workspace: Path, table: str, *more: str, out: str = "links.csv") -> tuple[int, str]:
    (workspace / "people.csv").write_text(table, encoding="utf-8")
    arguments = [str(workspace / "people.csv"), "--workspace", str(workspace), "--out", str(workspace / out), *more]
    done = CliRunner().invoke(invite, arguments)
    return done.exit_code, done.output if done.exception is None else str(done.exception)


def test_each_person_gets_an_account_and_a_link_and_who_exists_stays_as_they_are(
    workspace: Path, store: ReviewStore
) -> None:
    table = (
        "\ufeffname,role,campaigns,e-mail\n"
        "eve,Annotator,verify; second,eve@example.org\n"
        "=cmd|' /C calc'!A0,curator,,\n"
        "ann,curator,,ann@example.org\n"
    )
    code, said = invited(workspace, table, "--url", "https://review.example.org/", "--json")
    assert code == 0, said
    states = {person["name"]: person["state"] for person in json.loads(said)["people"]}
    assert states == {"eve": "invited", "=cmd|' /C calc'!A0": "invited", "ann": "known"}
    assert "https" not in said  # links are in the file only
    out = workspace / "links.csv"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in rows] == ["eve", "'=cmd|' /C calc'!A0", "ann"]
    assert rows[0]["link"].startswith("https://review.example.org/welcome?invitation=")
    assert (rows[2]["state"], rows[2]["link"]) == ("known", "")
    assert "eve@" not in out.read_text(encoding="utf-8")
    accounts = {account.name: account for account in Accounts(store).all()}
    assert (accounts["ann"].role, accounts["ann"].invited_until) == ("adjudicator", None)
    token = rows[0]["link"].partition("=")[2]
    until = accounts["eve"].invited_until
    assert until is not None
    welcomed = Accounts(store).invited(token, now=accounts["eve"].created_at)
    assert welcomed is not None
    assert welcomed.name == "eve"
    access = AccessControl(store)
    assert access.of("second").names == ("ann", "eve")
    assert access.of("verify").is_for_assigned is False  # what is open to everybody stays so
    assert store.audited().broken is None


def test_all_mistakes_are_told_at_once_and_nobody_is_invited(workspace: Path, store: ReviewStore) -> None:
    table = (
        "name,role,campaigns\neve,boss,\n,annotator,\nsimulated-1,annotator,\nfay,annotator,verfy\ngus,annotator\n"
        "hal,annotator,\nhal,curator,\n"
    )
    code, said = invited(workspace, table)
    assert code == 1
    for words in (
        "no invitation was made; fix these lines:",
        "line 2: role 'boss' is not one of annotator, adjudicator, curator",
        "line 3: name '': names are 1 to 100 printable characters",
        "line 4: name 'simulated-1': only names of simulated annotators begin with 'simulated-'",
        "line 5: no campaign is called 'verfy'; did you mean 'verify'?",
        "line 6: 2 cells where there are 3 columns",
        "line 8: name 'hal' is also on line 7",
    ):
        assert words in said
    assert [account.name for account in Accounts(store).all()] == ["ann"]
    assert not (workspace / "links.csv").exists()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        pytest.param("name,rolle\neve,annotator\n", "did you mean 'role' where it says 'rolle'", id="column"),
        pytest.param("name,role,telephone\neve,annotator,1\n", "column 'telephone' is unknown", id="more"),
        pytest.param("name,role\n", "names 0 people; give 1 to 1000", id="nobody"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(workspace: Path, table: str, says: str) -> None:
    code, said = invited(workspace, table)
    assert (code, says in said) == (1, True), said


def test_links_are_never_written_over(workspace: Path, store: ReviewStore) -> None:
    assert invited(workspace, "name,role\neve,annotator\n")[0] == 0
    before = (workspace / "links.csv").read_bytes()
    code, said = invited(workspace, "name,role\nfay,annotator\n")
    assert (code, "exists and may hold links" in said) == (1, True)
    assert (workspace / "links.csv").read_bytes() == before
    assert "fay" not in {account.name for account in Accounts(store).all()}
