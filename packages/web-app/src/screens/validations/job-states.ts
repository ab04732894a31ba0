import type { Tone } from '../../design/tone.ts';
import type { Job, JobState } from './job-search.ts';

/** How the states of a job are called. */
export const stateLooks = {
  receiving: { name: 'Coming in', tone: 'neutral' },
  ready: { name: 'Ready to start', tone: 'fair' },
  queued: { name: 'Queued', tone: 'neutral' },
  running: { name: 'Running', tone: 'fair' },
  paused: { name: 'Paused', tone: 'caution' },
  succeeded: { name: 'Done', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Cancelled', tone: 'neutral' },
} as const satisfies Record<JobState, { name: string; tone: Tone }>;

export function isUnderWay({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'paused';
}

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}
