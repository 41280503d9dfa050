"""What every other package stands on: errors, files, where the project is, names of its parts."""
