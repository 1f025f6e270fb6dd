"""Commands of the house: what admins and operators decide, and linked accounts."""
