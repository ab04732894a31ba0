import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type ExportSource, forwarded, surveyExport } from '@mailproof/shared-types';
import type { ExportSurvey } from '../domain/exports/survey-export.ts';

export function surveyExportRoute(
  guard: Guard<unknown>,
  survey: (accountId: AccountId, source: ExportSource) => Promise<ExportSurvey>,
): Route {
  return route(forwarded(surveyExport), guard, ({ params: { accountId }, body: { source } }) =>
    survey(accountId, source),
  );
}
