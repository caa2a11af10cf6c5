/** Where a thread is counted: in the instance, its tags, its category and with its author, as long as it is published. Pure. */
import type { Visibility } from "../shared/Visibility.ts"
import { publishedChange } from "./ThreadRules.ts"

/** What a thread's counts depend on. */
export interface Placement {
  readonly visibility: Visibility
  readonly categoryId: string | null
  readonly tagIds: ReadonlyArray<string>
}

export interface Change {
  readonly id: string
  readonly by: -1 | 1
}

/** A change of the number of threads that an author has in a category, or in none. */
export interface PlaceChange {
  readonly categoryId: string | null
  readonly by: -1 | 1
}

export interface CountChanges {
  readonly total: -1 | 0 | 1
  /** Sorted by category, no category first: every writer takes its locks in this order. */
  readonly places: ReadonlyArray<PlaceChange>
  /** Sorted by id, each id once: every writer takes its locks in this order. */
  readonly tags: ReadonlyArray<Change>
  readonly categories: ReadonlyArray<Change>
}

const changesBetween = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): ReadonlyArray<Change> => {
  const [left, joined] = [new Set(before), new Set(after)]
  return [
    ...[...left.difference(joined)].map((id) => ({ id, by: -1 }) as const),
    ...[...joined.difference(left)].map((id) => ({ id, by: 1 }) as const)
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const countedIn = (thread: Placement | undefined) =>
  thread?.visibility === "published"
    ? { tags: thread.tagIds, categories: thread.categoryId === null ? [] : [thread.categoryId] }
    : { tags: [], categories: [] }

const placesOf = (thread: Placement | undefined) =>
  thread?.visibility === "published" ? [thread.categoryId ?? nowhere] : []

// Before every id.
const nowhere = ""

const placeChanges = (
  before: Placement | undefined,
  after: Placement | undefined
): ReadonlyArray<PlaceChange> =>
  changesBetween(placesOf(before), placesOf(after)).map(({ by, id }) => ({
    categoryId: id === nowhere ? null : id,
    by
  }))

/** What becomes of the counts when a thread comes, changes or goes. */
export const countChanges = (before: Placement | undefined, after: Placement | undefined): CountChanges => {
  const [left, joined] = [countedIn(before), countedIn(after)]
  return {
    total: publishedChange(before?.visibility, after?.visibility),
    places: placeChanges(before, after),
    tags: changesBetween(left.tags, joined.tags),
    categories: changesBetween(left.categories, joined.categories)
  }
}
