import type { Generator, LoadKind } from './start-generator.ts';

/** A tried rate. */
export interface Step {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly isKept: boolean;
}

const firstPerSecond = 25;
const perSecondMax = 20_000;
const warmUpSeconds = 5;
const halvings = 3;
/** How many steps a peak must be sustained. A single step can benefit from resources that were idle before it. */
const heldForSteps = 4;
const [lowerBy, loweringsMax] = [0.9, 4];
/**
 * A rate is sustained if every request gets a response and at most one in a hundred takes longer, so that no queue
 * grows.
 */
const p99MsMax = 500;

/**
 * Finds the highest sustained rate of the first of the given kinds: by doubling, then by bisection, then by lowering it
 * until it is sustained for longer.
 *
 * @param kindsAt the measured kind at a rate, followed by the kinds sent along with it
 * @param stepSeconds how long each rate is tried
 */
export async function findPeak(
  generator: Generator,
  kindsAt: (perSecond: number) => readonly LoadKind[],
  stepSeconds: number,
  signal: AbortSignal,
): Promise<{ readonly perSecond: number; readonly steps: readonly Step[] }> {
  const steps: Step[] = [];
  async function isKept(perSecond: number, seconds = stepSeconds): Promise<boolean> {
    const [result] = await generator.load(kindsAt(perSecond), seconds, signal);
    if (!result) throw new Error('The generator said nothing.');
    const kept = result.answered === result.due && result.p99Ms <= p99MsMax;
    steps.push({ perSecond, p99Ms: result.p99Ms, isKept: kept });
    return kept;
  }
  await isKept(firstPerSecond, warmUpSeconds);
  let kept = 0;
  let missed = firstPerSecond;
  while (missed < perSecondMax && (await isKept(missed))) {
    kept = missed;
    missed *= 2;
  }
  for (let turn = 0; turn < halvings && kept > 0; turn += 1) {
    const middle = Math.round((kept + missed) / 2);
    if (await isKept(middle)) kept = middle;
    else missed = middle;
  }
  if (kept === 0) throw new Error(`Not even ${firstPerSecond} requests a second are answered in time.`);
  for (let lowerings = 0; lowerings <= loweringsMax; lowerings += 1) {
    const perSecond = Math.round(kept * lowerBy ** lowerings);
    if (await isKept(perSecond, stepSeconds * heldForSteps)) return { perSecond, steps };
  }
  throw new Error(
    `${kept} requests a second were answered in time for a moment, and much fewer were not for longer.`,
  );
}
