import { defineOperation } from '../../define-operation.ts';
import { shownApiKey, shownApiKeyExample } from './api-key-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Replaces the account's API key. */
export const regenerateApiKey = defineOperation({
  id: 'regenerate-api-key',
  method: 'post',
  path: '/app/v1/api-key/regeneration',
  summary: 'Regenerate the API key',
  tag: 'API key',
  description:
    'Generates a new API key. The previous key is rejected everywhere from the next request on. Update your integrations with the new key.',
  answeredBy: 'gateway',
  access: ownerOnly('ownKey'),
  success: { status: 200, description: 'The new key.', schema: shownApiKey, example: shownApiKeyExample },
  repeatable: false,
  problems: ['api_key_not_found'],
});
