import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import type { Tone } from '../../design/tone.ts';

type State = Schema['CrmImport']['state'];

const importStates = {
  queued: { name: 'Waiting', tone: 'neutral' },
  reading: { name: 'Reading records', tone: 'fair' },
  ready: { name: 'Ready to validate', tone: 'caution' },
  validating: { name: 'Validating', tone: 'fair' },
  writing_back: { name: 'Writing back', tone: 'fair' },
  succeeded: { name: 'Done', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Cancelled', tone: 'neutral' },
} as const satisfies Record<State, { name: string; tone: Tone }>;

/** How far an import has come. */
export function ImportBadge({ state, isPaused }: { readonly state: State; readonly isPaused?: boolean }) {
  const { name, tone } = importStates[state];
  return (
    <Badge tone={isPaused ? 'caution' : tone}>
      {name}
      {isPaused && state !== 'ready' && ', standing still'}
    </Badge>
  );
}
