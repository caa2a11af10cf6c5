/** Storing what the page of a link said, and copies of its pictures. */
import { DateTime, Effect, Option } from "effect"
import { makeDiskReserve } from "../asset/DiskSpace.ts"
import type { AssetId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Attempt, stateAfter } from "./LinkFetchRules.ts"
import { LinkFetchStore, type TakenFetch } from "./LinkFetchStore.ts"
import { LinkStore } from "./LinkStore.ts"
import { describedByPage, isSameText, type PagePictures, type PageText } from "./LinkText.ts"
import { makePictureCopier } from "./PictureCopier.ts"

const noPictures = { favicon: undefined, primaryImage: undefined }

/** What was read has pictures for which the disk has no room now. */
const withoutRoom: Attempt = { _tag: "Failed", reason: "no room" }

/** Stores how a fetch ended, and lets it be tried again where that may help. */
export const makeFetchedPages = Effect.gen(function* () {
  const fetches = yield* LinkFetchStore
  const links = yield* LinkStore
  const transaction = yield* Transaction
  const copyPicture = yield* makePictureCopier
  const { findShortage } = yield* makeDiskReserve

  const storeText = Effect.fnUntraced(function* ({ linkId }: TakenFetch, page: PageText) {
    const text = Option.getOrUndefined(yield* links.findTextForUpdate(linkId))
    const after = text && describedByPage(text, page)
    if (text && after && !isSameText(text, after)) yield* links.setText(linkId, after, yield* DateTime.now)
  })

  /** Copies the pictures of which there are no copies yet; nothing, if there are some and the disk has no room. */
  const copyMissing = Effect.fnUntraced(function* ({ linkId }: TakenFetch, found: PagePictures) {
    const known = yield* links.findPictures(linkId)
    const missing = (has: AssetId | undefined, url: string | undefined) =>
      has === undefined ? url : undefined
    const favicon = missing(known.favicon, found.favicon)
    const primaryImage = missing(known.primaryImage, found.primaryImage)
    if (favicon === undefined && primaryImage === undefined) return noPictures
    if ((yield* findShortage) !== undefined) return undefined
    const copy = (url: string | undefined, name: string) =>
      url === undefined
        ? Effect.undefined
        : Effect.map(copyPicture(url, name), (copied) => Option.getOrUndefined(copied))
    return {
      favicon: yield* copy(favicon, "favicon"),
      primaryImage: yield* copy(primaryImage, "preview")
    }
  })

  /** The text is shown before the pictures are there. */
  return Effect.fnUntraced(function* (fetch: TakenFetch, attempt: Attempt) {
    const pictures =
      attempt._tag === "Read"
        ? yield* Effect.andThen(
            transaction(storeText(fetch, attempt.page)),
            copyMissing(fetch, attempt.pictures)
          )
        : noPictures
    const now = yield* DateTime.now
    const outcome = pictures === undefined ? withoutRoom : attempt
    yield* transaction(
      Effect.andThen(
        links.addPictures(fetch.linkId, pictures ?? noPictures, now),
        fetches.finish(fetch, stateAfter(outcome, fetch.tries, now), now)
      )
    )
  })
})
