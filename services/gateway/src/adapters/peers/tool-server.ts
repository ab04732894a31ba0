import type { OperationClient } from '@mailproof/service-kit';
import { disconnectAssistant, disconnectUser, listAssistants } from '@mailproof/shared-types';
import type { AssistantsPort } from '../../domain/assistants/connected-assistants.ts';

const callDeadlineMs = 5_000;

/** The tool server over HTTP. */
export function createToolServerClient(client: OperationClient): AssistantsPort {
  const options = { deadlineMs: callDeadlineMs };
  return {
    async list(accountId, userId) {
      const request = { params: { accountId }, query: { userId }, body: undefined };
      return client.call(listAssistants, request, options);
    },
    async disconnect(accountId, assistantId, userId) {
      const request = { params: { accountId, assistantId }, query: { userId }, body: undefined };
      await client.call(disconnectAssistant, request, options);
    },
    async disconnectUser(body) {
      await client.call(disconnectUser, { params: {}, body }, options);
    },
  };
}
