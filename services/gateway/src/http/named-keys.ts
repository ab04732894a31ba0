import { Problem } from '@mailproof/service-kit';
import { limits, type listApiKeys, type OperationResult, type PlanName } from '@mailproof/shared-types';
import { keyStateOf } from '../domain/keys/key-store.ts';
import { type NamedKey, type NamedKeyStore, namedKeyStateOf } from '../domain/keys/named-key.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';

interface NamedKeyPorts {
  readonly namedKeys: NamedKeyStore;
  readonly now: () => Date;
}

/** The account's named API keys, for its owners. */
export function namedKeyHandlers({ namedKeys, now }: NamedKeyPorts) {
  return {
    async listApiKeys(_input, { caller }) {
      const { accountId, plan } = caller.account;
      const keys = await namedKeys.list(accountId);
      return { api_keys: keys.map(key => namedKeyAnswer(key, plan, now())), api_keys_max: limits.apiKeysMax };
    },

    async createApiKey({ body }, { caller }) {
      const { account, userId, client } = caller;
      const { accountId, plan } = account;
      if (keyStateOf(plan) === 'disabled') {
        throw new Problem('api_key_not_found', {
          detail: 'The account’s plan has no API access. Change the plan to create API keys.',
        });
      }
      const at = now();
      const expiresAt = body.expires_at === null ? undefined : new Date(body.expires_at);
      if (expiresAt && expiresAt <= at) {
        throw new Problem('invalid_request', {
          extra: { errors: [{ pointer: '/expires_at', detail: 'must be in the future' }] },
        });
      }
      const terms = { name: body.name, mode: body.mode, scopes: body.scopes, expiresAt };
      const created = await namedKeys.create(terms, { accountId, userId, client, now: at });
      if (created === 'exhausted') {
        throw new Problem('api_keys_exhausted', {
          detail: `The account has ${limits.apiKeysMax} named API keys.`,
        });
      }
      return { ...namedKeyAnswer(created.key, plan, at), api_key: created.apiKey };
    },

    async revokeApiKey({ params }, { caller }) {
      const { account, userId, client } = caller;
      const act = { accountId: account.accountId, userId, client, now: now() };
      if (!(await namedKeys.revoke(params.api_key_id, act))) {
        throw new Problem('api_key_not_found');
      }
      return { done: true as const };
    },
  } satisfies Partial<GatewayHandlers>;
}

type NamedKeyAnswer = OperationResult<typeof listApiKeys>['api_keys'][number];

function namedKeyAnswer(key: NamedKey, plan: PlanName, now: Date): NamedKeyAnswer {
  return {
    api_key_id: key.apiKeyId,
    name: key.name,
    display_prefix: key.displayPrefix,
    mode: key.mode,
    scopes: [...key.scopes],
    state: namedKeyStateOf(key, plan, now),
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
