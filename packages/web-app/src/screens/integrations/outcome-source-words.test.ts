import { describe, expect, it } from '@jest/globals';
import { type OutcomeSource, sourceName, sourceState } from './outcome-source-words.ts';

const refusal = (last_at: string) => ({ reason: 'signature_wrong' as const, detail: 'x', count: 1, last_at });
const source = (given: Partial<OutcomeSource>) =>
  ({ provider: 'json', description: null, last_received_at: null, refused: [], ...given }) as OutcomeSource;

describe('a source', () => {
  it('is named by its description, or else its provider', () => {
    expect(sourceName(source({ description: 'Newsletters' }))).toBe('Newsletters');
    expect(sourceName(source({ provider: 'mailgun' }))).toBe('Mailgun');
  });

  it.each([
    [{}, 'No events yet'],
    [{ last_received_at: '2026-11-27T10:00:00Z' }, 'Receiving'],
    [{ refused: [refusal('2026-11-27T10:00:00Z')] }, 'Refusing'],
    [{ last_received_at: '2026-11-27T10:00:00Z', refused: [refusal('2026-11-27T11:00:00Z')] }, 'Refusing'],
    // It has worked since.
    [{ last_received_at: '2026-11-27T12:00:00Z', refused: [refusal('2026-11-27T11:00:00Z')] }, 'Receiving'],
  ])('%j is called: %s', (given, name) => {
    expect(sourceState(source(given)).name).toBe(name);
  });
});
