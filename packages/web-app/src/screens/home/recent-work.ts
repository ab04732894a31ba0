import type { Schema } from '../../api/client.ts';
import { countOf } from '../../design/format.ts';
import type { Tone } from '../../design/tone.ts';
import { isUnderWay as isRunUnderWay, runStates } from '../discovery/run-states.ts';
import { isUnderWay as isExportUnderWay, stateOf } from '../exports/export-words.ts';
import { isUnderWay as isJobUnderWay, stateLooks as jobStates } from '../validations/job-states.ts';

/** One piece of work of the account, whatever its kind. */
export interface Work {
  /** Of the job, of the search that a run belongs to, or of the export. */
  readonly id: string;
  readonly kind: 'job' | 'people' | 'lookalikes' | 'export';
  /** Tells it from all others. */
  readonly key: string;
  readonly name: string;
  /** What it is and how much of it there is. */
  readonly about: string;
  readonly state: string;
  readonly tone: Tone;
  readonly isUnderWay: boolean;
  /** Between 0 and 1. */
  readonly progress: number;
  readonly createdAt: string;
}

type Job = Schema['ValidationJob'];
type Run = Schema['DiscoveryRun'];
type Export = Schema['Export'];

export function workOfJob(job: Job): Work {
  return {
    id: job.job_id,
    key: job.job_id,
    kind: 'job',
    name: job.name,
    about: `List, ${countOf(job.addresses, 'address', 'addresses')}`,
    state: jobStates[job.state].name,
    tone: jobStates[job.state].tone,
    isUnderWay: isJobUnderWay(job),
    progress: job.progress,
    createdAt: job.created_at,
  };
}

const runNames: Readonly<Record<Run['kind'], string>> = {
  people: 'People saved from a search',
  lookalikes: 'Lookalike companies',
};

export function workOfRun(run: Run): Work {
  return {
    id: run.search_id,
    key: run.run_id,
    kind: run.kind,
    name: runNames[run.kind],
    about: `${countOf(run.delivered, 'record')} of ${run.requested}`,
    state: runStates[run.state].word,
    tone: runStates[run.state].tone,
    isUnderWay: isRunUnderWay(run),
    progress: run.progress,
    createdAt: run.created_at,
  };
}

const targets: Readonly<Record<Export['target'], string>> = {
  csv: 'Export to a file',
  webhook: 'Export to a webhook',
  crm: 'Export to a CRM',
};

export function workOfExport(made: Export): Work {
  const { word, tone } = stateOf(made);
  return {
    id: made.export_id,
    key: made.export_id,
    kind: 'export',
    name: made.name,
    about: targets[made.target],
    state: word,
    tone,
    isUnderWay: isExportUnderWay(made),
    progress: made.progress,
    createdAt: made.created_at,
  };
}

/** What is under way comes first, then the newest. */
export function newestFirst(work: readonly Work[], countMax: number): Work[] {
  return work
    .toSorted(
      (one, other) =>
        Number(other.isUnderWay) - Number(one.isUnderWay) || other.createdAt.localeCompare(one.createdAt),
    )
    .slice(0, countMax);
}
