import { spawn } from 'node:child_process';
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { healthChecks } from '@mailproof/dev-house/images';
import { run, succeeds } from '../smoke/shell.ts';
import { machineNetworkFd } from '../trial/namespaces.ts';
import { output } from '../trial/output.ts';
import { containersHome, type Programs, podmanSettings } from './programs.ts';

/** Podman as a service that Docker Compose uses, in this process's namespaces. It ends with them. */
export interface Engine {
  /** The environment of `docker`, `podman` and Compose. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs podman and returns its output. */
  podman(...args: readonly string[]): Promise<string>;
}

const socket = '/run/podman.sock';
const readyDeadlineMs = 60_000;
const checkIntervalMs = 1_000;

/**
 * Connects this process's network to the machine's, for npm's registry. Nothing on the machine changes: a program
 * forwards packets as any client would.
 */
export async function openNetwork(folder: string): Promise<void> {
  run('ip', 'link', 'set', 'lo', 'up');
  const log = openSync(join(folder, 'log/network.log'), 'a');
  const options = ['--configure', '--mtu=65520', '--disable-host-loopback'];
  const program = ['slirp4netns', ...options, String(process.pid), 'tap0'];
  spawn('nsenter', [`--net=/proc/self/fd/${machineNetworkFd}`, ...program], {
    stdio: ['ignore', log, log, machineNetworkFd],
  });
  await waitFor('the network is open', () => run('ip', 'route').includes('default'), {
    deadlineMs: readyDeadlineMs,
  });
}

/** Starts podman and resolves when it answers. */
export async function startEngine(programs: Programs, folder: string): Promise<Engine> {
  // The machine's control groups are hidden: a container stays in those of this process.
  run('umount', '-R', '/sys/fs/cgroup');
  run('mount', '-t', 'cgroup2', 'none', '/sys/fs/cgroup');
  const bin = join(folder, 'bin');
  const environment = {
    ...podmanSettings(folder, programs),
    PATH: `${bin}:${process.env['PATH']}`,
    TMPDIR: join(folder, 'tmp'),
    DOCKER_HOST: `unix://${socket}`,
    // Podman has no BuildKit.
    DOCKER_BUILDKIT: '0',
  };
  mkdirSync(environment.TMPDIR);
  // As Debian's podman-docker does, with Compose as Docker's plugin.
  const docker = `#!/bin/sh\n[ "$1" = compose ] || exec podman "$@"\nshift\nexec ${programs.compose} "$@"\n`;
  writeFileSync(join(bin, 'docker'), docker, { mode: 0o755 });
  const podman = (...args: readonly string[]): Promise<string> => output(['podman', ...args], environment);
  // A run that was killed leaves containers that this run does not know, and their layers.
  rmSync(join(containersHome, 'storage/libpod'), { recursive: true, force: true });
  const left = (await podman('ps', '--all', '--external', '--quiet')).split('\n').filter(Boolean);
  if (left.length > 0) await podman('rm', '--force', ...left);
  const log = openSync(join(folder, 'log/podman.log'), 'a');
  spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, log],
  });
  await waitFor(
    'podman answers',
    () => succeeds('podman', '--remote', '--url', `unix://${socket}`, 'version'),
    {
      deadlineMs: readyDeadlineMs,
    },
  );
  checkHealth(podman);
  return { environment, podman };
}

/** Runs the health checks of all containers, each at its interval, as systemd does on a machine with podman. */
function checkHealth(podman: Engine['podman']): void {
  const lastRun = new Map<string, number>();
  const check = async (): Promise<void> => {
    const ids = (await podman('ps', '--quiet', '--no-trunc')).split('\n').filter(Boolean);
    if (ids.length === 0) return;
    const checks = healthChecks(await podman('container', 'inspect', ...ids));
    const now = Date.now();
    const due = checks.filter(({ id, intervalMs }) => now - (lastRun.get(id) ?? 0) >= intervalMs);
    for (const { id } of due) lastRun.set(id, now);
    // An unhealthy container is a failed command.
    await Promise.allSettled(due.map(({ id }) => podman('healthcheck', 'run', id)));
  };
  void (async () => {
    for (;;) {
      // A container may end while it is inspected.
      await check().catch(() => {});
      await wait(checkIntervalMs, undefined, { ref: false });
    }
  })();
}
