/** What has been acknowledged: what there must be in the end, and what others must have been told. */

export interface ThreadEntry {
  title: string
  category: string | undefined
  isLiked: boolean
  isDeleted: boolean
}

export interface ReplyEntry {
  readonly thread: string
  text: string
  isDeleted: boolean
}

export interface CategoryEntry {
  readonly slug: string
  readonly name: string
  description: string
  isDeleted: boolean
}

export interface Ledger {
  readonly threads: Map<string, ThreadEntry>
  readonly replies: Map<string, ReplyEntry>
  readonly categories: Map<string, CategoryEntry>
  /** How often others must have been told of a change, by its name and the id of what was changed. */
  readonly changes: Map<string, number>
  /** How often each kind of write was acknowledged. */
  readonly writes: Map<string, number>
}

export const newLedger = (): Ledger => ({
  threads: new Map(),
  replies: new Map(),
  categories: new Map(),
  changes: new Map(),
  writes: new Map()
})

export const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

export const writesOf = ({ writes }: Ledger) => writes.values().reduce((sum, count) => sum + count, 0)

/** Whether what a change is about is still there. */
export const isThere = ({ categories, replies, threads }: Ledger, id: string): boolean => {
  const reply = replies.get(id)
  const thread = threads.get(reply?.thread ?? id)
  if (thread !== undefined) return !thread.isDeleted && reply?.isDeleted !== true
  return categories.get(id)?.isDeleted === false
}
