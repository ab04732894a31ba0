import { closeSync, openSync, readSync } from 'node:fs';

const everyMs = 500;
const chunkBytesMax = 65_536;

/** Calls `onError` for every error added to a log file; returns a function that stops it. */
export function followErrors(file: string, onError: (line: string) => void): () => void {
  let position = 0;
  let unfinished = '';
  const timer = setInterval(read, everyMs);
  timer.unref();
  return () => {
    read();
    clearInterval(timer);
  };

  function read(): void {
    const chunk = Buffer.alloc(chunkBytesMax);
    const descriptor = openSync(file, 'r');
    try {
      for (let size = readSync(descriptor, chunk, 0, chunk.length, position); size > 0; ) {
        position += size;
        const lines = (unfinished + chunk.toString('utf8', 0, size)).split('\n');
        unfinished = lines.pop() ?? '';
        for (const line of lines) {
          const error = errorIn(line);
          if (error) onError(error);
        }
        size = readSync(descriptor, chunk, 0, chunk.length, position);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/**
 * Returns the message of a log line that reports an error. A line that is not JSON comes from Node itself, for example
 * in a crash.
 */
export function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() ? line : undefined;
  try {
    const entry = JSON.parse(line) as { level?: string; message?: string; err?: { message?: string } };
    if (entry.level !== 'error' && entry.level !== 'fatal') return undefined;
    return [entry.message, entry.err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return line;
  }
}
