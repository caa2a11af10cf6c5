import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { PostState } from "../../domain/thread/PostVisibility.ts"

/** What is read of a post to decide who may do what with it. */
export interface StateRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly thread_id: PostId
  readonly thread_author_id: AccountId
  readonly thread_visibility: Visibility
}

export const stateOf = (row: StateRow): PostState => ({
  id: row.id,
  authorId: row.author_id,
  visibility: row.visibility,
  thread: {
    id: row.thread_id,
    authorId: row.thread_author_id,
    visibility: row.thread_visibility
  }
})

/** The columns of a `StateRow`, read of a post `p` and its thread `t`. */
export const stateColumns = `p.id, p.author_id, p.visibility, t.id as thread_id, t.author_id as thread_author_id,
  t.visibility as thread_visibility`
