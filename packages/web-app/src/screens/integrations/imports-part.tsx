import { Link } from '@tanstack/react-router';
import { $api, type Schema } from '../../api/client.ts';
import { StateBadge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { importState } from '../work-states.ts';
import { crmNames, useConnection } from './crms.ts';

type CrmImport = Schema['CrmImport'];

const columns: readonly Column<CrmImport>[] = [
  {
    id: 'name',
    header: 'Import',
    width: 'minmax(12rem, 2fr)',
    cell: ({ import_id: importId, name }) => (
      <Link to="/integrations/imports/$importId" params={{ importId }}>
        {name}
      </Link>
    ),
  },
  { id: 'state', header: 'Status', cell: one => <StateBadge look={importState(one)} /> },
  {
    id: 'records',
    header: 'Records',
    width: '7rem',
    align: 'end',
    cell: ({ records }) => formatNumber(records.total),
  },
  { id: 'created', header: 'Started', width: '12rem', cell: one => formatMoment(one.created_at) },
];
const rowsPerPage = 20;
/** How often a running import is polled. */
const refreshMs = 4_000;

/** The imports from the CRM, and links to start an import or a push. */
export function ImportsPart() {
  const { connection_id, provider } = useConnection();
  const pages = usePages();
  const query = {
    connection_id,
    limit: rowsPerPage,
    ...(pages.cursor !== undefined && { cursor: pages.cursor }),
  };
  const found = $api.useQuery(
    'get',
    '/crm-imports',
    { params: { query } },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.imports.some(({ ended_at }) => ended_at === null) ? refreshMs : false,
    },
  );
  const crm = crmNames[provider];
  const params = { connectionId: connection_id };
  const actions = (
    <>
      <LinkButton to="/integrations/crm/$connectionId/import" params={params} look="primary">
        Import records
      </LinkButton>
      <LinkButton to="/integrations/crm/$connectionId/push" params={params}>
        Push rows
      </LinkButton>
    </>
  );
  const imports = found.data?.imports;
  return (
    <Card title={`Imports from ${crm}`} actions={imports && imports.length > 0 && actions}>
      <Answered question={found} loading="Loading imports">
        {({ imports: rows }) =>
          rows.length === 0 && pages.number === 1 ? (
            <Empty title={`No imports from ${crm} yet`} action={<Row>{actions}</Row>}>
              An import reads the records of a segment, validates their addresses, and can write the results
              back to the same records. Or it adds their companies to a list, by which searches filter.
            </Empty>
          ) : (
            <DataTable name="Imports" columns={columns} rows={rows} rowId={one => one.import_id} />
          )
        }
      </Answered>
      <Pager pages={pages} nextCursor={found.data?.next_cursor} />
    </Card>
  );
}
