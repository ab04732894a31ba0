const filesMax = 20;
const files = new Map<string, File>();

/**
 * Keeps the file of an uploaded list, so that it can be read in another way without being chosen again. A `File` is a
 * reference to the file, not its content.
 */
export function keepFile(jobId: string, file: File): void {
  files.set(jobId, file);
  const [oldest] = files.keys();
  if (files.size > filesMax && oldest !== undefined) files.delete(oldest);
}

/** The file of a list, if it was uploaded since the page was loaded. */
export function keptFile(jobId: string): File | undefined {
  return files.get(jobId);
}
