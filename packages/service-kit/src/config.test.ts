import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readConfig, serviceSettings, wholeNumber } from './config.ts';

describe('settings', () => {
  it('are all checked before the service refuses, by name and without their values', () => {
    const schema = z.object({
      A_URL: z.url(),
      B_COUNT: wholeNumber(1, 10),
      C_KEY: serviceSettings.SERVICE_SIGNING_KEY,
    });
    const read = () => readConfig(schema, { A_URL: 'hunter2', B_COUNT: '11', C_KEY: '{"kty":"hunter3"}' });
    expect(read).toThrow(
      /A_URL: .*\n.*B_COUNT: must be between 1 and 10\n.*C_KEY: must be a private Ed25519 key/,
    );
    expect(read).not.toThrow(/hunter/);
  });

  it('count as unset when they are empty', () => {
    expect(readConfig(z.object({ COUNT: wholeNumber(1, 10).default(3) }), { COUNT: '' })).toEqual({
      COUNT: 3,
    });
  });

  it.each(['1e3', '-1', '0x10', ' 5', '5.0', ''])('refuse %j as a whole number', text => {
    expect(wholeNumber(0, 1_000_000).safeParse(text).success).toBe(false);
  });
});
