/** The longest wait ahead of the second attempt, in milliseconds; the one ahead of the third is four times as long. */
const firstMs = 2_000;
const factor = 4;

/** How long a row waits for its next attempt, after so many: exponential, and between half and whole at random. */
export function retryDelayMs(attempts: number, random: () => number): number {
  return Math.round(firstMs * factor ** (attempts - 1) * (0.5 + random() / 2));
}
