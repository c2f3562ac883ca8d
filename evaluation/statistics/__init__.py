"""Statistics behind the scores: those of the spine that metrics use, and sizes of stratified samples."""

from benchwright.statistics import Estimate, share_right

from .stratified import shares

__all__ = ["Estimate", "share_right", "shares"]
