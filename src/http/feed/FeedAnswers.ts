/** Feeds as answers: written once for all who ask, as long as nothing in them changes. */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { HttpServerResponse } from "effect/http"
import type { Feed, FeedFormat, FeedView } from "../../domain/feed/Feed.ts"
import { contentsMax } from "../../domain/feed/Feed.ts"
import { updatedAt } from "../../domain/feed/FeedRules.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { joined } from "../bytes/Template.ts"
import { TextCache } from "../bytes/TextCache.ts"
import { feedAddress } from "../pipeline/FeedLinks.ts"
import { atom } from "./Atom.ts"
import type { FeedWriter } from "./FeedWriter.ts"
import { jsonFeed } from "./JsonFeed.ts"
import { rss } from "./Rss.ts"

const writers: { readonly [Format in FeedFormat]: FeedWriter } = { atom, rss, json: jsonFeed }

/** How long a feed may be kept without asking again, by anyone. */
export const caching = "public, max-age=60"

// Anyone may read it, and no answer depends on who asks.
const open = { "access-control-allow-origin": "*", "cache-control": caching }

/** The text of a feed. Entries have their contents as long as there is room for them as they are written. */
export const feedText = (writer: FeedWriter, { entries, ...head }: Feed, self: string): string => {
  let left = contentsMax
  const written = entries.map((entry) => {
    const whole = writer.entry(entry)
    const size = Buffer.byteLength(whole)
    if (entry.content !== undefined && size > left) return writer.entry({ ...entry, content: undefined })
    left -= size
    return whole
  })
  return writer.feed({ ...head, self, updatedAt: updatedAt(entries) }, written)
}

const weak = /^W\//

/**
 * Whether `If-None-Match` names a tag. Readers of feeds send it as proxies have passed it on: as a weak one, or among
 * others (RFC 9110, 13.1.2).
 */
const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch?.split(",").some((one) => {
    const known = one.trim()
    return known === "*" || known.replace(weak, "") === tag
  }) === true

/** Makes answers of texts that are the same for everyone, with a tag that is drawn from all of it. */
export const makePublicAnswer = Effect.map(Digest.Digest, (digest) => {
  const tags = new WeakMap<Uint8Array, string>()

  const tagOf = Effect.fnUntraced(function* (body: Uint8Array) {
    const known = tags.get(body)
    if (known !== undefined) return known
    const tag = `"${(yield* digest.digestHex(Digest.sha256, body)).slice(0, 32)}"`
    tags.set(body, tag)
    return tag
  })

  return Effect.fnUntraced(function* (
    body: Uint8Array,
    contentType: string,
    ifNoneMatch: string | undefined,
    headers: Readonly<Record<string, string>> = open
  ) {
    const tag = yield* tagOf(body)
    return isKnown(ifNoneMatch, tag)
      ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag: tag } })
      : HttpServerResponse.uint8Array(body, { contentType, headers: { ...headers, etag: tag } })
  })
})

/** Which feed is asked for, and how. */
export interface RequestedFeed {
  readonly format: FeedFormat
  /** Its address below that of all feeds, without the format. */
  readonly path: string
  /** What it is narrowed by. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly ifNoneMatch: string | undefined
}

export const makeFeedAnswers = Effect.gen(function* () {
  const cache = yield* TextCache
  const digest = yield* Digest.Digest
  const answer = yield* makePublicAnswer
  const { publicUrl } = yield* Deployment

  return Effect.fnUntraced(function* <E>(
    { feed, version }: FeedView<E>,
    { format, ifNoneMatch, path, query }: RequestedFeed
  ) {
    const writer = writers[format]
    const self = feedAddress(publicUrl, `${path}.${format}`, query)
    const depends = yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(JSON.stringify(version)))
    const key = `feed ${self}`
    const kept =
      cache.get(key, depends) ??
      cache.keep(key, depends, { content: feedText(writer, yield* feed, self), slots: [] })
    return yield* answer(joined([kept.content]), writer.contentType, ifNoneMatch)
  })
})
