-- Other bots that were spoken with: they have accounts, but they are not people.
alter table agent add column automated integer not null default 0 check (automated in (0, 1));
alter table agent add column nature text not null generated always as
    (case when automated then 'bot' else kind end) virtual;
