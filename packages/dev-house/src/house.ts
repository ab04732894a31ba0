import { basename, join, resolve } from 'node:path';
import {
  allSchemas,
  migrateService,
  provisionDatabase,
  type ServiceDatabase,
  type ServiceName,
  serviceDefinitions,
} from '@mailproof/installation';
import { type SubmissionHost, startSubmissionHost } from '@mailproof/mail-lab';
import { followErrors } from './log-follower.ts';
import { type RunningMailLab, startMailLab } from './mail-lab.ts';
import { projectRoot as thisCheckout } from './project-root.ts';
import { findRedisProgram, makeRedisUsers } from './redis-users.ts';
import { keepSecrets, type Secrets } from './secrets.ts';
import { hasTelemetry } from './service-bundles.ts';
import { composeEnvironment, type Environment, type HouseFacts } from './service-environment.ts';
import { startServiceGroup } from './service-group.ts';
import { assignPorts, type Instance, type InstanceOptions } from './service-instances.ts';
import { type ServiceProcess, startService } from './service-process.ts';
import { type Keeper, startKeeper } from './start-keeper.ts';
import { makeStateDirectory, stateFiles } from './state-files.ts';

export interface HouseOptions extends InstanceOptions {
  /** Holds everything that the house writes to disk: secrets, data, logs. */
  readonly stateDir: string;
  /** Whether the keeper deletes that folder at the end, even if this process is killed. */
  readonly removeStateDirAfterward?: boolean;
  /** The administrator URL of a Postgres server; if omitted, the house runs its own. */
  readonly databaseAdminUrl?: string | undefined;
  /** The name of the database in that cluster. */
  readonly database?: string;
  /** The URLs of that database by schema if all migrations are applied; if omitted, the house applies them. */
  readonly migratedDatabases?: Record<string, ServiceDatabase>;
  /** The administrator URL of a Redis server; if omitted, the house runs its own. */
  readonly redisUrl?: string | undefined;
  /** The services to start; the addresses of the others refuse connections. Defaults to all services. */
  readonly only?: readonly ServiceName[];
  /** Whether to start the mail lab. It never starts if `VALIDATION_DNS_SERVERS` is set or the engine is not started. */
  readonly lab: boolean;
  /** Settings of single services, which override all others. */
  readonly env?: Partial<Record<ServiceName, Environment>>;
  /**
   * Whether all services run in one process, which takes less than half the CPU time. None of them can then be killed or
   * restarted, and they share an event loop, a memory and a log. Services with telemetry always have their own processes,
   * because it is exported per process. False by default, and true in a test house.
   */
  readonly inOneProcess?: boolean;
  /** Services that have their own processes although the others share one, so that a test can kill and restart them. */
  readonly killable?: readonly ServiceName[];
  /** Node options of all services, which override those that a service runs with. */
  readonly nodeOptions?: readonly string[];
  /** Suppresses progress reports and logs only warnings. */
  readonly quiet?: boolean;
  /** Whether the house's own databases keep their data. */
  readonly isDurable?: boolean;
  /** Called when a service or the keeper exits unexpectedly. */
  readonly onLost?: (sentence: string) => void;
  /** Aborts a start that is in progress; the start then fails and leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** The checkout whose services are started; a different one only in tests of the house itself. */
  readonly projectRoot?: string;
}

export interface House {
  /** Addresses for customers; peers and probes use a service's `internalUrl`. */
  readonly gatewayUrls: readonly string[];
  readonly toolServerUrls: readonly string[];
  /** Services by name; additional gateways are `gateway-2`, `gateway-3`. */
  readonly services: Readonly<Record<string, ServiceProcess>>;
  /** Database URLs by schema. */
  readonly databaseUrls: Readonly<Record<string, ServiceDatabase>>;
  readonly databaseAdminUrl: string;
  /** The administrator's URL; each service connects as its own user. */
  readonly redisUrl: string;
  readonly lab: RunningMailLab | undefined;
  /** The host that receives our services' mail, and the folder where it stores it; absent if `MAIL_SMTP_URL` is set. */
  readonly mail: (SubmissionHost & { readonly directory: string }) | undefined;
  /** The environment of each service, by name; operator commands need the same. */
  readonly environments: Readonly<Record<ServiceName, Environment>>;
  readonly keeper: Keeper;
  stop(): Promise<void>;
}

/** Starts databases, mail lab and services, and resolves when all are ready. */
export async function startHouse(options: HouseOptions): Promise<House> {
  const stateDir = resolve(options.stateDir);
  const settled = { ...options, stateDir, projectRoot: options.projectRoot ?? thisCheckout };
  await makeStateDirectory(stateDir);
  const secrets = await keepSecrets(stateDir);
  const keeper = await startKeeper(await keeperPlan(settled, secrets), {
    onNote: text => say(settled, text),
    ...(options.signal && { signal: options.signal }),
    onLost: () => options.onLost?.('The process that keeps the databases was killed.'),
  });
  // Everything that is starting ends with the keeper, and anything that waits for it fails.
  const giveUp = (): void => void keeper.stop();
  options.signal?.addEventListener('abort', giveUp, { once: true });
  const stops: (() => Promise<void>)[] = [() => keeper.stop()];
  async function stop(): Promise<void> {
    for (const each of stops.splice(0).reverse()) await each();
  }
  try {
    return { ...(await furnish(settled, secrets, keeper, stops)), keeper, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

type SettledOptions = HouseOptions & { readonly projectRoot: string };

async function keeperPlan(options: SettledOptions, secrets: Secrets) {
  return {
    projectRoot: options.projectRoot,
    stateDir: options.stateDir,
    installationId: secrets.installationId,
    isDurable: options.isDurable ?? false,
    removeStateDirAfterward: options.removeStateDirAfterward ?? false,
    ...(!options.databaseAdminUrl && { postgresPassword: secrets.postgresPassword }),
    ...(!options.redisUrl && {
      redis: {
        program: await findRedisProgram({ report: line => say(options, line), signal: options.signal }),
        password: secrets.redisPassword,
      },
    }),
  };
}

async function furnish(
  options: SettledOptions,
  secrets: Secrets,
  keeper: Keeper,
  stops: (() => Promise<void>)[],
): Promise<Omit<House, 'keeper' | 'stop'>> {
  const databaseAdminUrl = known('Postgres', options.databaseAdminUrl ?? keeper.databaseAdminUrl);
  const redisUrl = known('Redis', options.redisUrl ?? keeper.redisUrl);
  say(options, `Databases are ready: ${databasesInWords(options, keeper)}.`);

  const databases = options.migratedDatabases ?? (await makeDatabases(options, databaseAdminUrl, secrets));
  const redis = await makeRedisUsers(redisUrl, line => say(options, line));

  const lab = await startLab(options, keeper);
  if (lab) {
    stops.push(() => lab.stop());
    say(options, `Mail lab is ready: DNS ${lab.dnsServer}, SMTP port ${lab.smtpPort}.`);
  }

  const mail = await startMail(options);
  if (mail) stops.push(() => mail.close());

  const { instances, facts, services } = await startOnFreePorts(options, keeper, stops, {
    secrets,
    databases,
    redis,
    ...(lab && { labEnvironment: lab.environment }),
    ...(mail && { mailSmtpUrl: mail.url }),
    logLevel: options.quiet ? 'warn' : 'info',
  });
  say(
    options,
    `Services are ready: ${Object.values(services)
      .map(({ name, url }) => `${name} ${url}`)
      .join(', ')}.`,
  );
  return {
    gatewayUrls: urlsOf(instances, 'gateway'),
    toolServerUrls: urlsOf(instances, 'mcp-server'),
    services,
    databaseUrls: databases,
    databaseAdminUrl,
    redisUrl,
    lab,
    mail,
    environments: Object.fromEntries(
      instances.map(instance => [instance.name, environmentOf(options, instance, facts)]),
    ) as Record<ServiceName, Environment>,
  };
}

interface StartedServices {
  readonly instances: readonly Instance[];
  readonly facts: HouseFacts;
  readonly services: Record<string, ServiceProcess>;
}

const portAttemptsMax = 3;

/**
 * Starts all services on ports that are free. Another program can take a port before the service opens it; then all
 * services start again on other ports, because each knows the ports of the others.
 */
async function startOnFreePorts(
  options: SettledOptions,
  keeper: Keeper,
  stops: (() => Promise<void>)[],
  otherFacts: Omit<HouseFacts, 'serviceUrls' | 'publicUrls'>,
): Promise<StartedServices> {
  for (let attempt = 1; ; attempt += 1) {
    const instances = await assignPorts(options);
    const facts = { ...otherFacts, ...addressesOf(instances) };
    const stopsOfServices: (() => Promise<void>)[] = [];
    try {
      const services = await startAll(options, keeper, instances, facts, stopsOfServices);
      stops.push(...stopsOfServices);
      return { instances, facts, services };
    } catch (error) {
      for (const stop of stopsOfServices.reverse()) await stop();
      if (attempt === portAttemptsMax || !/EADDRINUSE/.test(String(error))) throw error;
      say(options, 'Another program took a port of a service. All services start again on other ports.');
    }
  }
}

function addressesOf(instances: readonly Instance[]): Pick<HouseFacts, 'serviceUrls' | 'publicUrls'> {
  return {
    serviceUrls: Object.fromEntries(instances.map(instance => [instance.name, instance])),
    publicUrls: {
      PUBLIC_BASE_URL: process.env['PUBLIC_BASE_URL'] || known('gateway', urlsOf(instances, 'gateway')[0]),
      MCP_PUBLIC_BASE_URL:
        process.env['MCP_PUBLIC_BASE_URL'] || known('tool server', urlsOf(instances, 'mcp-server')[0]),
    },
  };
}

function urlsOf(instances: readonly Instance[], name: ServiceName): string[] {
  return instances.filter(({ service }) => service.name === name).map(({ url }) => url);
}

async function makeDatabases(
  options: SettledOptions,
  adminUrl: string,
  { rolePasswordSeed }: Secrets,
): Promise<Record<string, ServiceDatabase>> {
  const databases = await provisionDatabase({
    adminUrl,
    database: options.database ?? 'mailproof',
    schemas: allSchemas(),
    passwordSeed: rolePasswordSeed,
  });
  for (const { name, schema } of serviceDefinitions) {
    const database = schema && databases[schema];
    if (!database || !isStarted(options, name)) continue;
    const directory = join(options.projectRoot, 'services', name, 'migrations');
    const applied = await migrateService({ ...database, schema, directory });
    if (applied.length > 0) say(options, `Migrated ${name}: ${applied.join(', ')}.`);
  }
  return databases;
}

async function startLab(options: SettledOptions, keeper: Keeper): Promise<RunningMailLab | undefined> {
  if (!options.lab || process.env['VALIDATION_DNS_SERVERS'] || !isStarted(options, 'validation-engine'))
    return undefined;
  return startMailLab({ ...options, onPid: pid => keeper.watch(pid) });
}

/** Starts the host that accepts the services' mail and relays none of it. */
async function startMail(options: SettledOptions): Promise<House['mail']> {
  if (process.env['MAIL_SMTP_URL']) return undefined;
  const directory = join(options.stateDir, stateFiles.mail);
  return { ...(await startSubmissionHost({ directory })), directory };
}

function isStarted({ only }: HouseOptions, name: string): boolean {
  return only === undefined || only.some(each => each === name);
}

/** Starts all services at once: a service's `/readyz` says whether it still needs another one. */
async function startAll(
  options: SettledOptions,
  keeper: Keeper,
  instances: readonly Instance[],
  facts: HouseFacts,
  stops: (() => Promise<void>)[],
): Promise<Record<string, ServiceProcess>> {
  const members = instances
    .filter(({ service: { name } }) => isStarted(options, name))
    .map(instance => ({
      ...instance,
      folder: instance.service.name,
      environment: environmentOf(options, instance, facts),
    }));
  const common = {
    projectRoot: options.projectRoot,
    nodeOptions: options.nodeOptions ?? [],
    onPid: (pid: number) => keeper.watch(pid),
    onExit: (pid: number) => keeper.unwatch(pid),
    onLost: (sentence: string) => options.onLost?.(sentence),
  };
  const logFileOf = (name: string) => join(options.stateDir, stateFiles.logs, `${name}.log`);
  const isAlone = ({ folder, environment }: (typeof members)[number]) =>
    !options.inOneProcess || options.killable?.some(name => name === folder) || hasTelemetry(environment);
  const [alone, together] = [members.filter(isAlone), members.filter(member => !isAlone(member))];
  const started = await Promise.allSettled([
    ...alone.map(async member => [
      await startService({ ...common, ...member, logFile: logFileOf(member.name) }),
    ]),
    ...(together.length > 0
      ? [startServiceGroup({ ...common, members: together, logFile: logFileOf('services') })]
      : []),
  ]);
  const services = started.flatMap(result => (result.status === 'fulfilled' ? result.value : []));
  stops.push(...services.map(service => () => service.stop()));
  if (!options.quiet && options.report) {
    for (const logFile of new Set(services.map(service => service.logFile))) {
      const name = basename(logFile, '.log');
      const stopFollowing = followErrors(logFile, line => options.report?.(`${name}: ${line}`));
      stops.push(async () => stopFollowing());
    }
  }
  const failures = started.flatMap(result =>
    result.status === 'rejected' ? [String(result.reason.message)] : [],
  );
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  return Object.fromEntries(services.map(service => [service.name, service]));
}

function environmentOf(options: SettledOptions, instance: Instance, facts: HouseFacts): Environment {
  const { service } = instance;
  const overrides = options.env?.[service.name as ServiceName];
  return composeEnvironment({ service, urls: instance, facts, inherited: process.env, overrides });
}

function databasesInWords(options: HouseOptions, { databaseAdminUrl, redisUrl }: Keeper): string {
  return [
    options.databaseAdminUrl
      ? 'the Postgres that you configured'
      : `Postgres on port ${new URL(known('Postgres', databaseAdminUrl)).port}`,
    options.redisUrl
      ? 'the Redis that you configured'
      : `Redis on port ${new URL(known('Redis', redisUrl)).port}`,
  ].join(', ');
}

function say({ quiet, report }: HouseOptions, sentence: string): void {
  if (!quiet) report?.(sentence);
}

function known<Thing>(what: string, thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error(`${what} is missing, although it has just been created.`);
  return thing;
}
