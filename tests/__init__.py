"""What Overseer does, shown: the same tree as the code, and whole evenings in end_to_end."""
