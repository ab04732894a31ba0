import type { OperationClient } from '@mailproof/service-kit';
import { recordDoNotProbeRequest, recordOutcomes, validateAddress } from '@mailproof/shared-types';
import type { EnginePort } from '../../domain/charging/validate-single-email.ts';
import type { DoNotProbePort } from '../../domain/do-not-probe-port.ts';
import type { UploadPorts } from '../../domain/outcomes/upload-outcomes.ts';

/** Time that the engine's answer may take on its way, on top of the engine's own deadline. */
const transportMs = 2_000;
/** The engine asks DNS one question. */
const doNotProbeDeadlineMs = 12_000;
/** Time in which the engine has to have recorded one portion of an upload, all attempts together. */
const reportDeadlineMs = 30_000;

/** The validation engine over HTTP. */
export function createValidationEngineClient(
  client: OperationClient,
  deadlineMs: number,
): EnginePort & DoNotProbePort & Pick<UploadPorts, 'report'> {
  return {
    validate: ({ accountId, email, signal }) =>
      client.call(
        validateAddress,
        { params: {}, body: { accountId, email: email.input, deadlineMs } },
        { deadlineMs: deadlineMs + transportMs, signal },
      ),
    recordDoNotProbe: (body, signal) =>
      client.call(
        recordDoNotProbeRequest,
        { params: {}, body },
        { deadlineMs: doNotProbeDeadlineMs, signal },
      ),
    report: (accountId, outcomes, signal) =>
      client.call(
        recordOutcomes,
        { params: {}, body: { accountId, outcomes: [...outcomes] } },
        { deadlineMs: reportDeadlineMs, signal },
      ),
  };
}
