/**
 * What the test files of a worker share, such as a house. It is kept while files use it: an idle house takes 5 % of a
 * processor, and most files do not use one.
 */
export interface KeptThings {
  /**
   * Keeps a thing for later files. Call `use` in each file that uses it.
   *
   * @param stop - ends the thing; called between two files
   */
  keep(stop: () => Promise<void>): { use(): void };
  /** Ends a file, and stops what it and the files before it did not use. */
  endFile(): Promise<void>;
}

/** @param unusedFilesMax how many files in a row may leave a thing unused before it is stopped */
export function createKeptThings(unusedFilesMax: number): KeptThings {
  const kept = new Set<{ readonly stop: () => Promise<void>; lastUsedIn: number }>();
  let fileNumber = 0;
  return {
    keep(stop) {
      const thing = { stop, lastUsedIn: fileNumber };
      kept.add(thing);
      return {
        use() {
          thing.lastUsedIn = fileNumber;
        },
      };
    },
    async endFile() {
      for (const thing of kept) {
        if (fileNumber - thing.lastUsedIn < unusedFilesMax) continue;
        kept.delete(thing);
        await thing.stop();
      }
      fileNumber += 1;
    },
  };
}

/** What this worker keeps. */
export const keptBetweenFiles = createKeptThings(2);
