-- A mood is computed from the lines of its place and their feelings; nothing ever wrote here.
drop table mood;
