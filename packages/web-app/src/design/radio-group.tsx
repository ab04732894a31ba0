import { type ReactNode, useId } from 'react';
import { Tick } from './field.tsx';
import styles from './radio-group.module.css';

interface RadioGroupProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly {
    readonly value: Value;
    readonly label: ReactNode;
    readonly hint?: ReactNode;
    readonly disabled?: boolean;
  }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** One of a few, all of which are seen at once. */
export function RadioGroup<Value extends string>({
  label,
  choices,
  value: chosen,
  onChange,
}: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {choices.map(({ value, ...choice }) => (
        <Tick
          key={value}
          {...choice}
          type="radio"
          name={name}
          checked={value === chosen}
          onChange={() => onChange(value)}
        />
      ))}
    </fieldset>
  );
}
