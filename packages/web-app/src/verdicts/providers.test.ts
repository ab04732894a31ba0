import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { providerName } from './providers.ts';

const page = readFileSync(
  new URL('../../../../services/validation-engine/PROVIDERS.md', import.meta.url),
  'utf8',
);
const listed = [...page.matchAll(/^- `([a-z0-9_]+)`: ([^(]+) \(/gm)].map(([, id = '', name = '']) => ({
  id,
  name,
}));

/** The letters and digits of a name, which an identifier has too. */
const letters = (text: string) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

describe('the name of a mail provider', () => {
  it('is written as the provider writes it', () => {
    expect(listed.length).toBeGreaterThan(200);
    const wrong = listed.filter(
      ({ id, name }) => letters(name) === letters(providerName(id)) && name !== providerName(id),
    );
    expect(wrong).toEqual([]);
    expect(['google_workspace', 'outlook_com', 'icloud', 'toString'].map(providerName)).toEqual([
      'Google Workspace',
      'Outlook.com',
      'iCloud',
      'ToString',
    ]);
  });
});
