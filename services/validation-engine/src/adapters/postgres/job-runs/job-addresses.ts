import { onlyRow } from '@mailproof/service-kit';
import type { RowReason } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { AskedAddress, JobAddresses, OpenChunk } from '../../../domain/job-runs/job-run-store.ts';
import type { Transaction } from './job-run-store.ts';
import { sql } from './job-runs.sql.ts';

/** The reason of addresses without a verdict when their job was finished. */
const notFinished = 'not_finished' satisfies RowReason;

/** How many addresses one statement assigns to chunks, so that its text stays small. */
const assignedAtOnceMax = 5_000;

/** The distinct addresses of jobs, stored in Postgres. */
export function createJobAddresses(pool: Pool): JobAddresses<Transaction> {
  return {
    async list({ jobNo }) {
      return (await sql.list_addresses(pool, { job_no: jobNo })).rows;
    },
    async assignChunks(transaction, { jobNo }, addresses) {
      for (let start = 0; start < addresses.length; start += assignedAtOnceMax) {
        const some = addresses.slice(start, start + assignedAtOnceMax);
        await sql.assign_chunks(transaction, {
          job_no: jobNo,
          address_nos: some.map(({ addressNo }) => addressNo),
          mail_hosts: some.map(({ mailHost }) => mailHost),
          chunk_nos: some.map(({ chunkNo }) => chunkNo),
        });
      }
    },
    async openChunks({ jobNo }, now) {
      return (await sql.open_chunks(pool, { job_no: jobNo, now })).rows as OpenChunk[];
    },
    async openOf({ jobNo }, chunkNo, now) {
      return (await sql.open_addresses(pool, { job_no: jobNo, now, chunk_no: chunkNo })).rows;
    },
    async nextAt({ jobNo }, now) {
      const { next_at } = await onlyRow(sql.next_at(pool, { job_no: jobNo, now }));
      return next_at ?? undefined;
    },
    async record({ jobNo }, asked, { now, perSecond }) {
      await sql.record_addresses(pool, {
        job_no: jobNo,
        asked: JSON.stringify(asked.map(recordOf), wellFormed),
        per_second: perSecond,
        now,
      });
    },
    async finishOpen(transaction, { jobNo, chunks }, now) {
      if (chunks === null) {
        // Their rows are counted when their mail hosts are known.
        await sql.count_duplicates(transaction, { job_no: jobNo });
      }
      await sql.finish_addresses(transaction, { job_no: jobNo, now, reason: notFinished });
    },
    async countCharged(transaction, { jobNo }) {
      return (await onlyRow(sql.count_charged(transaction, { job_no: jobNo }))).charged;
    },
  };
}

function recordOf({ addressNo, outcome }: AskedAddress) {
  if (outcome.kind === 'waiting') {
    return {
      address_no: addressNo,
      state: 'waiting',
      due_at: outcome.dueAt.toISOString(),
      reason: outcome.waitsFor,
    };
  }
  const { result, reason, mxDomain, mxProvider, emailType, secureEmailGateway, details } = outcome.verdict;
  return {
    address_no: addressNo,
    state: 'done',
    result,
    reason,
    mx_domain: mxDomain,
    mx_provider: mxProvider,
    email_type: emailType,
    secure_email_gateway: secureEmailGateway,
    // Without the transcripts of the sessions, which are the largest part.
    details: { ...details, sessions: [] },
  };
}

/** Text from others may contain characters that Postgres cannot store in `jsonb`. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\u0000', '') : value;
}
