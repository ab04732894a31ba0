/** What the commands say to scripts; documented in docs/command-line.md and under `--help`. */
export const exitCodes = {
  good: 0,
  /** An address that is not usable, or a check that failed. */
  bad: 1,
  usage: 2,
  interrupted: 130,
} as const;
