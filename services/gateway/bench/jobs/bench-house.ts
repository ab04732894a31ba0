import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCacheDirectory, type House, labEnvironment, startHouse } from '@mailproof/dev-house';
import { type Catalog, startMailLab } from '@mailproof/mail-lab';
import { type TestHouse, testHouseOn } from '../../test/house.ts';

/** All services and a lab, with durable databases. */
export interface BenchHouse {
  readonly house: House;
  readonly test: TestHouse;
  stop(): Promise<void>;
}

/** The default number of job addresses that one process validates at once: chunks times addresses per chunk. */
export const askedAtOnce = 8 * 50;

export async function openBenchHouse(
  catalog: Catalog,
  nodeOptions: string,
  signal: AbortSignal,
): Promise<BenchHouse> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  const lab = await startMailLab({ catalog });
  const clear = async () => {
    await lab.close();
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    const caFile = join(stateDir, 'lab.pem');
    await writeFile(caFile, lab.caCertificatePem);
    const env = {
      // Logs as in production, and no compiler in the services' memory.
      LOG_LEVEL: 'info',
      NODE_COMPILE_CACHE: compileCacheDirectory,
      NODE_OPTIONS: nodeOptions,
    };
    const house = await startHouse({
      stateDir,
      lab: false,
      quiet: true,
      isDurable: true,
      signal,
      env: {
        gateway: { ...env, SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
        'credit-ledger': env,
        'mcp-server': env,
        enrichment: env,
        'webhook-dispatcher': { ...env, OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
        'validation-engine': {
          ...env,
          ...labEnvironment(lab, caFile),
          VALIDATION_STANDING_CHECK_HOURS: '0',
          VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
          VALIDATION_IN_FLIGHT_MAX: String(askedAtOnce),
        },
      },
    });
    const test = testHouseOn(house);
    return {
      house,
      test,
      async stop() {
        await test.stop();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}
