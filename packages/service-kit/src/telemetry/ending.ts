/** Longest time that the last export may delay the end of the process, in milliseconds. */
const endingMsMax = 3_000;

let flush: () => Promise<void> = async () => undefined;

/** Registers the function that exports the remaining data. */
export function whenTelemetryEnds(end: () => Promise<void>): void {
  flush = end;
}

/** Exports the last spans and metrics before the process ends. Never rejects. */
export async function endTelemetry(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, endingMsMax);
  });
  await Promise.race([flush().catch(() => undefined), late]);
  clearTimeout(timer);
}
