import { limits } from '@mailproof/shared-types';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api } from '../../api/client.ts';
import { downloads, useDownload } from '../../api/page-downloads.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { DownloadFailure, DownloadLink, handedWords, runningWords } from '../../design/downloads.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatOctets } from '../../design/format.ts';
import { Facts, Row } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { CrmPushForm } from '../integrations/crm-push-form.tsx';
import { SecretText } from './destination-fields.tsx';
import { emptyDestination, type WebhookForm } from './destination-form.ts';
import { ExportProgress } from './export-progress.tsx';
import { ExportSample } from './export-sample.tsx';
import { type ExportWay, FileTab, WebhookTab } from './export-ways.tsx';
import { type ExportSource, sourceName } from './export-words.ts';
import styles from './exports.module.css';
import { RowChoice, usableResults } from './row-choice.tsx';
import { fileOf, useExport } from './use-export.ts';

interface ExportDrawerProps {
  /** The rows to export; for a validation job, the user can still narrow them down. */
  readonly source: ExportSource;
  /** The name of the rows, such as the name of the job or the list. */
  readonly name?: string | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Exports rows to a file or to another system. */
export function ExportDrawer({ open, onOpenChange, ...asked }: ExportDrawerProps) {
  return (
    <Drawer
      title="Export"
      lead={asked.name ? `From “${asked.name}”` : `From ${sourceName(asked.source)}`}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Steps {...asked} onClose={() => onOpenChange(false)} />
    </Drawer>
  );
}

interface Started {
  readonly exportId: string;
  readonly signingSecret: string | undefined;
}

function Steps({
  source: given,
  name: givenName,
  onClose,
}: Pick<ExportDrawerProps, 'source' | 'name'> & { readonly onClose: () => void }) {
  const [source, setSource] = useState(() => withUsableResults(given));
  const [name, setName] = useState((givenName ?? '').slice(0, limits.jobNameCharactersMax));
  const [started, setStarted] = useState<Started>();
  // The form state is here, so that typed values survive a change of tab.
  const webhook = useForm<WebhookForm>({ defaultValues: emptyDestination });
  const survey = $api.useQuery(
    'post',
    '/export-surveys',
    { body: { source } },
    { placeholderData: keepPreviousData },
  );
  if (started) return <StartedExport {...started} onClose={onClose} />;
  const rows = survey.data?.rows ?? 0;
  const way: ExportWay = {
    source,
    name: name.trim() || undefined,
    rows,
    onStarted: (exportId, signingSecret) => setStarted({ exportId, signingSecret }),
  };
  return (
    <>
      {source.kind === 'validation_job' && <RowChoice source={source} onChange={setSource} />}
      {survey.isPending && <Loading name="Counting rows" />}
      {survey.isError && <Failure error={survey.error} onRetry={survey.refetch} />}
      {survey.data && (
        <ExportSample source={source} survey={survey.data} isStale={survey.isPlaceholderData} />
      )}
      {survey.data && !survey.isPlaceholderData && rows > survey.data.rows_max && (
        <Notice tone="caution" title={`An export can have at most ${countOf(survey.data.rows_max, 'row')}`}>
          Select fewer rows, or export them in parts.
        </Notice>
      )}
      {survey.data && rows > 0 && rows <= survey.data.rows_max && (
        <>
          <TextInput
            label="Name"
            hint="Name of the export and its file."
            maxLength={limits.jobNameCharactersMax}
            placeholder={givenName}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          {/* Until the rows are counted again, the buttons show the previous count. */}
          <fieldset className={styles.ways} disabled={survey.isPlaceholderData}>
            <Tabs
              name="Destination"
              tabs={[
                { value: 'file', label: 'File', content: <FileTab {...way} /> },
                { value: 'webhook', label: 'Webhook', content: <WebhookTab {...way} form={webhook} /> },
                {
                  value: 'crm',
                  label: 'CRM',
                  content: <CrmPushForm {...way} onStarted={id => way.onStarted(id)} />,
                },
              ]}
            />
          </fieldset>
        </>
      )}
    </>
  );
}

/** Defaults a validation job to its deliverable results, which most users want. */
function withUsableResults(source: ExportSource): ExportSource {
  return source.kind === 'validation_job' && !source.results
    ? { ...source, results: [...usableResults] }
    : source;
}

interface StartedExportProps {
  readonly exportId: string;
  readonly signingSecret: string | undefined;
  readonly onClose: () => void;
}

/** An export that has just started: a file is downloaded as soon as it is ready, a push shows its progress. */
function StartedExport({ exportId, signingSecret, onClose }: StartedExportProps) {
  const { data: record, isPending, isError, error, refetch } = useExport(exportId);
  const isFile = record?.target === 'csv';
  const isReady = isFile && record.status === 'succeeded';
  const wasDownloaded = useRef(false);
  useEffect(() => {
    if (!isReady || wasDownloaded.current) return;
    wasDownloaded.current = true;
    void downloads.start(fileOf(exportId));
  }, [isReady, exportId]);
  if (isPending) return <Loading />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  return (
    <div className={styles.form}>
      {isReady && <FileState href={fileOf(exportId)} />}
      {!isReady && record.status !== 'failed' && (
        <Notice tone="good" title={isFile ? 'Creating your file' : 'Push started'} alert>
          {isFile
            ? 'It is downloaded when it is ready. If you close this first, download it from the page of the export.'
            : 'You can close this. The push continues in the background.'}
        </Notice>
      )}
      <ExportProgress record={record} />
      {signingSecret && (
        <>
          <Facts facts={[['Rows are signed with', <SecretText key="secret" secret={signingSecret} />]]} />
          <p className={styles.soft}>
            Copy the secret now if your receiver verifies signatures: it is not shown again.
          </p>
        </>
      )}
      <Row>
        {isReady && (
          <DownloadLink look="primary" href={fileOf(exportId)}>
            Download again
          </DownloadLink>
        )}
        <LinkButton
          look={isReady ? 'secondary' : 'primary'}
          to="/exports/$exportId"
          params={{ exportId }}
          search={{ rows: undefined, action: undefined }}
          onClick={onClose}
        >
          {isFile ? 'View export' : 'View push'}
        </LinkButton>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </Row>
    </div>
  );
}

/** The state of the download; the list of downloads is behind the drawer, where the keyboard does not get. */
function FileState({ href }: { readonly href: string }) {
  const download = useDownload(href);
  switch (download?.state) {
    case 'failed':
      return <DownloadFailure download={download} />;
    case 'saved':
      return <Notice tone="good" title="Your file is downloaded" alert />;
    case 'handed':
      return (
        <Notice tone="neutral" title="Your browser downloads the file">
          {handedWords(download)}
        </Notice>
      );
    case 'running':
      return <Notice tone="neutral" title={`${runningWords(download)}: ${formatOctets(download.octets)}`} />;
    default:
      return null;
  }
}
