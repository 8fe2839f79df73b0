"""The report warehouse: claims, releases, receipts and ledger, and the published figures.

Every function takes a psycopg connection in autocommit mode; what must happen together is one
`connection.transaction()`.
"""
