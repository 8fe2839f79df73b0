r"""The edge values of every PostgreSQL type, and what each of them is once it is staged.

A case is a type, what it is when nothing is declared, what else it may be declared as, and pairs
of a literal and its value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

D = Decimal


@dataclass(frozen=True)
class Case:
    """The values of one type.

    Attributes:
        type: as SQL spells it.
        inferred: what a column of it is when nothing is declared.
        values: literal and value.
        declared: what else it may be declared as.
    """

    type: str
    inferred: str
    values: Mapping[str, Any]
    declared: tuple[str, ...] = field(default=())


def same(*texts: str) -> dict[str, str]:
    return {text: text for text in texts}


TEXTS = same(
    "", " ", "NULL", "null", "NA", "nan", r"\N", r"\.", "\\", "\\\\n", "'", '"', '""', ",", "\t",
    "\n", "\r", "\r\n", "a\n\\.\nb", "a\"b,c'd\\e", "{", "}", "{NULL}", "%", "%s", "$$", "=1+1",
    "\ufeff", "\u00a0", "\u2028", "é", "e\u0301", "\U0001f600", "\U0010ffff", "\ufffe", "\x01",
    "\x1f", "\x7f", "x" * 100_000,
)  # fmt: skip

NUMBERS = [
    Case("int2", "int16", {"-32768": -(2**15), "32767": 2**15 - 1, "0": 0},
         ("int32", "int64", "decimal(5,0)")),
    Case("int4", "int32", {"-2147483648": -(2**31), "2147483647": 2**31 - 1, "-1": -1},
         ("int64", "decimal(38,20)")),
    Case("int8", "int64",
         {"-9223372036854775808": -(2**63), "9223372036854775807": 2**63 - 1,
          "9007199254740991": 2**53 - 1, "9007199254740992": 2**53, "9007199254740993": 2**53 + 1},
         ("decimal(19,0)", "decimal(38,19)")),
    Case("oid", "int64", {"0": 0, "4294967295": 2**32 - 1}),
    Case("numeric", "decimal(38,20)",
         {"-0.005": D("-0.005"), "0.1": D("0.1"), "1e-20": D("1e-20"), "-0": D(0),
          "123456789012345678.12345678901234567890": D("123456789012345678.12345678901234567890"),
          "999999999999999999": D(10**18 - 1), "1.50" + "0" * 60: D("1.5")}),
    Case("numeric", "decimal(38,20)", {str(10**17): 10**17, "-5": -5}, ("int64",)),
    Case("numeric(38,10)", "decimal(38,10)",
         {"9999999999999999999999999999.9999999999": D("9999999999999999999999999999.9999999999"),
          "-0.0000000001": D("-1e-10")}),
    Case("numeric(38,0)", "decimal(38,0)",
         {"9" * 38: D("9" * 38), "-" + "9" * 38: D("-" + "9" * 38)}),
    Case("numeric(38,38)", "decimal(38,38)", {"0." + "9" * 38: D("0." + "9" * 38)}),
    Case("numeric(10,2)", "decimal(10,2)", {"-0.005": D("-0.01"), "99999999.99": D("99999999.99")},
         ("decimal(12,4)",)),
    Case("numeric(2,-3)", "decimal(5,0)", {"12345": D(12000), "-99499": D(-99000)}),
    Case("numeric(2,5)", "decimal(5,5)", {"0.00012": D("0.00012"), "-0.00099": D("-0.00099")}),
    Case("float8", "float64",
         {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0, "0.1": 0.1,
          "5e-324": 5e-324, "1.7976931348623157e308": 1.7976931348623157e308,
          "9007199254740993": 2.0**53, "2.2250738585072014e-308": 2.2250738585072014e-308}),
    Case("float4", "float32",
         {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0, "0.1": 0.1,
          "3.4028235e38": 3.4028235e38, "1e-45": 1e-45, "16777217": 16777216.0}),
    Case("money", "decimal(19,2)",
         {"-92233720368547758.08": D("-92233720368547758.08"), "0": D(0), "1234.5": D("1234.50"),
          "92233720368547758.07": D("92233720368547758.07")}, ("decimal(38,4)",)),
    Case("bool", "bool", {"true": True, "off": False}),
]  # fmt: skip

WORDS = [
    Case("text", "text", TEXTS),
    Case("varchar", "text", TEXTS),
    Case("varchar(3)", "text", same("", "abc", "é\n")),
    Case("char(5)", "text", {"": " " * 5, "ab": "ab   ", "NULL": "NULL ", "\u00e9": "é    "}),
    Case("name", "text", same("", "NULL", "x" * 63)),
    Case('"char"', "text", same("", "x", '"')),
    Case("bytea", "bytes",
         {r"\x": b"", r"\x00": b"\0", rf"\x{bytes(range(256)).hex()}": bytes(range(256)),
          r"a\\b\000": b"a\\b\0", rf"\x{b'NULL'.hex()}": b"NULL"}),
    Case("uuid", "uuid",
         {"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
          "{00000000000000000000000000000000}": "00000000-0000-0000-0000-000000000000"}, ("text",)),
    Case("json", "json",
         same('{"b":1,  "a":1, "a":2}', "1e400", "12345678901234567890.10", '"\\u0000"', "null",
              "\n[ ]\t", '{"n": 1.10, "e": "é\\n"}', '"\\ud800"'), ("text",)),
    Case("jsonb", "jsonb",
         {'{"b":1,  "a":1, "a":2}': '{"a": 2, "b": 1}', "1e30": str(10**30), "null": "null",
          "12345678901234567890.10": "12345678901234567890.10", '"\\u00e9\\n"': '"é\\n"',
          "1e400": str(10**400)}, ("json", "text")),
    Case("inet", "text", same("10.0.0.1", "10.0.0.1/8", "::1")),
    Case("cidr", "text", same("10.0.0.0/8", "::/0")),
    Case("macaddr", "text", same("08:00:2b:01:02:03")),
    Case("point", "text", same("(1,2)", "(0.1,-1e+300)")),
    Case("tsvector", "text", same("'a' 'b'")),
    Case("bit(3)", "text", same("101")),
    Case("varbit", "text", same("", "1")),
    Case("int4range", "text", same("[1,5)", "empty")),
    Case("tstzrange", "text",
         {"[2024-05-01 12:00+02,)": '["2024-05-01 10:00:00+00",)'}),
    Case("timetz", "text", {"12:00+02": "12:00:00+02"}),
    Case("mood", "text", same("ok", "NULL", "", "sa,d")),
    Case('"Other"."bool"', "text", same("t", "f", "x")),
    Case("pair", "text", {'(1,"a,b")': '(1,"a,b")', "(,)": "(,)"}),
    Case("box", "text", {"((0,0),(1,1))": "(1,1),(0,0)"}),
    Case("box[]", "text", {"{(1,1),(0,0);(2,2),(1,1)}": "{(1,1),(0,0);(2,2),(1,1)}"}),
    Case("int2vector", "text", same("1 2")),
]  # fmt: skip


def wall(*parts: int) -> datetime:
    """Return a wall-clock time: a day, too, when it is midnight."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001


TIMES = [
    Case("date", "date",
         {"0001-01-01": wall(1, 1, 1), "9999-12-31": wall(9999, 12, 31),
          "2024-02-29": wall(2024, 2, 29), "1582-10-10": wall(1582, 10, 10)}, ("timestamp",)),
    Case("time", "time",
         {"00:00": time(0), "23:59:59.999999": time(23, 59, 59, 999999),
          "12:00:00.5": time(12, 0, 0, 500000)}),
    Case("timestamp", "timestamp",
         {"0001-01-01": wall(1, 1, 1), "9999-12-31 23:59:59.999999": datetime.max,  # noqa: DTZ901
          "2024-03-31 02:30:00.000001": wall(2024, 3, 31, 2, 30, 0, 1)}),
    Case("timestamptz", "timestamptz",
         {"0001-01-01 00:00+00": datetime(1, 1, 1, tzinfo=UTC),
          "9999-12-31 23:59:59.999999+00": datetime.max.replace(tzinfo=UTC),
          "2024-10-27 02:30+02": datetime(2024, 10, 27, 0, 30, tzinfo=UTC),
          "2024-10-27 02:30+01": datetime(2024, 10, 27, 1, 30, tzinfo=UTC),
          "1883-11-18 12:00-04:56:02": datetime(1883, 11, 18, 16, 56, 2, tzinfo=UTC)}),
    Case("interval", "interval",
         {"0": "PT0S", "1 year 2 mons -3 days 04:05:06.5": "P1Y2M-3DT4H5M6.5S",
          "-1 mons +1 day": "P-1M1D", "-0.000001": "PT-0.000001S", "36:00": "PT36H",
          "14 mons": "P1Y2M", "2147483647 days": "P2147483647D", "-1 year +1 mon": "P-11M",
          "-178956970 years -8 mons": "P-178956970Y-8M",
          "2562047788:00:54.775807": "PT2562047788H54.775807S"}, ("text",)),
]  # fmt: skip

LISTS = [
    Case("int8[]", "int64[]", {"{}": [], "{1,NULL,-9223372036854775808}": [1, None, -(2**63)]},
         ("decimal(19,0)[]",)),
    Case("int2[]", "int16[]", {"{32767}": [32767]}, ("int64[]",)),
    Case("numeric[]", "decimal(38,20)[]", {"{-0.005,NULL}": [D("-0.005"), None]}),
    Case("numeric(10,2)[]", "decimal(10,2)[]", {"{1.5}": [D("1.50")]}),
    Case("money[]", "decimal(19,2)[]", {"{1.5,NULL}": [D("1.50"), None], "{}": []}),
    Case("float8[]", "float64[]", {"{NaN,-0,5e-324,Infinity,NULL}":
                                   [math.nan, -0.0, 5e-324, math.inf, None]}),
    Case("float4[]", "float32[]", {"{0.1}": [0.1]}),
    Case("bool[]", "bool[]", {"{t,f,NULL}": [True, False, None]}),
    Case("text[]", "text[]",
         {"{}": [], "{NULL}": [None], '{"NULL"}': ["NULL"], '{""}': [""],
          '{"a,b","{"}': ["a,b", "{"],
          '{"\\"","\\\\"}': ['"', "\\"], '{"\n"," "}': ["\n", " "], "{\u00a0,\u3000x}": ["\u00a0",
                                                                                       "\u3000x"]}),
    Case("char(3)[]", "text[]", {"{a,NULL}": ["a  ", None]}),
    Case("bytea[]", "bytes[]", {r'{"\\x00ff","\\x",NULL}': [b"\0\xff", b"", None]}),
    Case("date[]", "date[]", {"{0001-01-01,NULL}": [date(1, 1, 1), None]}),
    Case("time[]", "time[]", {"{23:59:59.999999}": [time(23, 59, 59, 999999)]}),
    Case("timestamp[]", "timestamp[]", {'{"2024-05-01 12:00"}': [wall(2024, 5, 1, 12)]}),
    Case("timestamptz[]", "timestamptz[]",
         {'{"2024-05-01 12:00+02",NULL}': [datetime(2024, 5, 1, 10, tzinfo=UTC), None]}),
    Case("interval[]", "interval[]", {'{"1 day",NULL}': ["P1D", None]}),
    Case("uuid[]", "uuid[]", {"{00000000000000000000000000000000}":
                              ["00000000-0000-0000-0000-000000000000"]}, ("text[]",)),
    Case("json[]", "json[]",
         {'{"{\\"a\\":  1e400}",NULL,"null"}': ['{"a":  1e400}', None, "null"]}),
    Case("jsonb[]", "jsonb[]", {'{"[1,  2]"}': ["[1, 2]"]}, ("json[]",)),
    Case("mood[]", "text[]", {'{ok,"NULL",NULL}': ["ok", "NULL", None]}),
    Case("pair[]", "text[]", {'{"(1,\\"a,b\\")"}': ['(1,"a,b")']}),
    Case("point[]", "text[]", {'{"(1,2)"}': ["(1,2)"]}),
    Case("inet[]", "text[]", {"{10.0.0.1}": ["10.0.0.1"]}),
]  # fmt: skip

DOMAINS = [
    Case("whole", "int32", {"1": 1}, ("int64",)),
    Case("price", "decimal(10,2)", {"1.5": D("1.50")}),
    Case("low_price", "decimal(10,2)", {"1.5": D("1.50")}),
    Case("word", "text", same("", "NULL")),
    Case("wholes", "int32[]", {"{1,NULL}": [1, None]}),
    Case("price[]", "decimal(10,2)[]", {"{1.5,NULL}": [D("1.50"), None]}),
    Case("wholes[]", "text[]", {'{"{1,2}",NULL}': ["{1,2}", None]}),
    Case('"Other"."date"', "timestamptz", {"2024-05-01 12:00+02": datetime(2024, 5, 1, 10,
                                                                          tzinfo=UTC)}),
]  # fmt: skip

CASES = [*NUMBERS, *WORDS, *TIMES, *LISTS, *DOMAINS]

OWN_TYPES = """
CREATE TYPE mood AS ENUM ('ok', 'NULL', '', 'sa,d');
CREATE TYPE pair AS (number int, word text);
CREATE DOMAIN whole AS int; CREATE DOMAIN word AS text;
CREATE DOMAIN price AS numeric(10,2); CREATE DOMAIN low_price AS price CHECK (value < 100);
CREATE DOMAIN wholes AS int[];
CREATE SCHEMA "Other";
CREATE TYPE "Other"."bool" AS ENUM ('t', 'f', 'x');
CREATE DOMAIN "Other"."date" AS timestamptz;
"""
