/** Who reads links. Pure. */
import type { AccountId } from "../shared/Id.ts"

/** The readers of posts and of nodes as which somebody reads links; undefined where they may read none of these at all. */
export interface LinkReader {
  readonly posts: { readonly accountId: AccountId | undefined; readonly moderates: boolean } | undefined
  readonly library: { readonly accountId: AccountId | undefined; readonly manages: boolean } | undefined
}

/** Whether there is nothing but public links for a reader: a guest without the rights of staff. */
export const readsOnlyPublic = ({ library, posts }: LinkReader): boolean =>
  posts?.accountId === undefined &&
  library?.accountId === undefined &&
  posts?.moderates !== true &&
  library?.manages !== true
