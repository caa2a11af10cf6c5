/** The headers that operations declare. Titles are their names as people write them. */
import { Schema } from "effect"

export const CacheControl = Schema.String.annotate({
  title: "Cache-Control",
  description: "Who may keep the response, and for how long"
})

/** The `Cache-Control` of answers that declare none: they may be for the caller alone, and be others the next time. */
export const undeclaredCaching = "private, no-store"

export const Pragma = Schema.String.annotate({
  title: "Pragma",
  description: "The same for caches that know no other header"
})

/** What OAuth requires of answers that may have secrets, and of its failures (RFC 6749, 5.1 and 5.2). */
export const oauthCaching = { "cache-control": "no-store", pragma: "no-cache" } as const

export const ClearSiteData = Schema.String.annotate({
  title: "Clear-Site-Data",
  description: "What the browser removes"
})

export const ETag = Schema.String.annotate({
  title: "ETag",
  description: "Changes whenever the response does; send it back in `If-None-Match`"
})

export const IfNoneMatch = Schema.String.annotate({
  title: "If-None-Match",
  description: "The `ETag` of an earlier response. If it still holds, the answer is 304 without a body."
})

export const Location = Schema.String.annotate({ title: "Location", description: "Where to go next" })
