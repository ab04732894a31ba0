import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mallocEnvironment, nodeOptionsOf } from '@mailproof/installation';
import { waitFor, within } from './deadline.ts';
import { gracefulStop, lastLines, stopProcess } from './processes.ts';
import { entryOfService } from './service-bundles.ts';
import type { Environment, ServiceUrls } from './service-environment.ts';

export interface ServiceProcessPlan extends ServiceUrls {
  /** Unlike the service's name, distinguishes instances of one service: `gateway`, `gateway-2`. */
  readonly name: string;
  readonly projectRoot: string;
  readonly folder: string;
  readonly environment: Environment;
  /** Node options that override those of the service. */
  readonly nodeOptions: readonly string[];
  readonly logFile: string;
  readonly onPid: (pid: number) => void;
  readonly onExit: (pid: number) => void;
  /** Called when the service exits without a request to stop. */
  readonly onLost: (sentence: string) => void;
}

/** A service that runs as a child process. */
export interface ServiceProcess extends ServiceUrls {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number | undefined;
  /** Sends the signal and waits until the process has exited. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /**
   * Stops the service if it is running, restarts it on the same ports and waits until it is ready. Changed settings
   * persist.
   */
  restart(changed?: Environment): Promise<void>;
  stop(): Promise<void>;
}

const startDeadlineMs = 60_000;
const killDeadlineMs = 20_000;
const probeTimeoutMs = 2_000;

/**
 * Starts a service and resolves when it has said that it opened its ports and its `/readyz` answers 200. The answer alone
 * could come from another program that took the port.
 */
export async function startService(plan: ServiceProcessPlan): Promise<ServiceProcess> {
  let { environment } = plan;
  let child = launch(plan, 'w');
  let isWanted = true;

  async function untilReady(): Promise<void> {
    const starting = child;
    let isListening = false;
    starting.on('message', (message: { readonly type?: string } | null) => {
      if (message?.type === 'listening') isListening = true;
    });
    await waitFor(
      `The ${plan.name} is ready`,
      async () => {
        if (hasEnded(starting)) throw new Error(failureSentence(plan));
        return isListening && answersReady(plan.internalUrl);
      },
      { deadlineMs: startDeadlineMs },
    ).catch(async error => {
      const message = hasEnded(starting)
        ? String(error.message)
        : `${error.message}\n${lastLines(plan.logFile)}`;
      await stop();
      throw new Error(message, { cause: error });
    });
    starting.once('exit', (code, signal) => {
      if (isWanted && starting === child)
        plan.onLost(`The ${plan.name} exited (${signal ?? `exit code ${code}`}).`);
    });
  }

  async function kill(signal: NodeJS.Signals): Promise<void> {
    isWanted = false;
    if (hasEnded(child)) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await within(`The ${plan.name} exits on ${signal}`, gone, killDeadlineMs);
  }

  async function stop(): Promise<void> {
    isWanted = false;
    if (child.pid && !hasEnded(child)) await stopProcess(child.pid, gracefulStop);
  }

  async function restart(changed: Environment = {}): Promise<void> {
    await stop();
    isWanted = true;
    environment = { ...environment, ...changed };
    child = launch({ ...plan, environment }, 'a');
    await untilReady();
  }

  await untilReady();
  return {
    name: plan.name,
    url: plan.url,
    internalUrl: plan.internalUrl,
    logFile: plan.logFile,
    get pid() {
      return hasEnded(child) ? undefined : child.pid;
    },
    kill,
    restart,
    stop,
  };
}

function launch(plan: ServiceProcessPlan, logMode: 'a' | 'w'): ChildProcess {
  const entry = entryOfService(plan.projectRoot, plan.folder, plan.environment);
  if (!existsSync(entry.file))
    throw new Error(`The ${plan.name} is not part of this checkout: ${entry.file} does not exist.`);
  // The service writes its own log file, not a pipe to this process: logging must continue if the parent is killed.
  const log = openSync(plan.logFile, logMode);
  const child = fork(entry.file, {
    cwd: join(plan.projectRoot, 'services', plan.folder),
    // Detached from the terminal's Ctrl-C: this process decides the order of stopping.
    detached: true,
    env: { ...mallocEnvironment, ...plan.environment, ...entry.environment },
    execArgv: [...nodeOptionsOf(plan.folder), ...plan.nodeOptions, ...telemetryOptions(plan)],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const { pid } = child;
  if (pid) {
    plan.onPid(pid);
    child.once('exit', () => plan.onExit(pid));
  }
  child.on('error', () => undefined);
  return child;
}

/**
 * Tracing hooks into modules while they load, so it must load before the service. It decides itself whether it is
 * enabled.
 */
function telemetryOptions({ projectRoot }: ServiceProcessPlan): string[] {
  return ['--import', pathToFileURL(join(projectRoot, 'packages/service-kit/src/telemetry.ts')).href];
}

async function answersReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return !child.pid || child.exitCode !== null || child.signalCode !== null;
}

function failureSentence({ name, logFile }: ServiceProcessPlan): string {
  return `The ${name} ended while it was starting. The end of ${logFile}:\n${lastLines(logFile) || '(nothing)'}`;
}
