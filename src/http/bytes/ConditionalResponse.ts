/** Makes the responses that `Conditional.ts` declares. */
import { Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { HttpServerResponse } from "effect/http"
import type { Actor } from "../../domain/shared/Actor.ts"

/**
 * The `Cache-Control` that says who may keep an answer: anyone if it is a guest's, else only its reader. Both must ask
 * again.
 */
export const cachingFor = (actor: Actor) =>
  actor._tag === "Guest" ? "public, no-cache" : "private, no-cache"

const quoted = (tag: string) => `"${tag}"`

/** The entity tag that the client has, if it sent exactly one. */
export const knownEtag = (ifNoneMatch: string | undefined): string | undefined =>
  /^"([^"]*)"$/.exec(ifNoneMatch ?? "")?.[1]

/** An answer whose JSON is written already. */
export const jsonWithEtag = (json: string, tag: string, caching: string) =>
  HttpServerResponse.text(json, {
    contentType: "application/json",
    headers: { etag: quoted(tag), "cache-control": caching }
  })

export const notModified = (tag: string, caching: string) =>
  HttpServerResponse.empty({ status: 304, headers: { etag: quoted(tag), "cache-control": caching } })

/** Answers conditionally with a value whose tag is drawn from all of it, as it goes out. */
export const makeConditional = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeEffect(Schema.toCodecJson(schema))
  return Effect.map(Digest.Digest, (digest) =>
    Effect.fnUntraced(function* (body: A, ifNoneMatch: string | undefined, caching: string) {
      const text = JSON.stringify(yield* Effect.orDie(encode(body)))
      const hash = yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(text))
      const tag = hash.slice(0, 32)
      return knownEtag(ifNoneMatch) === tag ? notModified(tag, caching) : jsonWithEtag(text, tag, caching)
    })
  )
}
