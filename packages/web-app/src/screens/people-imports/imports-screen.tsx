import { limits } from '@mailproof/shared-types';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { asProblem } from '../../api/problem.ts';
import { byCursor, pagedRows } from '../../api/shared-queries.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatMoment, formatNumber, formatOctets } from '../../design/format.ts';
import { Card, Page } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Answered, Failure } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { SavedTabs } from '../saved/filter-bar.tsx';
import { AskBeforeLeaving } from '../validations/ask-before-leaving.tsx';
import { canSendAgain, sendRows, wasStopped } from '../validations/upload.ts';
import { peopleImportStates } from '../work-states.ts';
import { DropPeople } from './drop-people.tsx';
import { keepImport } from './import-query.ts';

type PeopleImport = Schema['PeopleImport'];

const pageRows = 50;

/** Uploads a file of the account's own people, and lists earlier imports. */
export function ImportsScreen() {
  const { sending, refused, send, stop } = useSending();
  const query = $api.useInfiniteQuery(
    'get',
    '/people-imports',
    { params: { query: { limit: pageRows } } },
    byCursor,
  );
  const { rows, hasMore } = pagedRows(query, ({ imports }) => imports);
  return (
    <Page
      title="Import people"
      lead="Bring in your own people, free of charge. Only your account sees them. Email addresses are not stored."
    >
      <SavedTabs />
      {refused && (
        <Failure
          error={refused.error}
          {...(canSendAgain(asProblem(refused.error)) && {
            onRetry: () => void send(refused.file, refused.key),
          })}
        />
      )}
      {sending && (
        <Card title={`Uploading ${sending.name}`}>
          <Progress name={`Uploading ${sending.name}`} value={sending.sent / sending.octets} />
          <p role="status">
            {sending.sent < sending.octets
              ? `Uploading ${formatOctets(sending.octets)}.`
              : 'Upload complete; reading rows.'}
          </p>
          <div>
            <Button onClick={stop}>Cancel upload</Button>
          </div>
          <AskBeforeLeaving onStop={stop} />
        </Card>
      )}
      {/* Hidden, not unmounted: if the upload is refused or stopped, the input is still there. */}
      <div hidden={sending !== undefined}>
        <Card>
          <DropPeople onFile={file => sending === undefined && void send(file)} />
        </Card>
      </div>
      <Answered question={query} loading="Loading imports">
        {() =>
          rows.length > 0 && (
            <Card title="Imports">
              <DataTable name="Imports" columns={columns} rows={rows} rowId={({ import_id }) => import_id} />
              {hasMore && (
                <div>
                  <Button onClick={() => void query.fetchNextPage()}>Show more</Button>
                </div>
              )}
            </Card>
          )
        }
      </Answered>
    </Page>
  );
}

const columns: readonly Column<PeopleImport>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(12rem, 2fr)',
    cell: ({ import_id: importId, name }) => (
      <Link to="/saved/imports/$importId" params={{ importId }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    width: '9rem',
    cell: ({ state }) => <StateBadge look={peopleImportStates[state]} />,
  },
  { id: 'rows', header: 'Rows', width: '6rem', align: 'end', cell: ({ rows }) => formatNumber(rows) },
  {
    id: 'added',
    header: 'Added',
    width: '6rem',
    align: 'end',
    cell: ({ result }) => (result ? formatNumber(result.added) : '–'),
  },
  {
    id: 'created',
    header: 'Uploaded',
    width: '11rem',
    align: 'end',
    cell: ({ created_at }) => formatMoment(created_at),
  },
];

interface Sending {
  readonly name: string;
  readonly octets: number;
  readonly sent: number;
}

/** An upload that failed, with what it takes to repeat it. */
interface Refused {
  readonly error: unknown;
  readonly file: File;
  readonly key: string;
}

function useSending() {
  const navigate = useNavigate();
  const [sending, setSending] = useState<Sending>();
  const [refused, setRefused] = useState<Refused>();
  const stopping = useRef<AbortController>(undefined);
  const startedBy = useRef<HTMLElement>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  // The pressed button is hidden during the upload and loses the focus, so it gets it back afterward.
  useEffect(() => {
    if (sending === undefined) startedBy.current?.focus();
  }, [sending]);
  async function send(file: File, key = newIdempotencyKey()) {
    const controller = new AbortController();
    stopping.current = controller;
    startedBy.current = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    const name = file.name.replace(/\p{C}/gu, '').trim().slice(0, limits.jobNameCharactersMax);
    const octets = Math.max(1, file.size);
    setRefused(undefined);
    setSending({ name: name || 'the file', octets, sent: 0 });
    try {
      const record = await sendRows<PeopleImport>(
        {
          path: '/people-imports',
          query: { ...(name && { name }) },
          body: file,
          mediaType: file.name.endsWith('.ndjson') ? 'application/x-ndjson' : 'text/csv',
          key,
        },
        {
          signal: controller.signal,
          onSent: sent => setSending({ name, octets, sent: Math.min(sent, octets) }),
        },
      );
      keepImport(record);
      await navigate({
        to: '/saved/imports/$importId',
        params: { importId: record.import_id },
        ignoreBlocker: true,
      });
    } catch (cause) {
      setSending(undefined);
      if (!wasStopped(cause)) setRefused({ error: cause, file, key });
    }
  }
  return { sending, refused, send, stop: () => stopping.current?.abort() };
}
