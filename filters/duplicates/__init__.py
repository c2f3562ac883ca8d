"""Exact and near duplicates: candidate pairs, their verification, the copies to keep."""
