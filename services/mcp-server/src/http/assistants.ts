import type { Handlers } from '@mailproof/service-kit';
import type { EndAssistants, ListAssistants } from '../domain/assistant.ts';
import type { Events } from '../events.ts';

export interface AssistantHandlerPorts {
  readonly list: ListAssistants;
  readonly end: EndAssistants;
  /** The address at which assistants connect. */
  readonly address: string;
  readonly events: Events;
  readonly now: () => Date;
}

/** Handlers through which the gateway lists and ends connected assistants. */
export function assistantHandlers({ list, end, address, events, now }: AssistantHandlerPorts) {
  return {
    listAssistants: async ({ params: { accountId }, query: { userId } }) => ({
      assistants: (await list(accountId, userId, now())).map(
        ({ scopes, connectedAt, lastUsedAt, ...assistant }) => ({
          ...assistant,
          scopes: [...scopes],
          connectedAt: connectedAt.toISOString(),
          lastUsedAt: lastUsedAt?.toISOString() ?? null,
        }),
      ),
      address,
    }),

    async disconnectAssistant({ params, query: { userId } }) {
      const { accountId, assistantId: listedAs } = params;
      const disconnected = await end({ accountId, listedAs, userId });
      events.assistantsDisconnected(accountId, disconnected);
      return { disconnected };
    },

    async disconnectUser({ body: { accountId, userId, until } }) {
      const disconnected = await end({ accountId, userId, connectedUntil: new Date(until) });
      events.assistantsDisconnected(accountId, disconnected);
      return { disconnected };
    },

    async forgetAccountAssistants({ body: { accountId } }) {
      const deleted = await end({ accountId });
      events.accountForgotten(accountId, deleted);
      return { deleted };
    },
  } satisfies Partial<Handlers<'mcp-server'>>;
}
