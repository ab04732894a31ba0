import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { mountStatusPage, type Parts } from './status-page.ts';

const works = async () => undefined;
const all: Parts = {
  accounts: works,
  credits: works,
  validation: works,
  search: works,
  delivery: works,
  assistants: works,
};

function visit(parts: Parts, accept: string) {
  const app = express();
  mountStatusPage(app, parts);
  return request(app).get('/status').set('accept', accept);
}

const refused = async () => {
  throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
};

describe('the status page', () => {
  it('says that everything works if every part is ready', async () => {
    const { status, text } = await visit(all, 'text/html');
    expect([status, text]).toEqual([200, expect.stringContaining('<h1>Everything works</h1>')]);
    expect(text).not.toContain('does not work now');
  });

  it('names the part that is not ready, and neither cause nor machine', async () => {
    const { text } = await visit({ ...all, validation: refused }, 'text/html');
    expect(text).toContain('<h1>Some parts do not work now</h1>');
    expect(text).toMatch(/Validation of addresses and lists<\/th><td><strong>does not work now/);
    expect(text.match(/does not work now/g)).toHaveLength(1);
    expect(text).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/);
  });

  it('is JSON for monitors', async () => {
    const { body } = await visit({ ...all, search: refused }, 'application/json');
    expect(body).toEqual({
      works: false,
      parts: { ...Object.fromEntries(Object.keys(all).map(part => [part, true])), search: false },
    });
  });

  it('asks each service once for visitors at the same time', async () => {
    let asked = 0;
    const app = express();
    mountStatusPage(app, {
      ...all,
      credits: async () => {
        asked += 1;
      },
    });
    await Promise.all(Array.from({ length: 5 }, () => request(app).get('/status')));
    expect(asked).toBe(1);
  });
});
