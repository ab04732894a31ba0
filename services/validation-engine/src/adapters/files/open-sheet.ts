import { createOpenSheet as createOpen, WorkbookFault } from '@mailproof/service-kit/workbook';
import { IntakeFault } from '../../domain/intake/intake-fault.ts';
import type { OpenSheet } from '../../domain/intake/open-workbook.ts';
import type { TableRow } from '../../domain/intake/receive-list.ts';

/** Opens sheets of workbooks; what the reader refuses is a fault of the list. */
export function createOpenSheet(ports: Parameters<typeof createOpen>[0]): OpenSheet {
  const open = createOpen(ports);
  return async (octets, wanted, arrived) => {
    try {
      const opened = await open(octets, wanted, arrived);
      return { ...opened, rows: asIntake(opened.rows) };
    } catch (error) {
      throw intakeFaultOf(error);
    }
  };
}

async function* asIntake(rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  try {
    yield* rows;
  } catch (error) {
    throw intakeFaultOf(error);
  }
}

function intakeFaultOf(error: unknown): unknown {
  return error instanceof WorkbookFault
    ? new IntakeFault(error.code, error.message, { cause: error })
    : error;
}
