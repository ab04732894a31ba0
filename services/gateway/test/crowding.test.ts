import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import type pg from 'pg';
import { cookieOf, endedJob, getText, poolOf, untilExportEnded } from './exported-records.ts';
import { type Answer, openTestHouse, type Person, type TestHouse } from './house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

/*
 * How much a few clients can harm all others by sending or reading almost nothing on connections that they keep open.
 */

let test: TestHouse;
let engine: pg.Pool;
const sockets: Socket[] = [];

beforeAll(async () => {
  test = await openTestHouse({
    lab: false,
    env: { gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  engine = poolOf(test, 'validation');
}, 120_000);

afterAll(async () => {
  for (const socket of sockets) {
    socket.destroy();
  }
  await engine?.end();
  await test?.stop();
}, 60_000);

/** Sends a request and reads at most the first chunk of its answer. */
function send(person: Person, head: string, body = ''): { readonly socket: Socket; answer(): string } {
  const url = new URL(test.house.gatewayUrls[0] ?? '');
  const socket = connect(Number(url.port), url.hostname);
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', piece => {
    text += piece.toString();
    if (text.startsWith('HTTP/1.1 200')) {
      socket.pause();
    }
  });
  socket.write(`${head}\r\nhost: ${url.host}\r\ncookie: ${cookieOf(person)}\r\n\r\n${body}`);
  return { socket, answer: () => text };
}

function upload(person: Person): Promise<Answer> {
  return person.send('/validation-jobs', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'email\nada@a.example\n',
  });
}

describe('uploads', () => {
  it('of people who send next to nothing give way to others, and leave nothing behind', async () => {
    const [one, other, third] = await Promise.all([0, 0, 0].map(() => ownerWith(test, 0)));
    if (!one || !other || !third) {
      throw new Error('There is no one.');
    }
    const started = [one, one, one, other, other, other].map(person =>
      send(
        person,
        'POST /app/v1/validation-jobs HTTP/1.1\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked',
        '5\r\nemail\r\n',
      ),
    );
    const receiving = async () =>
      (await engine.query("SELECT FROM validation_job WHERE state = 'receiving'")).rowCount;
    await until('all of them come in', receiving, count => count === started.length);
    const answer = await until(
      'another request finds a slot',
      () => upload(third),
      ({ status }) => status === 201,
    );
    expect(answer.body['rows']).toMatchObject({ total: 1, valid: 1 });
    const told = await until(
      'one of the slow ones is told',
      async () => started.map(each => each.answer()).find(text => text !== ''),
      text => text !== undefined,
    );
    expect(told).toMatch(/^HTTP\/1\.1 408 /);
    expect(told).toContain('while others were waiting');
    await until('it has left nothing behind', receiving, count => count === started.length - 1);
  }, 90_000);
});

describe('downloads', () => {
  it('of one account are so many at once, and each is free again when its reader has gone', async () => {
    const owner = await ownerWith(test, 0);
    const lines = Array.from({ length: 600 }, (_, at) => `p${at}@a.example,${'x'.repeat(30_000)}`);
    const source = {
      kind: 'validation_job',
      job_id: await endedJob(test, engine, owner, ['email,note', ...lines].join('\n')),
    };
    const started = await owner.post('/exports', { source, target: 'csv' });
    const exportId = String(started.body['export_id']);
    await untilExportEnded(owner, exportId);
    const slow = Array.from({ length: limits.downloadsAtOnceMax }, () =>
      send(owner, `GET /app/v1/exports/${exportId}/file HTTP/1.1`),
    );
    await until(
      'all of them have started',
      async () => slow.filter(each => each.answer().startsWith('HTTP/1.1 200')).length,
      count => count === slow.length,
    );
    for (const path of [`/exports/${exportId}/file`, `/exports/${exportId}/failed-rows`]) {
      const refused = await owner.get(path);
      expect([refused.status, refused.body['code']]).toEqual([429, 'too_many_downloads']);
    }
    slow[0]?.socket.destroy();
    const whole = await until(
      'there is room again',
      () => getText(test, owner, `/exports/${exportId}/file`),
      ({ status }) => status === 200,
    );
    expect(whole.text.split('\r\n')).toHaveLength(lines.length + 2);
  }, 90_000);
});
