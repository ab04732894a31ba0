import type { Finding } from './examination/finding.ts';

export interface SeenFinding extends Finding {
  readonly seenAtMs: number;
}

export interface StandingWatchPorts {
  /** Examines our standing and judges it; has its own timeout. */
  readonly examine: (signal: AbortSignal) => Promise<readonly Finding[]>;
  readonly intervalMs: number;
  readonly nowMs: () => number;
  /** Called with all findings when the status of any of them has changed. */
  readonly onChanged: (findings: readonly Finding[]) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Examines our standing at regular intervals in the background, and remembers the last findings. */
export interface StandingWatch {
  /** Empty until the first examination has ended. */
  findings(): readonly SeenFinding[];
  start(): void;
  /** Aborts a running examination. */
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
      // The earlier findings stay, with their time.
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

/** Sentences contain times that differ between examinations, so only the statuses count. */
function summaryOf(findings: readonly Finding[]): string {
  return findings.map(({ check, status }) => `${check} ${status}`).join('\n');
}
