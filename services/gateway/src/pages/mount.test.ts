import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { mountPages } from './mount.ts';

const app = express();
const works = async () => undefined;
mountPages(app, {
  accounts: works,
  credits: works,
  validation: works,
  search: works,
  delivery: works,
  assistants: works,
});

describe('the address that links in mails lead to', () => {
  it('leads to the application, and sends no referrer', async () => {
    const { status, headers } = await request(app).get('/confirm');
    expect([status, headers['location'], headers['referrer-policy']]).toEqual([
      302,
      '/app/confirm',
      'no-referrer',
    ]);
  });

  it('is no longer a separate page', async () => {
    expect((await request(app).get('/confirm.js')).status).toBe(404);
  });
});
