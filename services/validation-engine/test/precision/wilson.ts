/** The lower end of Wilson's score interval for a share (Wilson 1927), with 95 % confidence. */
export function wilsonLowerBound(successes: number, trials: number): number {
  if (trials === 0) {
    return 0;
  }
  const z = 1.959964;
  const share = successes / trials;
  const center = share + z ** 2 / (2 * trials);
  const spread = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  return (center - spread) / (1 + z ** 2 / trials);
}
