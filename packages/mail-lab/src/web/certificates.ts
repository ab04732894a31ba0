import { webcrypto } from 'node:crypto';
import type { Extension } from '@peculiar/x509';

export type Identity = { readonly certificatePem: string; readonly keyPem: string };

export type CertificateAuthority = {
  readonly certificatePem: string;
  /** Issues a certificate for one host name, signed by this authority. */
  issue(hostName: string): Promise<Identity>;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const lifetimeMs = 7 * 24 * 3_600_000;
/** Tolerated clock skew between a client and the lab, for example in containers. */
const clockSkewMs = 3_600_000;

/** A new authority that no client trusts until its certificate is trusted explicitly. */
export async function createAuthority(): Promise<CertificateAuthority> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const subject = 'CN=Mail lab authority';
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certificatePem: certificate.toString('pem'),
    issue: async hostName => {
      const leafKeys = await generateKeys();
      const leaf = await x509.X509CertificateGenerator.create({
        subject: `CN=${hostName}`,
        issuer: subject,
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        ...validity(),
        extensions: [
          ...serverExtensions(x509, hostName),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ],
      });
      return { certificatePem: leaf.toString('pem'), keyPem: await exportKey(x509, leafKeys) };
    },
  };
}

/** A self-signed certificate, which most mail hosts use for STARTTLS. */
export async function createSelfSigned(hostName: string): Promise<Identity> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${hostName}`,
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: serverExtensions(x509, hostName),
  });
  return { certificatePem: certificate.toString('pem'), keyPem: await exportKey(x509, keys) };
}

function serverExtensions(x509: X509, hostName: string): Extension[] {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostName }]),
  ];
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - clockSkewMs), notAfter: new Date(now + lifetimeMs) };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(x509: X509, keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
}

type X509 = typeof import('@peculiar/x509');

let loaded: Promise<X509> | undefined;

/**
 * Loads @peculiar/x509, whose dependency-injection container refuses to load unless `Reflect.getMetadata` exists. The
 * classes it registers have no constructor parameters, so there is never any metadata and "none" is the right result.
 * The substitute is removed once the library has loaded, so that nothing mistakes it for a real polyfill.
 */
function loadX509(): Promise<X509> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<X509> {
  const missing = ['getMetadata', 'getOwnMetadata', 'defineMetadata'].filter(name => !(name in Reflect));
  for (const name of missing) {
    Object.defineProperty(Reflect, name, { value: () => undefined, configurable: true });
  }
  try {
    return await import('@peculiar/x509');
  } finally {
    for (const name of missing) Reflect.deleteProperty(Reflect, name);
  }
}
