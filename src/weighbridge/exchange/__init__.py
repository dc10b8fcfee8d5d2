"""Exchange: files that come in, and lists, changes and webhooks that go out.

Files become events through uploads to data feeds, the one way in for files, also for `weighbridge import`.
The nouns are `data_feeds`, `data_feed_uploads`, `exports`, `changes` and `webhooks`; `watched_places` takes
files up for data feeds. `tables` reads rows and maps them to events; `export` writes the rows of lists to
files; `delivery` sends changes to webhooks, which `change_feed` numbers and assigns to them; `records` has
the data structures of the interface.
"""
