"""Who gets in: signing in and out, following a link that lets in, one's own sessions, and the people."""
