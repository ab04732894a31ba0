/** Prints what is being done, each line with the seconds since the command began. */
export function createProgress(write: (text: string) => void = text => void process.stdout.write(text)) {
  // The bootstrap script has been at work before this process: its beginning is when the user pressed Enter.
  const beganAt = Number(process.env['MAILPROOF_BEGAN_AT']) || Date.now();
  return function report(sentence: string): void {
    const seconds = ((Date.now() - beganAt) / 1000).toFixed(1);
    write(`[${seconds.padStart(6)} s] ${sentence}\n`);
  };
}
