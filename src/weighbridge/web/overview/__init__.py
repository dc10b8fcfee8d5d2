"""Where people begin: their projects, and a project at a glance."""
