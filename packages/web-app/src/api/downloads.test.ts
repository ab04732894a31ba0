import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDownloads, type Download, fileNameOf, heldOctetsMax } from './downloads.ts';

/** The answers of the server, in their order; the last one is repeated. */
let answers: RequestListener[] = [];
let requests = 0;
const server = createServer((request, response) => {
  const answer = answers[Math.min(requests, answers.length - 1)];
  requests += 1;
  answer?.(request, response);
});
let href: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  href = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows.csv`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  requests = 0;
});

const whole: RequestListener = (_request, response) => {
  response.setHeader('content-disposition', 'attachment; filename="Customers 2026.csv"');
  response.write('email\r\n');
  response.end('ada@gateway.example\r\n');
};

/** Breaks the connection in the middle of the file, as a service that is killed does. */
const cut: RequestListener = (_request, response) => {
  response.write('email\r\n', () => setTimeout(() => response.destroy(), 20));
};

function problem(status: number, code: string): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '5' });
    response.end(JSON.stringify({ type: '', title: 'No file', status, code, detail: 'There is no file.' }));
  };
}

function open() {
  const saved: { fileName: string; content: Blob }[] = [];
  const handed: string[] = [];
  const waits: number[] = [];
  const seen: (readonly Download[])[] = [];
  const downloads = createDownloads({
    fetch,
    save: file => saved.push(file),
    handOver: at => handed.push(at),
    wait: async ms => {
      waits.push(ms);
    },
  });
  downloads.subscribe(() => seen.push(downloads.list()));
  return { downloads, saved, handed, waits, seen };
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise(resolve => setTimeout(resolve, 5));
}

describe('a download', () => {
  it('is saved under its name when all of it has arrived, and counts its octets', async () => {
    answers = [whole];
    const { downloads, saved, seen } = open();
    await downloads.start(href);
    expect(saved.map(({ fileName }) => fileName)).toEqual(['Customers 2026.csv']);
    expect(await saved[0]?.content.text()).toBe('email\r\nada@gateway.example\r\n');
    expect(seen.some(([each]) => each?.octets === 28)).toBe(true);
    expect(downloads.list()).toMatchObject([{ state: 'saved', problem: undefined }]);
  });

  it('is repeated from the start when its connection breaks, and saved once', async () => {
    answers = [cut, cut, whole];
    const { downloads, saved, waits, seen } = open();
    await downloads.start(href);
    expect(await Promise.all(saved.map(({ content }) => content.text()))).toEqual([
      'email\r\nada@gateway.example\r\n',
    ]);
    expect(waits).toEqual([2_000, 4_000]);
    expect(Math.max(...seen.flat().map(({ repeats }) => repeats))).toBe(2);
  });

  it('saves nothing of a file that breaks off each time, says so, and can be retried', async () => {
    answers = [cut];
    const { downloads, saved } = open();
    await downloads.start(href);
    expect([requests, saved]).toEqual([3, []]);
    expect(downloads.list()).toMatchObject([
      { state: 'failed', problem: { title: 'The download was interrupted' } },
    ]);
    answers = [whole];
    await downloads.start(href);
    expect(downloads.list()).toMatchObject([{ state: 'saved', problem: undefined }]);
    expect(saved).toHaveLength(1);
  });

  it('says why the server refuses it, at once', async () => {
    answers = [problem(404, 'export_not_found')];
    const { downloads, waits } = open();
    await downloads.start(href);
    expect(downloads.list()).toMatchObject([{ problem: { status: 404, code: 'export_not_found' } }]);
    expect([requests, waits]).toEqual([1, []]);
  });

  it('waits as long as the server asks while too many files are downloaded', async () => {
    answers = [problem(429, 'too_many_downloads'), whole];
    const { downloads, saved, waits } = open();
    await downloads.start(href);
    expect([saved.length, waits]).toEqual([1, [5_000]]);
  });

  it.each(['a declared', 'an undeclared'])(
    'of %s length above the limit is left to the browser',
    async which => {
      const piece = Buffer.alloc(1_000_000);
      let isClosed = false;
      answers = [
        (_request, response) => {
          if (which === 'a declared') response.setHeader('content-length', heldOctetsMax + 1);
          response.setHeader('content-disposition', 'attachment; filename="all.csv"');
          response.on('close', () => {
            isClosed = true;
          });
          const send = () => {
            while (!isClosed && response.write(piece));
          };
          response.on('drain', send);
          send();
        },
      ];
      const { downloads, saved, handed, seen } = open();
      await downloads.start(href);
      expect([requests, saved, handed]).toEqual([1, [], [href]]);
      expect(downloads.list()).toMatchObject([{ state: 'handed', fileName: 'all.csv', problem: undefined }]);
      expect(Math.max(...seen.flat().map(({ octets }) => octets))).toBeLessThanOrEqual(heldOctetsMax);
      // The page no longer reads it.
      await until(() => isClosed);
    },
    60_000,
  );

  it('shares the memory of the page with the others', async () => {
    const half = Buffer.alloc(heldOctetsMax / 2 + 1);
    const first: RequestListener = (_request, response) => void response.write(half);
    answers = [first, first];
    const { downloads, handed, saved } = open();
    const one = downloads.start(href);
    await until(() => downloads.list()[0]?.octets === half.length);
    await downloads.start(`${href}?other`);
    expect(handed).toEqual([`${href}?other`]);
    downloads.forget(href);
    await one;
    expect(saved).toEqual([]);
  }, 60_000);

  it('runs once, however often it is started, and is not saved after it was stopped', async () => {
    answers = [(_request, response) => void response.write('email\r\n')];
    const { downloads, saved } = open();
    const started = [downloads.start(href), downloads.start(href)];
    await once(server, 'request');
    downloads.forget(href);
    await Promise.all(started);
    expect([requests, saved, downloads.list()]).toEqual([1, [], []]);
  });
});

describe('the name of a file', () => {
  it.each([
    [
      `attachment; filename="K?se.csv"; filename*=UTF-8''K%C3%A4se.csv`,
      '/app/v1/exports/exp_1/file',
      'Käse.csv',
    ],
    ['attachment; filename="a \\"b\\".csv"', '/file', 'a "b".csv'],
    ['attachment; filename=plain.csv', '/file', 'plain.csv'],
    ['attachment', '/app/v1/people-imports/pimp_1/refused-rows.csv?for_account=acct_1', 'refused-rows.csv'],
    [null, '/app/v1/statement.csv', 'statement.csv'],
  ])('of %s at %s is %s', (disposition, at, name) => {
    expect(fileNameOf(disposition, at)).toBe(name);
  });
});
