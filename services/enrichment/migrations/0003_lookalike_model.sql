-- Up Migration

-- What lookalikes are ranked by, made from all companies by one replica and read by every one (ADR 0030).
CREATE TABLE lookalike_model (
  model_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- How texts are read and weighed. A model of another way of reading does not fit the code, and is not loaded.
  format integer NOT NULL,
  -- Every change up to this one is in it.
  change_no bigint NOT NULL,
  companies integer NOT NULL,
  terms integer NOT NULL,
  dimensions integer NOT NULL,
  mean_length double precision NOT NULL,
  calibration jsonb NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- Null until it stands whole: nobody loads half a model.
  built_at timestamptz
);

-- The large lists of a model in pieces, because a value of many megabytes is slow to write and to read.
CREATE TABLE lookalike_model_part (
  model_no integer NOT NULL REFERENCES lookalike_model ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('terms', 'weights', 'projection')),
  part_no integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (model_no, kind, part_no)
);

-- Where each company lies in a model, and which words it has there. Later companies are added to the model that
-- stands; who leaves the profile store leaves this table.
CREATE TABLE lookalike_place (
  model_no integer NOT NULL REFERENCES lookalike_model ON DELETE CASCADE,
  company_no integer NOT NULL REFERENCES company ON DELETE CASCADE,
  -- Of the company as it was read.
  change_no bigint NOT NULL,
  place bytea NOT NULL,
  word_columns bytea NOT NULL,
  word_weights bytea NOT NULL,
  PRIMARY KEY (model_no, company_no)
);

CREATE INDEX lookalike_place_by_company ON lookalike_place (company_no);

GRANT SELECT, INSERT, UPDATE, DELETE ON lookalike_model, lookalike_model_part, lookalike_place TO mailproof_enrichment;
