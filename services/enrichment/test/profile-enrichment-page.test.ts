import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { profileProviderSettings, restOperations } from '@mailproof/shared-types';
import { cleanProfile } from '../src/domain/profile-enrichment/profile-source.ts';
import { mapAnswer, saysNoMatch } from '../src/domain/profile-provider/map-answer.ts';
import { settingsFaults } from '../src/domain/profile-provider/provider-settings.ts';
import { profileNetworks } from '../src/domain/profile-url/profile-networks.ts';
import { deniedHosts } from '../src/domain/public-page/forbidden-pages.ts';

const page = readFileSync(new URL('../../../docs/profile-enrichment.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(/^## /m).find(part => part.startsWith(title)) ?? '';
const cellsOf = (line: string) =>
  line
    .split('|')
    .map(cell => cell.trim())
    .slice(1, -1);

describe('the page about profile enrichment', () => {
  it('names the forms of profile URLs that there are, and no other', () => {
    const lines = section('Profile URLs')
      .split('\n')
      .filter(line => line.startsWith('| '));
    const expected = profileNetworks.flatMap(({ name, hosts, forms }) =>
      forms.map(({ form, kind }) => [
        name,
        `\`${form}\``,
        kind ?? 'either',
        hosts
          .slice(1)
          .map(host => `\`${host}\``)
          .join(', '),
      ]),
    );
    expect(lines.slice(2).map(cellsOf)).toEqual(expected);
  });

  it('names operations that an API key opens', () => {
    const opened = restOperations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const named = [...page.matchAll(/`([A-Z]+ \/api\/v1\/[\w/:-]+)/g)].map(([, each]) => each);
    expect(named.length).toBeGreaterThanOrEqual(4);
    expect(named.filter(each => !opened.includes(each ?? ''))).toEqual([]);
  });

  it('names the hosts that are denied, and no other', () => {
    const [line = ''] = section('Public pages')
      .split('\n')
      .filter(each => each.includes('never asked'));
    const named = [...line.matchAll(/`([a-z.-]+\.[a-z]+)`/g)].map(([, host]) => host);
    expect(named).toEqual(deniedHosts);
  });

  it('shows a provider that works as it says', () => {
    const [settings, answer, profile] = [
      ...section('Your own provider').matchAll(/```json\n([\s\S]*?)```/g),
    ].map(([, json = '']) => JSON.parse(json) as unknown);
    const parsed = profileProviderSettings.parse(settings);
    expect(profileProviderSettings.parse(parsed)).toEqual(parsed);
    expect(settingsFaults(parsed, () => 'public')).toEqual([]);
    expect([saysNoMatch(answer, parsed), saysNoMatch({ person: null }, parsed)]).toEqual([false, true]);
    expect(cleanProfile(mapAnswer(answer, parsed.fields))).toEqual(profile);
  });
});
