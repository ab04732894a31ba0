import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { startPrivatePostgres, startPrivateRedis } from '@mailproof/dev-house';
import { freePort, readCredentials, validateFirstAddress } from '@mailproof/dev-house/images';
import { serviceDefinitions, settingPrefix } from '@mailproof/installation';
import { type MountedImage, mountImage, type RunSettings } from './mounted-image.ts';
import { endOf, type RunningImage, startLab, startUntilReady } from './running-image.ts';

export interface Row {
  readonly image: string;
  readonly 'size, MB': number;
  readonly 'of that ours, MB': number;
  readonly uid: number;
  readonly 'ready after, s': number;
  /** Resident memory of a service that has nothing to do (docs/sizing.md). */
  'idle, MiB'?: number;
}

/** The most memory that all services together have when they have nothing to do, in MiB. */
const idleMiBMax = 950;
/** Time after the last start. */
const idleAfterMs = 15_000;

/** Runs every image alone and all of them together, and returns a row for each. */
export async function tryImages(version: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-images-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  const rows: Row[] = [];
  const mount = (name: string): MountedImage => {
    const image = mountImage(`localhost/mailproof/${name}:${version}`);
    ends.push(() => image.remove());
    return image;
  };
  const note = (
    image: MountedImage,
    { uid, readyAfterMs }: Pick<RunningImage, 'uid' | 'readyAfterMs'>,
  ): void => {
    rows.push({
      image: image.name,
      'size, MB': image.sizeMb,
      'of that ours, MB': image.ownMb,
      uid,
      'ready after, s': Math.round(readyAfterMs / 100) / 10,
    });
  };
  try {
    const postgres = await startPrivatePostgres();
    ends.push(() => postgres.stop());
    const redis = await startPrivateRedis();
    ends.push(() => redis.stop());

    const migrate = mount('migrate');
    await expectReadOnly(migrate);
    const secrets = await newSecrets(migrate, new URL(postgres.url).host, new URL(redis.url).host);
    const administrators = { MIGRATION_DATABASE_URL: postgres.url, MIGRATION_REDIS_URL: redis.url };
    note(migrate, await migrateTwice(migrate, { ...secrets, ...administrators }));

    const lab = mount('mail-lab');
    await expectReadOnly(lab);
    const runningLab = await startLab(lab);
    ends.push(() => runningLab.stop());
    note(lab, runningLab);
    const givenFile = join(folder, 'lab-ca.pem');
    writeFileSync(givenFile, runningLab.caCertificatePem);

    const images = serviceDefinitions.map(({ name }) => ({ name, image: mount(name) }));
    const ports = Object.fromEntries(
      await Promise.all(images.map(async ({ name }) => [name, await freePort()] as const)),
    );
    const internalPorts = Object.fromEntries(
      await Promise.all(
        serviceDefinitions.map(
          async ({ name, publicUrlSetting }) =>
            [name, publicUrlSetting ? await freePort() : ports[name]] as const,
        ),
      ),
    );
    const metricsPorts = Object.fromEntries(
      await Promise.all(images.map(async ({ name }) => [name, await freePort()] as const)),
    );
    const urlOf = (name: string): string => `http://127.0.0.1:${ports[name]}`;
    const internalUrlOf = (name: string): string => `http://127.0.0.1:${internalPorts[name]}`;
    const settingsOf = (name: string): RunSettings => {
      const service = serviceDefinitions.find(each => each.name === name);
      return {
        givenFile,
        environment: {
          ...ownSettings(secrets, name),
          PORT: String(ports[name]),
          ...(service?.publicUrlSetting && { INTERNAL_PORT: String(internalPorts[name]) }),
          HOST: '127.0.0.1',
          PUBLIC_BASE_URL: urlOf('gateway'),
          MCP_PUBLIC_BASE_URL: urlOf('mcp-server'),
          LOG_LEVEL: 'warn',
          OTEL_METRICS_EXPORTER: 'prometheus',
          OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
          OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPorts[name]),
          // Nothing listens at this address, and a service must work anyway.
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
          OTEL_LOGS_EXPORTER: 'none',
          ...Object.fromEntries(
            Object.entries(service?.peers ?? {}).map(([setting, peer]) => [setting, internalUrlOf(peer)]),
          ),
          ...(service?.contactsMailHosts && { ...runningLab.environment, VALIDATION_CA_FILE: '/tmp/given' }),
        },
      };
    };
    const services: RunningImage[] = [];
    for (const { name, image } of images) {
      await expectReadOnly(image);
      const running = await startUntilReady(image, settingsOf(name));
      ends.push(() => running.stop());
      await expectMetrics(image.name, `http://127.0.0.1:${metricsPorts[name]}/metrics`);
      note(image, running);
      services.push(running);
    }
    await wait(idleAfterMs);
    const idle = services.map(running => running.residentMiB());
    for (const [index, row] of rows.slice(-idle.length).entries())
      row['idle, MiB'] = idle[index] ?? Number.NaN;
    const idleSum = idle.reduce((sum, each) => sum + each, 0);
    if (!(idleSum <= idleMiBMax))
      throw new Error(`The idle services have ${idleSum} MiB (${idle.join(', ')}), more than ${idleMiBMax}.`);
    const gateway = images.find(({ name }) => name === 'gateway')?.image;
    if (!gateway) throw new Error('There is no image of the gateway.');
    await validateThroughAll(gateway, settingsOf('gateway'), urlOf('gateway'));
    return rows;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function newSecrets(
  migrate: MountedImage,
  postgres: string,
  redis: string,
): Promise<Record<string, string | undefined>> {
  const child = migrate.start(['secrets', '--format', 'env', '--postgres', postgres, '--redis', redis]);
  const [output] = await Promise.all([text(child.stdout), endOf(child, 'migrate secrets')]);
  return parseEnv(output);
}

async function migrateTwice(
  image: MountedImage,
  environment: Record<string, string | undefined>,
): Promise<Pick<RunningImage, 'uid' | 'readyAfterMs'>> {
  const startedAt = Date.now();
  const first = image.start([], { environment });
  await Promise.all([text(first.stdout), endOf(first, 'migrate')]);
  const readyAfterMs = Date.now() - startedAt;
  const second = image.start([], { environment });
  const [output] = await Promise.all([text(second.stdout), endOf(second, 'migrate once more')]);
  const idle = output.split('\n').filter(line => line.endsWith(': nothing new.')).length;
  if (idle !== serviceDefinitions.length) throw new Error(`The second migration was not idle:\n${output}`);
  return { uid: Number(image.user.split(':')[0]), readyAfterMs };
}

/** Selects the settings of one service from an env file with those of all services. */
function ownSettings(
  all: Record<string, string | undefined>,
  service: string,
): Record<string, string | undefined> {
  const prefix = `${settingPrefix(service)}_`;
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );
}

async function expectReadOnly(image: MountedImage): Promise<void> {
  const attempt =
    'touch /tmp/x && ! touch /app/x 2>/dev/null && ! touch /x 2>/dev/null && test "$(id -u)" != 0';
  await endOf(image.startProgram(['sh', '-c', attempt]), `${image.name} writes to /tmp alone`);
}

async function expectMetrics(name: string, url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!/^# TYPE /m.test(await response.text())) throw new Error(`${name} has no metrics at ${url}.`);
}

/** Creates an account with the gateway's own image, and validates an address of the lab as a customer would. */
async function validateThroughAll(
  gateway: MountedImage,
  settings: RunSettings,
  gatewayUrl: string,
): Promise<void> {
  const args = ['ops', 'account', 'create', '--name', 'Smoke', '--plan', 'custom', '--credits', '10'];
  const child = gateway.start([...args, '--email', 'smoke@mailproof.example', '--json'], settings);
  const [output] = await Promise.all([text(child.stdout), endOf(child, 'gateway ops account create')]);
  const verdict = await validateFirstAddress('ada@ordinary.example', gatewayUrl, readCredentials(output));
  console.log(`ada@ordinary.example: ${JSON.stringify(verdict)}`);
  if ((verdict as { result?: unknown }).result !== 'ok')
    throw new Error('The lab’s mailbox exists, and was not found.');
}
