import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Facts, Page } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { ImportBadge } from './import-badge.tsx';
import { importSteps } from './import-steps.ts';
import { ImportedJob } from './imported-job.tsx';
import styles from './integrations.module.css';

type CrmImport = Schema['CrmImport'];

/** It is asked again now and then, for events may not come through. */
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

/** An import, live: what it reads, what becomes of the addresses, and what goes back. */
export function ImportScreen() {
  const { importId } = useParams({ from: '/signed-in/integrations/imports/$importId' });
  const found = useQuery(importQuery(importId));
  const isUnderWay = found.data !== undefined && found.data.ended_at === null;
  useServerEvents(isUnderWay ? `/crm-imports/${importId}/events` : undefined, 'import', keepImport);
  if (found.data) return <Found crmImport={found.data} />;
  return (
    <Page title="Import">
      {found.isPending && <Loading />}
      {found.isError &&
        (asProblem(found.error).code === 'crm_import_not_found' ? (
          <Empty
            title="There is no such import"
            action={<LinkButton to="/integrations">Go to the integrations</LinkButton>}
          >
            It may have been deleted. Its validation job and its export stay.
          </Empty>
        ) : (
          <Failure error={found.error} onRetry={found.refetch} />
        ))}
    </Page>
  );
}

function Found({ crmImport }: { readonly crmImport: CrmImport }) {
  const { connection_id: connectionId, name, state, pause, failure, records } = crmImport;
  const isUnderWay = crmImport.ended_at === null;
  return (
    <Page
      title={name}
      lead={<ImportBadge state={state} isPaused={!!pause} />}
      actions={
        <>
          <LinkButton to="/integrations/crm/$connectionId" params={{ connectionId }} look="quiet">
            All imports
          </LinkButton>
          {isUnderWay ? <CancelImport crmImport={crmImport} /> : <DeleteImport crmImport={crmImport} />}
        </>
      }
    >
      <Card title="How far it is">
        <Steps crmImport={crmImport} />
        {isUnderWay && <Progress name={`Progress of ${name}`} value={crmImport.progress} />}
        {pause && (
          <Notice tone="caution" title="It stands still">
            {pause.detail}
            {pause.resumes_at && ` It goes on ${formatMoment(pause.resumes_at)}.`}
          </Notice>
        )}
        {failure && (
          <Notice tone="bad" title="It has failed">
            {failure.detail}
          </Notice>
        )}
        {state === 'succeeded' && (
          <Notice tone="good" title="Done">
            {crmImport.written_back
              ? `Results stand in ${countOf(crmImport.written_back.done, 'record')} of the CRM.`
              : `${countOf(records.read, 'record')} became rows of a validation job.`}
          </Notice>
        )}
        <Facts facts={factsOf(crmImport)} />
      </Card>
      {crmImport.job_id && <ImportedJob jobId={crmImport.job_id} importState={state} />}
    </Page>
  );
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
      ? ([['Shortened', `${countOf(records.shortened, 'record')} with a value that was too long`]] as const)
      : []),
    ...(addresses !== null ? ([['Different addresses', formatNumber(addresses)]] as const) : []),
    ...(writtenBack
      ? ([
          ['Written back', `${formatNumber(writtenBack.done)} of ${countOf(writtenBack.total, 'record')}`],
        ] as const)
      : []),
    [
      'Chosen',
      `${selection.segment_id === undefined ? 'All records' : 'One list'}${filters > 0 ? `, ${countOf(filters, 'filter')}` : ''}`,
    ],
    ['Columns', crmImport.properties.join(', ')],
    [
      'Results go back to',
      fields ? fields.fields.map(({ property }) => property).join(', ') : 'Nowhere: they stay here',
    ],
    ['Begun', formatMoment(crmImport.created_at)],
  ];
}

function Steps({ crmImport }: { readonly crmImport: CrmImport }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {importSteps(crmImport).map(({ name, place }) => (
        <li key={name} aria-current={place === 'current' ? 'step' : undefined}>
          {place === 'done' && <CircleCheck size={18} aria-hidden />}
          {place === 'current' && <LoaderCircle size={18} aria-hidden />}
          {place === 'ahead' && <CircleDashed size={18} aria-hidden />}
          {name}
          {place === 'done' && <span className="visually-hidden"> (done)</span>}
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
        lead="What it has under way is stopped. What was validated is charged and stays, what was written back stays, and so does the validation job."
        verb="Cancel the import"
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
    announce('The import is deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      <Confirm
        title="Delete this import?"
        lead="The record of the import goes. Its validation job and what was written back stay."
        verb="Delete"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
