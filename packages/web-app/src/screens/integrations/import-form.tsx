import { limits } from '@mailproof/shared-types';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { refreshSaved, savedListsQuery } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { Checkbox, RadioGroup, Select, TextInput } from '../../design/field.tsx';
import { wholeNumber } from '../../design/field-rules.ts';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Row, Stack } from '../../design/layout.tsx';
import { Answered, Failure, Loading, Notice } from '../../design/states.tsx';
import { useMadeList } from '../saved/chosen.ts';
import { FiltersField, ObjectChoice, PropertyList, WriteBackField } from './crm-fields.tsx';
import {
  type CrmObject,
  type CrmProperty,
  crmFacts,
  crmNames,
  objectName,
  propertyLabel,
  useConnection,
} from './crms.ts';
import {
  addressPropertyOf,
  companyPropertyOf,
  faultOf,
  type ImportDraft,
  requestOf,
  usualPropertiesOf,
  usualWriteBack,
} from './import-request.ts';
import styles from './integrations.module.css';

/** The form that selects CRM records and starts an import. */
export function ImportPart() {
  const { connection_id, provider, objects } = useConnection();
  const [object, setObject] = useState<CrmObject>(objects[0] ?? 'contact');
  const params = { path: { connection_id }, query: { object } };
  const properties = $api.useQuery('get', '/crm-connections/{connection_id}/properties', { params });
  const segments = $api.useQuery('get', '/crm-connections/{connection_id}/segments', { params });
  const failed = [properties, segments].find(({ isError }) => isError);
  return (
    <Stack>
      {objects.length > 1 && (
        <ObjectChoice value={object} onChange={setObject} {...{ provider, objects }} label="Record type" />
      )}
      {failed ? (
        <Failure error={failed.error} onRetry={failed.refetch} />
      ) : properties.data && segments.data ? (
        <ImportForm
          key={object}
          object={object}
          properties={properties.data.properties}
          segments={segments.data.segments}
          onRefresh={properties.refetch}
        />
      ) : (
        <Loading lines={6} name={`Loading from ${crmNames[provider]}`} />
      )}
    </Stack>
  );
}

interface ImportFormProps {
  readonly object: CrmObject;
  readonly properties: readonly CrmProperty[];
  readonly segments: readonly Schema['CrmSegment'][];
  readonly onRefresh: () => Promise<unknown>;
}

function ImportForm({ object, properties, segments, onRefresh }: ImportFormProps) {
  const { connection_id: connectionId, provider } = useConnection();
  const navigate = useNavigate();
  const key = useIdempotencyKey();
  const [draft, setDraft] = useState<ImportDraft>(() => ({
    object,
    segmentId: undefined,
    filters: [],
    properties: usualPropertiesOf(properties, object),
    addressProperty: addressPropertyOf(properties),
    writeBack: undefined,
    creditsMax: undefined,
    listId: undefined,
    listName: '',
    name: '',
  }));
  const [isTold, setTold] = useState(false);
  const make = useMadeList('companies');
  const list = useMutation({ mutationFn: (name: string) => make(name), onSuccess: refreshSaved });
  const begin = $api.useMutation('post', '/crm-imports', {
    onError: error => key.answered(error),
    async onSuccess({ import_id: importId }) {
      key.answered();
      await queryClient.invalidateQueries({ queryKey: ['get', '/crm-imports'] });
      await navigate({ to: '/integrations/imports/$importId', params: { importId } });
    },
  });
  const fault = faultOf(draft);
  function change(more: Partial<ImportDraft>) {
    begin.reset();
    list.reset();
    setDraft({ ...draft, ...more });
  }
  async function submit() {
    setTold(true);
    if (fault) return;
    const made = draft.listId === '' ? await list.mutateAsync(draft.listName.trim()) : undefined;
    const body = requestOf({ ...draft, listId: made?.list_id ?? draft.listId }, connectionId);
    begin.mutate({ body, params: { header: { 'Idempotency-Key': key.keyOf(body) } } });
  }
  const part = { draft, onChange: change, properties };
  const isIntoList = draft.listId !== undefined;
  const writesBack = !isIntoList && draft.writeBack !== undefined;
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault();
        // The form shows why a list is not created.
        submit().catch(() => undefined);
      }}
    >
      <Stack>
        <Card title="Records">
          <Selection {...part} segments={segments} />
        </Card>
        <Card title="Purpose">
          <PurposeField {...part} />
        </Card>
        <Card title={isIntoList ? 'Companies' : 'Columns'}>
          <Select
            label={isIntoList ? 'Property with the address, domain or website' : 'Email property'}
            value={draft.addressProperty}
            onChange={event => change({ addressProperty: event.target.value })}
          >
            <option value="">Choose one</option>
            {properties.map(property => (
              <option key={property.name} value={property.name}>
                {propertyLabel(property)}
              </option>
            ))}
          </Select>
          {isIntoList ? (
            <ListField {...part} />
          ) : (
            <PropertyList
              properties={properties.filter(({ name }) => name !== draft.addressProperty)}
              chosen={draft.properties}
              onChange={chosen => change({ properties: chosen })}
            />
          )}
        </Card>
        <Card title={isIntoList ? 'Name' : 'After the import'}>
          {!isIntoList && (
            <>
              <WriteBackField
                object={object}
                properties={properties}
                value={draft.writeBack}
                onChange={writeBack => change({ writeBack })}
                onBegin={() => change({ writeBack: usualWriteBack(properties) })}
                onRefresh={onRefresh}
              />
              <StartField {...part} />
            </>
          )}
          <TextInput
            label="Name (optional)"
            value={draft.name}
            maxLength={limits.jobNameCharactersMax}
            onChange={event => change({ name: event.target.value })}
          />
        </Card>
        <p className={styles.small}>
          {crmNames[provider]} counts the records first. An import{' '}
          {writesBack ? 'whose results are written back ' : ''}can have at most{' '}
          {formatNumber(writesBack ? limits.crmValidationRecordsMax : limits.crmImportRecordsMax)} records.
          Importing is free.
        </p>
        {isTold && fault && (
          <Notice tone="bad" alert>
            {fault}
          </Notice>
        )}
        {list.isError && <Failure error={list.error} />}
        {begin.isError && <Failure error={begin.error} />}
        <Row>
          <Button type="submit" look="primary" busy={list.isPending || begin.isPending}>
            {countedVerb(draft, segments, objectName(provider, object))}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly draft: ImportDraft;
  readonly onChange: (more: Partial<ImportDraft>) => void;
  readonly properties: readonly CrmProperty[];
}

function Selection({
  draft,
  onChange,
  properties,
  segments,
}: PartProps & { readonly segments: ImportFormProps['segments'] }) {
  const { provider } = useConnection();
  const isSegment = draft.segmentId !== undefined;
  const objects = objectName(provider, draft.object).toLowerCase();
  const first = segments[0]?.segment_id ?? '';
  return (
    <>
      <RadioGroup
        label="Source"
        value={isSegment ? 'segment' : 'all'}
        onChange={value => onChange({ segmentId: value === 'segment' ? first : undefined })}
        choices={[
          { value: 'all', label: `All ${objects}`, hint: 'Narrow them with the filters below.' },
          {
            value: 'segment',
            label: `A ${crmFacts[provider].segments.toLowerCase()} in ${crmNames[provider]}`,
            hint:
              segments.length === 0
                ? `There are no ${crmFacts[provider].segments.toLowerCase()}s.`
                : undefined,
            disabled: segments.length === 0,
          },
        ]}
      />
      {isSegment && (
        <Select
          label={crmFacts[provider].segments}
          value={draft.segmentId}
          onChange={event => onChange({ segmentId: event.target.value })}
        >
          {segments.map(({ segment_id: id, name, records }) => (
            <option key={id} value={id}>
              {records === null ? name : `${name} (${countOf(records, 'record')})`}
            </option>
          ))}
        </Select>
      )}
      <FiltersField
        properties={properties}
        value={draft.filters}
        onChange={filters => onChange({ filters })}
      />
    </>
  );
}

/** The choice between a validation job and a list. */
function PurposeField({ draft, onChange, properties }: PartProps) {
  const { data: lists } = useQuery(savedListsQuery);
  const first = lists?.find(({ kind }) => kind === 'companies')?.list_id ?? '';
  return (
    <RadioGroup
      label="What to do with the records"
      value={draft.listId === undefined ? 'validate' : 'list'}
      onChange={value =>
        onChange(
          value === 'list'
            ? { listId: first, addressProperty: companyPropertyOf(properties, draft.object) }
            : { listId: undefined, addressProperty: addressPropertyOf(properties) },
        )
      }
      choices={[
        { value: 'validate', label: 'Validate the addresses' },
        {
          value: 'list',
          label: 'Add the companies to a list',
          hint: 'Free. Searches can filter by the list, for example to leave out your customers.',
        },
      ]}
    />
  );
}

/** The list to which the companies are added: an existing one, or a new one. */
function ListField({ draft, onChange }: PartProps) {
  const question = useQuery(savedListsQuery);
  return (
    <Answered question={question} lines={1} loading="Loading lists">
      {lists => (
        <>
          <Select
            label="List of companies"
            value={draft.listId}
            onChange={({ target }) => onChange({ listId: target.value })}
          >
            {lists
              .filter(({ kind }) => kind === 'companies')
              .map(list => (
                <option key={list.list_id} value={list.list_id}>
                  {list.name}
                </option>
              ))}
            <option value="">New list…</option>
          </Select>
          {draft.listId === '' && (
            <TextInput
              label="Name of the new list"
              required
              value={draft.listName}
              maxLength={limits.discoveryNameCharactersMax}
              onChange={({ target }) => onChange({ listName: target.value })}
            />
          )}
          <p className={styles.small}>
            Addresses at free mailbox providers, such as Gmail, name no company and are left out.
          </p>
        </>
      )}
    </Answered>
  );
}

function StartField({ draft, onChange }: PartProps) {
  const [text, setText] = useState('1000');
  const creditsOf = (typed: string) => wholeNumber(typed, Number.MAX_SAFE_INTEGER) ?? 0;
  const starts = draft.creditsMax !== undefined;
  return (
    <Stack>
      <Checkbox
        label="Start validation automatically"
        hint="Otherwise you see the count and the price first, then start it."
        checked={starts}
        onChange={event => onChange({ creditsMax: event.target.checked ? creditsOf(text) : undefined })}
      />
      {draft.creditsMax !== undefined && (
        <>
          <TextInput
            label="Maximum credits"
            inputMode="numeric"
            autoComplete="off"
            value={text}
            error={draft.creditsMax === 0 ? 'Enter a whole number of at least 1.' : undefined}
            onChange={({ target }) => {
              setText(target.value);
              onChange({ creditsMax: creditsOf(target.value) });
            }}
          />
          {draft.creditsMax > 0 && (
            <Cost max={draft.creditsMax} note="One per distinct address with a verdict." />
          )}
        </>
      )}
    </Stack>
  );
}

function countedVerb(
  { segmentId, filters }: ImportDraft,
  segments: ImportFormProps['segments'],
  objects: string,
): string {
  const counted = segments.find(({ segment_id: id }) => id === segmentId)?.records;
  return counted === undefined || counted === null || filters.length > 0
    ? `Import ${objects.toLowerCase()}`
    : `Import ${countOf(counted, 'record')}`;
}
