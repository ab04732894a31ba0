/*
 * Runs several services in one process, for the houses of tests (`service-group.ts`). Services share no state: each is
 * composed from its own settings. The modules are named by URL, because no package imports a service.
 */

/** What the parent sends: the services to start, each with the URLs of its modules. */
export type GroupMessage = readonly {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly composeUrl: string;
  readonly configUrl: string;
  readonly runServiceUrl: string;
}[];

/** The functions of `run-service.ts` of the service kit that start and stop services. */
interface ServiceRunner {
  runService(name: string, start: () => Promise<Running>): void;
  startService(service: unknown, settings: unknown): Promise<Running>;
}

interface Running {
  readonly port: number;
  readonly internalPort: number;
  stop(): Promise<void>;
}

process.once('message', run);

async function run(members: GroupMessage): Promise<void> {
  const [first] = members;
  if (!first) throw new Error('A group needs at least one service.');
  const { runService, startService }: ServiceRunner = await import(first.runServiceUrl);
  runService('A service', async () => {
    const running = await Promise.all(members.map(member => start(member, startService)));
    return {
      ...{ port: 0, internalPort: 0 },
      async stop() {
        for (const service of running) await service.stop();
      },
    };
  });
}

async function start(
  { name, environment, composeUrl, configUrl }: GroupMessage[number],
  startService: ServiceRunner['startService'],
): Promise<Running> {
  try {
    const [{ compose }, { loadConfig }] = await Promise.all([import(composeUrl), import(configUrl)]);
    const settings = loadConfig(environment);
    return await startService(await compose(settings), settings);
  } catch (error) {
    // The parent reads the log, and starts all services again if a port was taken.
    throw new Error(`${name}: ${error instanceof Error ? error.stack : error}`, { cause: error });
  }
}
