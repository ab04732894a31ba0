import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AccountId, CrmConnectionId, CrmObject, ExportId, ExportSource } from '@mailproof/shared-types';
import { MappingFault } from '../domain/crm/push/mapping-faults.ts';
import { NoSuchConnection } from '../domain/crm/push/prepare-push.ts';
import type { MappingSuggestion } from '../domain/crm/push/suggest-mapping.ts';
import type { UndoStarted } from '../domain/crm/push/undo-push.ts';
import { orCrmProblem } from './crm-problem.ts';
import { exportAnswer } from './export-answer.ts';

export type SuggestMapping = (
  accountId: AccountId,
  question: {
    readonly connectionId: CrmConnectionId;
    readonly object: CrmObject;
    readonly source: ExportSource;
  },
) => Promise<MappingSuggestion & { readonly rows: number }>;

/** Exports to CRMs: mapping suggestions, and the undo of created records. */
export function crmPushHandlers(
  suggest: SuggestMapping,
  undo: (accountId: AccountId, exportId: ExportId) => Promise<UndoStarted>,
) {
  return {
    async suggestCrmMapping({ params: { accountId }, body }) {
      const { connection_id: connectionId, object, source } = body;
      const asked = suggest(accountId, { connectionId, object, source });
      const { rows, fields, unmatched, missing } = await orMappingProblem(asked, '');
      return {
        rows,
        fields: fields.map(({ samples, ...field }) => ({ ...field, samples: [...samples] })),
        unmatched_columns: unmatched.map(({ column, samples }) => ({ column, samples: [...samples] })),
        missing_properties: [...missing],
      };
    },

    async undoExport({ params: { accountId, export_id: exportId } }) {
      const started = await undo(accountId, exportId);
      if (started.kind !== 'done') {
        throw new Problem(problems[started.kind]);
      }
      return exportAnswer(started.record);
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

const problems = { not_found: 'export_not_found', not_possible: 'export_cannot_be_undone' } as const;

/** Returns the result, or throws the problem that explains the fault. `root` is the path of the options in the body. */
export async function orMappingProblem<Result>(asked: Promise<Result>, root: string): Promise<Result> {
  try {
    return await orCrmProblem(asked);
  } catch (error) {
    if (error instanceof NoSuchConnection) {
      throw new Problem('crm_connection_not_found', { cause: error });
    }
    if (error instanceof MappingFault) {
      const errors = error.issues.map(({ path, message }) => ({
        pointer: `${root}/${path}`,
        detail: message,
      }));
      const [first] = errors;
      throw new Problem('crm_mapping_not_valid', {
        cause: error,
        ...(first && { detail: first.detail }),
        extra: { errors },
      });
    }
    throw error;
  }
}
