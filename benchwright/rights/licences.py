"""Licenses of pictures, by their SPDX identifiers (https://spdx.org/licenses/).

The module knows only common licenses of pictures. An unrecognized license is kept as stated.
"""

from __future__ import annotations

import re

_ALL_RIGHTS_RESERVED = "LicenseRef-all-rights-reserved"
"""Identifier of a statement that grants nothing; `LicenseRef-` marks terms without an SPDX identifier."""
_PUBLIC_DOMAIN_MARK = "LicenseRef-public-domain"
"""Identifier of pictures stated to be in the public domain, by Creative Commons' mark or in other words."""

_CC_URL = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/(?P<kind>by(?:-nc)?(?:-nd|-sa)?)/(?P<version>[1-4]\.\d)"
    r"(?:/(?P<port>[a-z]{2,5})(?=[/?#\s)\]]|$))?|publicdomain/(?P<domain>zero|mark)/1\.0)",
    re.IGNORECASE,
)
_CC_NAME = re.compile(
    r"(?:cc|creative commons)[\s_-]*(?P<kind>by(?:[\s_-]*nc)?(?:[\s_-]*(?:nd|sa))?)[\s_-]*v?(?P<version>[1-4]\.\d)"
    r"(?P<port>-(?!deed)[a-z]{2,5})?(?:[\s_-]+(?:international|unported|generic))?",
    re.IGNORECASE,
)
_BY_ADDRESS = {
    "opendatacommons.org/licenses/odbl": "ODbL-1.0",
    "opendatacommons.org/licenses/by": "ODC-By-1.0",
    "opendatacommons.org/licenses/pddl": "PDDL-1.0",
    "unsplash.com/license": "LicenseRef-Unsplash",
    "apache.org/licenses/license-2.0": "Apache-2.0",
    "opensource.org/licenses/mit": "MIT",
}
_BY_NAME = {
    "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "cc-zero": "CC0-1.0", "cc0-1.0-universal": "CC0-1.0", "odbl": "ODbL-1.0",
    "odbl-1.0": "ODbL-1.0", "odc-by": "ODC-By-1.0", "odc-by-1.0": "ODC-By-1.0", "pddl": "PDDL-1.0",
    "pddl-1.0": "PDDL-1.0", "mit": "MIT", "mit-license": "MIT", "apache-2.0": "Apache-2.0",
    "apache-license-2.0": "Apache-2.0", "public-domain": _PUBLIC_DOMAIN_MARK, "pdm": _PUBLIC_DOMAIN_MARK,
    "pdm-1.0": _PUBLIC_DOMAIN_MARK, "public-domain-mark": _PUBLIC_DOMAIN_MARK,
    "public-domain-mark-1.0": _PUBLIC_DOMAIN_MARK, "all-rights-reserved": _ALL_RIGHTS_RESERVED,
    "proprietary": _ALL_RIGHTS_RESERVED,
}  # fmt: skip
_RESERVED = re.compile(r"\ball rights reserved\b", re.IGNORECASE)
_REFERENCES = {
    reference.lower(): reference for reference in (_ALL_RIGHTS_RESERVED, _PUBLIC_DOMAIN_MARK, "LicenseRef-Unsplash")
}


def licence_id(stated: str) -> str | None:
    """Return the identifier of a license stated by name, identifier or URL; None if unknown.

    The function never guesses a version: `CC BY` without one is unknown. Ported Creative Commons licenses before
    version 4 keep their country, since their terms differ, unless they are `unported`.

    Example:
        >>> licence_id("CC BY-SA 4.0"), licence_id("https://creativecommons.org/publicdomain/zero/1.0/")
        ('CC-BY-SA-4.0', 'CC0-1.0')
    """
    text = " ".join(stated.split())
    if match := _CC_URL.search(text):
        if domain := match["domain"]:
            return "CC0-1.0" if domain.lower() == "zero" else _PUBLIC_DOMAIN_MARK
        return _creative_commons(match["kind"], match["version"], match["port"])
    lowered = text.lower()
    for address, identifier in _BY_ADDRESS.items():
        if address in lowered:
            return identifier
    if match := _CC_NAME.fullmatch(text):
        return _creative_commons(match["kind"], match["version"], match["port"])
    spelled = re.sub(r"[\s_-]+", "-", lowered).strip("-.")
    if (known := _BY_NAME.get(spelled) or _REFERENCES.get(spelled)) is not None:
        return known
    return _ALL_RIGHTS_RESERVED if _RESERVED.search(text) else None


def _creative_commons(kind: str, version: str, port: str | None) -> str:
    conditions = "-".join(re.findall(r"by|nc|nd|sa", kind.lower()))
    country = "" if port is None else port.strip("-").lower()
    is_ported = version < "4" and country not in {"", "deed", "legal"}
    return f"CC-{conditions.upper()}-{version}{f'-{country.upper()}' if is_ported else ''}"


def normalized_licence(stated: str) -> str:
    """Return the identifier of a license, or the stated text if the license is unknown."""
    return licence_id(stated) or stated


def forbids_redistribution(licence: str | None, *, is_changed: bool) -> bool:
    """Return whether a known license forbids redistribution of a picture.

    Args:
        licence: License as stated; None if not stated, in which case its terms are unknown.
        is_changed: Whether the picture was made from the licensed one; NoDerivatives forbids its redistribution.
    """  # phrase: allowed
    identifier = None if licence is None else licence_id(licence)
    if identifier is None:
        return False
    return identifier == _ALL_RIGHTS_RESERVED or (is_changed and "-ND-" in identifier)
