import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root.ts';

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes': number;
        readonly steps: readonly Step[];
        readonly strategy?: {
          readonly matrix: { readonly image?: readonly string[]; readonly suite?: readonly string[] };
        };
      }
    >
  >;
}

const workflows = new Map(
  globSync('.github/workflows/*.yml', { cwd: projectRoot }).map(file => [
    file,
    parse(readFileSync(join(projectRoot, file), 'utf8')) as Workflow,
  ]),
);
const jobs = [...workflows].flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([name, job]) => ({ where: `${file}, ${name}`, ...job })),
);
const version: string = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version;

let scratch: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'release-'));
});

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function release(...args: string[]) {
  return spawnSync('node', ['packages/dev-house/src/release-command.ts', ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
}

describe('the workflows', () => {
  it('are there, may only read by default, and each job has an end', () => {
    expect([...workflows.keys()].sort()).toEqual([
      '.github/workflows/long.yml',
      '.github/workflows/release.yml',
      '.github/workflows/test.yml',
    ]);
    for (const { permissions } of workflows.values()) {
      expect(permissions).toEqual({ contents: 'read' });
    }
    for (const job of jobs) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });

  it('call only scripts of package.json and files that exist', () => {
    const scripts = Object.keys(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).scripts);
    const lines = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const called = lines.flatMap(run =>
      [...run.matchAll(/npx pnpm (?:--\S+ )*([a-z:]+)|npm (test)/g)].map(found => found[1] ?? found[2]),
    );
    const files = lines.flatMap(run => [...run.matchAll(/\bsh (\S+\.sh)/g)].map(([, file]) => file ?? ''));
    expect(called.length).toBeGreaterThan(4);
    const suites = jobs.flatMap(({ strategy }) => strategy?.matrix.suite ?? []);
    expect(suites.filter(name => !scripts.includes(name))).toEqual([]);
    expect(suites).toEqual(
      expect.arrayContaining([
        'test:whole-programs',
        'test:fuzz',
        'test:n8n',
        'test:search-engine',
        'test:stripe',
      ]),
    );
    expect(called.filter(name => !scripts.includes(name ?? ''))).toEqual([]);
    expect(files).toEqual(['deploy/build-images.sh']);
    expect(files.filter(file => !existsSync(join(projectRoot, file)))).toEqual([]);
  });

  it('publish every image that the script builds', () => {
    const script = readFileSync(join(projectRoot, 'deploy/build-images.sh'), 'utf8');
    const names = /^names='(.+)'$/m.exec(script)?.[1]?.split(' ');
    expect(jobs.flatMap(({ strategy }) => strategy?.matrix.image ?? [])).toEqual(names);
  });

  it('build an image for both processors, with its parts and its provenance, and push it', () => {
    // A program in place of docker that writes down its arguments.
    const docker = join(scratch, 'docker');
    writeFileSync(docker, `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(scratch, 'arguments')}\n`);
    chmodSync(docker, 0o755);
    const step = jobs.flatMap(({ steps }) => steps).find(({ run }) => run?.includes('build-images.sh'));
    execFileSync('bash', ['--norc', '-euc', step?.run ?? 'exit 1'], {
      cwd: projectRoot,
      env: {
        PATH: `${scratch}:${process.env['PATH']}`,
        REGISTRY: 'registry.example',
        REPOSITORY: 'Example/Mailproof',
        IMAGE: 'gateway',
      },
    });
    const args = readFileSync(join(scratch, 'arguments'), 'utf8').split('\n');
    expect(args).toEqual(
      expect.arrayContaining([
        'build',
        '--platform=linux/amd64,linux/arm64',
        '--sbom=true',
        '--provenance=mode=max',
        '--push',
        'PART=services/gateway',
        `registry.example/example/mailproof/gateway:${version}`,
      ]),
    );
  });
});

describe('the workflow of a release', () => {
  const steps = jobs.filter(({ where }) => where.includes('release.yml')).flatMap(each => each.steps);

  it('leaves no token in the checkout, and packs what it publishes before it has a password', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map(each => each.with?.['persist-credentials'])).toEqual([false, false, false]);
    const runs = steps.flatMap(({ run }) => run ?? []);
    const at = (text: string) => runs.findIndex(run => run.includes(text));
    expect(at('pack:sdks')).toBeGreaterThan(-1);
    expect(at('pack:sdks')).toBeLessThan(at('helm registry login'));
  });

  it.each([
    ['v9.9.9', false],
    ['v9.9.9-rc.1', true],
  ])('creates %s; whether it is a prerelease: %s', (tag, isPrerelease) => {
    const folder = mkdtempSync(join(scratch, 'gh-'));
    // Programs in place of npx and gh; gh writes down its arguments.
    for (const [name, line] of [
      ['npx', 'echo notes'],
      ['gh', `printf '%s\\n' "$@" > ${join(folder, 'arguments')}`],
    ] as const) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const step = steps.find(({ run }) => run?.includes('gh release create'));
    execFileSync('bash', ['--norc', '-ec', step?.run ?? 'exit 1'], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env['PATH']}`, GITHUB_REF_NAME: tag },
    });
    const args = readFileSync(join(folder, 'arguments'), 'utf8').split('\n');
    expect(args.slice(0, 3)).toEqual(['release', 'create', tag]);
    expect(args.includes('--prerelease')).toBe(isPrerelease);
  });
});

describe('a release', () => {
  it('has one version everywhere, and its section of the changelog as notes', () => {
    expect(release('check', `v${version}`)).toMatchObject({ status: 0 });
    const { status, stdout } = release('notes', `v${version}`);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^### /);
    expect(stdout).not.toContain('\n## ');
  });

  it('is refused for a tag of another version, and for no tag', () => {
    expect(release('check', 'v99.0.0')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`package.json has ${version}`),
    });
    expect(release('check', 'latest').status).toBe(2);
    expect(release('check').status).toBe(2);
    expect(release('chart', `v${version}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--out'),
    });
  });

  it('has a chart that names the published images by digest, and keeps its comments', () => {
    const names = jobs.flatMap(({ strategy }) => strategy?.matrix.image ?? []);
    const digest = (name: string) =>
      `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}`;
    const digests = join(scratch, 'digests.txt');
    writeFileSync(digests, names.map(name => `${name} ${digest(name)}\n`).join(''));
    const out = join(scratch, 'mailproof');
    const place = ['--registry', 'registry.example', '--repository', 'example/mailproof'];
    const url = 'https://git.example/example/mailproof';
    const written = release(
      'chart',
      `v${version}`,
      '--out',
      out,
      '--url',
      url,
      '--digests',
      digests,
      ...place,
    );
    expect(written).toMatchObject({ status: 0, stderr: '' });
    const chart = parse(readFileSync(join(out, 'Chart.yaml'), 'utf8'));
    expect(chart).toMatchObject({ home: url, sources: [url], icon: expect.stringContaining(`v${version}`) });
    expect(parse(chart.annotations['artifacthub.io/images'])).toContainEqual({
      name: 'gateway',
      image: `registry.example/example/mailproof/gateway:${version}@${digest('gateway')}`,
    });
    expect(parse(chart.annotations['artifacthub.io/changes'])[0]).toMatchObject({ kind: 'added' });
    const values = readFileSync(join(out, 'values.yaml'), 'utf8');
    expect(parse(values).image).toMatchObject({
      registry: 'registry.example',
      repository: 'example/mailproof',
      digests: { migrate: digest('migrate') },
    });
    expect(parse(values).image.digests).not.toHaveProperty('mail-lab');
    expect(values).toContain('# Public URLs of the gateway');
  });

  it('has no chart if the digest of an image is missing', () => {
    const digests = join(scratch, 'few.txt');
    writeFileSync(digests, `gateway sha256:${'0'.repeat(64)}\n`);
    const out = join(scratch, 'incomplete');
    expect(
      release('chart', `v${version}`, '--out', out, '--url', 'https://git.example', '--digests', digests),
    ).toMatchObject({ status: 1, stderr: expect.stringContaining('credit-ledger') });
    expect(existsSync(out)).toBe(false);
  });
});
