import { defineOperation } from '../../define-operation.ts';
import { shownApiKey, shownApiKeyExample } from './api-key-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Gets the account's API key in plain text. */
export const getApiKey = defineOperation({
  id: 'get-api-key',
  method: 'get',
  path: '/app/v1/api-key',
  summary: 'API key',
  tag: 'API key',
  description:
    'The account’s API key, for owners only. It is generated when a plan with API access starts, and is `disabled` while the plan has none. Viewing it is recorded as a security event.',
  answeredBy: 'gateway',
  access: ownerOnly('ownKey'),
  success: { status: 200, description: 'The key.', schema: shownApiKey, example: shownApiKeyExample },
  repeatable: true,
  problems: ['api_key_not_found', 'api_key_cannot_be_shown'],
});
