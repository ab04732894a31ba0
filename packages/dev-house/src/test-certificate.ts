import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  /** PEM, as is `cert`. */
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes a self-signed certificate for a site on loopback. A client trusts it when `cert` is among its certification
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
