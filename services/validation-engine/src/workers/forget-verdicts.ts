import type { forgetVerdictsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type ForgetPorts, forgetVerdicts } from '../domain/outcomes/forget-verdicts.ts';

/** Forgets what outcomes have made old. */
export function forgetVerdictsHandler(ports: ForgetPorts) {
  return ({ outcomeReportId }: z.output<typeof forgetVerdictsJob.payload>): Promise<void> =>
    forgetVerdicts(ports, outcomeReportId);
}
