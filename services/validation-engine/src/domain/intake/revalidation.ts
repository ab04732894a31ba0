import {
  type AccountId,
  type CreatorId,
  limits,
  type RequestId,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { TakeTurn } from '../concurrency/turns.ts';
import type { JobView, JobViews } from './job-view.ts';

/** A job that is about to be made of the rest of another. */
export interface Revalidation {
  /** The same for a repeated request. */
  readonly jobId: ValidationJobId;
  readonly accountId: AccountId;
  readonly createdBy: CreatorId;
  readonly requestId: RequestId;
  readonly sourceId: ValidationJobId;
  readonly createdAt: Date;
  /** When it will be deleted. */
  readonly deletedAt: Date;
}

export type RevalidationOutcome = 'created' | 'notFound' | 'underWay' | 'nothingLeft' | 'tooMany';

export interface RevalidationStore {
  /** Stores the job with its rows, atomically. `created` without any effect if the job exists already. */
  create(revalidation: Revalidation, nameOf: (sourceName: string) => string): Promise<RevalidationOutcome>;
}

const dayMs = 86_400_000;
const nameSuffix = ', remaining rows';

/** Makes a job of the rows of another that are `unknown` or have no result, ready to start. */
export function createRevalidate(ports: {
  readonly store: RevalidationStore;
  readonly views: Pick<JobViews, 'find'>;
  readonly takeTurn: TakeTurn;
  readonly keptDays: number;
  readonly now: () => Date;
}) {
  return async (
    request: Omit<Revalidation, 'createdAt' | 'deletedAt'>,
  ): Promise<JobView | Exclude<RevalidationOutcome, 'created'> | 'turned_away'> => {
    const turn = await ports.takeTurn(request.accountId, () => {
      const createdAt = ports.now();
      const deletedAt = new Date(createdAt.getTime() + ports.keptDays * dayMs);
      return ports.store.create({ ...request, createdAt, deletedAt }, nameOf);
    });
    if (turn.kind === 'turned_away') {
      return 'turned_away';
    }
    if (turn.result !== 'created') {
      return turn.result;
    }
    return (await ports.views.find(request.accountId, request.jobId)) ?? 'notFound';
  };
}

export type Revalidate = ReturnType<typeof createRevalidate>;

/** Once is enough, even for the remaining rows of remaining rows. */
function nameOf(sourceName: string): string {
  const base = sourceName.endsWith(nameSuffix) ? sourceName.slice(0, -nameSuffix.length) : sourceName;
  return `${base.slice(0, limits.jobNameCharactersMax - nameSuffix.length).toWellFormed()}${nameSuffix}`;
}
