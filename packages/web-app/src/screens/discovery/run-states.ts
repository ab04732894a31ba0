import type { Schema } from '../../api/client.ts';
import type { Tone } from '../../design/tone.ts';

export type Run = Schema['DiscoveryRun'];

/** How the states of a run are called. */
export const runStates: Record<Run['state'], { readonly word: string; readonly tone: Tone }> = {
  queued: { word: 'About to begin', tone: 'neutral' },
  running: { word: 'Under way', tone: 'fair' },
  succeeded: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
};

export function isUnderWay({ state }: Pick<Run, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}
