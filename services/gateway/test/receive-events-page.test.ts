import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakWithinBody, takesLargeBody } from '@mailproof/dev-house';
import { type EventType, eventData, exampleEvent, limits, restOperations } from '@mailproof/shared-types';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';
import { blocksOf, commandsOf, runPageCommand } from './page-commands.ts';
import { until } from './until.ts';

/** Follows docs/receive-events.md as a reader would. */

const page = await readFile(new URL('../../../docs/receive-events.md', import.meta.url), 'utf8');
const commands = commandsOf(page);
const [receiverCode = ''] = blocksOf(page, 'ts');

let test: TestHouse;
let customer: Customer;
let directory: string;
const receivers: ChildProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailproof-receive-events-'));
  await writeFile(join(directory, 'receiver.ts'), receiverCode);
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  // The result of `npm install standardwebhooks`.
  const entry = fileURLToPath(import.meta.resolve('standardwebhooks'));
  await mkdir(join(directory, 'node_modules'));
  await symlink(
    entry.slice(0, entry.lastIndexOf('standardwebhooks') + 'standardwebhooks'.length),
    join(directory, 'node_modules/standardwebhooks'),
  );
  test = await openSharedHouse();
  customer = await test.open({ credits: 10 });
});

afterAll(async () => {
  for (const receiver of receivers) {
    receiver.kill();
  }
  await test?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Runs the receiver of the page; a port of 0 is any free one. */
async function receive(secret: string, port = '0') {
  const receiver = spawn(process.execPath, ['receiver.ts'], {
    cwd: directory,
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: port },
  });
  receivers.push(receiver);
  let said = '';
  for (const stream of [receiver.stdout, receiver.stderr]) {
    stream.on('data', chunk => {
      said += chunk;
    });
  }
  await until(
    'the receiver listens',
    async () => said,
    text => /listening on \d+/.test(text),
  );
  return {
    port: /listening on (\d+)/.exec(said)?.[1] ?? '',
    lines: () => said.trim().split('\n').slice(1),
    stop: () => receiver.kill(),
  };
}

describe('the page about events', () => {
  it('leads to a verified event, and to one that is verified with the new secret', async () => {
    const [create, sendTest, list, sendTyped, rotate] = commands;
    if (!create || !sendTest || !list || !sendTyped || !rotate) {
      throw new Error('The page has fewer commands than this test.');
    }
    const environment = { url: test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
    const placeholder = await receive(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    placeholder.stop();
    let endpointId = '';
    const fill = (text: string) =>
      text
        .replace('https://receiver.example/events', `http://127.0.0.1:${placeholder.port}/events`)
        .replace('$ENDPOINT', endpointId);
    const runCommand = async (command: typeof create) => {
      const { status, text } = await runPageCommand(environment, command, fill);
      return { status, body: JSON.parse(text) as Record<string, string> };
    };
    const created = await runCommand(create);
    expect(created.status).toBe(201);
    endpointId = created.body['endpoint_id'] ?? '';
    const first = await receive(created.body['signing_secret'] ?? '', placeholder.port);
    await breakWithinBody(Number(first.port));
    expect(await takesLargeBody(Number(first.port))).toBe(false);
    const sent = await runCommand(sendTest);
    expect(sent.status).toBe(202);
    const lineOf = ({ lines }: typeof first) =>
      until(
        'the receiver has verified an event',
        async () => lines(),
        lines => lines.length > 0,
      );
    expect(await lineOf(first)).toEqual(['webhook_endpoint.test']);
    const listed = await until(
      'the delivery is listed',
      async () => (await runCommand(list)).body,
      body => JSON.stringify(body).includes('"state":"delivered"'),
    );
    expect(listed).toMatchObject({ deliveries: [{ event_id: sent.body['event_id'] }] });
    expect((await runCommand(sendTyped)).body).toMatchObject({ type: 'validation_job.finished', test: true });
    await until(
      'the receiver has verified the other event',
      async () => first.lines(),
      lines => lines.some(line => line.startsWith('validation_job.finished vjob_')),
    );
    first.stop();
    const rotated = await runCommand(rotate);
    expect(rotated.status).toBe(200);
    for (const secret of [rotated.body['signing_secret'], created.body['signing_secret']]) {
      const next = await receive(secret ?? '', placeholder.port);
      await runCommand(sendTest);
      expect(await lineOf(next)).toEqual(['webhook_endpoint.test']);
      next.stop();
    }
  }, 90_000);

  it('shows an event as it is, and names every type', () => {
    const [example = ''] = blocksOf(page, 'json');
    const event = JSON.parse(example) as { type: EventType };
    expect(event).toEqual(exampleEvent(event.type));
    const named = [...page.matchAll(/^\| `(\w+\.\w+)` /gm)].map(([, type]) => type);
    expect(named).toEqual(Object.keys(eventData));
  });

  it('names operations that a key opens, and sends the key with each command', () => {
    const opened = restOperations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const named = [...page.matchAll(/`([A-Z]+ \/api\/v1\/[\w/:-]+)`/g)].map(([, each]) => each);
    expect(named).toHaveLength(9);
    expect(named.filter(each => !opened.includes(each ?? ''))).toEqual([]);
    for (const { headers } of commands) {
      expect(headers['X-Api-Key']).toBe('$MAILPROOF_API_KEY');
    }
    expect(commands).toHaveLength(5);
  });

  it('has the numbers of the contract', () => {
    const hours = limits.eventRetryMs / 3_600_000;
    expect([hours, limits.eventSecretOverlapMs / 3_600_000]).toEqual([24, 24]);
    expect(page).toContain(`at most ${limits.webhookEndpointsMax} endpoints`);
    expect(page).toContain(`deliveries of the last ${limits.eventDeliveryKeptDays} days`);
    expect(page).toContain(
      `more than ${limits.eventDeliveriesWaitingMax.toLocaleString('en')} events wait for an endpoint`,
    );
  });
});
