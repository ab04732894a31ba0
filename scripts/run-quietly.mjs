import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';

const progressEveryMs = 15_000;
const outputCharsMax = 20_000;
const killAfterMs = 5_000;

/**
 * Runs a command and prints only that it runs; its output is shown if it fails. With a higher `niceness`, it leaves the
 * processors to others.
 */
export async function runQuietly(what, program, args, { cwd, env, timeoutMs, niceness = 0 }) {
  const startedAt = Date.now();
  console.log(`${what} …`);
  // The command gets its own process group, so that its child processes are stopped with it.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output = (output + chunk).slice(-outputCharsMax);
    });
  }
  const progress = setInterval(() => console.log(`${what} … ${seconds(startedAt)}`), progressEveryMs);
  const timeout = setTimeout(() => stopGroup(child), timeoutMs);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const stop = () => stopGroup(child);
  for (const signal of signals) process.on(signal, stop);
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${what} failed.\n${output.trim()}`);
    console.log(`${what}: done in ${seconds(startedAt)}.`);
  } finally {
    clearInterval(progress);
    clearTimeout(timeout);
    for (const signal of signals) process.off(signal, stop);
  }
}

function stopGroup(child) {
  for (const [signal, delayMs] of [
    ['SIGTERM', 0],
    ['SIGKILL', killAfterMs],
  ]) {
    setTimeout(() => sendToGroup(child, signal), delayMs).unref();
  }
}

function sendToGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has already ended.
  }
}

function seconds(startedAt) {
  return `${Math.round((Date.now() - startedAt) / 1000)} s`;
}
