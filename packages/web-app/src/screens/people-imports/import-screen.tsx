import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatDay, formatMoment } from '../../design/format.ts';
import { Card, Page, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { peopleImportStates } from '../work-states.ts';
import { importQuery, isRunning, keepImport } from './import-query.ts';
import {
  type Choices,
  choicesOf,
  doubled,
  isPreviewed,
  lackOf,
  mappingOf,
  type PeopleImport,
} from './mapping.ts';
import { MappingCard } from './mapping-card.tsx';
import { OutcomesCard } from './outcomes-card.tsx';
import { StartImport } from './start-card.tsx';

const route = getRouteApi('/signed-in/saved/imports/$importId');

/** An import of people: its columns, the preview, the progress and the result. */
export function ImportScreen() {
  const { importId } = route.useParams();
  const { data: record, error, isPending, refetch } = useQuery(importQuery(importId));
  const isFollowed = record !== undefined && isRunning(record);
  const [wasFollowed, setFollowed] = useState(false);
  if (isFollowed && !wasFollowed) setFollowed(true);
  useServerEvents(isFollowed ? `/people-imports/${importId}/events` : undefined, 'import', keepImport);
  const isGone = isMissing(error);
  if (!record || isGone) {
    return (
      <Page title="Import of people">
        {isPending && <Loading lines={8} name="Loading import" />}
        {isGone && <NoImport />}
        {!isPending && !isGone && <Failure error={error} onRetry={refetch} />}
      </Page>
    );
  }
  return (
    <Page
      title={record.name}
      lead={<Lead record={record} />}
      actions={
        <>
          <LinkButton to="/saved/imports" look="quiet">
            All imports
          </LinkButton>
          {!isRunning(record) && <DeleteImport record={record} />}
        </>
      }
    >
      <p role="status" className="visually-hidden">
        Status: {peopleImportStates[record.state].name}
      </p>
      {(record.state === 'uploaded' || record.state === 'previewed') && (
        <WaitingImport key={importId} record={record} isPreviewShown={wasFollowed} />
      )}
      {isRunning(record) && <RunningImport record={record} />}
      {record.ended_at !== null && <EndedImport record={record} />}
    </Page>
  );
}

function NoImport() {
  return (
    <Empty title="Import not found" action={<LinkButton to="/saved/imports">All imports</LinkButton>}>
      It may have been deleted. An import that is not started is deleted after a day. Imported people are
      kept.
    </Empty>
  );
}

function Lead({ record }: { readonly record: PeopleImport }) {
  return (
    <>
      <StateBadge look={peopleImportStates[record.state]} /> {countOf(record.rows, 'row')}
      {` · uploaded ${formatMoment(record.created_at)}`}
      {record.ended_at === null
        ? ` · deleted ${formatMoment(record.deleted_at)} unless you start it`
        : ` · kept until ${formatDay(record.deleted_at)}`}
    </>
  );
}

interface WaitingImportProps {
  readonly record: PeopleImport;
  /** Whether the user has waited for the preview on this screen: it then gets the focus, below the columns. */
  readonly isPreviewShown: boolean;
}

/** An import whose columns can be mapped, previewed and started. */
function WaitingImport({ record, isPreviewShown }: WaitingImportProps) {
  const [choices, setChoices] = useState<Choices>(() => choicesOf(record));
  const preview = $api.useMutation('post', '/people-imports/{import_id}/preview', { onSuccess: keepImport });
  const lack = lackOf(choices);
  const isReady = isPreviewed(record, choices);
  const params = { path: { import_id: record.import_id } };
  const shown = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (isPreviewShown && document.activeElement === document.body) shown.current?.focus();
  }, [isPreviewShown]);
  return (
    <>
      <MappingCard record={record} choices={choices} onChange={setChoices} />
      {lack && (
        <Notice tone="caution" title="Not complete">
          <span>{lack}</span>
        </Notice>
      )}
      {preview.error && <Failure error={preview.error} />}
      <section ref={shown} aria-label="Preview" tabIndex={-1}>
        {isReady && record.preview ? (
          <OutcomesCard title="What would change" record={record} outcomes={record.preview}>
            <StartImport record={record} />
          </OutcomesCard>
        ) : (
          <Row>
            <Button
              look="primary"
              busy={preview.isPending}
              disabled={lack !== undefined || doubled(choices).size > 0}
              onClick={() => preview.mutate({ params, body: { mapping: mappingOf(choices) } })}
            >
              Preview
            </Button>
          </Row>
        )}
      </section>
    </>
  );
}

function RunningImport({ record }: { readonly record: PeopleImport }) {
  const [isAsked, setAsked] = useState(false);
  const isPreview = record.state === 'previewing';
  const name = isPreview ? 'Preview' : 'Import';
  return (
    <Card
      title={isPreview ? 'Counting what would change' : 'Importing'}
      actions={<Button onClick={() => setAsked(true)}>Cancel</Button>}
    >
      <Progress name={`${name} of ${record.name}`} value={record.progress} />
      <Confirm
        title="Cancel this import?"
        otherwise="Continue"
        lead={
          isPreview
            ? 'Nothing was imported. To start over, upload the file again.'
            : 'People imported until now are kept. To import the others, upload the file again.'
        }
        verb="Cancel import"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={async () => {
          const params = { path: { import_id: record.import_id } };
          const { data } = await api.POST('/people-imports/{import_id}/cancellation', { params });
          if (data) keepImport(data);
        }}
      />
    </Card>
  );
}

function EndedImport({ record }: { readonly record: PeopleImport }) {
  const { result, failure, state } = record;
  return (
    <>
      {failure && (
        <Notice tone="bad" title="Import failed">
          <span>{failure.detail}</span>
        </Notice>
      )}
      {state === 'cancelled' && !result && (
        <Notice tone="neutral" title="Canceled">
          <span>Nothing was imported.</span>
        </Notice>
      )}
      {result && (
        <OutcomesCard title="Result" record={record} outcomes={result}>
          <Row>
            {record.list_id !== null && (
              <LinkButton to="/saved/lists/$listId" params={{ listId: record.list_id }} look="primary">
                Show the list
              </LinkButton>
            )}
            <LinkButton to="/saved" look={record.list_id === null ? 'primary' : 'secondary'}>
              Show saved people
            </LinkButton>
          </Row>
        </OutcomesCard>
      )}
    </>
  );
}

function DeleteImport({ record }: { readonly record: PeopleImport }) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  async function remove() {
    await api.DELETE('/people-imports/{import_id}', { params: { path: { import_id: record.import_id } } });
    await navigate({ to: '/saved/imports' });
    await queryClient.invalidateQueries({ queryKey: ['get', '/people-imports'] });
    announce('Import deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      <Confirm
        title="Delete this import?"
        lead="The rows of the file and the result are deleted. People that it imported are kept."
        verb="Delete"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
