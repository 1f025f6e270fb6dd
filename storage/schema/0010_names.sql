-- What people are called by: each name under the forms that others use.
create table name_form (
    name integer not null references name (id) on delete cascade,
    form text not null,
    primary key (form, name)
) strict, without rowid;
create index name_form_name on name_form (name);

insert into name (agent, name, folded, first_seen, last_seen)
select id, name, lower(name), '2000-01-01T00:00:00.000000+00:00', '2000-01-01T00:00:00.000000+00:00'
from agent where kind = 'third_party';

insert or ignore into name_form (name, form) select id, folded from name where folded <> '';
insert or ignore into name_form (name, form)
select id, substr(folded, 1, instr(folded, ' ') - 1) from name where instr(folded, ' ') > 2;

-- Names said in a line and whom they mean; without an agent it stays open.
create table mention (
    event    integer not null references event (id) on delete cascade,
    position integer not null check (position >= 0),
    name     text not null,
    agent    integer references agent (id) on delete cascade,
    why      text not null default '',
    primary key (event, position)
) strict, without rowid;
create index mention_agent on mention (agent);
