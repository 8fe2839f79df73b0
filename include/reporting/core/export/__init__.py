"""Files made of published tables: CSV and XLSX, exact to the digit and safe to open."""
