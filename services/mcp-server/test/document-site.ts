import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An answer of the site; the body can depend on the requested address. */
export interface Published {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (url: string) => string;
}

/** A website on loopback, with TLS, that publishes metadata documents of clients. */
export interface DocumentSite {
  readonly origin: string;
  /** The certification authority that services must trust. */
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
  const certificate = makeCertificate();
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

/** A certificate that only the test uses; the services trust it. */
function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'metadata-documents-'));
  try {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', [...kind, '-days', '1', ...names, ...files], { stdio: 'ignore' });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
