import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a profile provider received. */
export interface AskedOfProvider {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A customer's profile provider, on loopback. It answers 404 for profiles that it does not know. */
export class LocalProvider {
  readonly asked: AskedOfProvider[] = [];
  /** The answer to give instead of a profile. */
  failure: { status: number; body?: string; headers?: Record<string, string> } | undefined;
  private readonly people = new Map<string, unknown>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        this.asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
        const person = this.people.get(new URL(url, 'http://here').searchParams.get('profile') ?? '');
        const json = { 'content-type': 'application/json' };
        if (this.failure) {
          const { status, body = '{}', headers: given = json } = this.failure;
          response.writeHead(status, given).end(body);
        } else if (person === undefined) {
          response.writeHead(404, json).end('{}');
        } else {
          response.writeHead(200, json).end(JSON.stringify(person));
        }
      });
    });
  }

  static async start(): Promise<LocalProvider> {
    const provider = new LocalProvider();
    await new Promise<void>(resolve => {
      provider.server.listen(0, '127.0.0.1', resolve);
    });
    return provider;
  }

  knows(profileUrl: string, person: unknown): void {
    this.people.set(profileUrl, person);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Settings with which an account uses it. */
  settings(more: object = {}): Record<string, unknown> {
    return {
      name: 'Local People',
      method: 'GET',
      url: `${this.origin}/people?profile={profile_url}`,
      headers: [{ name: 'X-Provider-Key', value: 'canary-provider-secret', is_secret: true }],
      fields: {
        first_name: 'person.first',
        last_name: 'person.last',
        headline: 'person.titles[0]',
        company: 'person.employer.name',
      },
      ...more,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}
