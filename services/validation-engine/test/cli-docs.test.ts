import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { runCommandLine } from '../src/cli/program.ts';
import { createFakeTerminal } from '../src/cli/testing/fake-terminal.ts';

const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');

/** Each fenced example: a command, and its output. */
const examples = [
  ...page.matchAll(/```console\n\$ (?:(\w+)=(\S+) )?npx pnpm (?:run )?(.+)\n([\s\S]*?)```/g),
].map(([, setting = '', value = '', command = '', output = '']) => ({
  environment: { [setting]: value },
  command,
  output,
}));

/** Removes differences between runs: times, ports and, with them, the address block; the order is not guaranteed. */
function comparable(output: string): string[] {
  return output
    .replace(/\d+(?:\.\d+)?(?= m?s\b)|(?<="elapsed_ms":)\d+/g, 'N')
    .replace(/127\.\d+\.\d+\.\d+(?::\d+)?/g, '127.N')
    .replace(/Port \d+/g, 'Port N')
    .split('\n')
    .sort();
}

test('the page holds examples', () => {
  expect(examples.map(({ command }) => command)).toEqual([
    'validate --lab ada@ordinary.example nobody@ordinary.example',
    'validate --lab --json ada@proofpoint.example',
    'doctor --lab',
  ]);
});

test.each(examples)('pnpm $command says what the page says', async ({ environment, command, output }) => {
  const terminal = createFakeTerminal({ environment });
  await runCommandLine(command.split(' '), terminal);
  expect(comparable(terminal.written() + terminal.complained())).toEqual(comparable(output));
});

test('the page and --help name the same options', async () => {
  for (const command of ['validate', 'doctor', 'refresh-lists', 'fit-weights']) {
    const terminal = createFakeTerminal();
    await runCommandLine([command, '--help'], terminal);
    const options = [...terminal.written().matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(2);
    expect(options.filter(option => !page.includes(`\`${option}`))).toEqual([]);
  }
});
