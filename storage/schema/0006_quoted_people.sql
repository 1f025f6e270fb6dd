-- Whose words `quoted` are, if they are a person's: they are that person's to keep or remove.
alter table event add column quoted_account integer references account (id) on delete set null;
create index event_quoted_account on event (quoted_account) where quoted_account is not null;
