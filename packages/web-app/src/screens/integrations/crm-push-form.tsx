import { useRef, useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Row, Stack } from '../../design/layout.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { useBeginExport } from '../exports/use-export.ts';
import { CreateProperties, ObjectChoice } from './crm-fields.tsx';
import { type CrmConnection, type CrmObject, type CrmProperty, crmNames } from './crms.ts';
import { DryRun } from './dry-run.tsx';
import styles from './integrations.module.css';
import {
  changed,
  hasRecordIds,
  lacksResult,
  mappingFault,
  mappingOf,
  missingOf,
  optionsOf,
} from './mapping.ts';
import { MappingTable } from './mapping-table.tsx';

type Source = Schema['NewExport']['source'];

interface CrmPushFormProps {
  /** The rows to push. */
  readonly source: Source;
  /** The name of the export; derived from the source if omitted. */
  readonly name?: string | undefined;
  /** The CRM connection, if known; chosen in the form if omitted. */
  readonly connectionId?: string | undefined;
  /** Receives the id of the export that writes the rows. Dry runs are not reported. */
  readonly onStarted: (exportId: string) => void;
}

/** Pushes rows to a CRM: first the field mapping, then a dry run, then the push. */
export function CrmPushForm({ connectionId, ...rest }: CrmPushFormProps) {
  const crms = $api.useQuery('get', '/crm-connections');
  const [chosenId, setChosenId] = useState<string>();
  if (crms.isPending) return <Loading name="Loading CRMs" />;
  if (crms.isError) return <Failure error={crms.error} onRetry={crms.refetch} />;
  const { connections } = crms.data;
  const wanted = connectionId ?? chosenId;
  const connection =
    connections.find(({ connection_id: id }) => id === wanted) ??
    (connectionId === undefined ? connections[0] : undefined);
  if (!connection) {
    return (
      <Empty
        title="No CRM is connected"
        action={
          <LinkButton to="/integrations" look="primary">
            Connect a CRM
          </LinkButton>
        }
      >
        Connect HubSpot or Salesforce to push rows to it.
      </Empty>
    );
  }
  return (
    <Stack>
      {connectionId === undefined && (
        <Select
          label="CRM"
          value={connection.connection_id}
          onChange={event => setChosenId(event.target.value)}
        >
          {connections.map(({ connection_id: id, provider, organisation }) => (
            <option key={id} value={id}>
              {`${crmNames[provider]}: ${organisation.name}`}
            </option>
          ))}
        </Select>
      )}
      {connection.fault ? (
        <Notice tone="bad" title="This connection is not working">
          <span>{connection.fault.detail}</span>
          <LinkButton
            to="/integrations/crm/$connectionId"
            params={{ connectionId: connection.connection_id }}
          >
            View connection
          </LinkButton>
        </Notice>
      ) : (
        <ObjectForm key={connection.connection_id} connection={connection} {...rest} />
      )}
    </Stack>
  );
}

type ObjectFormProps = Omit<CrmPushFormProps, 'connectionId'> & { readonly connection: CrmConnection };

/** Chooses the kind of record, and loads the CRM's properties and a suggested mapping. */
function ObjectForm({ connection, source, ...rest }: ObjectFormProps) {
  const { connection_id, provider, objects } = connection;
  const [object, setObject] = useState<CrmObject>(
    source.kind === 'saved_companies' ? 'company' : (objects[0] ?? 'contact'),
  );
  const suggestion = $api.useQuery(
    'post',
    '/crm-mapping-suggestions',
    { body: { connection_id, object, source } },
    // A refetch must not discard what the user has chosen since.
    { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  );
  const properties = $api.useQuery('get', '/crm-connections/{connection_id}/properties', {
    params: { path: { connection_id }, query: { object } },
  });
  const failed = [suggestion, properties].find(({ isError }) => isError);
  return (
    <>
      {objects.length > 1 && (
        <ObjectChoice value={object} onChange={setObject} label="Record type" {...{ provider, objects }} />
      )}
      {failed ? (
        <Failure error={failed.error} onRetry={failed.refetch} />
      ) : suggestion.data && properties.data ? (
        <MappingForm
          key={`${object} ${JSON.stringify(source)}`}
          {...{ connection, object, source }}
          {...rest}
          suggestion={suggestion.data}
          properties={properties.data.properties}
          onRefresh={properties.refetch}
        />
      ) : (
        <Loading lines={6} name={`Matching fields with ${crmNames[provider]}`} />
      )}
    </>
  );
}

interface MappingFormProps extends ObjectFormProps {
  readonly object: CrmObject;
  readonly suggestion: Schema['CrmMappingSuggestion'];
  readonly properties: readonly CrmProperty[];
  /** Refetches the properties after some were created. */
  readonly onRefresh: () => Promise<unknown>;
}

function MappingForm(props: MappingFormProps) {
  const { connection, object, source, name, onStarted, suggestion, properties, onRefresh } = props;
  const crm = crmNames[connection.provider];
  const [mapping, setMapping] = useState(() => mappingOf(suggestion));
  const [byRecordId, setByRecordId] = useState(() => hasRecordIds(mappingOf(suggestion)));
  const [creates, setCreates] = useState(true);
  const [dryRunId, setDryRunId] = useState<string>();
  const choices = { connectionId: connection.connection_id, object, byRecordId, creates };
  const fault = mappingFault(mapping);
  const preview = useRef<HTMLElement>(null);
  /** Call it before the focused button of the preview disappears, so that the focus stays there. */
  function keepFocus() {
    if (preview.current?.contains(document.activeElement)) preview.current.focus({ preventScroll: true });
  }
  const tryOut = useBeginExport();
  const push = useBeginExport();
  const begin = (isDryRun: boolean) => ({
    source,
    ...(name !== undefined && { name }),
    target: 'crm' as const,
    options: { ...optionsOf(mapping, choices), ...(isDryRun && { dry_run: true }) },
  });
  /** Any change discards the dry run, because it no longer matches the push. */
  function change(apply: () => void) {
    setDryRunId(undefined);
    tryOut.reset();
    push.reset();
    apply();
  }
  if (suggestion.rows === 0) {
    return <Empty title="No rows to push">Select other rows, or fewer filters.</Empty>;
  }
  const missing = byRecordId || !creates ? [] : missingOf(mapping, properties);
  return (
    <Stack>
      <MappingTable {...{ crm, mapping, properties }} onChange={next => change(() => setMapping(next))} />
      {source.kind === 'validation_job' && lacksResult(mapping) && (
        <CreateProperties
          {...{ connection, object }}
          columns={['result_status']}
          onCreated={async created => {
            await onRefresh();
            change(() =>
              setMapping(before =>
                created.reduce(
                  (mapped, { column, property }) =>
                    changed(mapped, column, { property: property.name, policy: 'overwrite' }),
                  before,
                ),
              ),
            );
          }}
        />
      )}
      <Matching
        {...{ object, crm, byRecordId, creates }}
        canUseIds={hasRecordIds(mapping)}
        onByRecordId={value => change(() => setByRecordId(value))}
        onCreates={value => change(() => setCreates(value))}
      />
      {missing.length > 0 && (
        <Notice tone="caution" title="New records need more fields">
          {crm} requires {missing.map(({ label, name: property }) => label || property).join(', ')}. Rows
          without an existing record will fail; the others continue.
        </Notice>
      )}
      {fault && <Notice tone="caution">{fault}</Notice>}
      {tryOut.isError && <Failure error={tryOut.error} />}
      <section ref={preview} aria-label="Preview" tabIndex={-1}>
        {dryRunId === undefined ? (
          <Row>
            <Button
              look="primary"
              disabled={fault !== undefined}
              busy={tryOut.isPending}
              onClick={() =>
                tryOut.mutate(begin(true), {
                  onSuccess({ export_id: id }) {
                    keepFocus();
                    setDryRunId(id);
                  },
                })
              }
            >
              Preview changes
            </Button>
            <span className={styles.small}>
              {countOf(suggestion.rows, 'row')}. Nothing is written; pushing is free.
            </span>
          </Row>
        ) : (
          <DryRun
            exportId={dryRunId}
            crm={crm}
            source={source}
            isPushing={push.isPending}
            onPush={() => push.mutate(begin(false), { onSuccess: ({ export_id: id }) => onStarted(id) })}
            onAgain={() => {
              keepFocus();
              change(() => undefined);
            }}
          />
        )}
      </section>
      {push.isError && <Failure error={push.error} />}
    </Stack>
  );
}

interface MatchingProps {
  readonly crm: string;
  readonly object: CrmObject;
  readonly canUseIds: boolean;
  readonly byRecordId: boolean;
  readonly creates: boolean;
  readonly onByRecordId: (value: boolean) => void;
  readonly onCreates: (value: boolean) => void;
}

/** Chooses how existing records are matched, and whether new ones are created. */
function Matching(props: MatchingProps) {
  const { crm, object, canUseIds, byRecordId, creates, onByRecordId, onCreates } = props;
  const unique = object === 'company' ? 'domain' : 'email address';
  return (
    <Stack>
      <p className={styles.soft}>
        {byRecordId
          ? `Rows are matched with the ${crm} records they came from.`
          : `A row updates the ${crm} record with the same ${unique}. Mailproof marks each record that it creates with its own ID, so none is created twice.`}
      </p>
      {canUseIds && (
        <Checkbox
          label="Match by record id, and create no records"
          hint="The rows came from a CRM and have record ids in crm_record_id. Only for the same CRM organization."
          checked={byRecordId}
          onChange={event => onByRecordId(event.target.checked)}
        />
      )}
      {!byRecordId && (
        <Checkbox
          label="Create missing records"
          checked={creates}
          onChange={event => onCreates(event.target.checked)}
        />
      )}
    </Stack>
  );
}
