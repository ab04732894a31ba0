import { z } from 'zod';
import { apiKeyId } from '../../ids.ts';

/** An API key in plain text, for the account's owners only. */
export const shownApiKey = z
  .object({
    api_key_id: apiKeyId,
    api_key: z.string().describe('The API key in plain text.'),
    display_prefix: z.string().describe('The start of the key, to tell keys apart.'),
    state: z
      .enum(['active', 'disabled'])
      .describe(
        '`disabled` while the account’s plan has no API access; the same key works again once it does.',
      ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ApiKey' });

export const shownApiKeyExample = {
  api_key_id: apiKeyId.parse('key_0199d4c5a1f07c3fb2e4d6a8c0e1f206'),
  api_key: 'mp_live_<30 digits and a checksum>',
  display_prefix: 'mp_live_3fQz',
  state: 'active',
  created_at: '2026-03-01T09:00:00.000Z',
} as const;
