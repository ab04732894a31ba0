import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Manifest, podsIn, readManifests } from '../src/chart/manifests.ts';
import type { House } from '../src/house.ts';
import { projectRoot } from '../src/project-root.ts';
import { startTestHouse } from '../src/test-house.ts';

const rendered = readFileSync(join(projectRoot, 'helm/mailproof/golden/minimal.yaml'), 'utf8');
const run = promisify(execFile);

/** Returns the command of the `helm test` pod, without the addresses at its end. */
function commandOf(manifests: readonly Manifest[]): string[] {
  const spec = manifests.find(({ kind }) => kind === 'Pod')?.spec as
    | { readonly containers: readonly { readonly command: readonly string[] }[] }
    | undefined;
  return spec?.containers[0]?.command.slice(0, -4) ?? [];
}

describe('the pod of helm test', () => {
  const [program = '', ...args] = commandOf(readManifests(rendered));
  let house: House;

  beforeAll(async () => {
    house = await startTestHouse({ lab: false, only: ['gateway', 'credit-ledger', 'mcp-server'] });
  });
  afterAll(() => house.stop());

  const urlsOf = (name: string) => {
    const { url = '', internalUrl = '' } = house.services[name] ?? {};
    return [url, internalUrl];
  };

  it('is content with services that work', async () => {
    const urls = ['gateway', 'mcp-server'].flatMap(urlsOf);
    const { stdout } = await run(program, [...args, ...urls]);
    expect(stdout.split('\n').map(line => line.replace(/^.*: /, ''))).toEqual([
      ...['200', '404', '200', '401', '200', '404', '200'],
      '',
    ]);
  });

  it('fails if another service than the tool server responds', async () => {
    await expect(run(program, [...args, ...urlsOf('gateway'), ...urlsOf('gateway')])).rejects.toThrow(
      'should have answered 200',
    );
  });

  it('fails if the public port answers probes', async () => {
    const { internalUrl = '' } = house.services['gateway'] ?? {};
    await expect(run(program, [...args, internalUrl, internalUrl, ...urlsOf('mcp-server')])).rejects.toThrow(
      'should have answered 404',
    );
  });

  it('is rendered with the smallest set of values', () => {
    expect(podsIn(readManifests(rendered)).map(({ component }) => component)).toContain('test');
  });
});
