import { useForm } from 'react-hook-form';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Failure } from '../../design/states.tsx';
import type { ExportWay } from './export-drawer.tsx';
import styles from './exports.module.css';
import { useBeginExport } from './use-export.ts';

type Delimiter = NonNullable<Schema['CsvOptions']['delimiter']>;

const delimiterNames = {
  comma: 'Comma ( , )',
  semicolon: 'Semicolon ( ; )',
  tab: 'Tab',
  pipe: 'Pipe ( | )',
} as const satisfies Record<Delimiter, string>;

/** Makes a CSV file. */
export function FileTab({ source, name, onStarted }: ExportWay) {
  const begin = useBeginExport();
  const { register, handleSubmit } = useForm<Required<Schema['CsvOptions']>>({
    defaultValues: { delimiter: 'comma', byte_order_mark: false },
  });
  const submit = handleSubmit(options =>
    begin.mutate(
      { target: 'csv', source, options, ...(name && { name }) },
      { onSuccess: ({ export_id }) => onStarted(export_id) },
    ),
  );
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label="Between cells"
        hint="Spreadsheets of countries with a decimal comma expect a semicolon."
        {...register('delimiter')}
      >
        {Object.entries(delimiterNames).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Checkbox
        label="For Excel"
        hint="Begins with a mark by which Excel reads letters such as é and ü right."
        {...register('byte_order_mark')}
      />
      {begin.isError && <Failure error={begin.error} />}
      <Button type="submit" look="primary" busy={begin.isPending}>
        Download CSV
      </Button>
      <p className={styles.soft}>
        Free of charge. Cells that a spreadsheet would take for a formula begin with an apostrophe.
      </p>
    </form>
  );
}
