import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mallocEnvironment } from '@mailproof/installation';
import { waitFor } from './deadline.ts';
import { lastLines } from './processes.ts';
import type { Entry } from './service-bundles.ts';
import type { Environment } from './service-environment.ts';

/** What a child process of a house needs, whether it runs one service or several. */
export interface ChildPlan {
  /** For messages, such as `gateway`. */
  readonly name: string;
  readonly entry: Entry;
  readonly cwd: string;
  readonly environment: Environment;
  readonly nodeOptions: readonly string[];
  readonly logFile: string;
  readonly onPid: (pid: number) => void;
  readonly onExit: (pid: number) => void;
}

const startDeadlineMs = 120_000;
const probeTimeoutMs = 2_000;

/** Starts the process, which appends to its log or writes a new one. */
export function launch(plan: ChildPlan, logMode: 'a' | 'w'): ChildProcess {
  // The process writes its own log file, not a pipe to this process: logging must continue if the parent is killed.
  const log = openSync(plan.logFile, logMode);
  const child = fork(plan.entry.file, {
    cwd: plan.cwd,
    // Detached from the terminal's Ctrl-C: this process decides the order of stopping.
    detached: true,
    env: { ...mallocEnvironment, ...plan.environment, ...plan.entry.environment },
    execArgv: [...plan.nodeOptions],
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
 * Resolves when the process has said that its ports are open and `/readyz` at each URL answers 200. The answer alone
 * could come from another program that took the port. Rejects with the end of the log if the process ends, or at the
 * deadline; the process may then still run.
 */
export async function untilReady(
  child: ChildProcess,
  { name, logFile }: ChildPlan,
  urls: readonly string[],
): Promise<void> {
  let isListening = false;
  child.on('message', (message: { readonly type?: string } | null) => {
    if (message?.type === 'listening') isListening = true;
  });
  const unready = new Set(urls);
  await waitFor(
    `The ${name} is ready`,
    async () => {
      if (hasEnded(child)) {
        const end = lastLines(logFile) || '(nothing)';
        throw new Error(`The ${name} ended while it was starting. The end of ${logFile}:\n${end}`);
      }
      if (!isListening) return false;
      for (const url of unready) if (await answersReady(url)) unready.delete(url);
      return unready.size === 0;
    },
    { deadlineMs: startDeadlineMs },
  ).catch(error => {
    const message = hasEnded(child) ? String(error.message) : `${error.message}\n${lastLines(logFile)}`;
    throw new Error(message, { cause: error });
  });
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

export function hasEnded(child: ChildProcess): boolean {
  return !child.pid || child.exitCode !== null || child.signalCode !== null;
}
