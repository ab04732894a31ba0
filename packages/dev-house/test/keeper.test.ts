import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor, within } from '../src/deadline.ts';
import { commandLineOf, isAlive } from '../src/processes.ts';
import { makeStateDirectory } from '../src/state-files.ts';

interface Report {
  readonly type: 'ready' | 'lost';
  readonly keeper: number;
  /** Postgres, Redis and one process that the keeper watches. */
  readonly kept: number[];
}

const deadlineMs = 60_000;

describe('the keeper', () => {
  let stateDir = '';
  let parent: ChildProcess;
  let report: Report;

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'mailproof-keeper-'));
    await makeStateDirectory(stateDir, { isNew: true });
    ({ parent, report } = await startParent(stateDir));
    expect(report.kept).toHaveLength(3);
    for (const pid of [report.keeper, ...report.kept]) expect(isAlive(pid)).toBe(true);
  });
  afterEach(async () => {
    parent.kill('SIGKILL');
    await waitFor('Everything has gone', () => [report.keeper, ...report.kept].every(hasExited), {
      deadlineMs,
    });
    await rm(stateDir, { recursive: true, force: true });
  });

  test('stops the databases and the services when its parent is killed', async () => {
    parent.kill('SIGKILL');
    await waitFor('All have gone', () => [report.keeper, ...report.kept].every(hasExited), { deadlineMs });
    // A fast shutdown, not a crash, so the next start has nothing to recover.
    const log = await readFile(join(stateDir, 'logs/postgres.log'), 'utf8');
    expect(log).toContain('database system is shut down');
  });

  test('stops them when it is asked to', async () => {
    parent.send('stop');
    await within('The parent ends', once(parent, 'exit'), deadlineMs);
    expect([report.keeper, ...report.kept].filter(pid => !hasExited(pid))).toEqual([]);
  });

  test('is watched: if it is killed, the parent stops its servers', async () => {
    const lost = once(parent, 'message');
    process.kill(report.keeper, 'SIGKILL');
    await expect(within('The loss is noticed', lost, deadlineMs)).resolves.toMatchObject([
      { type: 'lost' },
      undefined,
    ]);
    await waitFor('All have gone', () => report.kept.every(hasExited), { deadlineMs });
  });

  test('takes over a data directory from servers that outlived both', async () => {
    const earlier = report;
    process.kill(report.keeper, 'SIGKILL');
    parent.kill('SIGKILL');
    const [postgres = 0] = earlier.kept;
    expect(commandLineOf(postgres)).toContain(stateDir);
    ({ parent, report } = await startParent(stateDir));
    expect(earlier.kept.slice(0, 2).filter(pid => !hasExited(pid))).toEqual([]);
    const [, , other = 0] = earlier.kept;
    if (!hasExited(other)) {
      process.kill(other, 'SIGKILL');
    }
  });
});

async function startParent(stateDir: string): Promise<{ parent: ChildProcess; report: Report }> {
  const parent = fork(join(import.meta.dirname, 'keeper-parent.ts'), [stateDir], {
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const [report] = (await within('The parent is ready', once(parent, 'message'), deadlineMs)) as [Report];
  return { parent, report };
}

function hasExited(pid: number): boolean {
  return !isAlive(pid);
}
