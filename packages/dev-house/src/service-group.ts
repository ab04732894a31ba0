import { once } from 'node:events';
import { type ChildPlan, hasEnded, launch, untilReady } from './child-process.ts';
import { within } from './deadline.ts';
import { gracefulStop, stopProcess } from './processes.ts';
import { entryOfGroup, modulesOfGroup } from './service-bundles.ts';
import type { Environment, ServiceUrls } from './service-environment.ts';
import type { GroupMessage } from './service-group-process.ts';
import type { ServiceProcess } from './service-process.ts';

/** A service of a group, or one of its instances. */
export interface GroupMember extends ServiceUrls {
  /** Distinguishes instances of one service: `gateway`, `gateway-2`. */
  readonly name: string;
  readonly folder: string;
  readonly environment: Environment;
}

export interface GroupPlan extends Omit<ChildPlan, 'name' | 'entry' | 'cwd' | 'environment'> {
  readonly projectRoot: string;
  /** Stopped in this order. */
  readonly members: readonly GroupMember[];
  /** Called when the process exits without a request to stop. */
  readonly onLost: (sentence: string) => void;
}

const name = 'process of all services';

/**
 * Starts all services of a house in one process, each with its own settings, ports and connections, and resolves when
 * all are ready. They load their shared modules once and compile them once, so they take less than half the CPU time of
 * separate processes. None can be killed or restarted alone: `stop` of one stops all.
 */
export async function startServiceGroup(plan: GroupPlan): Promise<ServiceProcess[]> {
  const { projectRoot, members } = plan;
  const childPlan: ChildPlan = {
    ...plan,
    name,
    entry: entryOfGroup(projectRoot),
    cwd: projectRoot,
    // Each service reads only the settings in its message.
    environment: { ...definedOf(process.env), NODE_OPTIONS: '' },
  };
  const child = launch(childPlan, 'w');
  const message: GroupMessage = members.map(({ name, folder, environment }) => ({
    ...{ name, environment },
    ...modulesOfGroup(projectRoot, folder),
  }));
  child.send(message, () => undefined);
  let isWanted = true;

  async function stop(): Promise<void> {
    isWanted = false;
    if (!child.pid || hasEnded(child)) return;
    const gone = once(child, 'exit');
    await stopProcess(child.pid, gracefulStop);
    await within(`The ${name} exits`, gone, 60_000);
  }

  const urls = members.map(({ internalUrl }) => internalUrl);
  await untilReady(child, childPlan, urls).catch(async error => {
    await stop();
    throw error;
  });
  child.once('exit', (code, signal) => {
    if (isWanted) plan.onLost(`The ${name} exited (${signal ?? `exit code ${code}`}).`);
  });
  return members.map(member => {
    const refuse = async () => {
      throw new Error(
        `The ${member.name} shares a process. To kill or restart it, open the house with \`killable: ['${member.folder}']\`.`,
      );
    };
    return {
      ...{ name: member.name, url: member.url, internalUrl: member.internalUrl, logFile: plan.logFile },
      get pid() {
        return hasEnded(child) ? undefined : child.pid;
      },
      ...{ kill: refuse, restart: refuse, stop },
    };
  });
}

function definedOf(environment: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
