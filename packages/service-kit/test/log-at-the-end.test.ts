import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const linesOf = async (way: string, count: number): Promise<readonly number[]> => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'ending-service.ts'), way, String(count)],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [written] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return written
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { line?: number }).line)
    .filter(line => line !== undefined);
};

describe('log lines, which are written together, of a process that', () => {
  it.each([
    'ends normally',
    'calls process.exit',
    'throws an error that is not caught',
    'leaves a rejection unhandled',
    'is told to stop',
    'is killed after a fatal line',
  ])('%s are all written, in their order', async way => {
    expect(await linesOf(way, 1)).toEqual([1]);
    const many = Array.from({ length: 1_000 }, (_, index) => index + 1);
    expect(await linesOf(way, many.length)).toEqual(many);
  });
});
