"""How data come in and go out in the forms that plants and partners have."""
