import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Facts, Page, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { importState } from '../work-states.ts';
import { importSteps } from './import-request.ts';
import { ImportedJob } from './imported-job.tsx';
import styles from './integrations.module.css';

type CrmImport = Schema['CrmImport'];

/** How often the import is polled, because events may not arrive. */
const askedAgainMs = 10_000;

function importQuery(importId: string) {
  return $api.queryOptions(
    'get',
    '/crm-imports/{import_id}',
    { params: { path: { import_id: importId } } },
    { refetchInterval: ({ state: { data } }) => (data?.ended_at === null ? askedAgainMs : false) },
  );
}

function keepImport(change: CrmImport): void {
  queryClient.setQueryData(importQuery(change.import_id).queryKey, change);
}

/** An import with live updates: the reading, the validation and the write-back. */
export function ImportScreen() {
  const { importId } = useParams({ from: '/signed-in/integrations/imports/$importId' });
  const found = useQuery(importQuery(importId));
  const isActive = found.data !== undefined && found.data.ended_at === null;
  useServerEvents(isActive ? `/crm-imports/${importId}/events` : undefined, 'import', keepImport);
  if (found.data) return <Found crmImport={found.data} />;
  return (
    <Page title="CRM import">
      {found.isPending && <Loading />}
      {found.isError &&
        (isMissing(found.error) ? (
          <Empty
            title="Import not found"
            action={<LinkButton to="/integrations">Go to integrations</LinkButton>}
          >
            It may have been deleted. Its validation job, export and list are kept.
          </Empty>
        ) : (
          <Failure error={found.error} onRetry={found.refetch} />
        ))}
    </Page>
  );
}

function Found({ crmImport }: { readonly crmImport: CrmImport }) {
  const { connection_id: connectionId, name, state, pause, failure } = crmImport;
  const isActive = crmImport.ended_at === null;
  return (
    <Page
      title={name}
      lead={<StateBadge look={importState(crmImport)} />}
      actions={
        <>
          <LinkButton to="/integrations/crm/$connectionId" params={{ connectionId }} look="quiet">
            All imports
          </LinkButton>
          {isActive ? <CancelImport crmImport={crmImport} /> : <DeleteImport crmImport={crmImport} />}
        </>
      }
    >
      <Card title="Progress">
        <Steps crmImport={crmImport} />
        {isActive && <Progress name={`Progress of ${name}`} value={crmImport.progress} />}
        {pause && (
          <Notice tone="caution" title={pause.resumes_at ? 'Paused' : 'Action required'}>
            {pause.detail}
            {pause.resumes_at && ` Continues ${formatMoment(pause.resumes_at)}.`}
          </Notice>
        )}
        {failure && (
          <Notice tone="bad" title="Import failed">
            {failure.detail}
          </Notice>
        )}
        {state === 'succeeded' && (
          <Notice tone="good" title="Done">
            {resultOf(crmImport)}
          </Notice>
        )}
        <Facts facts={factsOf(crmImport)} />
      </Card>
      {crmImport.list_id && (
        <Row>
          <LinkButton to="/saved/lists/$listId" params={{ listId: crmImport.list_id }}>
            Open the list
          </LinkButton>
        </Row>
      )}
      {crmImport.job_id && <ImportedJob jobId={crmImport.job_id} importState={state} />}
    </Page>
  );
}

/** What a successful import has done. */
function resultOf({ domains, written_back: writtenBack, records }: CrmImport): string {
  if (domains) {
    const known = domains.present > 0 ? `; ${countOf(domains.present, 'was', 'were')} already on it` : '';
    return `${countOf(domains.added, 'company', 'companies')} added to the list${known}.`;
  }
  return writtenBack
    ? `Results were written to ${countOf(writtenBack.done, 'CRM record')}.`
    : `${countOf(records.read, 'record')} imported into a validation job.`;
}

function factsOf(crmImport: CrmImport): (readonly [string, string])[] {
  const { records, addresses, written_back: writtenBack, selection, write_back: fields } = crmImport;
  const filters = selection.filters?.length ?? 0;
  return [
    [
      'Records',
      records.read === records.total
        ? formatNumber(records.total)
        : `${formatNumber(records.read)} of ${formatNumber(records.total)}`,
    ],
    ...(records.shortened > 0
      ? ([['Truncated', `${countOf(records.shortened, 'record')} with a value that was too long`]] as const)
      : []),
    ...(addresses !== null ? ([['Distinct addresses', formatNumber(addresses)]] as const) : []),
    ...(writtenBack
      ? ([
          ['Written back', `${formatNumber(writtenBack.done)} of ${countOf(writtenBack.total, 'record')}`],
        ] as const)
      : []),
    [
      'Selection',
      `${selection.segment_id === undefined ? 'All records' : 'One list'}${filters > 0 ? `, ${countOf(filters, 'filter')}` : ''}`,
    ],
    ...(crmImport.list_id === null
      ? ([
          ['Columns', crmImport.properties.join(', ')],
          [
            'Write results to',
            fields ? fields.fields.map(({ property }) => property).join(', ') : 'Not written back',
          ],
        ] as const)
      : ([
          ['Without a company', countOf(records.without_domain, 'record')],
          ['Property', crmImport.address_property],
        ] as const)),
    ['Started', formatMoment(crmImport.created_at)],
  ];
}

function Steps({ crmImport }: { readonly crmImport: CrmImport }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {importSteps(crmImport).map(({ name, status }) => (
        <li key={name} aria-current={status === 'current' ? 'step' : undefined}>
          {status === 'done' && <CircleCheck size={18} aria-hidden />}
          {status === 'current' && <LoaderCircle size={18} aria-hidden />}
          {status === 'ahead' && <CircleDashed size={18} aria-hidden />}
          {name}
          {status === 'done' && <span className="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  );
}

function CancelImport({ crmImport }: { readonly crmImport: CrmImport }) {
  const [isAsked, setAsked] = useState(false);
  const path = { import_id: crmImport.import_id };
  async function cancel() {
    const { data } = await api.POST('/crm-imports/{import_id}/cancellation', { params: { path } });
    if (data) keepImport(data);
    await queryClient.invalidateQueries({ queryKey: ['get', '/crm-imports'] });
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Cancel import</Button>
      <Confirm
        title="Cancel this import?"
        otherwise="Keep importing"
        lead={
          crmImport.list_id === null
            ? 'Work in progress stops. Validated addresses are charged; results already written back and the validation job are kept.'
            : 'Reading stops, and no company is added to the list.'
        }
        verb="Cancel import"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={cancel}
      />
    </>
  );
}

function DeleteImport({ crmImport }: { readonly crmImport: CrmImport }) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  async function remove() {
    await api.DELETE('/crm-imports/{import_id}', {
      params: { path: { import_id: crmImport.import_id } },
    });
    await navigate({
      to: '/integrations/crm/$connectionId',
      params: { connectionId: crmImport.connection_id },
    });
    await queryClient.invalidateQueries({ queryKey: ['get', '/crm-imports'] });
    announce('Import deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      <Confirm
        title="Delete this import?"
        lead={
          crmImport.list_id === null
            ? 'The import is deleted. Its validation job and the results written back are kept.'
            : 'The import is deleted. Its companies stay on the list.'
        }
        verb="Delete"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
