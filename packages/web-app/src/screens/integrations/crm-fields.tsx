import { limits, writeBackProperties } from '@mailproof/shared-types';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Checkbox, Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Row, Stack } from '../../design/layout.tsx';
import {
  type CrmConnection,
  type CrmObject,
  type CrmPolicy,
  type CrmProperty,
  type CrmProvider,
  crmNames,
  objectName,
  policies,
  policyNames,
  propertyLabel,
  typeName,
  useConnection,
} from './crms.ts';
import {
  type FilterDraft,
  operators,
  type ResultColumn,
  resultColumns,
  type WriteBackDraft,
} from './import-request.ts';
import styles from './integrations.module.css';

interface ObjectChoiceProps {
  readonly provider: CrmProvider;
  readonly objects: readonly CrmObject[];
  readonly value: CrmObject;
  readonly onChange: (object: CrmObject) => void;
  readonly label?: string;
}

/** Chooses a kind of CRM record. */
export function ObjectChoice({
  provider,
  objects,
  value,
  onChange,
  label = 'Record type',
}: ObjectChoiceProps) {
  return (
    <Select label={label} value={value} onChange={event => onChange(event.target.value as CrmObject)}>
      {objects.map(object => (
        <option key={object} value={object}>
          {objectName(provider, object)}
        </option>
      ))}
    </Select>
  );
}

/** A job's columns also include the record's id and the address. */
const propertiesMax = limits.jobColumnsMax - 2;

interface PropertyListProps {
  readonly properties: readonly CrmProperty[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A searchable list of many properties, with the chosen ones first. */
export function PropertyList({ properties, chosen, onChange }: PropertyListProps) {
  const [text, setText] = useState('');
  // The properties that were chosen when the list was opened stay first, so that a checkbox does not move when it is
  // checked.
  const [first] = useState(() => new Set(chosen));
  const wanted = text.trim().toLowerCase();
  const seen = properties
    .filter(({ name, label }) => `${label} ${name}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => Number(first.has(other.name)) - Number(first.has(one.name)));
  return (
    <fieldset className={styles.section}>
      <legend className="visually-hidden">More properties</legend>
      <TextInput
        label={`More properties as columns (${countOf(chosen.length, 'selected', 'selected')})`}
        type="search"
        placeholder="Find"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <div className={styles.columns}>
        {seen.length === 0 && <span className={styles.small}>No matching property.</span>}
        {seen.map(({ name, label }) => (
          <Checkbox
            key={name}
            label={label || name}
            checked={chosen.includes(name)}
            disabled={!chosen.includes(name) && chosen.length >= propertiesMax}
            onChange={event =>
              onChange(event.target.checked ? [...chosen, name] : chosen.filter(each => each !== name))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

interface FiltersFieldProps {
  readonly properties: readonly CrmProperty[];
  readonly value: readonly FilterDraft[];
  readonly onChange: (filters: readonly FilterDraft[]) => void;
}

const filtersMax = 20;

/** Edits filters; records must match all of them. */
export function FiltersField({ properties, value, onChange }: FiltersFieldProps) {
  const change = (id: number, more: Partial<FilterDraft>) =>
    onChange(value.map(filter => (filter.id === id ? { ...filter, ...more } : filter)));
  const nextId = Math.max(0, ...value.map(({ id }) => id)) + 1;
  return (
    <fieldset className={styles.section}>
      <legend className="visually-hidden">Filters</legend>
      {value.map((filter, at) => (
        <fieldset key={filter.id} className={styles.section}>
          <legend className="visually-hidden">Filter {at + 1}</legend>
          <FilterLine
            properties={properties}
            filter={filter}
            onChange={more => change(filter.id, more)}
            onRemove={() => onChange(value.filter(({ id }) => id !== filter.id))}
          />
        </fieldset>
      ))}
      <Row>
        <Button
          disabled={value.length >= filtersMax}
          onClick={() => onChange([...value, { id: nextId, property: '', operator: 'is', value: '' }])}
        >
          <Plus size={16} aria-hidden />
          Add filter
        </Button>
      </Row>
    </fieldset>
  );
}

interface FilterLineProps {
  readonly properties: readonly CrmProperty[];
  readonly filter: FilterDraft;
  readonly onChange: (more: Partial<FilterDraft>) => void;
  readonly onRemove: () => void;
}

function FilterLine({ properties, filter, onChange, onRemove }: FilterLineProps) {
  const { values } = operators[filter.operator];
  const choices = properties.find(({ name }) => name === filter.property)?.choices ?? [];
  return (
    <div className={styles.line}>
      <Select
        label="Property"
        value={filter.property}
        onChange={event => onChange({ property: event.target.value, value: '' })}
      >
        <option value="">Choose one</option>
        {properties.map(property => (
          <option key={property.name} value={property.name}>
            {propertyLabel(property)}
          </option>
        ))}
      </Select>
      <Select
        label="Condition"
        value={filter.operator}
        onChange={event => onChange({ operator: event.target.value as FilterDraft['operator'] })}
      >
        {Object.entries(operators).map(([operator, { name }]) => (
          <option key={operator} value={operator}>
            {name}
          </option>
        ))}
      </Select>
      {values === 0 ? (
        <span />
      ) : values === 1 && choices.length > 0 ? (
        <Select
          label="Value"
          value={filter.value}
          onChange={event => onChange({ value: event.target.value })}
        >
          <option value="">Choose one</option>
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      ) : (
        <TextInput
          label={values === 'many' ? 'Values, separated by commas' : 'Value'}
          value={filter.value}
          maxLength={values === 'many' ? undefined : 1_000}
          onChange={event => onChange({ value: event.target.value })}
        />
      )}
      <IconButton name="Remove filter" onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

const mainColumns: readonly ResultColumn[] = ['result_status', 'validated_at'];
const otherColumns = (Object.keys(resultColumns) as ResultColumn[]).filter(
  column => !mainColumns.includes(column),
);

interface WriteBackFieldProps {
  readonly object: CrmObject;
  readonly properties: readonly CrmProperty[];
  /** Undefined if results are not written back. */
  readonly value: readonly WriteBackDraft[] | undefined;
  readonly onChange: (value: readonly WriteBackDraft[] | undefined) => void;
  readonly onBegin: () => void;
  /** Refetches the properties after some were created, here or in the CRM. */
  readonly onRefresh: () => Promise<unknown>;
}

interface CreatePropertiesProps {
  readonly connection: CrmConnection;
  readonly object: CrmObject;
  readonly columns: readonly ResultColumn[];
  readonly onCreated: (created: readonly Schema['WriteBackProperty'][]) => Promise<void>;
}

/** Creates properties for results in the CRM, after asking. */
export function CreateProperties({ connection, object, columns, onCreated }: CreatePropertiesProps) {
  const { connection_id, provider } = connection;
  const [isOpen, setOpen] = useState(false);
  const create = $api.useMutation('post', '/crm-connections/{connection_id}/write-back-properties');
  const crm = crmNames[provider];
  return (
    <Row>
      <span className={styles.small}>
        No property for {columns.length === 1 ? 'this result' : 'these results'} yet?
      </span>
      <Button onClick={() => setOpen(true)}>
        Create {countOf(columns.length, 'property', 'properties')}…
      </Button>
      <Confirm
        title={`Create properties in ${crm}?`}
        lead={`Mailproof adds these to all ${objectName(provider, object).toLowerCase()} of ${crm}. They are empty until results are written, and nothing else changes.`}
        verb="Create properties"
        open={isOpen}
        onOpenChange={setOpen}
        onConfirm={async () => {
          const { properties } = await create.mutateAsync({
            params: { path: { connection_id } },
            body: { object, columns: [...columns] },
          });
          await onCreated(properties);
        }}
      >
        <ul>
          {columns.map(column => (
            <li key={column}>
              {writeBackProperties[column].label}: {typeName(writeBackProperties[column])}
            </li>
          ))}
        </ul>
      </Confirm>
    </Row>
  );
}

/** Chooses whether results are written back to the records, and to which properties. */
export function WriteBackField(props: WriteBackFieldProps) {
  const { object, properties, value, onChange, onBegin, onRefresh } = props;
  const connection = useConnection();
  const crm = crmNames[connection.provider];
  const missing = mainColumns.filter(column => !value?.find(each => each.column === column)?.property);
  const writable = properties.filter(property => property.is_writable);
  const of = (column: ResultColumn) => value?.find(each => each.column === column);
  function change(column: ResultColumn, more: Partial<WriteBackDraft>) {
    const changed = { column, property: '', policy: 'overwrite' as CrmPolicy, ...of(column), ...more };
    onChange([...(value ?? []).filter(each => each.column !== column), changed]);
  }
  const field = (column: ResultColumn) => (
    <fieldset key={column} className={styles.section}>
      <legend className={styles.small}>{resultColumns[column]}</legend>
      <div className={styles.pair}>
        <Select
          label="Property"
          value={of(column)?.property ?? ''}
          onChange={event => change(column, { property: event.target.value })}
        >
          <option value="">Do not write</option>
          {writable.map(property => (
            <option key={property.name} value={property.name}>
              {propertyLabel(property)}
            </option>
          ))}
        </Select>
        {of(column)?.property && (
          <Select
            label="Existing values"
            value={of(column)?.policy ?? 'overwrite'}
            onChange={event => change(column, { policy: event.target.value as CrmPolicy })}
          >
            {policies
              .filter(policy => policy !== 'never')
              .map(policy => (
                <option key={policy} value={policy}>
                  {policyNames[policy]}
                </option>
              ))}
          </Select>
        )}
      </div>
    </fieldset>
  );
  return (
    <Stack>
      <Checkbox
        label="Write results back to the records"
        hint={`When validation ends, results are written to the ${crm} properties that you choose. No records are created, and nothing else changes.`}
        checked={value !== undefined}
        onChange={event => (event.target.checked ? onBegin() : onChange(undefined))}
      />
      {value !== undefined && (
        <>
          {mainColumns.map(field)}
          <details className={styles.more}>
            <summary>More results</summary>
            <Stack>{otherColumns.map(field)}</Stack>
          </details>
          {missing.length > 0 && (
            <CreateProperties
              connection={connection}
              object={object}
              columns={missing}
              onCreated={async created => {
                await onRefresh();
                onChange([
                  ...value.filter(({ column }) => !created.some(each => each.column === column)),
                  ...created.map(({ column, property }) => ({
                    column,
                    property: property.name,
                    policy: 'overwrite' as CrmPolicy,
                  })),
                ]);
              }}
            />
          )}
          <Row>
            <span className={styles.small}>Have you created properties in {crm}?</span>
            <Button onClick={() => void onRefresh()}>Refresh</Button>
          </Row>
        </>
      )}
    </Stack>
  );
}
