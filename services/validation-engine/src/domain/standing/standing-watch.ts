import type { Finding } from './examination/finding.ts';

export interface SeenFinding extends Finding {
  readonly seenAtMs: number;
}

export interface StandingWatchPorts {
  /** Looks at our standing with the world and judges it; has an end of its own. */
  readonly examine: (signal: AbortSignal) => Promise<readonly Finding[]>;
  readonly intervalMs: number;
  readonly nowMs: () => number;
  /** Told of all findings when one of them has become another. */
  readonly onChanged: (findings: readonly Finding[]) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Looks at our standing again and again behind the service, and remembers what was seen last. */
export interface StandingWatch {
  /** None until the first look is over. */
  findings(): readonly SeenFinding[];
  start(): void;
  /** Breaks off a look that is under way. */
  stop(): Promise<void>;
}

export function createStandingWatch(ports: StandingWatchPorts): StandingWatch {
  const stopping = new AbortController();
  let seen: readonly SeenFinding[] = [];
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const findings = await ports.examine(stopping.signal);
      if (stopping.signal.aborted) {
        return;
      }
      const hasChanged = summaryOf(findings) !== summaryOf(seen);
      seen = findings.map(finding => ({ ...finding, seenAtMs: ports.nowMs() }));
      if (hasChanged) {
        ports.onChanged(findings);
      }
    } catch (error) {
      // What was seen before stays, with its time.
      ports.onFailed(error);
    }
  }

  function lookAndWait(): void {
    looking = look().then(() => {
      if (!stopping.signal.aborted) {
        timer = setTimeout(lookAndWait, ports.intervalMs);
        timer.unref();
      }
    });
  }

  return {
    findings: () => seen,
    start: lookAndWait,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Sentences hold times that differ from look to look, so that only the statuses count. */
function summaryOf(findings: readonly Finding[]): string {
  return findings.map(({ check, status }) => `${check} ${status}`).join('\n');
}
