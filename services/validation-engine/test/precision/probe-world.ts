import { type MailLab, startMailLab } from '@mailproof/mail-lab';
import { newId, type Verdict } from '@mailproof/shared-types';
import { accountId, labSettings, startEngine, type TestEngine } from '../engine-in-lab.ts';
import type { World, WorldAddress } from './world.ts';

export interface ProbedAddress extends WorldAddress {
  readonly verdict: Verdict;
}

/** Concurrent validations. */
const atOnce = 24;
const reportedAtOnce = 1_000;
const others = [newId('account'), newId('account')] as const;

/**
 * Publishes a world in a mail lab, sends an engine the reports of accounts about it, and asks the engine about every
 * address like the gateway.
 */
export async function probeWorld<Result>(
  world: World,
  settings: Record<string, string>,
  use: (probed: readonly ProbedAddress[], engine: TestEngine) => Promise<Result>,
): Promise<Result> {
  const lab = await startMailLab({ catalog: world.catalog });
  const engine = await startEngine({ ...labSettings(lab), ...settings });
  try {
    await reportAll(world, engine);
    const probed = await probeAll(world, engine);
    refuseUnscripted(lab);
    return await use(probed, engine);
  } finally {
    await engine.stop();
    await lab.close();
  }
}

async function reportAll({ addresses }: World, engine: TestEngine): Promise<void> {
  const by = (who: 'asker' | 'others') =>
    addresses.flatMap(({ reports }) => reports.filter(each => each.by === who).map(({ report }) => report));
  for (const [reporter, reports] of [
    [accountId, by('asker')],
    [others[0], by('others')],
    [others[1], by('others')],
  ] as const) {
    await reportInBatches(engine, reports, reporter);
  }
}

export async function reportInBatches(
  engine: TestEngine,
  reports: readonly object[],
  reporter = accountId,
): Promise<void> {
  for (let start = 0; start < reports.length; start += reportedAtOnce) {
    await engine.report(reports.slice(start, start + reportedAtOnce), reporter);
  }
}

async function probeAll({ addresses }: World, engine: TestEngine): Promise<ProbedAddress[]> {
  // Asking domain after domain would only wait for each host's few slots; a stride spreads the questions over all
  // domains.
  const stride = 997;
  const order = addresses.map((_, index) => (index * stride) % addresses.length);
  const probed: ProbedAddress[] = [];
  async function work(): Promise<void> {
    for (let next = order.shift(); next !== undefined; next = order.shift()) {
      const address = addresses[next] as WorldAddress;
      probed.push({ ...address, verdict: await engine.validate(address.email) });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return probed;
}

/**
 * Fails on questions that the lab does not know: the world would be faulty, and the figures would mean something else.
 */
function refuseUnscripted(lab: MailLab): void {
  const { unscripted } = lab.counts();
  if (unscripted.length > 0) {
    throw new Error(`The lab was asked what it does not know: ${unscripted.slice(0, 3).join('; ')}`);
  }
}
