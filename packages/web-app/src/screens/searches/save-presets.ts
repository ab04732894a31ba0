import { formatNumber } from '../../design/format.ts';

/** How many people a user usually saves at once. */
const usualCounts = [10, 50, 100, 500, 1_000, 5_000, 10_000] as const;
const shownMax = 4;

interface Preset {
  readonly value: number;
  readonly label: string;
}

/**
 * The counts that are offered: the largest usual ones of which there are more, as many as the credits pay for, and all.
 */
export function presetsFor(deliverable: number, affordable: number): readonly Preset[] {
  const usual = usualCounts.filter(each => each < deliverable).slice(-shownMax);
  const choices: Preset[] = usual.map(value => ({ value, label: formatNumber(value) }));
  if (affordable > 0 && affordable < deliverable && !usual.some(each => each === affordable)) {
    choices.push({ value: affordable, label: `Maximum for your credits: ${formatNumber(affordable)}` });
  }
  return [...choices, { value: deliverable, label: `All ${formatNumber(deliverable)}` }];
}
