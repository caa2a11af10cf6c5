/** About how many bytes things take in answers that refer to them by id: each looked up by itself, as there are few. */
import { lightMax } from "../shared/Places.ts"
import { nodeSize } from "./NodeSize.ts"
import { postSize } from "./PostSize.ts"

/** The size of a post, with the tags of its thread if it opens one. */
export const postItemSize = (id: string): string =>
  `(select ${postSize("p")} + coalesce((select 200 * cardinality(t.tag_ids) from threads t where t.id = p.id limit 1), 0)
    from posts p where p.id = ${id} limit 1)`

/** The size of a reply with the post that it answers, or of a thread. */
export const discussedSize = (id: string): string =>
  `(${postItemSize(id)} + coalesce((select ${postSize("q")} from posts p join posts q on q.id = p.reply_to_id
    where p.id = ${id} limit 1), 0))`

export const nodeItemSize = (id: string): string =>
  `(select ${nodeSize("k", "above")} + octet_length(k.description) from nodes k
    left join nodes above on above.id = k.parent_id where k.id = ${id} limit 1)`

/** The size of a profile, computed from the row of its account. */
export const profileSize = (account: string): string => `(${account}.profile_weight + 1500)`

/** The size of the item that a kind, as a column has it, and an id refer to; null where there is none. */
export const itemSize = (kind: string, id: string): string =>
  `case ${kind} when 'node' then ${nodeItemSize(id)}
    when 'profile' then (select ${profileSize("a")} from accounts a where a.id = ${id} limit 1)
    else ${postItemSize(id)} end`

/** A size that is looked up only where `most`, an upper bound or null, leaves open whether it is a large one. */
export const sizeFrom = (most: string, pageSize: number, size: string): string =>
  `case when ${most} <= ${lightMax(pageSize)} then ${most} else ${size} end`
