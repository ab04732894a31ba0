import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Building2, Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { type SavedList, savedListsQuery } from '../../api/shared-queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { SavedTabs, TypedFilter } from './filter-bar.tsx';
import { foundLists, tagsOf } from './filters.ts';
import { ListDialog } from './list-dialog.tsx';
import styles from './saved.module.css';

const route = getRouteApi('/signed-in/saved/lists');

/** The lists of the account. */
export function ListsScreen() {
  const { text, tag } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(savedListsQuery);
  const [isMaking, setMaking] = useState(false);
  const lists = query.data ?? [];
  const tags = tagsOf(lists);
  const found = foundLists(lists, { text, tag });
  const make = (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={16} aria-hidden />
      Create list
    </Button>
  );
  return (
    <Page title="Saved lists" lead="Groups of saved people or companies." actions={lists.length > 0 && make}>
      <SavedTabs />
      <Answered question={query} loading="Loading lists">
        {({ length }) =>
          length === 0 && (
            <Empty title="No lists yet" action={make}>
              A list keeps saved people or fetched companies together, such as for one campaign: export it, or
              push it to your CRM. Create one here, or while you save people.
            </Empty>
          )
        }
      </Answered>
      {lists.length > 0 && (
        <search className={styles.filters} aria-label="Filters">
          <TypedFilter
            label="List name"
            value={text}
            onChange={sought => navigate({ search: { text: sought, tag }, replace: true })}
          />
          {tags.length > 0 && (
            <Select
              label="Tag"
              value={tag ?? ''}
              onChange={event =>
                navigate({ search: { text, tag: event.target.value || undefined }, replace: true })
              }
            >
              <option value="">Any</option>
              {tags.map(each => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </Select>
          )}
        </search>
      )}
      {lists.length > 0 && found.length === 0 && (
        <Empty
          title="No matching lists"
          action={
            <Button onClick={() => navigate({ search: { text: undefined, tag: undefined }, replace: true })}>
              Show all lists
            </Button>
          }
        />
      )}
      {found.length > 0 && (
        <DataTable name="Lists" columns={columns} rows={found} rowId={({ list_id }) => list_id} />
      )}
      {isMaking && <ListDialog open onOpenChange={setMaking} />}
    </Page>
  );
}

/** A badge for the kind of list. */
export function KindBadge({ kind }: { readonly kind: SavedList['kind'] }) {
  const Icon = kind === 'people' ? Users : Building2;
  return (
    <Badge>
      <Icon size={13} aria-hidden />
      {kind === 'people' ? 'People' : 'Companies'}
    </Badge>
  );
}

/** The tags of a list. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <Row>
      {tags.map(tag => (
        <span key={tag} className={styles.tag}>
          {tag}
        </span>
      ))}
    </Row>
  );
}

const columns: readonly Column<SavedList>[] = [
  {
    id: 'name',
    header: 'List',
    width: 'minmax(14rem, 2fr)',
    cell: ({ list_id, name }) => (
      <Link to="/saved/lists/$listId" params={{ listId: list_id }} className={styles.listName}>
        {name}
      </Link>
    ),
  },
  { id: 'kind', header: 'Type', width: '9rem', cell: ({ kind }) => <KindBadge kind={kind} /> },
  { id: 'tags', header: 'Tags', width: 'minmax(12rem, 2fr)', cell: ({ tags }) => <Tags tags={tags} /> },
  {
    id: 'entries',
    header: 'Entries',
    width: '7rem',
    align: 'end',
    cell: ({ entries }) => formatNumber(entries),
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    align: 'end',
    cell: ({ created_at }) => formatDay(created_at),
  },
];
