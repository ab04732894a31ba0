import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { testServiceKeys } from '@mailproof/dev-house';
import {
  createOperationClient,
  createTokenSigner,
  type OperationClient,
  type PrivateServiceKey,
} from '@mailproof/service-kit';

export interface LedgerProcess {
  readonly client: OperationClient;
  stop(): Promise<void>;
}

const startDeadlineMs = 30_000;

/** Starts the service as a separate process, with a client that calls it as the gateway does. */
export async function startLedgerProcess(
  databaseUrl: string,
  connectionsMax: number,
): Promise<LedgerProcess> {
  const keys = await testServiceKeys();
  const child = spawn(process.execPath, [new URL('../src/main.ts', import.meta.url).pathname], {
    env: {
      DATABASE_URL: databaseUrl,
      DATABASE_CONNECTIONS_MAX: `${connectionsMax}`,
      PORT: '0',
      NODE_ENV: 'production',
      ...keys.settingsOf('credit-ledger'),
    },
    // The service stops when this channel closes, no matter how the benchmark ends.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await portOf(child).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const sign = await createTokenSigner(keys.signingKeys.gateway as PrivateServiceKey);
  const client = createOperationClient({
    baseUrl: `http://127.0.0.1:${port}`,
    audience: 'credit-ledger',
    sign,
  });
  return {
    client,
    async stop() {
      await client.close();
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Reads the port from the service's log; later lines are read and dropped, so that the service never blocks. */
async function portOf(child: ChildProcess): Promise<number> {
  if (!child.stdout) {
    throw new Error('The log of the service cannot be read.');
  }
  const lines = createInterface(child.stdout);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The service did not start in time.')), startDeadlineMs);
    child.once('exit', () => reject(new Error('The service ended early.')));
    lines.on('line', line => {
      const { message, port } = JSON.parse(line) as { message?: string; port?: number };
      if (message === 'listening' && port !== undefined) {
        clearTimeout(timer);
        resolve(port);
      }
    });
  });
}
