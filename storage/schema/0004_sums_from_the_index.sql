-- Weights are summed from the index alone.
drop index relationship_delta_at;
create index relationship_delta_at on relationship_delta (relationship, at, delta);
