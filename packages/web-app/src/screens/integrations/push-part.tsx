import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { $api } from '../../api/client.ts';
import { type SavedList, savedListsQuery } from '../../api/shared-queries.ts';
import { Checkbox, Select } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { CrmPushForm } from './crm-push-form.tsx';
import { crmNames, pushSourceOf, useConnection } from './crms.ts';

const route = getRouteApi('/signed-in/integrations/crm/$connectionId/push');
const jobsMax = 100;

/** Pushes rows of the account to the CRM. A push is an export; the export's screen shows its progress. */
export function PushPart() {
  const { connection_id: connectionId, provider } = useConnection();
  const { rows } = route.useSearch();
  const navigate = useNavigate();
  const [onlyGood, setOnlyGood] = useState(true);
  const jobs = $api.useQuery('get', '/validation-jobs', {
    params: { query: { state: 'succeeded', limit: jobsMax } },
  });
  const lists = useQuery(savedListsQuery);
  const source = useMemo(() => pushSourceOf(rows, lists.data ?? [], onlyGood), [rows, lists.data, onlyGood]);
  const choose = (chosen: string) =>
    navigate({
      to: '/integrations/crm/$connectionId/push',
      params: { connectionId },
      search: { rows: chosen || undefined },
      replace: true,
    });
  return (
    <Card title={`Push rows to ${crmNames[provider]}`}>
      <Answered question={jobs} lines={1} loading="Loading validated lists">
        {validated => (
          <Answered question={lists} lines={1} loading="Loading saved lists">
            {saved => (
              <Select
                label="Rows"
                value={rows ?? ''}
                hint={
                  validated.next_cursor &&
                  `Validated lists: the latest ${jobsMax}. Push older lists from their own page.`
                }
                onChange={event => choose(event.target.value)}
              >
                <option value="">Choose a source</option>
                <optgroup label="Saved people">
                  <option value="saved_people">All saved people</option>
                  <ListOptions kind="people" lists={saved} />
                </optgroup>
                <optgroup label="Companies">
                  <option value="saved_companies">All saved companies</option>
                  <ListOptions kind="companies" lists={saved} />
                </optgroup>
                {validated.jobs.length > 0 && (
                  <optgroup label="Validated lists">
                    {validated.jobs.map(({ job_id: id, name, rows: { total } }) => (
                      <option key={id} value={id}>{`${name} (${countOf(total, 'row')})`}</option>
                    ))}
                  </optgroup>
                )}
              </Select>
            )}
          </Answered>
        )}
      </Answered>
      {source?.kind === 'validation_job' && (
        <Checkbox
          label="Only addresses that are safe to send to"
          hint="Rows with the result “OK” or “Catch-all, validated”."
          checked={onlyGood}
          onChange={event => setOnlyGood(event.target.checked)}
        />
      )}
      {source ? (
        <CrmPushForm
          key={JSON.stringify(source)}
          source={source}
          connectionId={connectionId}
          onStarted={exportId =>
            void navigate({
              to: '/exports/$exportId',
              params: { exportId },
              search: { rows: undefined, action: undefined },
            })
          }
        />
      ) : (
        <Empty title="Choose a source">
          You then map fields to properties and preview the changes before anything is written.
        </Empty>
      )}
    </Card>
  );
}

function ListOptions({
  kind,
  lists,
}: {
  readonly kind: SavedList['kind'];
  readonly lists: readonly SavedList[];
}) {
  return lists
    .filter(list => list.kind === kind)
    .map(({ list_id: id, name, entries }) => (
      <option key={id} value={id}>{`${name} (${countOf(entries, 'entry', 'entries')})`}</option>
    ));
}
