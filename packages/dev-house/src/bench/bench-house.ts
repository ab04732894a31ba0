import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, type HouseOptions, startHouse } from '../house.ts';

/** Runs a measurement on a Mailproof with a mail lab, then removes it and all its data. */
export async function withBenchHouse<Result>(
  options: Pick<HouseOptions, 'isDurable' | 'only' | 'env' | 'signal'>,
  work: (house: House) => Promise<Result>,
): Promise<Result> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  let house: House | undefined;
  try {
    house = await startHouse({ ...options, stateDir, lab: true, quiet: true });
    return await work(house);
  } finally {
    await house?.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}
