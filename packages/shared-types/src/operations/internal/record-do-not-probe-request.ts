import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { doNotProbeProofs, doNotProbeRequest, doNotProbeScope, doNotProbeStates } from '../do-not-probe.ts';

/** The result of a do-not-probe request. */
const doNotProbeRecorded = z.object({
  name: z.string(),
  scope: doNotProbeScope,
  state: z.enum(doNotProbeStates),
  txtName: z.string(),
  txtValue: z.string(),
  proof: z.enum(doNotProbeProofs),
});

export type DoNotProbeRecorded = z.output<typeof doNotProbeRecorded>;

export const recordDoNotProbeRequest = defineOperation({
  id: 'record-do-not-probe-request',
  method: 'post',
  path: '/internal/v1/do-not-probe-requests',
  summary: 'Request not to be probed',
  description: 'Lists the name if its owner has published the proof, and returns the required proof.',
  answeredBy: 'validation-engine',
  access: { kind: 'service', callers: ['gateway'] },
  body: doNotProbeRequest,
  success: { status: 200, description: 'The result of the request.', schema: doNotProbeRecorded },
  repeatable: true,
  problems: ['invalid_request'],
});
