-- The channel that a thread is in, by the platform's id: what is set there holds in it too.
alter table place add column parent text not null default '';
