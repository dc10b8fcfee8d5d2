"""What plants measure: projects with their vocabulary, events with data points, evidence, and corrections."""
