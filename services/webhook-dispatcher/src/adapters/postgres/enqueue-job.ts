/**
 * Gives an export or an import a job of a type ($1) after a time ($3, in milliseconds): one that nobody has taken yet is
 * moved, since it does the same. The time is counted by the clock of Postgres, with which the relay compares it. All work
 * on one of them belongs to the trace of the request that began it (ADR 0047).
 */
const enqueue = (member: string, table: string, idColumn: string) => `
  WITH waiting AS (
    UPDATE outbox SET due_at = least(due_at, now() + make_interval(secs => $3::double precision / 1000))
    WHERE job_type = $1 AND payload->>'${member}' = $2 AND enqueued_at IS NULL AND done_at IS NULL AND failed_at IS NULL
    RETURNING 1
  )
  INSERT INTO outbox (job_type, payload, due_at, trace_parent)
  SELECT $1, jsonb_build_object('${member}', $2::text), now() + make_interval(secs => $3::double precision / 1000),
    (SELECT trace_parent FROM ${table} WHERE ${idColumn} = $2)
  WHERE NOT EXISTS (SELECT FROM waiting)`;

export const enqueueExportJob = enqueue('exportId', 'export', 'export_id');
export const enqueueImportJob = enqueue('importId', 'crm_import', 'import_id');
