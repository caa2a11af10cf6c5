import { migration } from "../shared/migration.ts"

/** Gives those that have a slug which means something else another one. */
const renamed = (table: string, word: string) => `update ${table} named
  set slug = case when exists (select from ${table} other where other.slug = '${word}-1')
    then '${word}-' || named.id else '${word}-1' end
  where named.slug = '${word}'`

export default migration([
  // What filters by category take for none.
  renamed("categories", "null"),
  // The address of the list of drafts.
  renamed("nodes", "drafts"),
  `update node_versions set slug = 'drafts-1' where slug = 'drafts' and status = 'draft'`
])
