import { Problem } from '@mailproof/service-kit';
import type { Export } from '../domain/exports/export.ts';
import type { Steered, SteerFault } from '../domain/push/steer-push.ts';

const problems = {
  not_found: 'export_not_found',
  ended: 'export_ended',
  no_push: 'export_is_no_push',
  too_many: 'too_many_exports',
} as const satisfies Record<SteerFault, string>;

/** The export that was steered, or the problem that says why it could not be. */
export function steeredExport(steered: Steered): Export {
  if (steered.kind !== 'done') {
    throw new Problem(problems[steered.kind]);
  }
  return steered.record;
}
