-- Up Migration
-- What a company uses, in the words of its source. Earlier releases neither read nor write it.
ALTER TABLE company ADD COLUMN technologies text[] NOT NULL DEFAULT '{}';
