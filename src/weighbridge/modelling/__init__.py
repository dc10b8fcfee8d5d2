"""How measurements become claims: model documents with their versions, checked, compared and tried out."""
