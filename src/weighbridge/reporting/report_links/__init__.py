"""Links to reports: addresses that open one report to whoever has them, such as its verifier.

A link opens the report as it is at that moment, whatever its status, and nothing else. It expires, may be
revoked before, and is never changed; its address is in the answer that makes it and nowhere else. Every use
is told by the audit log. Permission: production accounting; following a link takes none.
"""
