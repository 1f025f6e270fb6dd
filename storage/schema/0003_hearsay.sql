-- Forwarded words are not their sender's: they are no testimony.
alter table event add column forwarded integer not null default 0 check (forwarded in (0, 1));
