"""Computing processes: which a service has (`programs`), and how one of them runs (`process`)."""
