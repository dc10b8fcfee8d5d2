"""Delivering: how webhooks are told of changes, by workers.

In: the feed of changes (`feed`), and webhooks with their place in it. Out: deliveries, which are rows, and
requests to receivers. A webhook has a lane, which one worker holds at a time for as long as it gives signs
of life. Whoever holds it first takes what the feed has behind the webhook's place, as deliveries, in the one
transaction that moves the place; then it sends what is due, one delivery after the other, and writes down
what became of each attempt. So a worker that is killed at any moment loses nothing: what it has not taken is
in the feed, what it has taken is a row, and what it has sent without writing so is sent again under its id.

Lanes are bounded, and those that fail have at most half of them, so no receiver holds up those of others.

Read `taking`, then `message`, `sending`, `lanes` and `deliverer`, which does all that again and again;
`resolving` has the threads in which names are looked up.
"""
