import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { catchAllPostfix } from '../catalog/servers.ts';
import { type MailLab, startMailLab } from '../lab.ts';
import type { DomainScript } from '../script.ts';
import { addressOf } from '../testing/in-lab.ts';
import { webKeyHash } from './directory.ts';

const wkd = '.well-known/openpgpkey';

describe('the lab web hosts', () => {
  let lab: MailLab;
  beforeAll(async () => {
    lab = await startMailLab();
  });
  beforeEach(() => lab.resetCounts());
  afterAll(() => lab.close());

  const get = (host: string, path: string, timeout?: number) => getFrom(lab, host, path, timeout);

  it('names keys as the Web Key Directory draft does', () => {
    expect(webKeyHash('Joe.Doe')).toBe('iy9q119eutrkn8s1mk4r39qejnbu3n5q');
  });

  it.each([
    ['advanced', 'openpgpkey.wkd-advanced.example', `/${wkd}/wkd-advanced.example`],
    ['direct', 'wkd-direct.example', `/${wkd}`],
  ])('serves a key by the %s method for one mailbox and not for another', async (_, host, directory) => {
    const found = await get(host, `${directory}/hu/${webKeyHash('ada')}?l=ada`);
    expect(found).toMatchObject({ status: 200, type: 'application/octet-stream' });
    // A new-format public-key packet (RFC 4880 section 4.2).
    expect(found.body[0]).toBe(0xc6);
    expect((await get(host, `${directory}/hu/${webKeyHash('nobody')}?l=nobody`)).status).toBe(404);
    expect((await get(host, `${directory}/policy`)).status).toBe(200);
  });

  it('answers WebFinger for one account and not for another', async () => {
    const path = '/.well-known/webfinger';
    const found = await get('webfinger.example', `${path}?resource=acct:ada@webfinger.example`);
    expect(found).toMatchObject({ status: 200, type: 'application/jrd+json' });
    expect(JSON.parse(found.body.toString())).toMatchObject({ subject: 'acct:ada@webfinger.example' });
    expect((await get('webfinger.example', `${path}?resource=acct:x@webfinger.example`)).status).toBe(404);
    expect((await get('webfinger.example', path)).status).toBe(400);
    expect(lab.counts().web).toEqual({ 'https://webfinger.example/.well-known/webfinger': 3 });
  });

  it('knows every account if the script says so', async () => {
    const host = 'web-knows-everybody.example';
    expect((await get(host, `/${wkd}/hu/${webKeyHash('q7x2')}?l=q7x2`)).status).toBe(200);
    expect((await get(host, `/.well-known/webfinger?resource=acct:q7x2@${host}`)).status).toBe(200);
  });

  it('has a certificate of the lab authority only', async () => {
    expect(new X509Certificate(lab.caCertificatePem).ca).toBe(true);
    await expect(get('openpgpkey.web-in-trouble.example', '/')).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('never responds if the script is silent', async () => {
    const path = '/.well-known/webfinger';
    await expect(get('web-in-trouble.example', path, 3_000)).rejects.toThrow('no response');
    expect(lab.counts().web).toEqual({ [`https://web-in-trouble.example${path}`]: 1 });
  });

  it('reports an unscripted request', async () => {
    const host = 'openpgpkey.wkd-advanced.example';
    expect((await get(host, '/admin')).status).toBe(404);
    expect(lab.counts().unscripted).toEqual([`GET https://${host}/admin`]);
  });
});

const shop: DomainScript = {
  domain: 'shop.example',
  story: 'A shop with a site.',
  dns: { mx: [[10, 'mx.shop.example']] },
  hosts: { 'mx.shop.example': catchAllPostfix() },
  web: {
    'shop.example': {
      webfinger: ['ada'],
      pages: {
        '/': { status: 301, headers: { location: 'https://www.shop.example/' } },
        '/notes.txt': 'notes',
      },
    },
    'www.shop.example': {
      pages: {
        '/': { body: '<p>Welcome</p>' },
        '/zip': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('<p>Small</p>') },
        '/late': { body: 'late', delayMs: 300 },
        '/endless': { body: 'x'.repeat(65_536), endlessEveryMs: 0 },
      },
      otherPages: { status: 404, body: 'There is no {path} here.' },
    },
    'inside.shop.example': { address: '10.0.0.7' },
  },
  expected: [],
};

describe('the pages of a site', () => {
  let lab: MailLab;
  beforeAll(async () => {
    lab = await startMailLab({ catalog: [shop] });
  });
  afterAll(() => lab.close());

  it('have their status, headers and body as scripted', async () => {
    expect(await getFrom(lab, 'shop.example', '/')).toMatchObject({
      status: 301,
      location: 'https://www.shop.example/',
    });
    expect(await getFrom(lab, 'shop.example', '/notes.txt')).toMatchObject({
      status: 200,
      type: 'text/plain',
    });
    const home = await getFrom(lab, 'www.shop.example', '/');
    expect(home).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(home.body.toString()).toBe('<p>Welcome</p>');
    const zipped = await getFrom(lab, 'www.shop.example', '/zip');
    expect(zipped.body).toEqual(gzipSync('<p>Small</p>'));
  });

  it('are 404 at other paths, or the page for other paths with the path filled in', async () => {
    expect((await getFrom(lab, 'shop.example', '/contact')).status).toBe(404);
    const other = await getFrom(lab, 'www.shop.example', '/a%20b?c=%E4');
    expect(other).toMatchObject({ status: 404 });
    expect(other.body.toString()).toMatch(/^There is no \/a b\?c=. here\.$/);
    expect(lab.counts().unscripted).toEqual([]);
  });

  it('are served next to directories', async () => {
    const path = '/.well-known/webfinger?resource=acct:ada@shop.example';
    expect((await getFrom(lab, 'shop.example', path)).status).toBe(200);
  });

  it('wait as long as scripted', async () => {
    const startedMs = performance.now();
    expect((await getFrom(lab, 'www.shop.example', '/late')).body.toString()).toBe('late');
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(299);
  });

  it('never end for a client that stays, if they are endless', async () => {
    await expect(getFrom(lab, 'www.shop.example', '/endless', 20_000, 1_000_000)).rejects.toThrow('too long');
  });

  it('may be at an address that the lab does not serve', async () => {
    expect(await addressOf(lab, 'inside.shop.example')).toBe('10.0.0.7');
  });
});

type Got = { status: number; type: string; location: string | undefined; body: Buffer };

async function getFrom(
  lab: MailLab,
  host: string,
  path: string,
  timeout = 20_000,
  octetsMax = Number.POSITIVE_INFINITY,
): Promise<Got> {
  const address = await addressOf(lab, host);
  return new Promise((resolve, reject) => {
    const options = { host: address, port: lab.httpsPort, servername: host, path, agent: false, timeout };
    const asked = request({ ...options, headers: { host }, ca: lab.caCertificatePem }, response => {
      const parts: Buffer[] = [];
      let octets = 0;
      response.on('data', part => {
        parts.push(part);
        octets += part.length;
        if (octets > octetsMax) asked.destroy(new Error('too long'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          location: response.headers.location,
          body: Buffer.concat(parts),
        }),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error('no response')));
    asked.on('error', reject);
    asked.end();
  });
}
