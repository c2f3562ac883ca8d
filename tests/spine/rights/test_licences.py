"""Licenses by name, identifier and address become one identifier; an unknown one stays as stated."""

from __future__ import annotations

import pytest

from benchwright.rights import forbids_redistribution, licence_id, normalized_licence


@pytest.mark.parametrize(
    ("stated", "identifier"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("cc-by-4.0", "CC-BY-4.0"),
        ("Creative Commons BY-NC-SA 3.0 Unported", "CC-BY-NC-SA-3.0"),
        ("CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)", "CC-BY-4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/2.0/", "CC-BY-NC-ND-2.0"),
        ("https://creativecommons.org/licenses/by/3.0/de/", "CC-BY-3.0-DE"),
        ("https://creativecommons.org/licenses/by/4.0/deed.fr", "CC-BY-4.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "LicenseRef-public-domain"),
        ("CC0", "CC0-1.0"),
        ("Public Domain", "LicenseRef-public-domain"),
        ("ODbL", "ODbL-1.0"),
        ("https://opendatacommons.org/licenses/odbl/1-0/", "ODbL-1.0"),
        ("(c) 2020 Jane Doe. All rights reserved.", "LicenseRef-all-rights-reserved"),
        ("LicenseRef-all-rights-reserved", "LicenseRef-all-rights-reserved"),
    ],
)
def test_one_licence_has_one_identifier(stated: str, identifier: str) -> None:
    assert licence_id(stated) == identifier
    assert licence_id(identifier) == identifier


@pytest.mark.parametrize("stated", ["CC BY", "Flickr's terms of use", "CC BY 4.0 or later, ask me", "mitigated", ""])
def test_a_licence_that_is_not_surely_known_stays_as_stated(stated: str) -> None:
    assert licence_id(stated) is None
    assert normalized_licence(stated) == stated


@pytest.mark.parametrize(
    ("licence", "as_is", "changed"),
    [
        (None, False, False),
        ("CC BY 4.0", False, False),
        ("CC BY-ND 4.0", False, True),
        ("CC BY-NC-ND 2.0", False, True),
        ("All rights reserved", True, True),
        ("some terms", False, False),
    ],
)
def test_no_derivatives_forbids_only_what_was_changed(licence: str | None, as_is: bool, changed: bool) -> None:
    assert forbids_redistribution(licence, is_changed=False) is as_is
    assert forbids_redistribution(licence, is_changed=True) is changed
