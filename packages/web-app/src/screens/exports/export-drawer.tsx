import { limits } from '@mailproof/shared-types';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api } from '../../api/client.ts';
import { Drawer } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { CrmPushForm } from '../integrations/crm-push-form.tsx';
import { BegunExport } from './begun-export.tsx';
import { emptyDestination, type WebhookForm } from './destination-form-values.ts';
import { ExportSample } from './export-sample.tsx';
import { type ExportSource, sourceName } from './export-words.ts';
import styles from './exports.module.css';
import { FileTab } from './file-tab.tsx';
import { RowChoice } from './row-choice.tsx';
import { usableResults } from './usable-results.ts';
import { WebhookTab } from './webhook-tab.tsx';

interface ExportDrawerProps {
  /** Which rows leave; of a validation job, which of them can still be chosen. */
  readonly source: ExportSource;
  /** What the rows are called, such as the name of the job or the list. */
  readonly name?: string | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Takes rows out of here: to a file or into another system. */
export function ExportDrawer({ open, onOpenChange, ...asked }: ExportDrawerProps) {
  return (
    <Drawer
      title="Export"
      lead={asked.name ? `Of “${asked.name}”` : `Of ${sourceName(asked.source)}`}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Steps {...asked} onClose={() => onOpenChange(false)} />
    </Drawer>
  );
}

/** What a way out of here is told, whichever it is. */
export interface ExportWay {
  readonly source: ExportSource;
  readonly name: string | undefined;
  /** Rows that leave. */
  readonly rows: number;
  readonly onStarted: (exportId: string, signingSecret?: string) => void;
}

interface Begun {
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
  const [begun, setBegun] = useState<Begun>();
  // Here, so that what was typed is still there for whoever looks at another tab.
  const webhook = useForm<WebhookForm>({ defaultValues: emptyDestination });
  const survey = $api.useQuery(
    'post',
    '/export-surveys',
    { body: { source } },
    { placeholderData: keepPreviousData },
  );
  if (begun) return <BegunExport {...begun} onClose={onClose} />;
  const rows = survey.data?.rows ?? 0;
  const way: ExportWay = {
    source,
    name: name.trim() || undefined,
    rows,
    onStarted: (exportId, signingSecret) => setBegun({ exportId, signingSecret }),
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
        <Notice tone="caution" title={`One export takes ${countOf(survey.data.rows_max, 'row')} at most`}>
          Choose fewer rows, or export them in parts.
        </Notice>
      )}
      {survey.data && rows > 0 && rows <= survey.data.rows_max && (
        <>
          <TextInput
            label="Name"
            hint="What the export and its file are called."
            maxLength={limits.jobNameCharactersMax}
            placeholder={givenName}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          {/* Until the rows are counted anew, the buttons say how many there were. */}
          <fieldset className={styles.ways} disabled={survey.isPlaceholderData}>
            <Tabs
              name="Where to"
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

/** Of a validation job, what can be sent to is what most people want. */
function withUsableResults(source: ExportSource): ExportSource {
  return source.kind === 'validation_job' && !source.results
    ? { ...source, results: [...usableResults] }
    : source;
}
