import type { OperationClient } from '@mailproof/service-kit';
import { checkPassword, getAssistantAccess, recordAssistantConnected } from '@mailproof/shared-types';
import type { Gateway } from '../../domain/oauth/assistant-store.ts';

/** Deadline for the gateway's response, in milliseconds; checking a password takes almost a second by design. */
const deadlineMs = 5_000;

export function createGatewayClient(peer: OperationClient): Gateway {
  return {
    checkPassword: body => peer.call(checkPassword, { params: {}, query: {}, body }, { deadlineMs }),
    assistantAccess: ({ accountId, userId }) =>
      peer.call(
        getAssistantAccess,
        { params: { accountId, userId }, query: {}, body: undefined },
        { deadlineMs },
      ),
    async recordConnected(body) {
      const answer = await peer.call(
        recordAssistantConnected,
        { params: {}, query: {}, body },
        { deadlineMs },
      );
      return answer.kind === 'recorded' ? { connectedAt: new Date(answer.connectedAt) } : undefined;
    },
  };
}
