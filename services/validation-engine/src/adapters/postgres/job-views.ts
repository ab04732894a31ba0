import type { RowOf } from '@mailproof/service-kit';
import type {
  AccountId,
  CreatorId,
  EmailType,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobOrigin,
  ValidationJobState,
  ValidationJobWait,
  ValidationResult,
} from '@mailproof/shared-types';
import { limits } from '@mailproof/shared-types';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { RowGroup } from '../../domain/intake/job-summary.ts';
import type { JobView, JobViews, JobWait } from '../../domain/intake/job-view.ts';
import { contentOf, layoutOf } from './intake-store.ts';
import { readCursor, readJobRows } from './job-rows.ts';
import { sql } from './job-views.sql.ts';

type JobRow = RowOf<typeof sql.find_job>;

export function createJobViews(pool: Pool): JobViews {
  const readWaits = createWaits(pool);
  const viewsOf = async (jobs: readonly JobRow[]) => {
    const waitsOf = await readWaits(jobs);
    return jobs.map(job => viewOf(job, waitsOf(job)));
  };
  return {
    async find(accountId, jobId) {
      const { rows } = await sql.find_job(pool, { account_id: accountId, job_id: jobId });
      return (await viewsOf(rows.slice(0, 1)))[0];
    },
    async list(accountId, { cursor, limit, state, origin }) {
      const { rows } = await sql.list_jobs(pool, {
        account_id: accountId,
        below: readCursor(cursor),
        state,
        origin,
        rows_max: limit + 1,
      });
      const page = rows.slice(0, limit);
      return {
        jobs: await viewsOf(page),
        nextCursor: rows.length > limit ? page.at(-1)?.job_no : undefined,
      };
    },
    async rows(accountId, jobId, wanted) {
      const job = await findRowsOf(pool, accountId, jobId);
      return job && readJobRows(pool, job, wanted);
    },
    async groups(accountId, jobId) {
      const job = await findRowsOf(pool, accountId, jobId);
      if (!job) return undefined;
      const [groups, domains] = await Promise.all([
        sql.groups_of_rows(pool, { job_no: job.jobNo }),
        sql.domains_of_rows(pool, { job_no: job.jobNo, domains_max: limits.summaryDomainsMax }),
      ]);
      return [...groups.rows.map(groupOf), ...domains.rows.map(domainGroupOf)];
    },
    async rename(accountId, jobId, name) {
      const { rowCount } = await sql.rename_job(pool, { account_id: accountId, job_id: jobId, name });
      return rowCount === 1;
    },
  };
}

/** Finds the rows of a job, if the account has the job. */
async function findRowsOf(pool: Pool, accountId: AccountId, jobId: ValidationJobId) {
  const { rows } = await sql.find_rows_of_job(pool, { account_id: accountId, job_id: jobId });
  return rows[0] && { jobNo: rows[0].job_no, hasHeader: layoutOf(rows[0])?.hasHeader ?? false };
}

const activeStates: readonly string[] = ['queued', 'running', 'paused'];
/** How many jobs' waits are kept. */
const keptWaitsMax = 500;

type Waits = readonly Omit<JobWait, 'secondsLeft'>[];

/**
 * Reads what the addresses of active jobs wait for. A job that rests is followed by many readers and may have tens of
 * thousands of waiting addresses, so its waits are read once per version.
 */
function createWaits(pool: Pool) {
  const kept = new LRUCache<string, Waits>({ max: keptWaitsMax });
  const keyOf = ({ job_no, version }: JobRow) => `${job_no} ${version}`;
  return async (jobs: readonly JobRow[]): Promise<(job: JobRow) => Waits> => {
    const active = jobs.filter(({ state }) => activeStates.includes(state));
    const found = new Map(active.map(job => [keyOf(job), kept.get(keyOf(job))]));
    const unread = active.filter(job => found.get(keyOf(job)) === undefined);
    if (unread.length > 0) {
      const { rows } = await sql.waits_of_jobs(pool, {
        job_nos: unread.map(({ job_no }) => job_no),
        hosts_max: limits.waitingHostsMax,
      });
      for (const job of unread) {
        const waits = rows.filter(({ job_no }) => job_no === job.job_no).map(waitOf);
        kept.set(keyOf(job), waits);
        found.set(keyOf(job), waits);
      }
    }
    return job => found.get(keyOf(job)) ?? [];
  };
}

function waitOf(row: RowOf<typeof sql.waits_of_jobs>): Waits[number] {
  const hosts = row.mail_hosts as { mail_host: string | null; addresses: number; next_at: string }[];
  return {
    reason: row.reason as ValidationJobWait,
    addresses: row.addresses,
    rows: row.rows,
    nextAt: row.next_at,
    until: row.until,
    mailHosts: hosts.map(({ mail_host, addresses, next_at }) => ({
      mailHost: mail_host ?? '',
      addresses,
      nextAt: new Date(next_at),
    })),
  };
}

function viewOf(row: JobRow, waits: Waits): JobView {
  const results = { ...(row.results as JobView['results']) };
  if (row.started_at !== null && row.rows_broken > 0) {
    // A cell that is not an address is `invalid` without a probe.
    results.invalid = (results.invalid ?? 0) + row.rows_broken;
  }
  return {
    jobId: row.job_id as ValidationJobId,
    accountId: row.account_id as AccountId,
    name: row.name,
    origin: row.origin as ValidationJobOrigin,
    state: row.state as ValidationJobState,
    content: contentOf(row),
    price: row.price,
    holds: row.holds,
    holdAmount: row.hold_amount,
    spent: row.spent,
    done: row.done,
    charged: row.charged,
    waits: waits.map(wait => ({
      ...wait,
      secondsLeft: Math.max(0, Math.ceil((wait.until.getTime() - Date.now()) / 1_000)),
    })),
    perSecond: row.state === 'running' ? row.per_second : null,
    results,
    failure: row.failure as ValidationJobFailure | null,
    createdBy: row.created_by as CreatorId,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
    version: row.version,
  };
}

function groupOf(group: RowOf<typeof sql.groups_of_rows>): RowGroup {
  const { rows } = group;
  const result = group.result as ValidationResult;
  switch (group.by as Exclude<RowGroup['by'], 'domain'>) {
    case 'provider':
      return { by: 'provider', provider: group.mx_provider, result, rows };
    case 'emailType':
      return { by: 'emailType', emailType: group.email_type as EmailType | null, rows };
    case 'reason':
      return { by: 'reason', result, reason: group.reason as string, rows };
  }
}

function domainGroupOf({ domain, domains, result, rows }: RowOf<typeof sql.domains_of_rows>): RowGroup {
  return { by: 'domain', domain, domains, result: result as ValidationResult, rows };
}
