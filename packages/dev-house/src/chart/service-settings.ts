import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { projectRoot } from '../project-root.ts';
import type { EnvironmentVariable, Pod } from './manifests.ts';

/** Telemetry settings, which OpenTelemetry itself reads. */
const telemetrySetting = /^OTEL_[A-Z_]+$/;

/**
 * Runs each service's config reader on the environment that the chart renders, with sample secrets. Reports services
 * that would not start, and settings or secrets that no service reads.
 */
export async function settingFaults(pods: readonly Pod[]): Promise<{ faults: string[]; settings: number }> {
  const services = pods.filter(({ kind }) => kind === 'Deployment');
  const keys = samplePeerKeys(services.map(({ component }) => component));
  const faults: string[] = [];
  let settings = 0;
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-chart-settings-'));
  const certificateFile = join(folder, 'ca.crt');
  writeFileSync(certificateFile, rootCertificates[0] as string);
  for (const { component, containers } of services) {
    const variables = containers.flatMap(({ env = [] }) => env);
    const known = namesKnownTo(component);
    const unread = variables.filter(({ name }) => !known.has(name) && !telemetrySetting.test(name));
    faults.push(...unread.map(({ name }) => `${component} gets ${name}, which it does not read.`));
    faults.push(...repeated(variables).map(name => `${component} gets ${name} twice.`));
    const environment = Object.fromEntries(
      variables.map(variable => [
        variable.name,
        // A service reads the file of an authority at its start; in a pod it is mounted.
        variable.name.endsWith('_CA_FILE') ? certificateFile : sampleValue(variable, component, keys),
      ]),
    );
    const { loadConfig } = await import(join(projectRoot, 'services', component, 'src/config.ts'));
    try {
      loadConfig(environment);
    } catch (error) {
      faults.push(`${component} would not start: ${(error as Error).message}`);
    }
    settings += variables.length;
  }
  rmSync(folder, { recursive: true });
  return { faults, settings };
}

function repeated(variables: readonly EnvironmentVariable[]): string[] {
  const names = variables.map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/**
 * Returns the settings that a service reads. Every service knows the time zone and additional certification
 * authorities.
 */
function namesKnownTo(service: string): Set<string> {
  const files = [`services/${service}/src/config.ts`, 'packages/service-kit/src/config.ts'];
  const texts = files.map(file => readFileSync(join(projectRoot, file), 'utf8'));
  const names = texts.flatMap(text => [...text.matchAll(/^ +([A-Z][A-Z0-9_]+):/gm)].map(match => match[1]));
  return new Set(['TZ', 'NODE_EXTRA_CA_CERTS', ...names.filter(name => name !== undefined)]);
}

interface SampleKeys {
  readonly private: Readonly<Record<string, string>>;
  readonly public: string;
}

function samplePeerKeys(services: readonly string[]): SampleKeys {
  const pairs = services.map(service => {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    return { ...jwk, kid: service };
  });
  return {
    private: Object.fromEntries(pairs.map(pair => [pair.kid, JSON.stringify(pair)])),
    public: JSON.stringify({ keys: pairs.map(({ d: _private, ...publicPart }) => publicPart) }),
  };
}

function sampleValue(
  { name, value, valueFrom }: EnvironmentVariable,
  service: string,
  keys: SampleKeys,
): string | undefined {
  const key = valueFrom?.secretKeyRef?.key;
  if (key === undefined) return value;
  if (key !== name) throw new Error(`${service}: ${name} comes from the key ${key} of a Secret.`);
  return sampleSecret(key, service, keys);
}

function sampleSecret(key: string, service: string, keys: SampleKeys): string | undefined {
  const secrets: Readonly<Record<string, string | undefined>> = {
    SERVICE_SIGNING_KEY: keys.private[service],
    SERVICE_PEER_KEYS: keys.public,
    DATABASE_URL: 'postgres://mailproof:sample@postgres:5432/mailproof',
    REDIS_URL: 'redis://:sample@redis:6379',
    MAIL_SMTP_URL: 'smtps://sample:sample@mail.example.com:465',
    STRIPE_SECRET_KEY: 'sk_test_sample',
    STRIPE_WEBHOOK_SECRET: 'whsec_sample',
    VALIDATION_SOCKS5_URL: 'socks5://sample:sample@proxy.example.com:1080',
  };
  if (key in secrets) return secrets[key];
  if (key.endsWith('_ENCRYPTION_KEYS')) return `sample:${randomBytes(32).toString('base64')}`;
  return randomBytes(24).toString('hex');
}
