import { Select } from '../../design/field.tsx';
import { type CrmObject, type CrmProvider, objectName } from './crms.ts';

interface ObjectChoiceProps {
  readonly provider: CrmProvider;
  readonly objects: readonly CrmObject[];
  readonly value: CrmObject;
  readonly onChange: (object: CrmObject) => void;
  readonly label?: string;
}

/** Which kind of records of a CRM. */
export function ObjectChoice({ provider, objects, value, onChange, label = 'Records' }: ObjectChoiceProps) {
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
