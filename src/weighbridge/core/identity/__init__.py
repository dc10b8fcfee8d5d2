"""How records are named: friendly ids, names, slugs and links."""
