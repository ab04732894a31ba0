import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from '@jest/globals';
import { breakWithinBody, takesLargeBody, waitFor } from '@mailproof/dev-house';
import { createAddressGuard, createOutside } from '@mailproof/service-kit';
import { limits, restOperations, webhookPresets } from '@mailproof/shared-types';
import { createSendRow } from '../src/adapters/outside/send-row.ts';
import { createHostSlots } from '../src/domain/push/pace.ts';

const page = readFileSync(new URL('../../../docs/push-rows.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(/^## /m).find(part => part.startsWith(title)) ?? '';
const codeOf = (title: string) => /```js\n([\s\S]*?)```/.exec(section(title))?.[1] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
const outside = createOutside({
  guard: createAddressGuard(['127.0.0.1/32'], { admitsPublic: false }),
  allowsHttp: true,
});
let receiver: ChildProcess | undefined;

afterAll(async () => {
  receiver?.kill();
  await outside.close();
  rmSync(folder, { recursive: true });
});

const sendRow = createSendRow({
  outside: { https: outside, http: outside },
  slots: createHostSlots(1),
  userAgent: 'Mailproof/1.0',
  deadlineMs: 5_000,
  now: () => new Date(),
});
const secretOf = (octet: number) => `whsec_${Buffer.alloc(32, octet).toString('base64')}`;

describe('the page about pushing rows', () => {
  it('shows a receiver that takes what is signed, once, refuses what is not, and outlives rude clients', async () => {
    const file = join(folder, 'receiver.mjs');
    writeFileSync(file, codeOf('Write your own receiver'));
    let said = '';
    receiver = fork(file, { env: { PORT: '0', WEBHOOK_SECRET: secretOf(1) }, silent: true, execArgv: [] });
    receiver.stdout?.on('data', chunk => {
      said += chunk;
    });
    await waitFor('it listens', () => /listening on \d+/.test(said), { deadlineMs: 20_000 });
    const port = Number(/listening on (\d+)/.exec(said)?.[1]);
    await breakWithinBody(port);
    expect(await takesLargeBody(port)).toBe(false);
    const url = `http://127.0.0.1:${port}/hook`;
    const send = async (octet: number, webhookId: string, name: string) => {
      const row = { webhookId, body: JSON.stringify({ name }) };
      const { answer } = await sendRow({ url, header: null, signingSecret: secretOf(octet) }, row);
      return answer.kind === 'answer' ? answer.status : answer.reason;
    };
    expect(await send(1, 'exp_1_1', 'Ada')).toBe(204);
    expect(await send(1, 'exp_1_1', 'Ada')).toBe(204);
    expect(await send(2, 'exp_1_2', 'Eve')).toBe(401);
    expect(await send(1, 'exp_1_3', 'Grace')).toBe(204);
    await waitFor('it has said so', () => said.includes('Grace'), { deadlineMs: 5_000 });
    expect(said.match(/name: '\w+'/g)).toEqual(["name: 'Ada'", "name: 'Grace'"]);
    const gone = once(receiver, 'exit');
    receiver.kill();
    await gone;
  }, 40_000);

  it('shows a script that writes rows under their names, and no formulas', () => {
    const rows: unknown[][] = [];
    const sheet = {
      getLastRow: () => rows.length,
      getLastColumn: () => rows[0]?.length ?? 0,
      appendRow: (row: unknown[]) => void rows.push([...row]),
      getRange: () => ({ getValues: () => [rows[0]] }),
    };
    const locks: string[] = [];
    const script = {
      LockService: {
        getScriptLock: () => ({
          waitLock: () => locks.push('wait'),
          releaseLock: () => locks.push('release'),
        }),
      },
      SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }) },
      ContentService: { createTextOutput: (text: string) => text },
    };
    runInNewContext(codeOf('A Google spreadsheet'), script);
    const { doPost } = script as unknown as { doPost: (event: unknown) => string };
    const post = (row: object) => doPost({ postData: { contents: JSON.stringify(row) } });
    expect(post({ name: 'Ada', valid: true })).toBe('ok');
    expect(post({ valid: false, name: '=1+1', more: 'x' })).toBe('ok');
    expect(rows).toEqual([
      ['name', 'valid'],
      ['Ada', 'true'],
      ["'=1+1", 'false'],
    ]);
    expect(locks).toEqual(['wait', 'release', 'wait', 'release']);
  });

  it('names operations that an API key opens, and sends the key with each command', () => {
    const opened = restOperations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const named = [...page.matchAll(/`([A-Z]+ \/api\/v1\/[\w/:-]+)/g)].map(([, each]) => each);
    expect(named.length).toBeGreaterThanOrEqual(8);
    const commands = page.match(/^curl .+$/gm) ?? [];
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      expect(command).toContain(' -H "X-Api-Key: $MAILPROOF_API_KEY" ');
      const [, path = ''] = / \$API(\/[\w/-]+)$/.exec(command) ?? [];
      named.push(`${command.includes(' -d ') ? 'POST' : 'GET'} /api/v1${path}`);
    }
    expect(named.filter(each => !opened.includes(each ?? ''))).toEqual([]);
  });

  it('names the receivers that are known, with their limits', () => {
    const lines = section('Known receivers')
      .split('\n')
      .filter(line => line.startsWith('| '))
      .slice(2)
      .map(line =>
        line
          .split('|')
          .map(cell => cell.trim())
          .slice(1, -1),
      );
    const count = (value: number | null) => value?.toLocaleString('en') ?? '–';
    expect(lines).toEqual(
      Object.entries(webhookPresets).map(([preset, known]) => [
        `\`${preset}\``,
        known.name,
        count(known.startPerSecond),
        count(known.perSecondMax),
        count(known.lifetimeRowsMax),
      ]),
    );
  });

  it('says how often a row is sent, and how large it may be', () => {
    expect(limits.webhookAttemptsMax).toBe(3);
    expect(section('How Mailproof handles your response')).toContain('three times in all');
    expect(section('What a row looks like')).toContain(limits.webhookBodyBytesMax.toLocaleString('en'));
  });
});
