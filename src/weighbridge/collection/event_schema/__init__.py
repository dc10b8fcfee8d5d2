"""What an event type must be like, and what a change makes of one."""
