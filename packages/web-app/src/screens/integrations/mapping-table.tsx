import { Badge } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { classes } from '../../design/looks.ts';
import { type CrmPolicy, type CrmProperty, policies, policyNames, propertyLabel } from './crms.ts';
import { changed, doubled, type MappedField, sampleText } from './mapping.ts';
import styles from './mapping-table.module.css';

interface MappingTableProps {
  readonly crm: string;
  readonly mapping: readonly MappedField[];
  readonly properties: readonly CrmProperty[];
  readonly onChange: (mapping: readonly MappedField[]) => void;
}

/** Maps our fields to CRM properties, with a policy for existing values. */
export function MappingTable({ crm, mapping, properties, onChange }: MappingTableProps) {
  const twice = doubled(mapping);
  const writable = properties.filter(property => property.is_writable);
  const sent = mapping.filter(({ property }) => property !== '').length;
  return (
    <div className={styles.frame}>
      <table role="table" className={styles.table} aria-label="Mapping">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Field</th>
            <th role="columnheader">Property in {crm}</th>
            <th role="columnheader">Existing values</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {mapping.map(field => (
            <MappingRow
              key={field.column}
              field={field}
              writable={writable}
              isTwice={twice.has(field.column)}
              onChange={more => onChange(changed(mapping, field.column, more))}
            />
          ))}
        </tbody>
      </table>
      <p className={styles.legend} role="status">
        {formatNumber(sent)} of {countOf(mapping.length, 'field')} will be sent.
      </p>
    </div>
  );
}

interface MappingRowProps {
  readonly field: MappedField;
  readonly writable: readonly CrmProperty[];
  readonly isTwice: boolean;
  readonly onChange: (more: Partial<Pick<MappedField, 'property' | 'policy'>>) => void;
}

function MappingRow({ field, writable, isTwice, onChange }: MappingRowProps) {
  const { column, samples, property, policy } = field;
  const target = writable.find(({ name }) => name === property);
  return (
    <tr role="row" className={classes(property === '' && styles.unsent)}>
      <td role="cell">
        <div className={styles.column}>{column}</div>
        <div className={styles.sample}>{sampleText(samples)}</div>
      </td>
      <td role="cell">
        <Select
          label={`Property for ${column}`}
          value={property}
          error={isTwice ? 'Another field uses it too.' : undefined}
          onChange={event => onChange({ property: event.target.value })}
        >
          <option value="">Do not send</option>
          {writable.map(each => (
            <option key={each.name} value={each.name}>
              {propertyLabel(each)}
            </option>
          ))}
        </Select>
        {target?.is_unique && <Badge tone="fair">unique in the CRM</Badge>}
      </td>
      <td role="cell">
        {property !== '' && (
          <Select
            label={`Existing values for ${column}`}
            value={policy}
            onChange={event => onChange({ policy: event.target.value as CrmPolicy })}
          >
            {policies.map(each => (
              <option key={each} value={each}>
                {policyNames[each]}
              </option>
            ))}
          </Select>
        )}
      </td>
    </tr>
  );
}
