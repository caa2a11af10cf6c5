/** What people may do with links. */

import { Context, DateTime, Effect, Layer, Option } from "effect"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { checkAddress, type LinkListResult, LinkNotFound, type NewLink } from "../link/Link.ts"
import { type Attempt, stateOfAttempt } from "../link/LinkFetchRules.ts"
import { LinkFetchStore } from "../link/LinkFetchStore.ts"
import { type LinkReader, LinkStore, pageSize } from "../link/LinkStore.ts"
import { type Describer, describedByMember, describedByPage, isSameText } from "../link/LinkText.ts"
import { makePageReader } from "../link/PageReader.ts"
import { makeFairQueue } from "../queue/FairQueue.ts"
import { CurrentAccount, CurrentActor, holds } from "../shared/Actor.ts"
import type { LinkId } from "../shared/Id.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import { searched } from "../text/SearchText.ts"
import { makeLinkContents } from "./LinkContents.ts"
import type { Link } from "./LinkDetail.ts"
import { linkReaderOf } from "./LinkReading.ts"

/** How long a request that adds a link waits for its page, whose preview people want to see. */
export const previewWithin = "3 seconds"

/** Requests that wait for a page at the same time, few of the writes that may run; and of one account. */
export const previewsMax = { all: 16, account: 2 }

const make = Effect.gen(function* () {
  const store = yield* LinkStore
  const fetches = yield* LinkFetchStore
  const { nodesAbout, threadsAbout } = yield* makeLinkContents
  const transaction = yield* Transaction
  const readPage = yield* makePageReader
  const previews = makeFairQueue({
    running: previewsMax.all,
    runningPerClient: previewsMax.account,
    waiting: 0,
    perClient: previewsMax.account
  })

  /** What reading the page came to, if there was a place and it did not take long. */
  const preview = (by: Describer, { url }: LinkAddress): Effect.Effect<Attempt | undefined> =>
    previews
      .run(by.accountId, () => Effect.timeoutOption(readPage(url), previewWithin), Effect.fail)
      .pipe(
        Effect.map(Option.getOrUndefined),
        Effect.catch(() => Effect.undefined)
      )

  /** Adds a link, or finds it, with what is said of it; its page is read later unless it has been now. */
  const put = Effect.fnUntraced(function* (
    address: LinkAddress,
    input: NewLink,
    by: Describer,
    reader: LinkReader,
    attempt: Attempt | undefined
  ) {
    const at = yield* DateTime.now
    const { id, text: before } = yield* store.add(address, reader, at)
    const given = describedByMember(before, input, by)
    const after = attempt?._tag === "Read" ? describedByPage(given, attempt.page) : given
    if (!isSameText(before, after)) yield* store.setText(id, after, at)
    const due = { dueAt: at, tries: 0, reason: undefined }
    yield* fetches.enqueue(id, attempt === undefined ? due : stateOfAttempt(attempt, at), at)
    return id
  })

  const create = Effect.fn("Links.create")(function* (input: NewLink) {
    const actor = yield* CurrentAccount
    const address = yield* checkAddress("url", input.url)
    const reader = linkReaderOf(actor)
    const by = { accountId: actor.accountId, isStaff: holds(actor, "MANAGE_LIBRARY") }
    // Before the transaction: no connection waits for a page. What says its title itself needs no other.
    const isNeeded = input.title === undefined && !(yield* store.exists(address, reader))
    const attempt = isNeeded ? yield* preview(by, address) : undefined
    const id = yield* transaction(put(address, input, by, reader, attempt))
    return yield* existing(id, store.find(id))
  })

  const list = Effect.fn("Links.list")(function* (q: string | undefined, place: ListPlace) {
    const reader = linkReaderOf(yield* CurrentActor)
    const { links, ...extent } = yield* store.list(reader, searched(q), place)
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: links.length }),
      links
    } satisfies LinkListResult
  })

  const get = Effect.fn("Links.get")(function* (slug: string) {
    const reader = linkReaderOf(yield* CurrentAccount)
    const found = yield* store.findBySlug(slug.toLowerCase().normalize("NFC"), reader)
    const link = Option.getOrUndefined(found)
    if (link === undefined) return yield* new LinkNotFound({ metadata: { link_slug: slug } })
    const [posts, nodes] = yield* Effect.all([threadsAbout(link), nodesAbout(link)], {
      concurrency: "unbounded"
    })
    return {
      ...link,
      assets: [link.favicon_image, link.primary_image].filter((picture) => picture !== undefined),
      posts,
      nodes,
      recomentations: []
    } satisfies Link
  })

  return { create, list, get } as const
})

/** What has to be there, as links are not deleted. */
const existing = <A>(id: LinkId, found: Effect.Effect<Option.Option<A>>): Effect.Effect<A> =>
  Effect.flatMap(
    found,
    Option.match({ onNone: () => Effect.die(new Error(`There is no link ${id}`)), onSome: Effect.succeed })
  )

export class Links extends Context.Service<Links, Effect.Success<typeof make>>()("forum/domain/Links") {
  static readonly layer = Layer.effect(Links, make).pipe(Layer.provide(DatagraphItems.layer))
}
