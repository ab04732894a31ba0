import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { apiKeyId, userId } from '../../ids.ts';
import { keyModes, keyScope, keyScopeNames, keyScopes } from '../../key-scopes.ts';
import { limits } from '../../limits.ts';
import { oneLineText } from './discovery-parts.ts';
import { doneAnswer } from './user-parts.ts';
import { moment, ownerOnly } from './view-parts.ts';

/** A named API key as listed to the account's owners, without the key itself. */
const namedApiKey = z
  .object({
    api_key_id: apiKeyId,
    name: z.string(),
    display_prefix: z.string().describe('The start of the key, to tell keys apart.'),
    mode: z.enum(keyModes).describe('A `test` key gets the documented answers of the sandbox.'),
    scopes: z.array(keyScope).describe('What the key can do.'),
    state: z
      .enum(['active', 'disabled', 'expired'])
      .describe(
        '`disabled` while the account’s plan has no API access; the same key works again once it does.',
      ),
    created_at: moment,
    created_by: userId.describe('The owner who created it. They have seen the key.'),
    expires_at: moment.nullable().describe('From this time on the key is refused; null: never.'),
    last_used_at: moment.nullable().describe('Rounded to the minute; null: never.'),
  })
  .meta({ id: 'NamedApiKey' });

/** A named API key at its creation, the only time at which it is shown. */
const createdApiKey = namedApiKey
  .extend({ api_key: z.string().describe('The API key in plain text. It is not shown again.') })
  .meta({ id: 'CreatedApiKey' });

const apiKeyRequest = z
  .strictObject({
    name: oneLineText(limits.apiKeyNameCharactersMax).describe(
      'What the key is for, such as the program that uses it.',
    ),
    scopes: z
      .array(keyScope)
      .min(1)
      .max(keyScopeNames.length)
      .refine(scopes => new Set(scopes).size === scopes.length, 'Each scope must be unique.')
      .describe(
        keyScopeNames
          .map(name => `\`${name}\`: ${keyScopes[name].replace(/^./, first => first.toLowerCase())}`)
          .join(' '),
      ),
    mode: z
      .enum(keyModes)
      .default('live')
      .describe(
        '`test`: the key validates only the documented addresses of the sandbox, costs nothing and opens only the operations that have a sandbox.',
      ),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe('A time in the future, from which on the key is refused; null: never.'),
  })
  .meta({ id: 'ApiKeyRequest' });

const example = {
  api_key_id: apiKeyId.parse('key_0199d4c5a1f07c3fb2e4d6a8c0e1f207'),
  name: 'Sign-up form',
  display_prefix: 'mp_live_7Hbx',
  mode: 'live',
  scopes: ['validation'],
  state: 'active',
  created_at: '2026-03-01T09:00:00.000Z',
  created_by: userId.parse('user_0199d4c5a1f07c3fb2e4d6a8c0e1f203'),
  expires_at: '2027-03-01T09:00:00.000Z',
  last_used_at: null,
} as const satisfies z.input<typeof namedApiKey>;

const path = '/app/v1/api-keys';
const parts = { tag: 'API key', answeredBy: 'gateway', access: ownerOnly('ownKey') } as const;

/** Lists the named keys of the account. */
export const listApiKeys = defineOperation({
  ...parts,
  id: 'list-api-keys',
  method: 'get',
  path,
  summary: 'List named API keys',
  description:
    'The account’s named keys that are not revoked, newest first. The default key is not among them: `get-api-key` shows it.',
  success: {
    status: 200,
    description: 'The keys.',
    schema: z
      .object({
        api_keys: z.array(namedApiKey),
        api_keys_max: z.int().positive().describe('The most named keys that the account can have.'),
      })
      .meta({ id: 'NamedApiKeys' }),
    example: { api_keys: [{ ...example, scopes: [...example.scopes] }], api_keys_max: limits.apiKeysMax },
  },
  repeatable: true,
  problems: [],
});

/** Creates a named key. */
export const createApiKey = defineOperation({
  ...parts,
  id: 'create-api-key',
  method: 'post',
  path,
  summary: 'Create a named API key',
  description: `Creates a key that opens only the operations of its scopes; the reference of the REST API names the scope of each operation. The key is shown once: store it now. Its name, scopes and expiry do not change. An account has at most ${limits.apiKeysMax} named keys, expired ones included, and needs a plan with API access to create one.`,
  body: apiKeyRequest,
  success: {
    status: 201,
    description: 'The new key.',
    schema: createdApiKey,
    example: { ...example, scopes: [...example.scopes], api_key: 'mp_live_<30 digits and a checksum>' },
  },
  repeatable: false,
  problems: ['api_key_not_found', 'api_keys_exhausted'],
});

/** Revokes a named key. */
export const revokeApiKey = defineOperation({
  ...parts,
  id: 'revoke-api-key',
  method: 'delete',
  path: `${path}/:api_key_id`,
  summary: 'Revoke a named API key',
  description:
    'The key is refused everywhere from the next request on. What programs created or started with it stays. The default key is replaced, not revoked: `regenerate-api-key`.',
  params: z.strictObject({ api_key_id: apiKeyId }),
  success: { status: 200, description: 'The key is revoked.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['api_key_not_found'],
});
