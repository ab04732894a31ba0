import { type OperationClient, Problem, type Sealer } from '@mailproof/service-kit';
import { getSealedApiKey } from '@mailproof/shared-types';
import type { FetchAccountKey } from '../../domain/account-key.ts';

/** Fetches the sealed copy of an API key from the gateway and opens it; neither is kept. Throws `SealFault`. */
export function createAccountKeyFetcher(options: {
  readonly gatewayPeer: OperationClient;
  readonly sealer: Sealer;
  readonly deadlineMs: number;
}): FetchAccountKey {
  const { gatewayPeer, sealer, deadlineMs } = options;
  return async ({ accountId, userId }, signal) => {
    const request = { params: { accountId, userId }, body: undefined };
    try {
      const answer = await gatewayPeer.call(getSealedApiKey, request, { deadlineMs, signal });
      return answer.kind === 'refused'
        ? answer
        : { kind: 'ready', apiKey: await sealer.open(answer.sealedKey, accountId) };
    } catch (error) {
      if (error instanceof Problem && error.code === 'service_unavailable') {
        return { kind: 'away' };
      }
      throw error;
    }
  };
}
