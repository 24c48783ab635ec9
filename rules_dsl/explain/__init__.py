"""What there is to know of one clause or one diagnostic, for people: `clausegate explain`."""
