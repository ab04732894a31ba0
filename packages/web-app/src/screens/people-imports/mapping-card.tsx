import type { PeopleImportField } from '@mailproof/shared-types';
import { Badge } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import styles from '../integrations/mapping-table.module.css';
import { type Choices, changed, choiceOf, doubled, fieldLabels, type PeopleImport } from './mapping.ts';

interface MappingCardProps {
  readonly record: PeopleImport;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

/** The columns of a file with examples, and the field that each is imported as. */
export function MappingCard({ record, choices, onChange }: MappingCardProps) {
  const { columns, layout, encoding, encoding_is_guess: isGuess } = record;
  const twice = doubled(choices);
  const mapped = Object.keys(choices).length;
  return (
    <Card title="Columns">
      {layout && <p>This is an export of {layout}. Its columns are recognized.</p>}
      {isGuess && (
        <Notice tone="caution" title={`Read as ${encoding}`}>
          <span>The file does not declare its encoding. Check the examples for wrong letters.</span>
        </Notice>
      )}
      <div className={styles.frame}>
        <table role="table" className={styles.table} aria-label="Columns of the file">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader">Column and examples</th>
              <th role="columnheader">Import as</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {columns.map(({ name, examples, holds_addresses: holdsAddresses }) => (
              <tr
                key={name}
                role="row"
                className={classes(choiceOf(choices, name) === undefined && styles.unsent)}
              >
                <td role="cell">
                  <div className={styles.column}>{name}</div>
                  <div className={styles.sample}>{examples.join(' · ')}</div>
                </td>
                <td role="cell">
                  {holdsAddresses ? (
                    <Badge>Email addresses are not stored</Badge>
                  ) : (
                    <Select
                      label={`Import ${name} as`}
                      value={choiceOf(choices, name) ?? ''}
                      error={twice.has(name) ? 'Another column has this field too.' : undefined}
                      onChange={({ target }) =>
                        onChange(changed(choices, name, target.value as PeopleImportField | ''))
                      }
                    >
                      <option value="">Leave out</option>
                      {Object.entries(fieldLabels).map(([field, label]) => (
                        <option key={field} value={field}>
                          {label}
                        </option>
                      ))}
                    </Select>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className={styles.legend} role="status">
          {formatNumber(mapped)} of {countOf(columns.length, 'column')} will be imported.
        </p>
      </div>
    </Card>
  );
}
