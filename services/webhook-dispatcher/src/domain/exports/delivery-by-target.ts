import type { ExportTarget } from '@mailproof/shared-types';
import type { Export } from './export.ts';
import type { RowDelivery } from './row-delivery.ts';

/** Chooses by its target what takes the rows of an export where they go; files need none. */
export function deliveryByTarget(
  deliveries: Readonly<Record<Exclude<ExportTarget, 'csv'>, RowDelivery>>,
): RowDelivery {
  const deliveryOf = ({ exportId, target }: Export): RowDelivery => {
    if (target === 'csv') {
      throw new Error(`The rows of export ${exportId} go nowhere: they are a file.`);
    }
    return deliveries[target];
  };
  return {
    rowsAtOnce: record => deliveryOf(record).rowsAtOnce(record),
    deliverRows: (record, ...rest) => deliveryOf(record).deliverRows(record, ...rest),
    async forget(exportId) {
      await Promise.all(Object.values(deliveries).map(delivery => delivery.forget(exportId)));
    },
  };
}
