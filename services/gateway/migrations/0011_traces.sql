-- Up Migration

-- The trace in which a row was written, as a `traceparent` of the W3C: work that follows from it belongs to the same trace
-- (ADR 0047). Null outside of traces, and in rows that the release before has written.
ALTER TABLE outbox ADD COLUMN trace_parent text;
