"""One reader per format: blocks of rows from a file, with bounded memory."""
