-- The memory stream. Times are ISO 8601 in UTC, always 32 characters, so that they sort as text.

create table agent (
    id          integer primary key autoincrement,
    kind        text not null check (kind in ('persona', 'person', 'third_party')),
    name        text not null,                                -- the newest label
    persona     text unique,                                  -- key of the persona's file
    merged_into integer references agent (id) on delete set null,
    home        integer references place (id) on delete cascade,  -- where a third party is known
    check ((kind = 'persona') = (persona is not null)),
    check (merged_into is null or merged_into <> id)
) strict;
create index agent_merged on agent (merged_into) where merged_into is not null;
create index agent_home on agent (home, name) where home is not null;

create table account (
    id       integer primary key,
    platform text not null check (platform <> ''),
    user     text not null check (user <> ''),
    agent    integer not null references agent (id),  -- its own; a link merges the agents
    unique (platform, user)
) strict;
create index account_agent on account (agent);

create table name (
    id         integer primary key,
    agent      integer not null references agent (id) on delete cascade,
    account    integer references account (id) on delete cascade,
    server     text not null default '',
    name       text not null,
    folded     text not null,                         -- str.casefold of the name
    first_seen text not null check (length(first_seen) = 32),
    last_seen  text not null check (length(last_seen) = 32)
) strict;
create index name_agent on name (agent);
create index name_account on name (account, server);
create index name_folded on name (folded);

create table link_code (
    code    text primary key,
    account integer not null references account (id) on delete cascade,
    expires text not null check (length(expires) = 32),
    used    text check (length(used) = 32)
) strict, without rowid;
create index link_code_account on link_code (account);

create table merge_log (
    id     integer primary key,
    kept   integer not null references agent (id) on delete cascade,
    merged integer not null references agent (id) on delete cascade,
    by     text not null,
    at     text not null check (length(at) = 32),
    undone text check (length(undone) = 32)
) strict;
create index merge_log_kept on merge_log (kept);
create index merge_log_merged on merge_log (merged);

create table opt_out (
    platform text not null,
    user     text not null,
    at       text not null check (length(at) = 32),
    primary key (platform, user)
) strict, without rowid;

create table place (
    id             integer primary key autoincrement,
    platform       text not null,
    bot_account    text not null,
    chat           text not null,
    thread         text not null default '',
    kind           text not null check (kind in
                       ('dm', 'channel', 'thread', 'group', 'topic', 'archive', 'past')),
    name           text not null default '',
    server         text not null default '',
    server_name    text not null default '',
    private        integer not null default 0 check (private in (0, 1)),
    age_restricted integer not null default 0 check (age_restricted in (0, 1)),
    listens        integer not null default 0 check (listens in (0, 1)),
    answers        text not null default 'addressed' check (answers in
                       ('addressed', 'always', 'never')),
    persona        text,
    asleep         integer not null default 0 check (asleep in (0, 1)),
    person         integer references agent (id) on delete set null,  -- the other side of a DM
    unique (platform, bot_account, chat, thread)
) strict;
create index place_server on place (platform, bot_account, server) where server <> '';
create index place_person on place (person) where person is not null;

-- A place that moved: its former key, so that a late delivery finds it.
create table moved (
    platform    text not null,
    bot_account text not null,
    chat        text not null,
    thread      text not null,
    place       integer not null references place (id) on delete cascade,
    primary key (platform, bot_account, chat, thread)
) strict, without rowid;
create index moved_place on moved (place);

-- Who may hear an event again. `meet` is the intersection of its parts.
create table scope (
    id      integer primary key,
    kind    text not null check (kind in ('past', 'dm', 'place', 'members', 'meet')),
    place   integer references place (id) on delete cascade,
    persona integer references agent (id) on delete cascade,
    check ((kind in ('dm', 'place', 'members')) = (place is not null)),
    check ((kind in ('past', 'dm')) = (persona is not null))
) strict;
create unique index scope_identity on scope (kind, coalesce(place, 0), coalesce(persona, 0))
    where kind <> 'meet';
create index scope_place on scope (place);
create index scope_persona on scope (persona);

create table scope_part (
    scope integer not null references scope (id) on delete cascade,
    part  integer not null references scope (id) on delete cascade,
    primary key (scope, part),
    check (part <> scope)
) strict, without rowid;
create index scope_part_part on scope_part (part);

create table scope_member (
    scope integer not null references scope (id) on delete cascade,
    agent integer not null references agent (id) on delete cascade,
    primary key (scope, agent)
) strict, without rowid;
create index scope_member_agent on scope_member (agent);

create table event (
    id           integer primary key autoincrement,  -- ids of deleted events never come back
    kind         text not null check (kind in
                     ('message', 'reply', 'seed', 'import', 'reflection')),
    at           text not null check (length(at) = 32),
    "precision"  text not null default 'minute' check ("precision" in
                     ('year', 'month', 'day', 'minute')),
    place        integer not null references place (id),
    place_name   text not null default '',           -- where it was, if not the place itself
    scope        integer not null references scope (id),
    speaker      integer not null references agent (id),
    account      integer references account (id),
    speaker_name text not null,                      -- the name of that moment
    text         text not null,
    quoted       text not null default '',
    reply_to     text,                               -- the platform's id
    importance   real not null default 0 check (importance between 0 and 1),
    remembered   integer not null check (remembered in (0, 1)),
    source       text unique,                        -- file and line of a seed or an import
    edited_at    text check (length(edited_at) = 32)
) strict;
create index event_place on event (place, at);
create index event_scope on event (scope) where remembered = 1;
create index event_speaker on event (speaker, at);
create index event_account on event (account);
create index event_reply_to on event (place, reply_to) where reply_to is not null;

create table event_message (
    place   integer not null references place (id),
    message text not null,
    event   integer not null references event (id) on delete cascade,
    number  integer not null default 0,              -- order within a long reply
    primary key (place, message)
) strict, without rowid;
create index event_message_event on event_message (event);

create table event_agent (
    event integer not null references event (id) on delete cascade,
    agent integer not null references agent (id) on delete cascade,
    role  text not null check (role in
              ('speaker', 'addressee', 'present', 'mentioned', 'subject', 'witness')),
    primary key (event, agent, role)
) strict, without rowid;
create index event_agent_agent on event_agent (agent, role, event);

create table tombstone (
    place   integer not null references place (id),
    message text not null,
    primary key (place, message)
) strict, without rowid;

create table tombstone_source (
    source text primary key
) strict, without rowid;

create table model (
    id        integer primary key autoincrement,
    name      text not null unique,
    dimension integer not null check (dimension > 0)
) strict;

create table embedding (
    id     integer primary key autoincrement,        -- a new vector always has a higher id
    event  integer not null references event (id) on delete cascade,
    model  integer not null references model (id),
    vector blob not null,                            -- float32, little endian
    unique (event, model)
) strict;
create index embedding_model on embedding (model);

create table emotion (
    event        integer primary key references event (id) on delete cascade,
    joy          real not null check (joy between 1 and 10),
    acceptance   real not null check (acceptance between 1 and 10),
    fear         real not null check (fear between 1 and 10),
    surprise     real not null check (surprise between 1 and 10),
    sadness      real not null check (sadness between 1 and 10),
    disgust      real not null check (disgust between 1 and 10),
    anger        real not null check (anger between 1 and 10),
    anticipation real not null check (anticipation between 1 and 10),
    valence      real not null check (valence between -1 and 1),
    arousal      real not null check (arousal between -1 and 1),
    scorer       text not null
) strict;

create table turn (
    id           integer primary key autoincrement,
    place        integer not null references place (id),
    persona      integer not null references agent (id),
    state        text not null check (state in ('composing', 'answered', 'sent', 'learned',
                                                'abandoned', 'undeliverable')),
    nonce        text not null unique,
    reply        integer unique references event (id) on delete set null,
    reply_to     text,
    drafts       text not null default '[]' check (json_valid(drafts)),
    strategy     text not null default '',
    failed       integer not null default 0 check (failed in (0, 1)),
    reason       text not null default '',
    started_at   text not null check (length(started_at) = 32),
    answered_at  text check (length(answered_at) = 32),
    attempted_at text check (length(attempted_at) = 32),
    sent_at      text check (length(sent_at) = 32),
    learned_at   text check (length(learned_at) = 32),
    check (state <> 'composing' or reply is null)
) strict;
create unique index turn_open on turn (place, persona) where state = 'composing';
create index turn_place on turn (place, answered_at);
create index turn_state on turn (state) where state in ('answered', 'sent');
create index turn_persona on turn (persona);

create table turn_event (
    turn  integer not null references turn (id) on delete cascade,
    event integer not null references event (id) on delete cascade,
    primary key (turn, event)
) strict, without rowid;
create index turn_event_event on turn_event (event);

create table turn_recall (
    turn  integer not null references turn (id) on delete cascade,
    event integer not null references event (id) on delete cascade,
    rank  integer not null,
    score real not null,
    parts text not null check (json_valid(parts)),
    primary key (turn, event)
) strict, without rowid;
create index turn_recall_event on turn_recall (event);

create table inbox (
    event   integer primary key references event (id) on delete cascade,
    persona integer references agent (id),
    state   text not null check (state in ('pending', 'covered', 'ignored')),
    reason  text not null default '',
    turn    integer references turn (id) on delete set null,
    check (state <> 'pending' or persona is not null)
) strict;
create index inbox_pending on inbox (persona) where state = 'pending';
create index inbox_turn on inbox (turn);
create index inbox_persona on inbox (persona);

create table relationship (
    id             integer primary key,
    agent          integer not null references agent (id) on delete cascade,
    other          integer not null references agent (id) on delete cascade,
    relation       text not null default '',
    relation_event integer references event (id) on delete set null,  -- what the word rests on
    stage          text not null default 'first_met' check (stage in
                       ('first_met', 'familiar', 'dependent', 'separated')),
    stage_since    text not null check (length(stage_since) = 32),
    unique (agent, other),
    check (agent <> other)
) strict;
create index relationship_other on relationship (other);
create index relationship_event on relationship (relation_event);

create table relationship_delta (
    id           integer primary key,
    relationship integer not null references relationship (id) on delete cascade,
    event        integer references event (id) on delete cascade,
    turn         integer references turn (id) on delete cascade,
    delta        integer not null check (delta in (-1, 0, 1)),
    reason       text not null default '',
    rule         text not null,
    at           text not null check (length(at) = 32),
    unique (relationship, turn)
) strict;
create index relationship_delta_event on relationship_delta (event);
create index relationship_delta_turn on relationship_delta (turn);

-- The weight starts at 1 and is the plain sum; each row is one exchange.
create view bond (relationship, weight, exchanges) as
select r.id, 1 + coalesce(sum(d.delta), 0), count(d.id)
from relationship r
left join relationship_delta d on d.relationship = r.id
group by r.id;

create table claim (
    id        integer primary key,
    event     integer not null references event (id) on delete cascade,
    source    integer not null references agent (id),
    subject   integer references agent (id) on delete set null,
    scope     integer not null references scope (id),
    statement text not null,
    status    text not null default 'pending' check (status in
                  ('pending', 'confirmed', 'false', 'unverified')),
    sensitive integer not null default 0 check (sensitive in (0, 1)),
    opened    text not null check (length(opened) = 32),
    expires   text not null check (length(expires) = 32),
    resolved  text check (length(resolved) = 32)
) strict;
create index claim_event on claim (event);
create index claim_source on claim (source);
create index claim_subject on claim (subject);
create index claim_scope on claim (scope);
create index claim_status on claim (status, expires);

create table claim_check (
    id         integer primary key,
    claim      integer not null references claim (id) on delete cascade,
    event      integer not null references event (id) on delete cascade,
    agent      integer not null references agent (id) on delete cascade,
    stance     text not null check (stance in ('support', 'deny', 'query', 'comment')),
    confidence real not null default 1 check (confidence between 0 and 1),
    at         text not null check (length(at) = 32),
    unique (claim, event, agent)
) strict;
create index claim_check_event on claim_check (event);
create index claim_check_agent on claim_check (agent);

create table claim_asked (
    claim integer not null references claim (id) on delete cascade,
    agent integer not null references agent (id) on delete cascade,
    turn  integer references turn (id) on delete set null,
    at    text not null check (length(at) = 32),
    primary key (claim, agent)
) strict;
create index claim_asked_agent on claim_asked (agent);
create index claim_asked_turn on claim_asked (turn);

-- What a reflection (or another derived event) rests on.
create table evidence (
    event    integer not null references event (id) on delete cascade,
    rests_on integer not null references event (id) on delete cascade,
    primary key (event, rests_on),
    check (event <> rests_on)
) strict, without rowid;
create index evidence_rests_on on evidence (rests_on);

create table supersession (
    old integer primary key references event (id) on delete cascade,
    new integer not null references event (id) on delete cascade,
    at  text not null check (length(at) = 32),
    check (old <> new)
) strict;
create index supersession_new on supersession (new);

create table scene_item (
    id    integer primary key,
    place integer not null references place (id),
    item  text not null,
    state text not null,
    since text not null check (length(since) = 32),
    until text check (length(until) = 32),
    event integer references event (id) on delete cascade
) strict;
create index scene_item_place on scene_item (place, item);
create index scene_item_event on scene_item (event);

create table mood (
    id           integer primary key,
    persona      integer not null references agent (id) on delete cascade,
    place        integer references place (id) on delete cascade,
    joy          real not null,
    acceptance   real not null,
    fear         real not null,
    surprise     real not null,
    sadness      real not null,
    disgust      real not null,
    anger        real not null,
    anticipation real not null,
    at           text not null check (length(at) = 32)
) strict;
create unique index mood_of on mood (persona, coalesce(place, 0));
create index mood_place on mood (place);

create table setting (
    id    integer primary key,
    place integer references place (id) on delete cascade,
    name  text not null,
    value text not null
) strict;
create unique index setting_name on setting (coalesce(place, 0), name);
create index setting_place on setting (place);

create table usage (
    id                integer primary key,
    purpose           text not null,
    model             text not null,
    prompt_tokens     integer not null check (prompt_tokens >= 0),
    completion_tokens integer not null check (completion_tokens >= 0),
    seconds           real not null check (seconds >= 0),
    place             integer references place (id) on delete set null,
    at                text not null check (length(at) = 32)
) strict;
create index usage_at on usage (at);
create index usage_place on usage (place, at);

create table audit (
    id     integer primary key,
    at     text not null check (length(at) = 32),
    actor  text not null,
    action text not null,
    target text not null default '',
    detail text not null default ''
) strict;

-- Full text. words() is the program's own function: it cuts Chinese, Japanese and Korean
-- into pairs of characters. The index keeps no text; it reads the view.
create view event_text (id, body) as
select id, words(text) from event where remembered = 1;

create virtual table event_words using fts5 (
    body, content = 'event_text', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

create trigger event_words_insert after insert on event when new.remembered = 1 begin
    insert into event_words (rowid, body) values (new.id, words(new.text));
end;

create trigger event_words_delete after delete on event when old.remembered = 1 begin
    insert into event_words (event_words, rowid, body) values ('delete', old.id, words(old.text));
end;

create trigger event_words_update after update of text, remembered on event begin
    insert into event_words (event_words, rowid, body)
    select 'delete', old.id, words(old.text) where old.remembered = 1;
    insert into event_words (rowid, body)
    select new.id, words(new.text) where new.remembered = 1;
end;
