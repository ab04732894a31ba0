/** Time for what is still to be told when the process ends, in milliseconds; a collector that is away holds nobody up. */
const endingMsMax = 3_000;

let flush: () => Promise<void> = async () => undefined;

/** Says how what is still to be told is told. */
export function whenTelemetryEnds(end: () => Promise<void>): void {
  flush = end;
}

/** Tells the last spans and metrics, ahead of the process's end. Never rejects. */
export async function endTelemetry(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, endingMsMax);
  });
  await Promise.race([flush().catch(() => undefined), late]);
  clearTimeout(timer);
}
