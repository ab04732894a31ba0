import type { Schema } from '../api/client.ts';
import type { StateLook } from '../design/looks.ts';

/** The states of long-running work, the same for validation jobs, discovery runs, CRM imports and exports. */
export const workStates = {
  queued: { name: 'Queued', tone: 'neutral' },
  running: { name: 'In progress', tone: 'fair' },
  paused: { name: 'Paused', tone: 'caution' },
  succeeded: { name: 'Done', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Canceled', tone: 'neutral' },
} as const satisfies Record<string, StateLook>;

export type Run = Schema['DiscoveryRun'];

export const runStates: Readonly<Record<Run['state'], StateLook>> = workStates;

export const jobStates: Readonly<Record<Schema['ValidationJob']['state'], StateLook>> = {
  ...workStates,
  receiving: { name: 'Uploading', tone: 'neutral' },
  ready: { name: 'Ready to start', tone: 'fair' },
};

const importStates: Readonly<Record<Schema['CrmImport']['state'], StateLook>> = {
  ...workStates,
  reading: { name: 'Reading records', tone: 'fair' },
  ready: { name: 'Ready to validate', tone: 'caution' },
  validating: { name: 'Validating', tone: 'fair' },
  writing_back: { name: 'Writing back', tone: 'fair' },
};

export const peopleImportStates: Readonly<Record<Schema['PeopleImport']['state'], StateLook>> = {
  ...workStates,
  uploaded: { name: 'Check the columns', tone: 'caution' },
  previewing: { name: 'Previewing', tone: 'fair' },
  previewed: { name: 'Ready to import', tone: 'caution' },
  importing: { name: 'Importing', tone: 'fair' },
};

/** Returns the display state of an import. */
export function importState({ state, pause }: Pick<Schema['CrmImport'], 'state' | 'pause'>): StateLook {
  const { name, tone } = importStates[state];
  if (!pause) return { name, tone };
  return { name: state === 'ready' ? name : `${name}, paused`, tone: 'caution' };
}

type Export = Schema['Export'];

/** The statuses by which exports are filtered; `failed` includes canceled exports. */
export const exportStatuses: Readonly<Record<Export['status'], string>> = {
  queued: workStates.queued.name,
  running: workStates.running.name,
  succeeded: workStates.succeeded.name,
  failed: 'Ended early',
};

/** The display states for the reasons why an export is paused. */
export const exportPauses: Readonly<Record<NonNullable<Export['pause']>['reason'], StateLook>> = {
  asked: workStates.paused,
  receiver_asked: { name: 'Waiting for the receiver', tone: 'caution' },
  receiver_away: { name: 'Receiver not responding', tone: 'caution' },
  access_revoked: { name: 'Reconnect CRM', tone: 'bad' },
};

/** The display states of a row of an export. */
export const rowStates: Readonly<Record<Schema['ExportRow']['state'], StateLook>> = {
  pending: { name: 'Remaining', tone: 'neutral' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  gone: { name: 'Removed', tone: 'caution' },
};

type RunOrJob = Pick<Run, 'state'> | Pick<Schema['ValidationJob'], 'state'>;

export function isActive({ state }: RunOrJob): boolean {
  return state === 'queued' || state === 'running' || state === 'paused';
}

export function hasEnded({ state }: RunOrJob): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

interface Versioned {
  readonly version: number;
}

/** Returns the newer of two states, regardless of which arrived first. */
export function newerOf<State extends Versioned>(known: State | undefined, given: State): State {
  return known !== undefined && known.version > given.version ? known : given;
}
