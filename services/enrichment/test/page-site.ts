import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { makeTestCertificate, type TestCertificate } from '@mailproof/dev-house';

export interface SitePage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** How long the answer takes, in milliseconds. */
  readonly delayMs?: number;
}

/** Many hosts on one loopback address, over HTTPS and HTTP, with a shared certificate. */
export class PageSite {
  /** Pages by host and path, without `https://`: `github.com/ada`. Other requests get a 404. */
  readonly pages = new Map<string, SitePage>();
  /** The requested pages, in order. */
  readonly asked: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** Addresses of names that do not resolve to this site. */
  readonly elsewhere = new Map<string, string>();
  readonly extraCa: string;
  private readonly servers: readonly [tls: Server, plain: Server];

  private constructor(certificate: TestCertificate) {
    this.extraCa = certificate.cert;
    const handle: Parameters<typeof createPlainServer>[1] = (request, response) => {
      const { host = '', ...headers } = request.headers;
      const location = `${host}${request.url}`;
      this.asked.push(location);
      this.headers.push(headers);
      const answer: SitePage = this.pages.get(location) ?? { status: 404 };
      const { status = 200, headers: given, body = '', delayMs = 0 } = answer;
      const send = () =>
        response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...given }).end(body);
      const timer = setTimeout(send, delayMs);
      response.on('close', () => clearTimeout(timer));
    };
    this.servers = [createServer(certificate, handle) as unknown as Server, createPlainServer(handle)];
  }

  /** Starts the site with hosts below `pages.example` and others. */
  static async start(otherHosts: readonly string[] = []): Promise<PageSite> {
    const site = new PageSite(
      makeTestCertificate(
        'DNS:*.pages.example',
        'DNS:github.com',
        'DNS:www.linkedin.com',
        'DNS:linkedin.com',
        ...otherHosts.map(host => `DNS:${host}`),
      ),
    );
    for (const server of site.servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return site;
  }

  readonly lookup: LookupFunction = (name, _options, callback) => {
    const address = this.elsewhere.get(name) ?? '127.0.0.1';
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };

  /** Maps ports 443 and 80, which are not available in tests. */
  readonly connectPort = (port: number): number => {
    const server = port === 443 ? this.servers[0] : port === 80 ? this.servers[1] : undefined;
    if (!server) {
      throw new Error(`No host may be contacted at port ${port}.`);
    }
    return (server.address() as AddressInfo).port;
  };

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    }
  }
}
