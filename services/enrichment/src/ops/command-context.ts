import type { Operator } from '../compose/operator.ts';

/** The environment of a command. */
export interface CommandContext {
  withOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result>;
  /** The working directory of the command; file paths are relative to it. */
  readonly directory: string;
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Sets the exit code of a command that did not fail, but did not finish everything. */
  setExitCode(code: number): void;
}

/** Reports the progress of a command. */
interface Progress {
  tell(done: number, fraction: number): void;
  end(): void;
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const redrawEveryMs = 200;
const lineEveryMs = 10_000;
const barCharacters = 24;

/** Shows a redrawn progress bar on a terminal, and an occasional line elsewhere. */
export function createProgress(terminal: Terminal, nowMs: () => number): Progress {
  const startedMs = nowMs();
  let first: { done: number; fraction: number } | undefined;
  let toldMs = startedMs;
  let isDrawn = false;
  return {
    tell(done, fraction) {
      // Work done by an earlier run does not count for the rate.
      first ??= { done, fraction };
      const atMs = nowMs();
      if (atMs - toldMs < (terminal.isTTY ? redrawEveryMs : lineEveryMs)) {
        return;
      }
      toldMs = atMs;
      const seconds = (atMs - startedMs) / 1_000;
      const rate = (done - first.done) / seconds;
      const speed = (fraction - first.fraction) / seconds;
      const left = speed > 0 ? `, ${inWords((1 - fraction) / speed)} left` : '';
      const line = `${percent(fraction)} ${number(done)} rows, ${number(rate)} per second${left}`;
      if (terminal.isTTY) {
        terminal.write(`\r${bar(fraction)} ${line}\x1b[K`);
        isDrawn = true;
      } else {
        terminal.write(`${line}\n`);
      }
    },
    end() {
      if (isDrawn) {
        terminal.write('\r\x1b[K');
      }
    },
  };
}

function bar(fraction: number): string {
  const full = Math.round(Math.min(fraction, 1) * barCharacters);
  return `[${'#'.repeat(full)}${'.'.repeat(barCharacters - full)}]`;
}

function percent(fraction: number): string {
  return `${Math.floor(Math.min(fraction, 1) * 100)} %`.padStart(5);
}

export function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function inWords(seconds: number): string {
  if (seconds < 90) {
    return `${Math.ceil(seconds)} s`;
  }
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
