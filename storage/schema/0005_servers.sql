-- Settings that hold in a whole server, as one bot account sees it.
create table server_setting (
    platform    text not null,
    bot_account text not null,
    server      text not null check (server <> ''),
    name        text not null,
    value       text not null,
    primary key (platform, bot_account, server, name)
) strict, without rowid;

-- When the bot was removed from a place (or blocked there); null once that place is purged.
alter table place add column left_at text check (length(left_at) = 32);
create index place_left on place (left_at) where left_at is not null;

-- A code for linking accounts is taken once, by one other account, and both sides agree.
alter table link_code add column taker integer references account (id) on delete cascade;
alter table link_code add column giver_agreed integer not null default 0;
alter table link_code add column taker_agreed integer not null default 0;
alter table link_code add column void integer not null default 0;
create index link_code_taker on link_code (taker);

create index audit_at on audit (at);
