import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTestCertificate } from '@mailproof/dev-house';

/** A response of the site; the body can depend on the requested URL. */
export interface Published {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (url: string) => string;
}

/** A website on loopback, with TLS, that publishes clients' metadata documents. */
export interface DocumentSite {
  readonly origin: string;
  /** The certificate authority that services must trust. */
  readonly ca: string;
  close(): Promise<void>;
}

/** The document of a client on its user's machine. */
export const documentOf = (client_id: string, more: object = {}) =>
  JSON.stringify({
    client_id,
    client_name: 'Editor',
    redirect_uris: ['http://127.0.0.1/callback'],
    scope: 'openid email',
    grant_types: ['authorization_code', 'refresh_token', 'urn:other'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    sector_identifier_uri: 'https://169.254.169.254/',
    ...more,
  });

export const goodDocument: Published = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: documentOf,
};

/** @param answer returns the answer for a path. */
export async function openDocumentSite(
  answer: (path: string) => Published = () => goodDocument,
): Promise<DocumentSite> {
  const certificate = makeTestCertificate('DNS:localhost', 'IP:127.0.0.1');
  const site = createServer(certificate, (request, response) => {
    const { status, headers, body } = answer(request.url ?? '');
    response.writeHead(status, headers).end(body(`${origin}${request.url}`));
  });
  await new Promise<void>(resolve => {
    site.listen(0, '127.0.0.1', resolve);
  });
  const origin = `https://localhost:${(site.address() as AddressInfo).port}`;
  return {
    origin,
    ca: certificate.cert,
    async close() {
      site.closeAllConnections();
      await new Promise(resolve => site.close(resolve));
    },
  };
}
