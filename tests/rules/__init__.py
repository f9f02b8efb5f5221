"""The rules of the catalogue, by their ids."""
