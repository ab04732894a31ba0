import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { mountCrmCallback } from './crm-callback.ts';

const app = express();
mountCrmCallback(app);

describe('the address that CRMs send browsers back to', () => {
  it.each([
    ['?code=c%2F1%20%2B&state=s-1', '/app/crm/callback?code=c%2F1%20%2B&state=s-1'],
    ['?error=access_denied&error_description=No&state=s', undefined],
    ['?next=//evil.example/', undefined],
    ['', '/app/crm/callback'],
  ])('leads to the screen of the application with what they bring, as it came: %s', async (query, to) => {
    const { status, headers } = await request(app).get(`/crm/callback${query}`).redirects(0);
    expect([status, headers['location']]).toEqual([302, to ?? `/app/crm/callback${query}`]);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
  });
});
