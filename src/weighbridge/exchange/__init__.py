"""Exchange: files that come in, and lists, changes and webhooks that go out.

Files become events through uploads to data feeds, the one way in for files, also for `weighbridge import`.
The nouns are `data_feeds`, `data_feed_uploads`, `exports`, `changes` and `webhooks`. `tabular` reads rows and
knows nothing of the service; `feeding` maps and stores them; `export` writes the rows of lists to files;
`delivery` sends changes to webhooks; `records` has the data structures of the interface.
"""
