"""What every page is made of: the visit, the session, the frame, lists and rendering."""
