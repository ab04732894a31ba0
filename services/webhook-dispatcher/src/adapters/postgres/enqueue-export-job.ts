/**
 * Gives an export a job of a type ($1) at a moment ($3): one that nobody has taken yet is moved, since it does the same. All
 * work on an export belongs to the trace of the request that began it (ADR 0047).
 */
export const enqueueExportJob = `
  WITH waiting AS (
    UPDATE outbox SET due_at = least(due_at, $3)
    WHERE job_type = $1 AND payload->>'exportId' = $2 AND enqueued_at IS NULL AND done_at IS NULL AND failed_at IS NULL
    RETURNING 1
  )
  INSERT INTO outbox (job_type, payload, due_at, trace_parent)
  SELECT $1, jsonb_build_object('exportId', $2::text), $3, (SELECT trace_parent FROM export WHERE export_id = $2)
  WHERE NOT EXISTS (SELECT FROM waiting)`;
