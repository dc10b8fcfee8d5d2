"""The files of evidence: how they are checked, kept and swept."""
