"""What `clausegate build` makes of Rules.md; do not edit."""
