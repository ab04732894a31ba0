-- Up Migration

-- Matches of a lookalike search when somebody looked at it last, ahead of any paid run: a list of searches says of each
-- whether there are any, without ranking all of them again.
ALTER TABLE discovery_search ADD COLUMN preview_matches integer CHECK (preview_matches >= 0);
