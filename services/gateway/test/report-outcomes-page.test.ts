import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import {
  limits,
  outcomeProviderNames,
  outcomeSource,
  outcomeUpload,
  receivedOutcomes,
  restOperations,
} from '@mailproof/shared-types';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';
import { outcomeSourcesIn, post } from './outcome-sources-in.ts';
import { blocksOf, commandsOf, runPageCommand } from './page-commands.ts';

/** Follows docs/report-outcomes.md as a reader would. */

const page = await readFile(new URL('../../../docs/report-outcomes.md', import.meta.url), 'utf8');
const [create, notify] = commandsOf(page);

let test: TestHouse;
let house: ReturnType<typeof outcomeSourcesIn>;
let customer: Customer;

beforeAll(async () => {
  test = await openSharedHouse();
  house = outcomeSourcesIn(test);
  customer = await test.open({ credits: 10 });
});

afterAll(() => test?.stop());

/** Adds a source as the page does, of any provider. */
async function sourceOf(provider: string, key?: string): Promise<string> {
  if (!create) {
    throw new Error('The page has no command that adds a source.');
  }
  const environment = { url: test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
  const fill = (text: string) => {
    if (!text.startsWith('{')) return text;
    const body = JSON.parse(text) as Record<string, string>;
    return JSON.stringify({ ...body, provider, ...(key && { verification_key: key }) });
  };
  const { status, text } = await runPageCommand(environment, create, fill);
  expect(status).toBe(201);
  return house.reachable((JSON.parse(text) as { url: string }).url);
}

/** A bounce as a mail server reports it (RFC 3464). */
function notification(recipient: string): string {
  return [
    'Content-Type: multipart/report; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.sender.example',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    'Status: 5.1.1',
    '--b--',
  ].join('\r\n');
}

describe('the page about reporting outcomes', () => {
  it('adds a source, and posts a notification to it with the same password', async () => {
    const url = await sourceOf('dsn');
    const credentials = / -u (\S+)/.exec(notify?.line ?? '')?.[1] ?? '';
    const sent = {
      headers: {
        ...notify?.headers,
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      body: notification('ada@company.example'),
    };
    expect(await post(url, sent)).toMatchObject({ status: 200, body: { recorded: 1 } });
  });

  it('has a script that reports mail from a pipe, and says whether to try again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailproof-bounces-'));
    const script = join(folder, 'report-bounce');
    await writeFile(script, blocksOf(page, 'sh').find(block => block.startsWith('#!/bin/sh')) ?? '');
    /** The exit code of the script for a message in its standard input. */
    const exitCode = (url: string, message: string) => {
      const options = { input: message, env: { PATH: process.env['PATH'], SOURCE_URL: url } };
      return spawnSync('sh', [script], { ...options, timeout: 60_000 }).status;
    };
    const url = await sourceOf('dsn');
    // A mailbox can hold it with other ends of lines.
    expect(exitCode(url, notification('grace@company.example').replaceAll('\r\n', '\n'))).toBe(0);
    expect(exitCode(url, 'Subject: I am away\r\n\r\nUntil Monday.\r\n')).toBe(0);
    const { body } = await customer.get('/outcome-sources');
    const source = outcomeSource.parse((body['sources'] as unknown[])[0]);
    expect([source.recorded, source.refused]).toMatchObject([1, [{ reason: 'body_not_readable' }]]);
    const other = await sourceOf('dsn', 'mailproof:another-password');
    expect(exitCode(other, notification('grace@company.example'))).toBe(75);
    expect(exitCode('http://127.0.0.1:9/', notification('grace@company.example'))).toBe(75);
    await rm(folder, { recursive: true });
  });

  it('shows the body of another system', async () => {
    const provider = simulatedProviders.json();
    const url = await sourceOf('json', provider.key);
    const [body = ''] = blocksOf(page, 'json');
    const today = body.replaceAll(/2026-11-27T/g, `${new Date().toISOString().slice(0, 10)}T`);
    const { status, body: answer } = await post(url, provider.post(today));
    expect([status, receivedOutcomes.parse(answer)]).toEqual([200, { recorded: 2, repeated: 0, ignored: 0 }]);
  });

  it('uploads a file', async () => {
    const csv = /^printf '([^']+)' \| curl/m.exec(page)?.[1]?.replaceAll('\\n', '\n') ?? '';
    const answer = await customer.send('/outcomes', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    });
    expect(outcomeUpload.parse(answer.body)).toMatchObject({ rows: 2, refused: 0 });
  });

  it('names every provider, every operation and every limit', () => {
    for (const provider of outcomeProviderNames) {
      expect(page).toContain(`\`provider\` is \`${provider}\``);
    }
    for (const { method, path } of restOperations.filter(each => each.path.includes('/outcome-sources'))) {
      expect(page.replace('-d ', 'POST /api/v1/outcome-sources`')).toContain(
        `${method.toUpperCase()} ${path}\``,
      );
    }
    for (const limit of [
      `at most ${limits.outcomeSourcesMax}`,
      `${limits.outcomeEventsBytesMax / 1_048_576} MiB`,
      `${limits.outcomeEventsMax.toLocaleString('en')} events`,
      `${limits.outcomeSourceRequestsPerSecond} requests a second`,
      `${limits.outcomeSignatureAgeMsMax / 3_600_000} hours`,
      `${limits.outcomeUploadRowsMax.toLocaleString('en')} rows`,
      `${limits.outcomeUploadBytesMax / 1_000_000} MB`,
    ]) {
      expect(page).toContain(limit);
    }
  });
});
