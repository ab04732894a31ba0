import type { House } from '@mailproof/dev-house';
import {
  createOperationClient,
  createTokenSigner,
  type OperationClient,
  type PrivateServiceKey,
} from '@mailproof/service-kit';
import type { Operation, OperationRequest, OperationResult, ServiceName } from '@mailproof/shared-types';

/** One service of the house, as another sees it. */
export interface Peer {
  ask<Op extends Operation>(operation: Op, request: OperationRequest<Op>): Promise<OperationResult<Op>>;
  close(): Promise<void>;
}

/** Calls a service of the house on behalf of another service, at its first replica unless another is named. */
export async function peerOf(
  house: House,
  caller: ServiceName,
  target: ServiceName,
  replica: string = target,
): Promise<Peer> {
  const key = JSON.parse(house.environments[caller]['SERVICE_SIGNING_KEY'] ?? '') as PrivateServiceKey;
  const client: OperationClient = createOperationClient({
    baseUrl: house.services[replica]?.internalUrl ?? '',
    audience: target,
    sign: await createTokenSigner(key),
  });
  return {
    ask: (operation, request) => client.call(operation, request, { deadlineMs: 60_000 }),
    close: () => client.close(),
  };
}
