import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type MailLab, startMailLab } from '../lab.ts';
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

  async function get(
    host: string,
    path: string,
    timeout = 20_000,
  ): Promise<{ status: number; type: string; body: Buffer }> {
    const address = await addressOf(lab, host);
    return new Promise((resolve, reject) => {
      const options = {
        host: address,
        port: lab.httpsPort,
        servername: host,
        path,
        agent: false,
        timeout,
      };
      const asked = request({ ...options, headers: { host }, ca: lab.caCertificatePem }, response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            body: Buffer.concat(parts),
          }),
        );
      });
      asked.on('timeout', () => asked.destroy(new Error('no response')));
      asked.on('error', reject);
      asked.end();
    });
  }

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
    expect((await get('webfinger.example', '/admin')).status).toBe(404);
    expect(lab.counts().unscripted).toEqual(['GET https://webfinger.example/admin']);
  });
});
