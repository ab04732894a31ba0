import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../design/button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { Row } from '../../design/layout.tsx';
import { type CrmProperty, propertyLabel } from './crms.ts';
import { type FilterDraft, operators } from './import-request.ts';
import styles from './integrations.module.css';

interface FiltersFieldProps {
  readonly properties: readonly CrmProperty[];
  readonly value: readonly FilterDraft[];
  readonly onChange: (filters: readonly FilterDraft[]) => void;
}

const filtersMax = 20;

/** Conditions that records have to meet, every one of them. */
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
          Add a filter
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
          label={values === 'many' ? 'Values, parted by commas' : 'Value'}
          value={filter.value}
          maxLength={values === 'many' ? undefined : 1_000}
          onChange={event => onChange({ value: event.target.value })}
        />
      )}
      <IconButton name="Remove this filter" onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
