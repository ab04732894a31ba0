import type { ImportPorts } from './import-ports.ts';
import { cancelImport } from './steer-import.ts';

/**
 * Deletes the imports whose time is over; answers how many. What has something under way is cancelled, and deleted in a
 * later round, when that has been stopped.
 */
export async function deleteOutdatedImports(
  ports: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
): Promise<number> {
  const now = ports.now();
  for (;;) {
    const some = await ports.imports.listOutdated(now);
    if (some.length === 0) {
      break;
    }
    for (const { accountId, importId } of some) {
      await cancelImport(ports, accountId, importId);
    }
  }
  for (let deleted = 0; ; ) {
    const some = await ports.imports.deleteOutdated(now);
    deleted += some;
    if (some === 0) {
      return deleted;
    }
  }
}
