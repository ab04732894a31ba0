import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server without logic, as a baseline for comparison with a service. */
export interface BareProcess {
  readonly url: string;
  stop(): void;
}

/** Starts a file that calls `serveBare` in a child process. */
export async function startBareProcess(file: string, settings: object): Promise<BareProcess> {
  const child = fork(file, { execArgv: [] });
  try {
    child.send(settings);
    const [port] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended early.`))),
    ])) as [number];
    return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
  } catch (error) {
    child.kill();
    throw error;
  }
}

/** Serves on a free port of loopback, reports the port to the parent, and ends with it. */
export function serveBare<Settings>(
  open: (settings: Settings) => RequestListener | Promise<RequestListener>,
): void {
  process.once('message', async (settings: Settings) => {
    const server = createServer(await open(settings));
    server.keepAliveTimeout = 65_000;
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  });
  process.once('disconnect', () => process.exit());
}
