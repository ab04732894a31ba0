import { Button } from '../../design/button.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Row, Stack } from '../../design/layout.tsx';
import { type CrmPolicy, type CrmProperty, policies, policyNames, propertyLabel } from './crms.ts';
import { type ResultColumn, resultColumns, type WriteBackDraft } from './import-request.ts';
import styles from './integrations.module.css';

const mainColumns: readonly ResultColumn[] = ['result_status', 'validated_at'];
const otherColumns = (Object.keys(resultColumns) as ResultColumn[]).filter(
  column => !mainColumns.includes(column),
);

interface WriteBackFieldProps {
  readonly crm: string;
  readonly properties: readonly CrmProperty[];
  /** Undefined keeps results here. */
  readonly value: readonly WriteBackDraft[] | undefined;
  readonly onChange: (value: readonly WriteBackDraft[] | undefined) => void;
  readonly onBegin: () => void;
  /** Asks the CRM again, for properties that were made there meanwhile. */
  readonly onLookAgain: () => void;
}

/** Whether results go back into the records, and where. */
export function WriteBackField(props: WriteBackFieldProps) {
  const { crm, properties, value, onChange, onBegin, onLookAgain } = props;
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
          label="Goes to"
          value={of(column)?.property ?? ''}
          onChange={event => change(column, { property: event.target.value })}
        >
          <option value="">Nowhere</option>
          {writable.map(property => (
            <option key={property.name} value={property.name}>
              {propertyLabel(property)}
            </option>
          ))}
        </Select>
        {of(column)?.property && (
          <Select
            label="What stands there"
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
        label="Write the results back into the same records"
        hint={`When the validation is done, results go into properties of ${crm} that you choose. No record is created, nothing else is changed.`}
        checked={value !== undefined}
        onChange={event => (event.target.checked ? onBegin() : onChange(undefined))}
      />
      {value !== undefined && (
        <>
          {mainColumns.map(field)}
          <details className={styles.more}>
            <summary>Further results</summary>
            <Stack>{otherColumns.map(field)}</Stack>
          </details>
          <Row>
            <span className={styles.small}>A property for this is missing? Make it in {crm}, then</span>
            <Button onClick={onLookAgain}>Look again</Button>
          </Row>
        </>
      )}
    </Stack>
  );
}
