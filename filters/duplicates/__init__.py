"""Exact and near duplicates: candidate pairs, their verification, and the choice of the copies to keep."""
