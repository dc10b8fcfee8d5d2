"""Rows of lists as CSV, XLSX, JSON Lines or Parquet, with every digit."""
