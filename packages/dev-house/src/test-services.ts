import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, publicKeySet, type ServiceName, services } from '@mailproof/installation';
import type { JWK } from 'jose';

export interface TestCertificate {
  /** Both are PEM. */
  readonly key: string;
  readonly cert: string;
}

/**
 * Creates a self-signed certificate for a site on loopback. A client trusts it if `cert` is one of its certification
 * authorities.
 *
 * @param names the subject alternative names, such as `DNS:localhost` and `IP:127.0.0.1`
 */
export function makeTestCertificate(...names: readonly string[]): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'test-certificate-'));
  try {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names.join(',')}`];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', [...kind, '-days', '1', ...subject, ...files], { stdio: 'ignore' });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface TestServiceKeys {
  /** The private key of each service. */
  readonly signingKeys: Readonly<Record<ServiceName, JWK>>;
  /** Returns the settings of a service that has all others as peers, and that does not wait long when it stops. */
  settingsOf(service: ServiceName): {
    readonly SERVICE_SIGNING_KEY: string;
    readonly SERVICE_PEER_KEYS: string;
    readonly SHUTDOWN_DEADLINE_MS: string;
  };
}

/** Creates new keys for every service, so that a test can call one service as another. */
export async function testServiceKeys(): Promise<TestServiceKeys> {
  const pairs = await Promise.all(
    services.map(async ({ name }) => [name, await newSigningKey(name)] as const),
  );
  const signingKeys = Object.fromEntries(pairs) as Record<ServiceName, JWK>;
  return {
    signingKeys,
    settingsOf: service => ({
      SERVICE_SIGNING_KEY: JSON.stringify(signingKeys[service]),
      SERVICE_PEER_KEYS: JSON.stringify(publicKeySet({ signingKeys })),
      SHUTDOWN_DEADLINE_MS: '5000',
    }),
  };
}
