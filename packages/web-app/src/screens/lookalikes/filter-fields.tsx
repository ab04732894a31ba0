import { useState } from 'react';
import { useVocabulary } from '../../api/vocabulary.ts';
import { Answered } from '../../design/answered.tsx';
import { Chip, Chips } from '../../design/chip.tsx';
import { ChipInput } from '../../design/chip-input.tsx';
import type { PickerOption } from '../../design/picker-option.ts';
import { ValuePicker } from '../../design/value-picker.tsx';
import { domainFault, splitDomains } from './domains.ts';
import styles from './lookalikes.module.css';
import { type Filters, withFilter } from './question.ts';

interface FilterFieldsProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const fields = [
  ['countries', 'Countries'],
  ['industries', 'Industries'],
  ['company_sizes', 'Employees'],
  ['revenues', 'Annual revenue'],
  ['company_types', 'Kind of company'],
] as const;

/** Which companies may be an answer. */
export function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const vocabulary = useVocabulary();
  const set = Object.keys(filters).length;
  const [isOpenAtFirst] = useState(set > 0);
  return (
    <details className={styles.filters} open={isOpenAtFirst}>
      <summary>Only some companies (optional){set > 0 && `: ${set} set`}</summary>
      <div>
        <Answered question={vocabulary} loading="Loading filters">
          {offered =>
            fields.map(([name, label]) => (
              <FilterField
                key={name}
                label={label}
                options={offered[name]}
                chosen={filters[name] ?? []}
                onChange={values => onChange(withFilter(filters, name, values))}
              />
            ))
          }
        </Answered>
        <ChipInput
          label="Without these companies"
          hint="Customers of yours, for example: domains or addresses of their sites."
          values={filters.excluded_domains ?? []}
          onChange={values => onChange(withFilter(filters, 'excluded_domains', values))}
          split={splitDomains}
          faultOf={domainFault}
        />
      </div>
    </details>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly options: readonly PickerOption[];
  readonly chosen: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function FilterField({ label, options, chosen, onChange }: FilterFieldProps) {
  return (
    <details className={styles.filter}>
      <summary>
        {label}
        {chosen.length > 0 && ` (${chosen.length})`}
      </summary>
      <div>
        {chosen.length > 0 && (
          <Chips name={`${label}: chosen`}>
            {chosen.map(value => (
              <Chip
                key={value}
                label={options.find(option => option.value === value)?.label ?? value}
                onRemove={() => onChange(chosen.filter(each => each !== value))}
              />
            ))}
          </Chips>
        )}
        <ValuePicker name={label} options={options} chosen={chosen} onChange={onChange} />
      </div>
    </details>
  );
}
