"""Names that a column may have and that are likely to be mistaken for something else."""

LONG = "ä" * 31
NAMES = ["Order", "user", "group", 'with "quotes"', 'a"b', "a b", "a.b", "$1", "a$", "%s", "%",
         "%%s", "{x}", "{}", ":x", "?", "é", "SELECT", "a", "A", "r", "t", "c", "version", "report",
         "run_id", "1st", "period_", "b'c", "--", ";", "\\", ",", "=1+1", "'=1", " ", " a ", "\n",
         "tab\t", "NULL", "nan", "x" * 63, LONG + "a", LONG + "b", "\U0001f600"]  # fmt: skip
