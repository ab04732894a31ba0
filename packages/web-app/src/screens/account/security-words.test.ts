import { describe, expect, it } from '@jest/globals';
import { securityEventKinds } from '@mailproof/shared-types';
import { actorName, detailWords, lookOf } from './security-words.ts';

describe('a security event in words', () => {
  it.each(securityEventKinds)('%s has some', kind => {
    expect(lookOf({ kind }).words).toMatch(/^[A-Z]/);
  });

  it('shows its details without ids', () => {
    expect(
      detailWords({ details: { takes_effect: 'at_cycle_end', plan: 'free', session_id: 'sess_1' } }),
    ).toBe('takes effect: at cycle end, plan: free');
    expect(detailWords({ details: {} })).toBe('');
  });

  it('names the user', () => {
    const members = [{ user_id: 'user_2', email: 'ada@ordinary.example' }];
    expect([null, 'user_1', 'user_2', 'user_3'].map(id => actorName(id, 'user_1', members))).toEqual([
      'Operator',
      'You',
      'ada@ordinary.example',
      'Former member',
    ]);
  });
});
