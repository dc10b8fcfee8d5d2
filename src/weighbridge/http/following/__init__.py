"""Following: requests that wait until there is something to answer, for up to half a minute.

A request that waits holds no connection and no share of its account, only a place among those that wait. One
watch in each process looks for all of them, ten times a second while there are any, so that writers need
tell nobody and a hundred who wait cost what one does.

In: the number of the last thing that a request has seen. Out: the request goes on when its account has a
later one, or when its time is over. Read `watch`, then `request`.
"""
