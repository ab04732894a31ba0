import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { coverageLabels } from '../discovery/coverage.ts';
import { limits } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { prices } from '../prices.ts';
import { problemKinds } from '../problems.ts';
import { restOperations } from './index.ts';

const page = await readFile(new URL('../../../../docs/find-leads.md', import.meta.url), 'utf8');

/** The request that a command on the page sends. */
interface Sent {
  readonly line: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Sends the API key as the page sets it. */
  readonly hasApiKey: boolean;
  readonly hasIdempotencyKey: boolean;
}

/** Returns every command on the page, with the variables that the page sets filled in. */
function commandsOf(text: string): Sent[] {
  const variables = new Map<string, string>();
  const withVariables = (given: string) =>
    given.replace(/\$(\w+)/g, (_, variable: string) => variables.get(variable) ?? 'unset');
  const commands: Sent[] = [];
  for (const [, block = ''] of text.matchAll(/^```sh\n(.*?)^```/gms)) {
    for (const line of block.trim().split('\n')) {
      const [, name = '', value = ''] = /^export (\w+)=(.+)$/.exec(line) ?? [];
      if (name) {
        variables.set(name, withVariables(value));
        continue;
      }
      const data = /-d '([^']*)'/.exec(line)?.[1];
      const address = line.split(' ').at(-1)?.replaceAll('"', '') ?? '';
      commands.push({
        line,
        method: /-X (\w+)/.exec(line)?.[1] ?? (data === undefined ? 'GET' : 'POST'),
        path: withVariables(address).replace('http://127.0.0.1:8080', ''),
        body: data === undefined ? undefined : JSON.parse(data),
        hasApiKey: variables.has('MAILPROOF_API_KEY') && line.includes('-H "X-Api-Key: $MAILPROOF_API_KEY"'),
        hasIdempotencyKey: line.includes('Idempotency-Key'),
      });
    }
  }
  return commands;
}

function operationOf({ method, path }: Sent) {
  const [name = ''] = path.split('?');
  const all: readonly Operation[] = restOperations;
  const found = all.filter(
    operation =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`).test(name),
  );
  return found[0];
}

const commands = commandsOf(page);

describe('the page about leads', () => {
  it('has commands', () => {
    expect(commands.length).toBeGreaterThan(15);
  });

  it.each(commands.map(command => [command.line, command] as const))(
    'sends what its operation takes: %s',
    (_, command) => {
      const operation = operationOf(command);
      if (!operation) throw new Error(`No operation answers ${command.line}`);
      if (operation.bodyMediaType === undefined) {
        expect(z.safeParse(operation.body, command.body).error).toBeUndefined();
      }
      const query = Object.fromEntries(new URLSearchParams(command.path.split('?')[1] ?? ''));
      expect(z.safeParse(operation.query, query).error).toBeUndefined();
      expect(command.hasApiKey).toBe(operation.access.kind === 'apiKey');
      if (command.hasIdempotencyKey) {
        expect(operation.takesIdempotencyKey).toBe(true);
      }
    },
  );

  it('says prices, limits, statuses and problems as the contract has them', () => {
    expect(page).toContain(`then ${prices.peoplePreview} each`);
    expect(page).toMatch(new RegExp(`a saved person +\\| ${prices.savedPerson};`));
    expect(page).toMatch(new RegExp(`a saved company +\\| ${prices.savedCompany};`));
    expect(page).toMatch(new RegExp(`delivers +\\| ${prices.lookalikeCompany};`));
    expect(page).toContain(`the ${limits.lookalikePreviewMax} strongest matches`);
    expect(page).toContain(`up to ${limits.companiesPerRunMax.toLocaleString('en')}`);
    for (const preset of limits.companiesPerRunPresets) {
      expect(page).toContain(preset.toLocaleString('en'));
    }
    const rows = [...page.matchAll(/^\| ([A-Z][^|]*?) +\| `(\w+)` +\|/gm)].map(([, label, status]) => [
      status,
      label,
    ]);
    expect(Object.fromEntries(rows)).toEqual(coverageLabels);
    const [, problems = ''] = page.split('## Problems');
    const codes = [...problems.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code ?? '');
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter(code => !Object.hasOwn(problemKinds, code))).toEqual([]);
  });
});
