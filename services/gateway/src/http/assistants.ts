import { oauthScopes, parseEmailAddress, typedPassword } from '@mailproof/shared-types';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../domain/assistants/assistant-access.ts';
import {
  type ConnectedAssistantsPorts,
  disconnectConnectedAssistant,
  listConnectedAssistants,
} from '../domain/assistants/connected-assistants.ts';
import {
  type AssistantSignInPorts,
  connectAssistant,
  signInForAssistant,
} from '../domain/assistants/sign-in-for-assistant.ts';
import { clientFrom } from './guards/browser.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { signedInRequest } from './guards/session-guard.ts';
import { orProblem } from './user-problem.ts';

export interface AssistantHandlerPorts {
  readonly seen: ConnectedAssistantsPorts;
  readonly signIns: AssistantSignInPorts;
  readonly findGrounds: FindAssistantGrounds;
}

/** Connected assistants, and the tool server's questions about the users who connect them. */
export function assistantHandlers({ seen, signIns, findGrounds }: AssistantHandlerPorts) {
  return {
    async listConnectedAssistants(_input, context) {
      const { assistants, address } = await listConnectedAssistants(seen, signedInRequest(context));
      return {
        assistants: assistants.map(assistant => ({
          assistant_id: assistant.assistantId,
          user_id: assistant.userId,
          email: assistant.email ?? null,
          client_name: assistant.clientName,
          redirect_host: assistant.redirectHost,
          scopes: assistant.scopes.map(scope => ({ scope, description: oauthScopes[scope] })),
          user_agent: assistant.userAgent,
          connected_at: assistant.connectedAt,
          last_used_at: assistant.lastUsedAt,
        })),
        address: address ?? null,
      };
    },

    async disconnectAssistantSignedIn({ params }, context) {
      await orProblem(disconnectConnectedAssistant(seen, params.assistant_id, signedInRequest(context)));
      return { done: true as const };
    },

    async checkPassword({ body }, { requestId }) {
      const email = parseEmailAddress(body.email.trim());
      const password = typedPassword.safeParse(body.password);
      if (!email.ok || !password.success) {
        // No user can have these credentials, so the answer reveals nothing and the attempt is not counted.
        return { kind: 'refused' as const };
      }
      const client = clientFrom(body.clientAddress, body.userAgent);
      const visitor = { client, requestId, device: body.device };
      return signInForAssistant(signIns, { email: email.value.normalized, password: password.data }, visitor);
    },

    async getAssistantAccess({ params: { accountId, userId } }) {
      const access = judgeAssistantAccess(await findGrounds(accountId, userId));
      return access.kind === 'ready'
        ? { kind: access.kind, accountName: access.account.name, email: access.email }
        : access;
    },

    async recordAssistantConnected({ body }) {
      const { clientAddress, userAgent, ...connection } = body;
      const connectedAt = await connectAssistant(signIns, {
        ...connection,
        client: clientFrom(clientAddress, userAgent),
      });
      return connectedAt
        ? { kind: 'recorded' as const, connectedAt: connectedAt.toISOString() }
        : { kind: 'sign_in_over' as const };
    },
  } satisfies Partial<GatewayHandlers>;
}
