import type { OperationClient } from '@mailproof/service-kit';
import { validateAddress } from '@mailproof/shared-types';
import type { EnginePort } from '../../domain/validate-single-email.ts';

/** Time that the engine's answer may take on its way, on top of the engine's own deadline. */
const transportMs = 2_000;

/** The validation engine over HTTP. */
export function createValidationEngineClient(client: OperationClient, deadlineMs: number): EnginePort {
  return {
    validate: ({ accountId, email, signal }) =>
      client.call(
        validateAddress,
        { params: {}, body: { accountId, email: email.input, deadlineMs } },
        { deadlineMs: deadlineMs + transportMs, signal },
      ),
  };
}
