import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeOptionsOf } from '@mailproof/installation';
import { type ChildPlan, hasEnded, launch, untilReady } from './child-process.ts';
import { within } from './deadline.ts';
import { gracefulStop, stopProcess } from './processes.ts';
import { entryOfService } from './service-bundles.ts';
import type { Environment, ServiceUrls } from './service-environment.ts';

export interface ServiceProcessPlan extends ServiceUrls, Omit<ChildPlan, 'entry' | 'cwd'> {
  /** Unlike the service's name, distinguishes instances of one service: `gateway`, `gateway-2`. */
  readonly name: string;
  readonly projectRoot: string;
  readonly folder: string;
  /** Node options that override those of the service. */
  readonly nodeOptions: readonly string[];
  /** Called when the service exits without a request to stop. */
  readonly onLost: (sentence: string) => void;
}

/** A service that runs in a child process: its own, or one with the other services of its house. */
export interface ServiceProcess extends ServiceUrls {
  readonly name: string;
  /** The log of its process; each line names the service. */
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

const killDeadlineMs = 120_000;

/** Starts a service in its own process, and resolves when it is ready. */
export async function startService(plan: ServiceProcessPlan): Promise<ServiceProcess> {
  let { environment } = plan;
  let child = launch(childPlanOf(plan), 'w');
  let isWanted = true;

  async function untilServing(): Promise<void> {
    const starting = child;
    await untilReady(starting, childPlanOf(plan), [plan.internalUrl]).catch(async error => {
      await stop();
      throw error;
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
    child = launch(childPlanOf({ ...plan, environment }), 'a');
    await untilServing();
  }

  await untilServing();
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

function childPlanOf(plan: ServiceProcessPlan): ChildPlan {
  const entry = entryOfService(plan.projectRoot, plan.folder, plan.environment);
  if (!existsSync(entry.file))
    throw new Error(`The ${plan.name} is not part of this checkout: ${entry.file} does not exist.`);
  return {
    ...plan,
    entry,
    cwd: join(plan.projectRoot, 'services', plan.folder),
    nodeOptions: [...nodeOptionsOf(plan.folder), ...plan.nodeOptions, ...telemetryOptions(plan)],
  };
}

/**
 * Tracing hooks into modules while they load, so it must load before the service. It decides itself whether it is
 * enabled.
 */
function telemetryOptions({ projectRoot }: ServiceProcessPlan): string[] {
  return ['--import', pathToFileURL(join(projectRoot, 'packages/service-kit/src/telemetry.ts')).href];
}
