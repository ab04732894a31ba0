import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serviceDefinitions } from '@mailproof/installation';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const page = read('docs/secrets-rotation.md');

/** Settings that contain a secret, by their name or because their value is a URL with a password. */
const secretName = /_(KEYS?|SECRET|PASSWORD|TOKEN)$/;
const addressWithPassword = /protocol: \/\^(postgres|redis|smtps?)|: (postgresUrl|redisUrl|socksProxy)\b/;

/** Returns the settings of a file, each with the code of its schema. */
function settingsIn(path: string): [name: string, form: string][] {
  const parts = read(path).split(/^ +(?=[A-Z][A-Z0-9_]+:)/m);
  return parts.slice(1).map(part => [part.slice(0, part.indexOf(':')), part.split('.describe(', 1)[0] ?? '']);
}

const files = [
  'packages/service-kit/src/config.ts',
  ...serviceDefinitions.map(({ name }) => `services/${name}/src/config.ts`),
];
const secrets = [
  ...new Set(
    files
      .flatMap(settingsIn)
      .filter(([name, form]) => secretName.test(name) || addressWithPassword.test(form))
      .map(([name]) => name),
  ),
];
const table = page.split('\n').filter(line => /^\| `[A-Z]/.test(line));
const [, ...columns] = ['', ...table.map(line => line.split('|').map(cell => cell.trim()))];

describe('the page about rotating secrets', () => {
  it('has every secret setting of every service in its table, and no other', () => {
    const houseSecrets = serviceDefinitions.flatMap(({ secretSettings = {} }) => Object.keys(secretSettings));
    expect(secrets).toEqual(expect.arrayContaining([...houseSecrets, 'SERVICE_SIGNING_KEY', 'REDIS_URL']));
    const treated = columns.flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(treated.sort()).toEqual(secrets.sort());
  });

  it('names for each its section and the test that replaces it', () => {
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, names, , , how = '', test = ''] of columns) {
      const section = /\(#([a-z-]+)\)/.exec(how)?.[1];
      expect([names, headings.includes(section ?? '')]).toEqual([names, true]);
      const isNeverReplaced = how.startsWith('[never]');
      expect([names, /`services\/\S+\.(test|long)\.ts`/.test(test)]).toEqual([names, !isNeverReplaced]);
    }
  });
});
