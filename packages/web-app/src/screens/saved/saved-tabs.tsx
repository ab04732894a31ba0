import { TabLink, TabLinks } from '../../design/tabs.tsx';

/** The parts of what is saved. */
export function SavedTabs() {
  const exactly = { exact: true, includeSearch: false };
  return (
    <TabLinks name="Saved">
      <TabLink to="/saved" activeOptions={exactly}>
        People
      </TabLink>
      <TabLink to="/saved/lists" activeOptions={exactly}>
        Lists
      </TabLink>
    </TabLinks>
  );
}
