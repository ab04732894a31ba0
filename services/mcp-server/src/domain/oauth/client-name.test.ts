import { describe, expect, it } from '@jest/globals';
import { cleanClientName } from './client-name.ts';

describe('the name of a client', () => {
  it.each([
    ['Claude', 'Claude'],
    ['  Claude\n Desktop ', 'Claude Desktop'],
    ['Éditeur à côté', 'Éditeur à côté'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['“ to your account? Yes. “', '’ to your account? Yes. ’'],
    [`Z${'\u0335'.repeat(40)}algo`, `Z${'\u0335'.repeat(3)}algo`],
    ['x'.repeat(10_000), 'x'.repeat(80)],
  ])('%j is shown as %j', (given, shown) => {
    expect(cleanClientName(given)).toBe(shown);
  });

  it.each(['', ' \n', '\u3164', '\u2800\u2800', '\u200b', '\ud800', 12, undefined])(
    'is none when it is %j',
    given => {
      expect(cleanClientName(given)).toBeUndefined();
    },
  );
});
