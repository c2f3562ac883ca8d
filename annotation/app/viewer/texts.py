"""All texts that the picture viewer shows or speaks, in one mapping that a translation replaces."""

from collections.abc import Mapping
from types import MappingProxyType

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "viewer": "Pictures",
        "modes": "How to compare",
        "side": "Side by side",
        "side_hint": "Show both pictures beside each other (M: next way to compare)",
        "slider": "Slider",
        "slider_hint": "Lay the second picture over the first, with a divider to drag (M: next way to compare)",
        "blink": "Blink",
        "blink_hint": "Show both pictures in turn in one place (M: next way to compare)",
        "swap": "Swap",
        "swap_hint": "Show the other picture and stay there (T)",
        "pause": "Pause",
        "play": "Play",
        "pause_hint": "Stop changing pictures",
        "play_hint": "Change pictures by itself",
        "marks": "Marks",
        "marks_hint": "Show or hide the marks drawn over the pictures (O)",
        "on": "on",
        "off": "off",
        "zoom": "Zoom",
        "zoom_out": "Zoom out",
        "zoom_out_hint": "Zoom out (−)",
        "zoom_in": "Zoom in",
        "zoom_in_hint": "Zoom in (+); or turn the wheel over a picture, or pinch",
        "pixels": "1:1",
        "pixels_hint": "Show one pixel of the picture for one of the screen (Z)",
        "reset": "Reset",
        "reset_hint": "Show whole pictures (0); or double-click a picture",
        "fit": "fit",
        "percent": "{percent} %",
        "divider": "Divider between {first} and {second}",
        "divider_value": "{percent} % {first}",
        "choose": "Choose {letter}",
        "coarse": "The picture itself is on its way.",
        "failed": "{caption} could not be loaded.",
        "marks_failed": "The marks of {caption} could not be loaded: what you see is not the whole question.",
        "retry": "Try again",
    }
)
"""The viewer fills in the names in braces, and shows everything as text, never as markup."""
