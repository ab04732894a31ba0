import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, VirtualTable } from '../../design/table.tsx';
import { type CrmObject, type CrmProperty, crmNames, objectName, typeName } from './crms.ts';
import styles from './integrations.module.css';
import { ObjectChoice } from './object-choice.tsx';
import { useConnection } from './use-connection.ts';

const columns: readonly Column<CrmProperty>[] = [
  { id: 'label', header: 'Property', cell: ({ label, name }) => label || name },
  { id: 'name', header: 'Name for programs', cell: ({ name }) => <code>{name}</code> },
  { id: 'type', header: 'Takes', width: '9rem', cell: property => typeName(property) },
  {
    id: 'notes',
    header: 'To know',
    cell: ({ is_writable: isWritable, is_required: isRequired, is_unique: isUnique }) => (
      <>
        {isUnique && <Badge tone="fair">unique</Badge>} {isRequired && <Badge tone="caution">required</Badge>}{' '}
        {!isWritable && <Badge>read only</Badge>}
      </>
    ),
  },
];

/** What the records of the CRM have, asked there at this moment. */
export function PropertiesPart() {
  const { connection_id, provider, objects } = useConnection();
  const [object, setObject] = useState<CrmObject>(objects[0] ?? 'contact');
  const [text, setText] = useState('');
  const found = $api.useQuery('get', '/crm-connections/{connection_id}/properties', {
    params: { path: { connection_id }, query: { object } },
  });
  const wanted = text.trim().toLowerCase();
  const properties = found.data?.properties.filter(({ name, label }) =>
    `${label} ${name}`.toLowerCase().includes(wanted),
  );
  return (
    <Card title="Properties">
      <div className={styles.pair}>
        <ObjectChoice value={object} onChange={setObject} {...{ provider, objects }} />
        <TextInput label="Find" type="search" value={text} onChange={event => setText(event.target.value)} />
      </div>
      {found.isPending && <Loading name={`Asking ${crmNames[provider]}`} />}
      {found.isError && <Failure error={found.error} onRetry={found.refetch} />}
      {properties?.length === 0 && <Empty title="No property is called that" />}
      {properties && properties.length > 0 && (
        <>
          <p className={styles.small} role="status">
            {countOf(properties.length, 'property', 'properties')}
          </p>
          <VirtualTable
            name={`Properties of ${objectName(provider, object).toLowerCase()}`}
            columns={columns}
            count={properties.length}
            rowAt={index => properties[index]}
            onSeen={() => undefined}
          />
        </>
      )}
    </Card>
  );
}
