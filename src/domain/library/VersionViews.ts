/** Reading versions of pages. */
import { Context, Effect, Layer, Option } from "effect"
import { type AccountActor, type Actor, CurrentAccount, CurrentActor } from "../shared/Actor.ts"
import { pageEnvelope } from "../shared/Page.ts"
import type { VisibilityFilter } from "../shared/Visibility.ts"
import { fitting } from "../thread/PageBudget.ts"
import { versionsOnPage } from "./LibraryLimits.ts"
import { NodeNotFound } from "./Node.ts"
import { aloneNode } from "./NodeExcerpt.ts"
import { NodeReader } from "./NodeReader.ts"
import { managesLibrary, mayReadLibrary, mayReadNode, readableNodes } from "./NodeRules.ts"
import { NodeStates } from "./NodeStates.ts"
import type { NodeDraft, NodeDraftListResult, NodeVersion, NodeVersionListResult } from "./NodeVersion.ts"
import { maySeeVersion, spanOfPage, totalOf } from "./VersionRules.ts"
import { type DraftSelection, type ListedVersion, type VersionMark, VersionStore } from "./VersionStore.ts"
import { versionNotFound } from "./Versions.ts"

const nothing: VisibilityFilter = { others: [], own: [] }

/** The drafts that an account sees in the list of all: managers of the library those of everyone. */
const draftsFor = (actor: AccountActor): DraftSelection =>
  managesLibrary(actor)
    ? "all"
    : { authorId: actor.accountId, pages: mayReadLibrary(actor) ? readableNodes(actor) : nothing }

const mayShow = ({ author, status }: NodeVersion, actor: Actor): boolean =>
  maySeeVersion({ authorId: author.id, status }, actor)

const make = Effect.gen(function* () {
  const states = yield* NodeStates
  const store = yield* VersionStore
  const reader = yield* NodeReader

  /** The page that a mark names, if the caller may read it. */
  const findPage = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentActor
    const found = yield* states.find(mark)
    if (Option.isSome(found) && mayReadNode(found.value, actor)) return { actor, node: found.value }
    return yield* new NodeNotFound({ metadata: { node_slug: mark } })
  })

  const get = Effect.fn("VersionViews.get")(function* (mark: string, version: VersionMark) {
    const { actor, node } = yield* findPage(mark)
    const found = yield* store.find(node.id, version)
    if (Option.isSome(found) && mayShow(found.value, actor)) return found.value
    return yield* versionNotFound(mark, version)
  })

  /** The versions, of which those are in full that an answer has room for. */
  const inFull = Effect.fnUntraced(function* (listed: ReadonlyArray<ListedVersion>) {
    const fits = fitting(listed, ({ size }) => size)
    const full = yield* store.inFull(fits.map(({ brief }) => brief.id))
    return listed.map(({ brief }) => full.get(brief.id) ?? brief)
  })

  const list = Effect.fn("VersionViews.list")(function* (mark: string, page: number) {
    const { actor, node } = yield* findPage(mark)
    const { applied, drafter } = yield* store.seen(node.id)
    const hasDraft = drafter !== undefined && maySeeVersion({ authorId: drafter, status: "draft" }, actor)
    const seen = { applied, hasDraft }
    const listed = yield* store.list(node.id, spanOfPage(seen, page))
    // Another draft may have taken the place of the one that was counted.
    const versions = (yield* inFull(listed)).filter((version) => mayShow(version, actor))
    return {
      ...pageEnvelope({
        current: page,
        size: versionsOnPage,
        total: totalOf(seen),
        results: versions.length
      }),
      versions
    } satisfies NodeVersionListResult
  })

  /** The draft says what is in its page. */
  const withPages = Effect.fnUntraced(function* (versions: ReadonlyArray<NodeVersion>) {
    const pages = yield* reader.listed(versions.map(({ node_id }) => ({ id: node_id, length: "brief" })))
    const byId = new Map(pages.map((page) => [page.id, page]))
    return versions.flatMap((version): ReadonlyArray<NodeDraft> => {
      const page = byId.get(version.node_id)
      return page === undefined ? [] : [{ ...version, node: aloneNode(page) }]
    })
  })

  /** Drafts that the caller sees, of any page. */
  const drafts = Effect.fn("VersionViews.drafts")(function* (page: number) {
    const found = yield* store.drafts(draftsFor(yield* CurrentAccount), page)
    const drafts = yield* withPages(yield* inFull(found.drafts))
    return {
      ...pageEnvelope({
        current: page,
        size: versionsOnPage,
        total: found.total,
        results: drafts.length
      }),
      drafts
    } satisfies NodeDraftListResult
  })

  return { get, list, drafts } as const
})

export class VersionViews extends Context.Service<VersionViews, Effect.Success<typeof make>>()(
  "forum/domain/VersionViews"
) {
  static readonly layer = Layer.effect(VersionViews, make)
}
