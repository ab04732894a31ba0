import { type Guard, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type CrmConnectionId,
  type CrmObject,
  type ExportSource,
  forwarded,
  suggestCrmMapping,
} from '@mailproof/shared-types';
import type { MappingSuggestion } from '../domain/crm/push/suggest-mapping.ts';
import { orMappingProblem } from './mapping-problem.ts';

export function suggestCrmMappingRoute(
  guard: Guard<unknown>,
  suggest: (
    accountId: AccountId,
    question: {
      readonly connectionId: CrmConnectionId;
      readonly object: CrmObject;
      readonly source: ExportSource;
    },
  ) => Promise<MappingSuggestion & { readonly rows: number }>,
): Route {
  return route(forwarded(suggestCrmMapping), guard, async ({ params: { accountId }, body }) => {
    const { connection_id: connectionId, object, source } = body;
    const asked = suggest(accountId, { connectionId, object, source });
    const { rows, fields, unmatched, missing } = await orMappingProblem(asked, '');
    return {
      rows,
      fields: fields.map(({ samples, ...field }) => ({ ...field, samples: [...samples] })),
      unmatched_columns: unmatched.map(({ column, samples }) => ({ column, samples: [...samples] })),
      missing_properties: [...missing],
    };
  });
}
