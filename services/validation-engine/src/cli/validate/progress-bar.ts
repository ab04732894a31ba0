import type { Screen } from '../terminal.ts';

/** The last line of the terminal during the work. */
export interface ProgressBar {
  /** Makes room for a line of output. */
  clear(): void;
  draw(): void;
  stop(): void;
}

export interface Progress {
  readonly done: number;
  /** Undefined until the rows are counted. */
  readonly total: number | undefined;
  readonly elapsedMs: number;
}

const redrawMs = 200;
const barWidth = 24;
const columnsDefault = 80;
/** Returns to the start of the line and erases all of it (ECMA-48). */
const eraseLine = '\r\u001b[2K';

/** Draws only on terminals: a log of carriage returns is unreadable. */
export function createProgressBar(screen: Screen, progress: () => Progress): ProgressBar {
  if (screen.isTTY !== true) {
    return { clear: () => undefined, draw: () => undefined, stop: () => undefined };
  }
  const clear = () => screen.write(eraseLine);
  const draw = () => {
    // One column less than available, since some terminals wrap when the last one is filled.
    screen.write(eraseLine + progressText(progress()).slice(0, (screen.columns || columnsDefault) - 1));
  };
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  return {
    clear,
    draw,
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Count, rate and time left; without a total, there is no bar and no time left. */
export function progressText({ done, total, elapsedMs }: Progress): string {
  const perSecond = elapsedMs > 0 ? (done * 1_000) / elapsedMs : 0;
  const rate = `${perSecond.toFixed(1)}/s`;
  if (total === undefined || total < done) {
    return `${done.toLocaleString('en')} done  ${rate}`;
  }
  const filled = total === 0 ? barWidth : Math.floor((barWidth * done) / total);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
  const left = perSecond > 0 ? `  ${durationText((total - done) / perSecond)} left` : '';
  return `${bar} ${done.toLocaleString('en')}/${total.toLocaleString('en')}  ${rate}${left}`;
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
