"""The memory stream's rules: circles, stages, places, hearsay, names. Pure, one subject each."""
