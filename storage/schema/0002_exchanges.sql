-- A delta rests on both sides of its exchange: `event` was said, `answer` answered it.
alter table relationship_delta add column answer integer references event (id) on delete cascade;
create index relationship_delta_answer on relationship_delta (answer);
create unique index relationship_delta_said on relationship_delta (relationship, event)
    where turn is null;
create index relationship_delta_at on relationship_delta (relationship, at);
