-- What the engine knows about addresses beyond a verdict: outcomes and snapshots, both under keyed hashes, and deferred
-- probes (ADR 0065).

-- name: record_outcomes(report_id, account_id, counts_for_others, outcomes, job_type, trace_parent?)
-- not null: recorded
-- In a fixed order, so that two reports of the same addresses do not deadlock.
WITH recorded AS (
  INSERT INTO outcome (outcome_report_id, account_id, counts_for_others, address_hash, domain_hash, kind, pattern_class,
    observed_at)
  SELECT $1, $2, $3, decode(address, 'hex'), decode(domain, 'hex'), kind, pattern, observed
  FROM jsonb_to_recordset($4::jsonb)
    AS given (address text, domain text, kind text, pattern text, observed timestamptz)
  ORDER BY address, kind, observed
  ON CONFLICT (account_id, address_hash, kind, observed_at) DO NOTHING
  RETURNING 1
), job AS (
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $5, jsonb_build_object('outcomeReportId', $1::text), $6 WHERE EXISTS (SELECT FROM recorded)
)
SELECT count(*)::int AS recorded FROM recorded;

-- name: outcomes_of_address(address_hash, account_id?, rows_of_account_max, rows_max)
-- The account's own first: reports of others must not displace them.
SELECT account_id AS "accountId", kind,
  round(greatest(0, extract(epoch FROM now() - observed_at) / 86400), 2)::float AS "ageDays"
FROM (
  SELECT account_id, kind, observed_at,
    row_number() OVER (PARTITION BY account_id ORDER BY observed_at DESC) AS nth
  FROM outcome WHERE address_hash = $1 AND (counts_for_others OR account_id = $2)
) AS counting
WHERE nth <= $3 ORDER BY (account_id = $2) DESC NULLS LAST, observed_at DESC LIMIT $4;

-- name: outcomes_of_domain(domain_hash, address_hash, account_id?, rows_max, others_max, rows_of_other_max)
-- By the last outcome of each address at one account; if two have the same time, the bounce comes last. The account's
-- own are read separately, and of each other account only its latest, the oldest accounts first: no account displaces
-- the outcomes of another.
WITH RECURSIVE others AS (
  (SELECT account_id, 1 AS nth FROM outcome
  WHERE domain_hash = $1 AND counts_for_others ORDER BY account_id LIMIT 1)
  UNION ALL
  SELECT following.account_id, nth + 1
  FROM others CROSS JOIN LATERAL (
    SELECT account_id FROM outcome
    WHERE domain_hash = $1 AND counts_for_others AND account_id > others.account_id ORDER BY account_id LIMIT 1
  ) AS following
  WHERE nth < $5
), latest AS (
  SELECT DISTINCT ON (account_id, address_hash) account_id, pattern_class,
    kind IN ('mailbox_missing', 'mailbox_disabled') AS is_bad
  FROM (
    (SELECT account_id, address_hash, pattern_class, kind, observed_at FROM outcome
    WHERE domain_hash = $1 AND address_hash <> $2 AND kind <> 'not_about_mailbox' AND account_id = $3
    ORDER BY observed_at DESC LIMIT $4)
    UNION ALL
    SELECT of_other.* FROM others CROSS JOIN LATERAL (
      SELECT account_id, address_hash, pattern_class, kind, observed_at FROM outcome
      WHERE domain_hash = $1 AND address_hash <> $2 AND kind <> 'not_about_mailbox' AND counts_for_others
        AND account_id = others.account_id
      ORDER BY observed_at DESC LIMIT $6
    ) AS of_other
    WHERE others.account_id IS DISTINCT FROM $3
  ) AS lately
  ORDER BY account_id, address_hash, observed_at DESC, kind IN ('mailbox_missing', 'mailbox_disabled') DESC
)
SELECT account_id AS "accountId", pattern_class AS "patternClass",
  (count(*) FILTER (WHERE NOT is_bad))::int AS good, (count(*) FILTER (WHERE is_bad))::int AS bad
FROM latest GROUP BY account_id, pattern_class;

-- name: has_reported(account_id, domain_hash)
SELECT FROM outcome WHERE domain_hash = $2 AND account_id = $1 LIMIT 1;

-- name: addresses_in_report(report_id)
-- not null: key
SELECT DISTINCT encode(address_hash, 'hex') AS key FROM outcome WHERE outcome_report_id = $1;

-- name: purge_outcomes(retention_days, rows_max)
DELETE FROM outcome WHERE outcome_id IN (
  SELECT outcome_id FROM outcome WHERE observed_at < now() - make_interval(days => $1)
  ORDER BY observed_at LIMIT $2);

-- name: take_snapshot(address_hash, domain_hash, findings)
INSERT INTO evidence_snapshot (address_hash, domain_hash, findings, taken_on)
VALUES ($1, $2, $3, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
ON CONFLICT (address_hash, taken_on) DO NOTHING;

-- name: labeled_snapshots(label_days_max, rows_max)
-- not null: domain, exists, account
-- The last snapshot of each address, labeled by the last outcome after it; if two outcomes have the same time, the
-- bounce comes last. Many outcomes have only a date, so they count from the beginning of the day. The exception is a
-- snapshot that has itself seen outcomes, which must not be their own proof. Outcomes of accounts that have paid come
-- first; all others together have one name.
SELECT DISTINCT ON (snapshot.address_hash)
  encode(snapshot.domain_hash, 'hex') AS domain, snapshot.findings, label.exists, label.account
FROM evidence_snapshot AS snapshot
CROSS JOIN LATERAL (
  SELECT kind NOT IN ('mailbox_missing', 'mailbox_disabled') AS exists,
    CASE WHEN counts_for_others THEN account_id ELSE '' END AS account
  FROM outcome
  WHERE outcome.address_hash = snapshot.address_hash AND kind <> 'not_about_mailbox'
    AND observed_at >= CASE
      WHEN snapshot.findings @> '[{"source":"outcome_history"}]' THEN snapshot.taken_at
      ELSE date_trunc('day', snapshot.taken_at, 'UTC') END
    AND observed_at < snapshot.taken_at + make_interval(days => $1)
  ORDER BY counts_for_others DESC, observed_at DESC, kind IN ('mailbox_missing', 'mailbox_disabled') DESC LIMIT 1
) AS label
ORDER BY snapshot.address_hash, snapshot.taken_at DESC LIMIT $2;

-- name: purge_snapshots(retention_days, rows_max)
DELETE FROM evidence_snapshot WHERE evidence_snapshot_id IN (
  SELECT evidence_snapshot_id FROM evidence_snapshot WHERE taken_at < now() - make_interval(days => $1)
  ORDER BY taken_at LIMIT $2);

-- name: defer_probe(deferred_probe_id, email, delay_ms, job_type, trace_parent?)
-- Two days are longer than all retries together: an address that still waits has lost its job, which failed too often.
WITH deferred AS (
  INSERT INTO deferred_probe (deferred_probe_id, email, attempts) VALUES ($1, $2, 1)
  ON CONFLICT (email) DO UPDATE
    SET deferred_probe_id = excluded.deferred_probe_id, attempts = excluded.attempts, created_at = now()
    WHERE deferred_probe.created_at < now() - interval '2 days'
  RETURNING deferred_probe_id
)
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
SELECT $4, jsonb_build_object('deferredProbeId', deferred_probe_id),
  now() + make_interval(secs => $3::double precision / 1000), $5
FROM deferred;

-- name: deferred_probe(deferred_probe_id)
SELECT email, attempts FROM deferred_probe WHERE deferred_probe_id = $1;

-- name: finish_probe(deferred_probe_id)
DELETE FROM deferred_probe WHERE deferred_probe_id = $1;

-- name: postpone_probe(deferred_probe_id, attempts, delay_ms, job_type, trace_parent?)
-- Compares the count of attempts, so that a job that ran twice schedules only one next attempt.
WITH counted AS (
  UPDATE deferred_probe SET attempts = attempts + 1
  WHERE deferred_probe_id = $1 AND attempts = $2
  RETURNING deferred_probe_id
)
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
SELECT $4, jsonb_build_object('deferredProbeId', deferred_probe_id),
  now() + make_interval(secs => $3::double precision / 1000), $5
FROM counted;

-- name: site_look(domain_hash, address_hash)
SELECT kind, patterns, printed ->> $2 AS place FROM site_look
WHERE domain_hash = $1 AND kind <> 'looking' AND expires_at > now();

-- name: claim_site_look(domain_hash, for_ms)
-- An expired look is replaced by the reservation of the next one.
INSERT INTO site_look (domain_hash, kind, expires_at)
VALUES ($1, 'looking', now() + make_interval(secs => $2::double precision / 1000))
ON CONFLICT (domain_hash) DO UPDATE
  SET kind = excluded.kind, printed = excluded.printed, patterns = excluded.patterns,
    looked_at = excluded.looked_at, expires_at = excluded.expires_at
  WHERE site_look.expires_at <= now();

-- name: keep_site_look(domain_hash, kind, printed, patterns, for_ms)
INSERT INTO site_look (domain_hash, kind, printed, patterns, expires_at)
VALUES ($1, $2, $3::jsonb, $4::jsonb, now() + make_interval(secs => $5::double precision / 1000))
ON CONFLICT (domain_hash) DO UPDATE
  SET kind = excluded.kind, printed = excluded.printed, patterns = excluded.patterns,
    looked_at = excluded.looked_at, expires_at = excluded.expires_at;

-- name: release_site_look(domain_hash)
DELETE FROM site_look WHERE domain_hash = $1 AND kind = 'looking';

-- name: purge_site_looks(rows_max)
DELETE FROM site_look WHERE domain_hash IN (
  SELECT domain_hash FROM site_look WHERE expires_at <= now() ORDER BY expires_at LIMIT $1);
