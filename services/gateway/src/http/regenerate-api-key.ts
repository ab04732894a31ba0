import { Problem, type Route, route } from '@mailproof/service-kit';
import { regenerateApiKey } from '@mailproof/shared-types';
import { displayPrefixOf } from '../domain/keys/api-key.ts';
import { keyStateOf } from '../domain/keys/key-store.ts';
import type { ApiKeyPorts } from './get-api-key.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function regenerateApiKeyRoute(
  guardOf: SessionGuard,
  { keys, now }: Pick<ApiKeyPorts, 'keys' | 'now'>,
): Route {
  return route(regenerateApiKey, guardOf(regenerateApiKey), async (_input, { caller }) => {
    const { account, userId, client } = caller;
    const { accountId } = account;
    const state = keyStateOf(account.plan);
    // An account that never had a key gets its first with its plan, not from here.
    if (state === 'disabled' && !(await keys.activeKey(accountId))) {
      throw new Problem('api_key_not_found');
    }
    const at = now();
    const made = await keys.regenerate(accountId, at, { userId, client });
    if (!made) {
      throw new Problem('api_key_not_found');
    }
    return {
      api_key_id: made.apiKeyId,
      api_key: made.apiKey,
      display_prefix: displayPrefixOf(made.apiKey),
      state,
      created_at: at.toISOString(),
    };
  });
}
