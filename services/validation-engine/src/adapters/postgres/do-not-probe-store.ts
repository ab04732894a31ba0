import type {
  DoNotProbeOrigin,
  DoNotProbeScope,
  DoNotProbeStore,
} from '../../domain/standing/do-not-probe.ts';
import type { PrismaClient } from './generated/client.ts';

/** The do-not-probe list in Postgres. */
export function createDoNotProbeStore(prisma: PrismaClient): DoNotProbeStore {
  return {
    async add({ scope, name }, origin, note) {
      const added = await prisma.doNotProbe.createMany({
        data: [{ scope, name, origin, note: note ?? null }],
        skipDuplicates: true,
      });
      return added.count === 1;
    },

    async remove({ scope, name }) {
      const removed = await prisma.doNotProbe.deleteMany({ where: { scope, name } });
      return removed.count === 1;
    },

    async list() {
      const rows = await prisma.doNotProbe.findMany({ orderBy: [{ name: 'asc' }, { scope: 'asc' }] });
      // The table's constraints allow no other values.
      return rows.map(({ scope, name, origin, note, createdAt }) => ({
        scope: scope as DoNotProbeScope,
        name,
        origin: origin as DoNotProbeOrigin,
        note: note ?? undefined,
        createdAt,
      }));
    },
  };
}
