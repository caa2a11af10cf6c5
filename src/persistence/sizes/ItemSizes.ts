/** About how many bytes things take in answers that refer to them by id: each looked up by itself, as there are few. */
import { nodeSize } from "./NodeSize.ts"
import { postSize } from "./PostSize.ts"

/** A post, with the tags of the thread that it opens, if it does. */
export const postItemSize = (id: string): string =>
  `(select ${postSize("p")} + coalesce((select 200 * cardinality(t.tag_ids) from threads t where t.id = p.id limit 1), 0)
    from posts p where p.id = ${id} limit 1)`

/** A reply with what it answers, or a thread. */
export const discussedSize = (id: string): string =>
  `(${postItemSize(id)} + coalesce((select ${postSize("q")} from posts p join posts q on q.id = p.reply_to_id
    where p.id = ${id} limit 1), 0))`

export const nodeItemSize = (id: string): string =>
  `(select ${nodeSize("k", "above")} + octet_length(k.description) from nodes k
    left join nodes above on above.id = k.parent_id where k.id = ${id} limit 1)`

export const profileItemSize = (id: string): string =>
  `(select a.profile_weight + 1500 from accounts a where a.id = ${id} limit 1)`
