"""Rules of what is collected: corrections, custom fields, evidence and its files, spreadsheets."""
